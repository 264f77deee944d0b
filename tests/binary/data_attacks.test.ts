import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { encodeHead, openBundle } from '../../src/server/bundles/bundle_file.ts';
import { signedBy } from '../../src/server/bundles/bundle_keys.ts';
import { DataStore } from '../../src/server/bundles/data_store.ts';
import {
  bundleIn,
  bundlesInUse,
  dataKit,
  keyFileIn,
  keySetOf,
  newKey,
  PACKS,
  packOf,
  untilUsed,
} from '../support/bundles.ts';
import {
  BINARY,
  type eventsOf,
  type RunningServer,
  residentMegabytes,
  startServer,
} from '../support/process.ts';
import { runs, sampleNumbers } from '../support/proof.ts';

const kit = dataKit();
const [first, second] = kit.signers as [(typeof kit.signers)[0], (typeof kit.signers)[0]];
const revoked = newKey();

let intact: string;
/** A pulling server with bundle 5. Of its three trusted keys one is revoked, and the other two must both sign. */
let server: RunningServer;
let events: ReturnType<typeof eventsOf>;
/** The file the server pulls. */
const pulled = join(kit.path, 'pulled.bundle');
const state = kit.newState('attacked');
beforeAll(async () => {
  const keySet = keySetOf([first, second, revoked], { threshold: 2, revoked: keySetOf([revoked], {}).keys });
  const keys = keyFileIn(kit.newState('keys'), keySet);
  intact = await bundleIn(kit.path, 5, PACKS, kit.signers);
  copyFileSync(intact, pulled);
  const flags = ['--data-url', pulled, '--data-interval', '1s', '--data-keys', keys];
  server = await startServer(['--state-dir', state, ...flags]);
  events = server.events;
  await untilUsed(server, 5);
});
afterAll(() => server[Symbol.dispose]());

/** Replaces the pulled file atomically: a pull never reads a partial file. */
function offer(contents: Uint8Array): void {
  writeFileSync(`${pulled}.new`, contents);
  renameSync(`${pulled}.new`, pulled);
}

/** Skips pulls that began before the last change of the pulled file. */
async function loggedReason(reason: RegExp): Promise<void> {
  for (;;) {
    const event = await events.next('data could not be pulled');
    expect(event.level).toBe('warn');
    if (reason.test(String(event['error']))) return;
  }
}

/** The server responds correctly, with bundle 5, and reports in `/readyz` that a pull failed. */
async function expectUnaffected(): Promise<void> {
  const response = await fetch(`${server.url}/v1/time/convert?unix=1750000000&tz=Europe/Paris&sign=true`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ iso_local: '2025-06-15T17:06:40+02:00' });
  expect(response.headers.get('X-Service-Data')).toBe('tzdata=2026f');
  expect(await bundlesInUse(server)).toEqual([5]);
}

async function bytesOf(sequence: number, signers = kit.signers, packs = PACKS): Promise<Buffer> {
  const path = await bundleIn(kit.newState(`${sequence}`), sequence, packs, signers);
  return Buffer.from(await Bun.file(path).bytes());
}

/** A bundle with the given manifest, signed. */
async function withManifest(change: (manifest: { sets: object[] }) => object): Promise<Buffer> {
  const manifest = JSON.parse((await openBundle(intact)).head.manifestText);
  const manifestText = JSON.stringify({ ...manifest, sequence: 60, ...change(manifest) });
  const signatures = kit.signers.flatMap(key => signedBy(key, 'meridian bundle\n', manifestText, []));
  return Buffer.from(encodeHead({ manifestText, signatures: { successions: [], signatures } }));
}

async function mixed(): Promise<Buffer> {
  const other = await openBundle(await bundleIn(kit.newState('mixed'), 61, PACKS.slice(1), kit.signers));
  const { manifestText } = (await openBundle(intact)).head;
  const payloads = await Promise.all(PACKS.map(pack => pack.load()));
  const head = encodeHead({ manifestText, signatures: other.head.signatures });
  return Buffer.concat([head, ...payloads.map(bytes => bytes.subarray(0, bytes.length))]);
}

