import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { DataStore } from '../../src/server/bundles/data_store.ts';
import { loadInstalled } from '../../src/server/load_data.ts';
import { bundleIn, bundlesInUse, dataKit, NO_FILES, PACKS, packOf, untilUsed } from '../support/bundles.ts';
import { BINARY, expectFailures, startServer } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF, runs, sampleNumbers } from '../support/proof.ts';

const kit = dataKit();
afterAll(() => kit[Symbol.dispose]());
const random = sampleNumbers();

const ATTEMPTS = runs(15, 300);
/** Stores whose processes are killed in parallel. */
const STORES = 3;
/** How many attempts there are per attempt that loads all data. */
const LOADED_EACH = 10;

let bundles: readonly string[];
beforeAll(async () => {
  bundles = await Promise.all([1, 2, 3].map(number => bundleIn(kit.path, number, PACKS, kit.signers)));
});

/** The processes killed before and after they had changed the store. */
const moments = { before: 0, after: 0 };
const differences: string[] = [];

/** Kills installations and rollbacks of one store. */
async function killInStore(state: string, attempts: number): Promise<void> {
  const store = new DataStore(state);
  for (const bundle of bundles.slice(0, 2)) {
    expect(await kit.data(state, 'install', bundle)).toMatchObject({ exitCode: 0, stderr: '' });
  }
  const startedMs = performance.now();
  expect(await kit.data(state, 'install', bundles[2]!)).toMatchObject({ exitCode: 0, stderr: '' });
  const installationMs = performance.now() - startedMs;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { current, generations } = await store.read();
    const inUse = generations.find(({ digest }) => digest === current)?.sequence;
    const isRollback = attempt % 3 === 2 && current !== null;
    const others = bundles.filter((_, index) => index + 1 !== inUse);
    const install = ['install', others[Math.floor(random() * others.length)]!, '--downgrade'];
    // A rollback takes about a fifth of the time.
    await killAfter(random() * installationMs * (isRollback ? 0.3 : 1.2), [
      ...(isRollback ? ['rollback'] : install),
      ...['--state-dir', state, '--data-keys', kit.keys],
    ]);
    const fault = await faultOf(store, attempt % LOADED_EACH === 0);
    if (fault !== null) differences.push(`${isRollback ? 'rollback' : 'install'} ${attempt}: ${fault}`);
    moments[(await store.read()).current === current ? 'before' : 'after']++;
  }
  const last = ['install', bundles[0]!, '--downgrade'];
  expect(await kit.data(state, ...last)).toMatchObject({ exitCode: 0, stderr: '' });
  const isExpected = (name: string) => /^(?:lock|store\.json|[0-9a-f]{64}\.bundle)$/.test(name);
  differences.push(...readdirSync(store.folder).filter(name => !isExpected(name)));
}

async function killAfter(delayMs: number, args: readonly string[]): Promise<void> {
  const child = Bun.spawn([BINARY, 'data', ...args], { stdout: 'ignore', stderr: 'ignore' });
  await Bun.sleep(delayMs);
  child.kill('SIGKILL');
  await child.exited;
}

/** What is wrong with a store: every generation in its index must be complete, and the current one must be in use. */
async function faultOf(store: DataStore, loads: boolean): Promise<string | null> {
  try {
    const { current, generations } = await store.read();
    for (const { digest } of generations) await store.open(digest);
    if (generations.length === 0) return 'there is no generation';
    if (current !== null && !generations.some(({ digest }) => digest === current)) {
      return `the current ${current} is none of ${JSON.stringify(generations)}`;
    }
    if (!loads) return null;
    const { bundle, problems } = await loadInstalled(NO_FILES, store);
    return (bundle?.digest ?? null) === current && problems.length === 0 ? null : problems.join();
  } catch (error) {
    return String(error);
  }
}

test(`after each of ${ATTEMPTS} killed installations and rollbacks the store has a complete generation`, async () => {
  const states = Array.from({ length: STORES }, (_, index) => kit.newState(`killed-${index}`));
  await Promise.all(states.map(state => killInStore(state, ATTEMPTS / STORES)));
  if (IS_PROOF) {
    console.log(`proof: ${moments.before} were killed before they changed the store, ${moments.after} after`);
    expect(Math.min(moments.before, moments.after)).toBeGreaterThan(0);
  }
  expectNoDifferences(
    'killed installations and rollbacks',
    moments.before + moments.after,
    differences,
    ATTEMPTS,
  );
});

test('two builds have the same bytes, and zones and holidays take less than 1 MB', async () => {
  const state = kit.newState('built');
  const built: Uint8Array[] = [];
  for (const name of ['a.bundle', 'b.bundle']) {
    const path = join(state, name);
    const args = ['build', path, '--sequence', '1', '--sets', 'tzdata,holidays'];
    expect(await kit.data(state, ...args)).toMatchObject({ exitCode: 0, stderr: '' });
    built.push(await Bun.file(path).bytes());
  }
  expect(built[0]!.length).toBeLessThan(1_000_000);
  expect(Buffer.compare(built[0]!, built[1]!)).toBe(0);
});

