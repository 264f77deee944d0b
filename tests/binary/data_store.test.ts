import { beforeAll, expect, test } from 'bun:test';
import { copyFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { DataStore } from '../../src/server/bundles/data_store.ts';
import { loadInstalled } from '../../src/server/load_data.ts';
import { decodeZonePack, encodeZonePack } from '../../src/zones/zone_pack.ts';
import { bundleIn, bundlesInUse, dataKit, NO_FILES, PACKS, packOf, untilUsed } from '../support/bundles.ts';
import { BINARY, expectFailures, type RunningServer, startServer } from '../support/process.ts';
import { expectNoDifferences, IS_PROOF, runs, sampleNumbers } from '../support/proof.ts';

const kit = dataKit();
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
  // As long afterwards that no process can be writing to them any more.
  for (const name of readdirSync(store.folder)) utimesSync(join(store.folder, name), 0, 0);
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

const SERVERS = IS_PROOF ? 50 : 5;
const INTERVAL_SECONDS = IS_PROOF ? 120 : 4;
/** The most first pulls within a part of the interval: with 50 servers in 10 parts the mean is 5, and more than 18 never happen by chance. */
const [PARTS, MOST] = IS_PROOF ? [10, 18] : [50, 4];

/** A signed bundle with wrong data: Paris has Tokyo's time. */
function poisonedZones() {
  const source = decodeZonePack(readZonePack());
  const files = new Map([...source.files, ['Europe/Paris', source.files.get('Asia/Tokyo')!]]);
  return packOf('tzdata', encodeZonePack({ ...source, files }));
}

/** A file server with one bundle, which records when each path was first requested. */
function fileServer() {
  const served = { path: '' };
  const firstMs = new Map<string, number>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      const { pathname } = new URL(url);
      if (!firstMs.has(pathname)) firstMs.set(pathname, performance.now());
      return new Response(Bun.file(served.path));
    },
  });
  return {
    served,
    firstMs,
    urlOf: (path: string) => `http://127.0.0.1:${server.port}${path}`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Requests the time in Paris from each server in turn until stopped; returns wrong responses. */
function clientOf(servers: readonly RunningServer[]) {
  const failures = new Set<string>();
  const state = { isDone: false, requests: 0 };
  const running = (async () => {
    while (!state.isDone) {
      for (const [index, { url }] of servers.entries()) {
        const response = await fetch(`${url}/v1/time/convert?unix=1750000000&tz=Europe/Paris`).catch(String);
        const text = typeof response === 'string' ? response : await response.text();
        const isRight = typeof response !== 'string' && response.ok && text.includes('T17:06:40+02:00');
        if (!isRight) failures.add(`server ${index}: ${text}`);
        state.requests++;
      }
      await Bun.sleep(100);
    }
  })();
  return async () => {
    state.isDone = true;
    await running;
    return { failures: [...failures], requests: state.requests };
  };
}

test(`a fleet of ${SERVERS} servers pulls from one file server, spread over the interval; a poisoned bundle is rejected by all`, async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(number => bundleIn(kit.path, number, PACKS, kit.signers)),
  );
  const poisoned = join(kit.path, 'poisoned.bundle');
  copyFileSync(await bundleIn(kit.newState('poison'), 9, [poisonedZones()], kit.signers), poisoned);
  using files = fileServer();
  files.served.path = first!;
  using running = new DisposableStack();
  const servers: RunningServer[] = [];
  const startedMs: number[] = [];
  for (let index = 0; index < SERVERS; index++) {
    const pull = ['--data-url', files.urlOf(`/${index}`), '--data-interval', `${INTERVAL_SECONDS}s`];
    const state = ['--state-dir', kit.newState(`fleet-${index}`), '--data-keys', kit.keys];
    servers.push(running.use(await startServer([...state, ...pull])));
    startedMs.push(performance.now());
  }
  const logs = servers.map(({ events }) => events);
  const stop = clientOf(servers);
  for (const server of servers) await untilUsed(server, 1);

  const delays = startedMs.map((ms, index) => files.firstMs.get(`/${index}`)! - ms);
  const partOf = (delayMs: number) => Math.floor((delayMs / 1000 / INTERVAL_SECONDS) * PARTS);
  const most = Math.max(...delays.map(one => delays.filter(other => partOf(other) === partOf(one)).length));
  expect(most, `pulls ${delays.map(Math.round)} ms after the starts`).toBeLessThanOrEqual(MOST);

  files.served.path = poisoned;
  for (const [index, log] of logs.entries()) {
    const { error } = await log.next('data could not be pulled');
    expect(error).toContain('it contradicts that Europe/Paris was 7200 s east of UTC');
    const ready = await fetch(`${servers[index]!.url}/readyz`);
    const text = await ready.text();
    expect([ready.status, text.includes('data ok bundle 1\n')]).toEqual([200, true]);
    expect(text).toContain('pull warning the last data pull failed');
  }
  files.served.path = second!;
  for (const server of servers) await untilUsed(server, 2);
  const { failures, requests } = await stop();
  if (IS_PROOF) {
    console.log(`proof: ${SERVERS} servers, ${requests} requests, ${failures.length} failures`);
    const seconds = delays.map(ms => (ms / 1000).toFixed(1)).sort((a, b) => Number(a) - Number(b));
    console.log(`proof: first pulls after ${seconds.join(', ')} s; at most ${most} in a tenth`);
  }
  expect(failures).toEqual([]);
});