describe.each<[string, RegExp, () => Promise<Buffer>]>([
  ['unsigned', /it has 0 valid signatures/, () => bytesOf(10, [])],
  ['signed by one key less than required', /it has 1 valid signatures/, () => bytesOf(11, [first])],
  ['signed by a revoked key', /it has 1 valid signatures/, () => bytesOf(12, [first, revoked])],
  ['older', /sequence number 4 is lower than 5/, () => bytesOf(4)],
  ['a mix of two bundles', /it has 0 valid signatures/, mixed],
  ['truncated', /its manifest requires/, async () => (await bytesOf(13)).subarray(0, -1)],
  ['empty', /it is truncated/, async () => Buffer.alloc(0)],
  [
    'with a manifest that names a file',
    /'path' is malformed/,
    () => withManifest(() => ({ path: '/etc/passwd' })),
  ],
  [
    'with a data set named as a file',
    /'..\/..\/etc\/passwd' is not one of tzdata/,
    () => bytesOf(14, kit.signers, [packOf('../../etc/passwd', readReleasePack())]),
  ],
])('a bundle that is %s', (_, reason, attack) => {
  test('is rejected by a running server, which logs the reason and keeps serving', async () => {
    offer(await attack());
    await loggedReason(reason);
    await expectUnaffected();
    const ready = await (await fetch(`${server.url}/readyz`)).text();
    expect(ready).toContain('pull warning the last data pull failed');
  });
});

test('bundles with a flipped bit are rejected by a running server', async () => {
  const random = sampleNumbers();
  const bundle = await bytesOf(15);
  for (let place = 0; place < runs(3, 20); place++) {
    const damaged = Buffer.from(bundle);
    damaged[Math.floor(random() * bundle.length)]! ^= 1 << Math.floor(random() * 8);
    offer(damaged);
    await loggedReason(/Cannot install .*pulled\.bundle: (?!it is truncated)/);
    await expectUnaffected();
  }
});

test('symbolic links in the store are not followed by a running server', async () => {
  offer(Buffer.from(await Bun.file(intact).bytes())); // nothing new
  const { folder } = new DataStore(state);
  const index = join(folder, 'store.json');
  const bundle = join(folder, readdirSync(folder).find(name => name.endsWith('.bundle'))!);
  for (const path of [index, bundle]) {
    const contents = readFileSync(path);
    const elsewhere = join(kit.path, 'elsewhere');
    writeFileSync(elsewhere, contents);
    rmSync(path);
    symlinkSync(elsewhere, path);
    if (path === bundle) writeFileSync(index, readFileSync(index)); // touching it makes the server reread the store
    const { error } = await events.next('reload failed', 'data');
    expect(error).toMatch(/Cannot (?:read the data store|use .*\.bundle): .*symbolic link/);
    await expectUnaffected();
    rmSync(path);
    writeFileSync(path, contents, { mode: 0o600 });
    server.child.kill('SIGHUP');
    expect(await events.next('reloaded', 'data')).toMatchObject({ now: 'bundle 5' });
  }
});

/** A pack of releases whose index is a long list of empty lists. */
function manyLists(count: number): Buffer {
  const index = Buffer.from(`{"files":[],"releases":[${'[],'.repeat(count)}[]]}`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(index.length);
  return Buffer.concat([Buffer.from('MRELEA1\n'), zstdCompressSync(Buffer.concat([length, index]))]);
}

describe.skipIf(process.platform !== 'linux')(
  'a bundle of some kilobytes that unpacks to half a gigabyte',
  () => {
    const bomb = zstdCompressSync(Buffer.alloc(500e6));
    const cases = [
      ['tzdata releases', Buffer.concat([Buffer.from('MRELEA1\n'), bomb]), /more than 32000000 bytes/],
      ['places', bomb, /more than 64000000 bytes/],
      ['tzdata releases', manyLists(10_000_000), /takes more than 200 MB of memory|releases: /],
    ] as const;
    test.each(cases)(
      'is rejected, and takes at most 300 MB more than a normal one: %s',
      async (name, payload, reason) => {
        const usual = await peakOfInstallation('usual', await bundleIn(kit.path, 70, PACKS, kit.signers));
        expect(usual.exitCode).toBe(0);
        const serverBefore = residentMegabytes(server.child.pid, 'RssAnon');
        const pack = packOf(name, payload);
        expect(pack.manifest.bytes).toBeLessThan(200_000);
        const attack = await peakOfInstallation('bomb', await bundleIn(kit.path, 71, [pack], kit.signers));
        expect([attack.exitCode, attack.stderr]).toEqual([1, expect.stringMatching(reason)]);
        expect(attack.bytes - usual.bytes).toBeLessThan(300e6);
        expect(attack.current).toBeNull();
        expect(residentMegabytes(server.child.pid, 'RssAnon') - serverBefore).toBeLessThan(100);
        await expectUnaffected();
      },
    );
  },
);

/** Installs a bundle in a new store; returns the outcome and the peak memory of the largest process. */
async function peakOfInstallation(name: string, bundle: string) {
  const state = kit.newState(`${name}-${crypto.randomUUID()}`);
  const args = ['data', 'install', bundle, '--state-dir', state, '--data-keys', kit.keys];
  const child = Bun.spawn([BINARY, ...args], { stdout: 'ignore', stderr: 'pipe' });
  const [stderr, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  const { current } = await new DataStore(state).read();
  return { exitCode, stderr, bytes: child.resourceUsage()!.maxRSS, current };
}