test('all workers switch to a bundle, and back by a rollback, without a restart or a failed request', async () => {
  const state = kit.newState('workers');
  using server = await startServer(['--state-dir', state, '--workers', '2']);
  let isDone = false;
  const statuses = new Set<number>();
  const client = (async () => {
    while (!isDone) {
      await Bun.sleep(5);
      statuses.add((await fetch(`${server.url}/v1/time/current?lat=48.85&lon=2.35`)).status);
    }
  })();
  expect(await kit.data(state, 'install', bundles[0]!)).toMatchObject({ exitCode: 0, stderr: '' });
  await untilUsed(server, 1, 2);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('data ok bundle 1\n');
  expect(await kit.data(state, 'install', bundles[1]!)).toMatchObject({ exitCode: 0 });
  await untilUsed(server, 2, 2);
  const refused = await kit.data(state, 'install', bundles[0]!);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is lower than 2') });
  expect((await kit.data(state, 'rollback')).stdout).toStartWith('rolled back to bundle 1;');
  await untilUsed(server, 1, 2);
  isDone = true;
  await client;
  expect([...statuses]).toEqual([200]);
});

/** A state directory with a bundle, and functions that damage and repair its file, but not its index. */
async function installedState(name: string) {
  const state = kit.newState(name);
  const packs = [...PACKS, packOf('tzdata releases', readReleasePack())];
  const bundle = await bundleIn(state, 7, packs, kit.signers);
  expect(await kit.data(state, 'install', bundle)).toMatchObject({ exitCode: 0, stderr: '' });
  const folder = join(state, 'data');
  const path = join(folder, readdirSync(folder).find(file => file.endsWith('.bundle'))!);
  const intact = readFileSync(path);
  const damaged = Buffer.from(intact);
  damaged[intact.length - 1000]! ^= 1; // in the releases, the last set
  return {
    flags: ['--state-dir', state],
    damage: () => writeFileSync(path, damaged),
    mend: () => writeFileSync(path, intact),
  };
}

test('SIGHUP uses a bundle whose file was damaged at startup and has been repaired', async () => {
  const { flags, damage, mend } = await installedState('start');
  damage();
  using server = await startServer(flags);
  const { error } = await server.events.next('installed data cannot be used');
  expect(error).toContain('its tzdata releases is damaged');
  expect(await bundlesInUse(server)).toEqual([0]);
  server.child.kill('SIGHUP');
  expect(await server.events.next('reload failed', 'data')).toMatchObject({ error });
  mend();
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded', 'data')).toMatchObject({ now: 'bundle 7' });
  await untilUsed(server, 7);
  const ready = await (await fetch(`${server.url}/readyz`)).text();
  expect(ready).toContain('data ok bundle 7\n');
});

test('SIGHUP rereads data that could not be read at its first use', async () => {
  const { flags, damage, mend } = await installedState('first-use');
  using server = await startServer(flags);
  const status = async () => (await fetch(`${server.url}/v1/tzdata/changes?from=2025a&to=2026f`)).status;
  damage();
  expect(await status()).toBe(501);
  mend();
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded', 'data')).toMatchObject({ now: 'bundle 7' });
  expect(await status()).toBe(200);
});

/** The embedded populations are from 2020. */
const LIMIT = ['--max-data-age', 'populations=1'];
const LINE = /^data-age (\w+) populations 3\.1\.0 is \d+ days old, --max-data-age populations=1$/m;

test.each([
  ['200 warning', []],
  ['503 broken', ['--require-fresh-data']],
])('old data is %s in /readyz, the log and the metrics, and is still served', async (state, flags) => {
  using server = await startServer([...LIMIT, ...flags]);
  const { level, what } = await server.events.next('data is too old');
  expect([level, what]).toEqual(['warn', expect.stringContaining('populations 3.1.0 is ')]);
  const ready = await fetch(`${server.url}/readyz`);
  expect(`${ready.status} ${LINE.exec(await ready.text())?.[1]}`).toBe(state);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('meridian_data_max_age_seconds{set="populations"} 86400\n');
  expect(metrics).toContain('meridian_data_info{set="populations",release="3.1.0",source="embedded"} 1\n');
  expect((await fetch(`${server.url}/v1/time/current?tz=UTC`)).status).toBe(200);
});

test('--require-fresh-data without a limit is an error', async () => {
  const message = 'meridian: --require-fresh-data requires --max-data-age\n';
  await expectFailures([[['serve', '--require-fresh-data'], 2, message]]);
});
