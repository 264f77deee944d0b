import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { DataStore } from '../../src/server/bundles/data_store.ts';
import { loadInstalled } from '../../src/server/bundles/installed_data.ts';
import { ZoneDatabase } from '../../src/zones/zone_database.ts';
import { decodeZonePack, encodeZonePack } from '../../src/zones/zone_pack.ts';
import { temporaryFolder } from '../access/folders.ts';
import { expectNoDifferences, IS_PROOF, runs, sample, sampleNumbers } from '../proof.ts';
import {
  bundleIn,
  HISTORY,
  keyFileIn,
  keySetOf,
  NO_FILES,
  newKey,
  packOf,
  zonesOf,
} from '../server/bundles/bundle_kit.ts';
import { eventsOf } from './events.ts';
import { BINARY, type RunningServer, run, startServer } from './process.ts';

setDefaultTimeout(1_800_000);

const SIGNERS = [newKey(), newKey()];
const PACKS = [packOf('tzdata', readZonePack()), packOf('holidays', readHolidayPack())];
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
let keys: string;
/** Bundles 1 and 2, of the embedded zones and holidays. */
let bundles: readonly string[];
beforeAll(async () => {
  keys = keyFileIn(folder.path, keySetOf(SIGNERS, { threshold: 2 }));
  bundles = await Promise.all([1, 2].map(number => bundleIn(folder.path, number, PACKS, SIGNERS)));
});

function newState(name: string): string {
  const state = join(folder.path, name);
  mkdirSync(state);
  return state;
}

async function data(state: string, ...args: readonly string[]) {
  return await run(['data', ...args, '--state-dir', state, '--data-keys', keys]);
}

/** Waits until all workers of a server have a bundle, by their metrics. */
async function untilUsed({ url }: RunningServer, sequence: number, workers = 1): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const used = [...text.matchAll(/^meridian_data_bundle_sequence(?:\{.*\})? (\d+)$/gm)].map(match =>
      Number(match[1]),
    );
    if (used.length === workers && used.every(each => each === sequence)) return;
    await Bun.sleep(50);
  }
}

test('two builds have the same bytes, and zones and holidays take less than 1 MB', async () => {
  const state = newState('built');
  const built: Uint8Array[] = [];
  for (const name of ['a.bundle', 'b.bundle']) {
    const path = join(state, name);
    const args = ['build', path, '--sequence', '1', '--sets', 'tzdata,holidays'];
    expect(await data(state, ...args)).toMatchObject({ exitCode: 0, stderr: '' });
    built.push(await Bun.file(path).bytes());
  }
  expect(built[0]!.length).toBeLessThan(1_000_000);
  expect(Buffer.compare(built[0]!, built[1]!)).toBe(0);
});

test('all workers use a bundle without a restart or a failed request, and return with a rollback', async () => {
  const state = newState('workers');
  using server = await startServer(['--state-dir', state, '--workers', '2']);
  let isDone = false;
  const statuses = new Set<number>();
  const client = (async () => {
    while (!isDone) {
      await Bun.sleep(5);
      statuses.add((await fetch(`${server.url}/v1/time/current?lat=48.85&lon=2.35`)).status);
    }
  })();
  expect(await data(state, 'install', bundles[0]!)).toMatchObject({ exitCode: 0, stderr: '' });
  await untilUsed(server, 1, 2);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('data ok bundle 1\n');
  expect(await data(state, 'install', bundles[1]!)).toMatchObject({ exitCode: 0 });
  await untilUsed(server, 2, 2);
  const refused = await data(state, 'install', bundles[0]!);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is lower than 2') });
  expect((await data(state, 'rollback')).stdout).toStartWith('rolled back to bundle 1;');
  await untilUsed(server, 1, 2);
  isDone = true;
  await client;
  expect([...statuses]).toEqual([200]);
});

test('a bundle whose data unpack to gigabytes is refused', async () => {
  const state = newState('bomb');
  const frame = zstdCompressSync(Buffer.alloc(400e6));
  const bomb = packOf('tzdata releases', Buffer.concat([Buffer.from('MRELEA1\n'), frame]));
  expect(bomb.manifest.bytes).toBeLessThan(100_000);
  const path = await bundleIn(state, 1, [bomb], SIGNERS);
  const { exitCode, stderr } = await data(state, 'install', path);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Cannot install')]);
  expect((await new DataStore(state).read()).current).toBeNull();
});

test('whenever an installation or a rollback is killed, the store has one complete generation', async () => {
  const state = newState('killed');
  const store = new DataStore(state);
  expect(await data(state, 'install', bundles[0]!)).toMatchObject({ exitCode: 0 });
  const startedMs = performance.now();
  expect(await data(state, 'install', bundles[1]!)).toMatchObject({ exitCode: 0 });
  const usualMs = performance.now() - startedMs;
  const random = sampleNumbers();
  const differences: string[] = [];
  const attempts = runs(15, 300);
  let sequence = 2;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const isRollback = attempt % 3 === 2;
    const next = await bundleIn(state, ++sequence, PACKS, SIGNERS);
    const args = isRollback ? ['rollback'] : ['install', next];
    const child = Bun.spawn([BINARY, 'data', ...args, '--state-dir', state, '--data-keys', keys], {
      stdout: 'ignore',
      stderr: 'ignore',
    });
    // A rollback takes about a fifth of the time.
    await Bun.sleep(random() * usualMs * (isRollback ? 0.3 : 1.2));
    child.kill('SIGKILL');
    await child.exited;
    const { bundle, problems } = await loadInstalled(NO_FILES, store);
    const { current, generations } = await store.read();
    const isWhole = problems.length === 0 && (bundle?.digest ?? null) === current && generations.length > 0;
    if (!isWhole)
      differences.push(`${args[0]} ${attempt}: ${problems.join()} ${JSON.stringify(generations)}`);
  }
  expect(await data(state, 'install', bundles[1]!, '--downgrade')).toMatchObject({ exitCode: 0 });
  const left = readdirSync(store.folder).filter(
    name => !/^(?:lock|store\.json|[0-9a-f]{64}\.bundle)$/.test(name),
  );
  expectNoDifferences('killed installations and rollbacks', attempts, [...differences, ...left], 300);
});

