import { beforeAll, expect, jest, spyOn, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { boundariesPath } from '../../../data/boundaries/embedded.ts';
import { readHolidayPack } from '../../../data/holidays/embedded.ts';
import { placesPath } from '../../../data/places/embedded.ts';
import { readReleasePack } from '../../../data/releases/embedded.ts';
import { readZonePack } from '../../../data/zones/embedded.ts';
import { encodeHead, openBundle } from '../../../src/server/bundles/bundle_file.ts';
import { signedBy } from '../../../src/server/bundles/bundle_keys.ts';
import { type CanaryReport, tryBundle } from '../../../src/server/bundles/canary.ts';
import { DataStore } from '../../../src/server/bundles/data_store.ts';
import { obtainBundle } from '../../../src/server/bundles/download.ts';
import { type InstallOptions, install } from '../../../src/server/bundles/install.ts';
import { pauseMs, startPulls } from '../../../src/server/bundles/pulls.ts';
import type { DataSettings } from '../../../src/server/data_sets.ts';
import { loadData, loadInstalled } from '../../../src/server/load_data.ts';
import type { Pack } from '../../../src/server/packs.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../../../src/zones/zone_pack.ts';
import { bundleIn, keySetOf, NO_FILES, newKey, PACKS, packOf, zonesOf } from '../../support/bundles.ts';
import { newFolder, recordedEvents, until } from '../../support/process.ts';
import { runs, sampleNumbers } from '../../support/proof.ts';
import { CITY_DATABASE } from '../../support/service.ts';

const KEYS = [newKey(), newKey(), newKey()] as const;
const [first, second, third] = KEYS;
const ROOTS = keySetOf(KEYS); // two of three

function options(changes: Partial<InstallOptions> = {}): InstallOptions {
  return {
    keyText: JSON.stringify(ROOTS),
    allowsDowngrade: false,
    onlyNewer: false,
    tryOut: async () => ({}) as CanaryReport, // trials are tested below
    ...changes,
  };
}

const folder = newFolder();
/** A store with bundle 5, and its data in use. */
const store = new DataStore(folder);
let installed: string;
beforeAll(async () => {
  installed = await bundleIn(folder, 5, PACKS, [first, second]);
  await install(installed, store, options());
});

/** Expects that a file is rejected with a reason, and that bundle 5 remains in use, complete. */
async function expectRefused(
  path: string,
  reason: RegExp,
  changes: Partial<InstallOptions> = {},
): Promise<void> {
  const tryOut = () => Promise.reject(new Error('it was tried out'));
  await expect(install(path, store, options({ tryOut, ...changes }))).rejects.toThrow(reason);
  const { bundle, problems } = await loadInstalled(NO_FILES, store);
  expect([bundle?.manifest.sequence, problems]).toEqual([5, []]);
  expect(readdirSync(store.folder).filter(name => /incoming/.test(name))).toEqual([]);
}

test('a bundle is used after its installation, and installed once', async () => {
  const { bundle, packs } = await loadInstalled(NO_FILES, store);
  expect(bundle?.manifest.sequence).toBe(5);
  expect([packs.get('zones')?.sequence, packs.get('boundaries')?.sequence]).toEqual([5, null]);
  expect(await install(installed, store, options())).toMatchObject({ kind: 'unchanged' });
});

test('bundles signed by too few trusted keys are rejected', async () => {
  const cases = [[], [first], [newKey(), newKey()], [first, newKey()]];
  for (const [index, signers] of cases.entries()) {
    const path = await bundleIn(folder, 10 + index, PACKS, signers);
    await expectRefused(path, /valid signatures of trusted keys; 2 are required/);
  }
});

test('a repeated signature counts once', async () => {
  const path = await bundleIn(folder, 15, PACKS, [first]);
  const { manifestText, signatures } = (await openBundle(path)).head;
  const head = {
    manifestText,
    signatures: { ...signatures, signatures: [...signatures.signatures, ...signatures.signatures] },
  };
  writeFileSync(path, Buffer.concat([encodeHead(head), readZonePack(), readHolidayPack()]));
  await expectRefused(path, /it has 1 valid signatures/);
});

test('a revoked key does not count', async () => {
  const path = await bundleIn(folder, 16, PACKS, [first, second]);
  const keyText = JSON.stringify(keySetOf(KEYS, { revoked: ROOTS.keys.slice(1, 2) }));
  await expectRefused(path, /it has 1 valid signatures/, { keyText });
});

test('without any trusted key nothing is installed', async () => {
  await expectRefused(installed, /no keys are trusted/, { keyText: null });
});

test('an older bundle, and another one with the same number, are rejected', async () => {
  const older = await bundleIn(folder, 4, PACKS, [first, second]);
  await expectRefused(older, /sequence number 4 is lower than 5/);
  const other = await bundleIn(join(folder), 5, PACKS.slice(0, 1), [first, second]);
  await expectRefused(other, /another bundle with its sequence number 5/);
  await expectRefused(older, /it was tried out/, { allowsDowngrade: true });
});

test('a mix of two bundles is rejected', async () => {
  const [a, b] = await Promise.all(
    [20, 21].map(number => bundleIn(folder, number, PACKS.slice(number - 20), [first, second])),
  );
  const { head } = await openBundle(a!);
  const payloads = [...readZonePack()];
  payloads[1000]! ^= 1;
  writeFileSync(a!, Buffer.concat([encodeHead(head), Uint8Array.from(payloads), readHolidayPack()]));
  await expectRefused(a!, /its tzdata is damaged/);
  const { signatures } = (await openBundle(b!)).head;
  const mixed = { manifestText: head.manifestText, signatures };
  writeFileSync(a!, Buffer.concat([encodeHead(mixed), readZonePack(), readHolidayPack()]));
  await expectRefused(a!, /it has 0 valid signatures/);
});

test('truncated bundles, and those with a flipped bit anywhere, are rejected', async () => {
  const path = await bundleIn(folder, 30, PACKS, [first, second]);
  const intact = readFileSync(path);
  const random = sampleNumbers();
  // Half of the positions are in the head.
  const headLength = intact.length - readZonePack().length - readHolidayPack().length;
  for (let place = 0; place < runs(60, 1000); place++) {
    const at = Math.floor(random() * (place % 2 === 0 ? headLength : intact.length));
    const damaged = Buffer.from(intact);
    damaged[at]! ^= 1 << Math.floor(random() * 8);
    writeFileSync(path, damaged);
    await expect(install(path, store, options()), `byte ${at}`).rejects.toThrow('Cannot install');
    writeFileSync(path, intact.subarray(0, at));
    await expect(install(path, store, options()), `cut at ${at}`).rejects.toThrow('Cannot install');
  }
  writeFileSync(path, Buffer.concat([intact, Buffer.of(0)]));
  await expectRefused(path, /its manifest requires/);
});

test('a manifest that names other files, or something other than a data set, is rejected', async () => {
  const packs = ['../../etc/passwd', '/etc/passwd', 'schedules'].map(name => packOf(name, readHolidayPack()));
  for (const pack of packs) {
    const path = await bundleIn(folder, 40, [pack], [first, second]);
    await expectRefused(path, /is not one of tzdata, tzdata releases/);
  }
  const manifest = JSON.parse((await openBundle(installed)).head.manifestText);
  const faulty: readonly (readonly [object, RegExp])[] = [
    [{ path: '/etc/passwd' }, /'path' is malformed/],
    [{ sets: [manifest.sets[0], manifest.sets[0]] }, /lists 'tzdata' twice/],
    [{ sets: [{ ...manifest.sets[0], bytes: 1e300 }] }, /'sets\/0\/bytes' is malformed/],
  ];
  for (const [changes, reason] of faulty) {
    const manifestText = JSON.stringify({ ...manifest, sequence: 42, ...changes });
    const signatures = KEYS.flatMap(key => signedBy(key, 'meridian bundle\n', manifestText, []));
    const path = join(folder, '42.bundle');
    writeFileSync(path, encodeHead({ manifestText, signatures: { successions: [], signatures } }));
    await expectRefused(path, reason);
  }
});

test('symbolic links in the store are not followed; the embedded data is used', async () => {
  const bundle = readdirSync(store.folder).find(name => name.endsWith('.bundle'))!;
  const moved = join(folder, 'moved');
  for (const path of [join(store.folder, 'store.json'), join(store.folder, bundle), store.folder]) {
    renameSync(path, moved);
    symlinkSync(moved, path);
    const loaded = await loadInstalled(NO_FILES, store);
    expect([path, loaded.bundle, loaded.problems.length]).toEqual([path, null, 1]);
    rmSync(path);
    renameSync(moved, path);
  }
  expect((await loadInstalled(NO_FILES, store)).bundle?.manifest.sequence).toBe(5);
});

test('keys are replaced once, with as many signatures as a bundle requires', async () => {
  const other = newFolder();
  const own = new DataStore(other);
  const [fourth, fifth] = [newKey(), newKey()];
  const successors = keySetOf([first, fourth, fifth], { version: 2 });
  const usurped = await bundleIn(other, 1, PACKS, [third, fourth, fifth], successors);
  await expect(install(usurped, own, options())).rejects.toThrow('it has 1 valid signatures');
  const path = await bundleIn(other, 2, PACKS, [first, second, fourth], successors);
  expect(await install(path, own, options())).toMatchObject({ kind: 'installed' });
  const former = await bundleIn(other, 3, PACKS, [second, third]);
  await expect(install(former, own, options())).rejects.toThrow('it has 0 valid signatures');
  const returned = await bundleIn(other, 4, PACKS, [first, second, third], keySetOf(KEYS, { version: 1 }));
  await expect(install(returned, own, options())).rejects.toThrow('it has 1 valid signatures');
  const next = await bundleIn(other, 5, PACKS, [fourth, fifth]);
  expect(await install(next, own, options())).toMatchObject({ kind: 'installed' });
});

test('if the bundle in use is damaged, the previous one is used as a whole', async () => {
  const other = newFolder();
  const own = new DataStore(other);
  for (const number of [1, 2, 3]) {
    await install(await bundleIn(other, number, PACKS.slice(number % 2), [first, second]), own, options());
  }
  const { current, generations } = await own.read();
  expect(generations.map(({ sequence }) => sequence)).toEqual([3, 2]);
  copyFileSync(installed, join(own.folder, `${current}.bundle`));
  const loaded = await loadInstalled(NO_FILES, own);
  expect(loaded.bundle?.manifest.sequence).toBe(2);
  expect(loaded.problems[0]).toContain('its manifest is not the one that was installed');
});

test('a pin permits one bundle, and a pull does not reinstall a rolled-back bundle', async () => {
  const other = newFolder();
  const own = new DataStore(other);
  const [one, two, three] = await Promise.all(
    [1, 2, 3].map(number => bundleIn(other, number, PACKS, [first, second])),
  );
  await install(one!, own, options());
  await install(two!, own, options());
  await own.pin(2);
  await expect(install(three!, own, options())).rejects.toThrow('pinned to bundle 2');
  expect(await install(three!, own, options({ onlyNewer: true }))).toMatchObject({ kind: 'unchanged' });
  await own.pin(null);
  expect((await own.rollback())?.sequence).toBe(1);
  expect(await own.candidates()).toHaveLength(1); // not the one that was rolled back
  expect(await install(two!, own, options({ onlyNewer: true }))).toMatchObject({ kind: 'unchanged' });
  expect(await own.rollback()).toBeNull();
  expect((await loadInstalled(NO_FILES, own)).bundle).toBeNull();
  await expect(own.rollback()).rejects.toThrow('no bundle is in use');
  expect(await install(two!, own, options())).toMatchObject({ kind: 'installed' });
});

test('a download is unaffected by an interrupted one, and returns to a bundle that was rolled back', async () => {
  const own = new DataStore(newFolder());
  mkdirSync(own.folder);
  const names = ['incoming.tmp', 'incoming-old.tmp', 'incoming-new.tmp'];
  for (const name of names) writeFileSync(join(own.folder, name), 'a part');
  // Another process may have been writing to the last one.
  const idle = Date.now() / 1000 - 1000;
  for (const name of names.slice(0, 2)) utimesSync(join(own.folder, name), idle, idle);
  const headers = { ETag: '"5"' };
  const respond = ({ headers: sent }: Request) =>
    sent.has('If-None-Match')
      ? new Response(null, { status: 304 })
      : new Response(Bun.file(installed), { headers });
  using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: respond });
  const kind = async (changes = {}) => (await install(`${server.url}`, own, options(changes))).kind;
  expect([await kind(), await kind()]).toEqual(['installed', 'unchanged']);
  await own.rollback();
  expect([await kind({ onlyNewer: true }), await kind()]).toEqual(['unchanged', 'installed']);
  expect(readdirSync(own.folder).filter(name => name.startsWith('incoming'))).toEqual(['incoming-new.tmp']);
});