test('a decade of releases is installed while a client asks; each response is of the release in use', async () => {
  const state = newState('decade');
  using server = await startServer(['--state-dir', state, '--allow-older-data']);
  const releases = sample(HISTORY.releases, 4);
  // Zones that these releases changed, at instants in between.
  const zones = [
    'Asia/Almaty',
    'Africa/Casablanca',
    'America/Caracas',
    'Asia/Pyongyang',
    'Europe/Istanbul',
    'Africa/Juba',
  ];
  const differences: string[] = [];
  let comparisons = 0;
  for (const [index, { version }] of releases.entries()) {
    const path = await bundleIn(state, index + 1, [zonesOf(version)], SIGNERS);
    const installed = data(state, 'install', path, '--allow-older-data', '--accept-changes');
    const permitted = [releases[index - 1]?.version ?? '2026f', version];
    let isInstalled = false;
    void installed.then(() => {
      isInstalled = true;
    });
    while (!isInstalled) {
      await compare(permitted);
      await Bun.sleep(5);
    }
    expect(await installed).toMatchObject({ exitCode: 0, stderr: '' });
    await untilUsed(server, index + 1);
    for (let round = 0; round < 20; round++) await compare([version]);
  }
  expectNoDifferences('responses during a decade of releases', comparisons, differences, 1000);

  /** Compares one response with those of releases. */
  async function compare(versions: readonly string[]): Promise<void> {
    const zone = zones[comparisons % zones.length]!;
    const epochSeconds = Date.UTC(2015 + (comparisons % 12), comparisons % 7, 15) / 1000;
    comparisons++;
    const response = await fetch(`${server.url}/v1/time/convert?unix=${epochSeconds}&tz=${zone}`);
    const offset = ((await response.json()) as { iso_local: string }).iso_local.slice(-6);
    const expected = versions.map(version => offsetIn(version, zone, epochSeconds));
    if (!expected.includes(offset))
      differences.push(`${zone} at ${epochSeconds}: ${offset} is not ${expected} of ${versions}`);
  }
});

const databases = new Map<string, ZoneDatabase>();

/** The offset of a zone in a release, as responses have it. */
function offsetIn(version: string, zone: string, epochSeconds: number): string {
  const position = HISTORY.releases.findIndex(release => release.version === version);
  const database = databases.get(version) ?? new ZoneDatabase(HISTORY.sourceOf(position));
  databases.set(version, database);
  const { offsetSeconds } = database.find(zone)!.periodAt(epochSeconds);
  const minutes = Math.abs(offsetSeconds) / 60;
  const digits = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0'));
  return `${offsetSeconds < 0 ? '-' : '+'}${digits.join(':')}`;
}

/** A bundle that is signed and whose data is wrong: Paris has the time of Tokyo. */
function poisonedZones() {
  const source = decodeZonePack(readZonePack());
  const files = new Map([...source.files, ['Europe/Paris', source.files.get('Asia/Tokyo')!]]);
  return packOf('tzdata', encodeZonePack({ ...source, files }));
}

test('a fleet pulls bundles from one file server; a poisoned one is refused by all', async () => {
  const count = IS_PROOF ? 50 : 5;
  let served = bundles[0]!;
  const arrivalsMs: number[] = [];
  using files = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      arrivalsMs.push(performance.now());
      return new Response(Bun.file(served));
    },
  });
  const url = `http://127.0.0.1:${files.port}/meridian.bundle`;
  const interval = IS_PROOF ? '60s' : '4s';
  const servers: RunningServer[] = [];
  using running = new DisposableStack();
  for (let index = 0; index < count; index++) {
    const state = newState(`fleet-${index}`);
    servers.push(
      running.use(
        await startServer([
          '--state-dir',
          state,
          '--data-url',
          url,
          '--data-interval',
          interval,
          '--data-keys',
          keys,
        ]),
      ),
    );
  }
  const logs = servers.map(({ child }) => eventsOf(child.stderr));
  for (const server of servers) await untilUsed(server, 1);
  expect(new Set(arrivalsMs).size).toBe(arrivalsMs.length);
  const poisoned = join(folder.path, 'poisoned.bundle');
  copyFileSync(await bundleIn(newState('poison'), 9, [poisonedZones()], SIGNERS), poisoned);
  served = poisoned;
  for (const [index, log] of logs.entries()) {
    const { error } = await log.next('data could not be pulled');
    expect(error).toContain('it denies that Europe/Paris was 7200 s east of UTC');
    const { url: server } = servers[index]!;
    const ready = await fetch(`${server}/readyz`);
    const text = await ready.text();
    expect([ready.status, text.includes('data ok bundle 1\n')]).toEqual([200, true]);
    expect(text).toContain('pull warning the last pull of data failed');
  }
  writeFileSync(poisoned, '');
  served = bundles[1]!;
  for (const server of servers) await untilUsed(server, 2);
});