test('redirects and a slow disk do not make a download stall', async () => {
  jest.useFakeTimers();
  try {
    const respond = ({ url }: Request) => {
      jest.advanceTimersByTime(20_000);
      const step = Number(new URL(url).searchParams.get('step')) + 1;
      return step === 4 ? new Response(Bun.file(installed)) : Response.redirect(`?step=${step}`, 302);
    };
    using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: respond });
    const file = await open(installed);
    const { writeFile } = file;
    using _write = spyOn(Object.getPrototypeOf(file), 'writeFile').mockImplementation(function (
      this: FileHandle,
      ...args: Parameters<FileHandle['writeFile']>
    ) {
      jest.advanceTimersByTime(60_000);
      return writeFile.apply(this, args);
    });
    const path = join(newFolder(), 'bundle');
    expect((await obtainBundle(`${server.url}`, path, null)).kind).toBe('new');
    await file.close();
    expect(readFileSync(path).equals(readFileSync(installed))).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});

test('a slow download does not delay other changes of the store, and one that stalls fails', async () => {
  const own = new DataStore(newFolder());
  const sending = Promise.withResolvers<void>();
  const file = Bun.file(installed);
  const body = async function* () {
    yield await file.slice(0, 1000).bytes();
    await sending.promise;
    yield await file.slice(1000).bytes();
  };
  using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(body()) });
  const stalled = obtainBundle(`${server.url}`, join(newFolder(), 'bundle'), null, 50);
  await expect(stalled).rejects.toThrow(`Cannot read ${server.url}: nothing was received for 0.05 s`);
  const slow = install(`${server.url}`, own, options());
  await until(
    () => existsSync(own.folder) && readdirSync(own.folder).some(name => name.startsWith('incoming')),
  );
  await own.pin(5);
  sending.resolve();
  expect((await slow).kind).toBe('installed');
});

test('a 304 to a request without an entity tag is a failure', async () => {
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(null, { status: 304 }),
  });
  const installing = install(`${server.url}`, new DataStore(newFolder()), options());
  await expect(installing).rejects.toThrow(`Cannot read ${server.url}: the response has status 304`);
});

/** 2026-11-23T00:00:00Z */
const NOW_SECONDS = 1_795_392_000;

async function trial(packs: readonly Pack[], changes: Partial<DataSettings> = {}) {
  const folder = newFolder();
  const settings = { ...NO_FILES, ...changes };
  const bundle = await openBundle(await bundleIn(folder, 1, packs, []));
  return await tryBundle(bundle, settings, await loadData(settings), NOW_SECONDS);
}

/** The embedded zones with changes. */
function changedZones(changes: (source: ZoneSource) => Partial<ZoneSource>): Pack {
  const source = decodeZonePack(readZonePack());
  return packOf('tzdata', encodeZonePack({ ...source, ...changes(source) }));
}

test('changed zones are listed, and those that differ at present', async () => {
  const swapped = changedZones(({ files }) => ({
    files: new Map([...files, ['Asia/Almaty', files.get('Asia/Tokyo')!]]),
  }));
  const report = await trial([swapped]);
  expect(report.changedZones).toEqual([{ zone: 'Asia/Almaty', sinceEpochSeconds: null }]);
  expect(report.changedNow).toEqual(['Asia/Almaty']);
  expect(report.sets).toMatchObject([{ name: 'tzdata', replaces: '2026f' }]);
});

test('an older release lists the changes since, and requires permission', async () => {
  await expect(trial([zonesOf('2016a')])).resolves.toMatchObject({
    changedZones: [],
    sets: [{ replaces: null }],
  });
  const report = await trial([zonesOf('2023c')], { 'allow-older-data': true });
  // Kazakhstan united its zones on 2024-03-01, in 2024a.
  expect(report.changedZones).toContainEqual({ zone: 'Asia/Almaty', sinceEpochSeconds: 1_709_229_600 });
  expect(report.changedNow).toContain('Asia/Almaty');
});

test('zones that lack one used by another data set are rejected', async () => {
  const without = changedZones(({ files, countryOfZone }) => ({
    files: new Map([...files].filter(([name]) => name !== 'Europe/Paris')),
    countryOfZone: new Map([...countryOfZone].filter(([name]) => name !== 'Europe/Paris')),
  }));
  await expect(trial([without])).rejects.toThrow('Europe/Paris');
});

test('wrong facts are rejected', async () => {
  const wrong = changedZones(({ files }) => ({
    files: new Map([...files, ['Europe/Paris', files.get('Asia/Tokyo')!]]),
  }));
  await expect(trial([wrong])).rejects.toThrow(
    'it contradicts that Europe/Paris was 7200 s east of UTC on 2000-07-01',
  );
});

test('data with a damaged part is rejected', async () => {
  const truncated = [
    packOf('holidays', readHolidayPack().subarray(0, 1000)),
    packOf('tzdata releases', readReleasePack().subarray(0, 1000)),
    packOf('tzdata', readZonePack().subarray(0, 300_000)),
    packOf('places', readHolidayPack()),
    packOf('ip', readHolidayPack()),
  ];
  for (const pack of truncated) await expect(trial([pack]), pack.manifest.name).rejects.toThrow(Error);
  const places = packOf('places', readFileSync(placesPath).subarray(0, -1));
  await expect(trial([places])).rejects.toThrow(
    'gazetteer: The file of places is truncated or has trailing bytes',
  );
  const boundaries = readFileSync(boundariesPath);
  boundaries.fill(0xff, boundaries.length - 100); // in the last cell
  await expect(trial([packOf('boundaries', boundaries)])).rejects.toThrow(
    'a cell of its boundaries is damaged',
  );
});

test('IP data is not checked if a configured database replaces it', async () => {
  const damaged = packOf('ip', readHolidayPack());
  const report = await trial([damaged], { 'ip-db': [CITY_DATABASE] });
  expect(report.sets).toMatchObject([{ name: 'ip' }]);
});

test('pulls of a fleet are spread over half an interval, and over ten minutes after a start', () => {
  const HOUR_MS = 3_600_000;
  expect([0, 0.5, 1].map(random => pauseMs(12 * HOUR_MS, false, random) / HOUR_MS)).toEqual([9, 12, 15]);
  expect([0, 0.5, 1].map(random => pauseMs(12 * HOUR_MS, true, random) / 60_000)).toEqual([0, 5, 10]);
});

test('a pull that cannot be started is a warning, and later pulls run, without the URL in the process list', async () => {
  const { log, lines } = recordedEvents('warn');
  using spawn = spyOn(Bun, 'spawn').mockImplementation(() => {
    throw new Error('EAGAIN: posix_spawn failed');
  });
  const pulls = startPulls('https://u:password@h', 1, [], log);
  await until(() => spawn.mock.calls.length > 2);
  pulls.stop();
  expect(JSON.stringify(spawn.mock.calls.map(([command]) => command))).not.toContain('password');
  expect(pulls.status()).toMatchObject([{ name: 'pull', state: 'warning' }]);
  expect(lines[0]).toMatchObject({ error: 'EAGAIN: posix_spawn failed' });
});
