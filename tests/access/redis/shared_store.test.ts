import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { KeyStoreFile } from '../../../src/access/key_store_file.ts';
import type { LimitStatus, Limits } from '../../../src/access/limiter.ts';
import { ConnectionFailure } from '../../../src/access/redis/redis_connection.ts';
import { RedisStore, type SharedStore } from '../../../src/access/redis/redis_store.ts';
import { monthOf, type UsageBatch } from '../../../src/access/usage.ts';
import { temporaryFolder } from '../../support/process.ts';
import { RedisServer, withRedis } from '../../support/redis.ts';
import { addKey, authoriseOften, control, NOW_MS, openStore, outcome, quiet } from '../control.ts';

const MONTH = monthOf(NOW_MS);

/** An in-memory shared store that works, fails or only connects. */
class FakeStore implements SharedStore {
  /** `deaf` accepts connections and fails everything else. */
  mode: 'up' | 'down' | 'deaf' = 'up';
  used = 0;
  takes = 0;
  /** Delays `consume`. */
  delay: Promise<void> | undefined;

  async connect(): Promise<void> {
    if (this.mode === 'down') this.#failUnlessUp();
  }

  async consume(_id: string, _limits: Limits, nowMs: number): Promise<LimitStatus> {
    this.takes += 1;
    await this.delay;
    this.#failUnlessUp();
    this.used += 1;
    return { verdict: 'granted', nowMs, month: MONTH, used: this.used, rateLeft: 0, rateWaitMs: 0 };
  }

  async addUsage({ counts }: UsageBatch): Promise<number[]> {
    this.#failUnlessUp();
    return counts.map(({ count }) => {
      this.used += count;
      return this.used;
    });
  }

  async settleUsage(): Promise<void> {}

  close(): void {}

  #failUnlessUp(): void {
    if (this.mode !== 'up') throw new ConnectionFailure('Connection refused');
  }
}

test('while the shared store is down requests are counted locally, logged once, and replayed when it is back', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store, 1, 'ten');
  const shared = new FakeStore();
  const { access, log } = control(folder.path, {
    shared,
    plans: [{ name: 'ten', rate: undefined, monthlyQuota: 10 }],
  });
  await access.start();
  expect(access.sharedStore).toBe('up');
  expect((await authoriseOften(access, key, 3)).counts).toEqual({ granted: 3 });
  shared.mode = 'down';
  const { decisions, counts } = await authoriseOften(access, key, 4);
  expect(counts).toEqual({ granted: 4 });
  access.refund(decisions[3]!);
  expect(access.sharedStore).toBe('degraded');
  for (let second = 1; second < 5; second++) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
  expect(store.used(id, MONTH.index)).toBe(3);
  expect((await authoriseOften(access, key, 6)).counts).toEqual({ granted: 4, QUOTA_EXCEEDED: 2 });
  expect(shared.takes).toBe(4);
  shared.mode = 'up';
  access.tick(NOW_MS + 5000);
  await quiet();
  access.tick(NOW_MS + 6000);
  await quiet();
  expect(access.sharedStore).toBe('up');
  expect(shared.used).toBe(10);
  expect(store.used(id, MONTH.index)).toBe(0);
  expect(log).toEqual([
    'error: The shared quota store is unavailable (Connection refused); counting limits locally until it is back',
    'info: The shared quota store is back',
  ]);
  await access.stop();
  store.close();
});

test('counts from a server that stopped while the store was down are replayed by the next server', async () => {
  using folder = temporaryFolder();
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const shared = new FakeStore();
  shared.mode = 'down';
  const first = control(folder.path, { shared, keys });
  await first.access.start();
  expect((await authoriseOften(first.access, 'fixed', 9)).counts).toEqual({ granted: 9 });
  await first.access.stop();
  shared.mode = 'up';
  const second = control(folder.path, { shared, keys });
  await second.access.start();
  expect(shared.used).toBe(9);
  await second.access.stop();
});

test('counts that neither the shared store nor the file accepts stay in memory, and none are lost', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  shared.mode = 'down';
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const stored = new KeyStoreFile(join(folder.path, 'access.sqlite'), { index: 0, count: 1 });
  const { access, log } = control(folder.path, { shared, keys, edges: { stored } });
  await access.start();
  expect((await authoriseOften(access, 'fixed', 3)).counts).toEqual({ granted: 3 });
  const record = stored.record.bind(stored);
  stored.record = () => {
    throw new Error('disk full');
  };
  access.tick(NOW_MS);
  await quiet();
  expect(log.at(-1)).toContain('kept in memory: disk full');
  shared.mode = 'deaf';
  for (const second of [1, 2]) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
  expect(access.sharedStore).toBe('degraded');
  stored.record = record;
  shared.mode = 'up';
  for (const second of [3, 4, 5]) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
  expect(shared.used).toBe(3);
  await access.stop();
});

test('without a file counts stay in memory for the shared store', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  shared.mode = 'down';
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const stored = new KeyStoreFile(join(folder.path, 'access.sqlite'), { index: 0, count: 1 });
  stored.create = () => {
    throw new Error('read-only');
  };
  const { access } = control(folder.path, { shared, keys, edges: { stored } });
  await access.start();
  await authoriseOften(access, 'fixed', 3);
  access.tick(NOW_MS);
  await quiet();
  shared.mode = 'up';
  for (const second of [1, 2]) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
  expect(shared.used).toBe(3);
  await access.stop();
});

test('a flapping shared store is reported once, and its recovery when it has stayed up for a second', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const { access, log } = control(folder.path, { shared, keys });
  await access.start();
  for (let round = 0; round < 4; round++) {
    shared.mode = 'down';
    expect((await authoriseOften(access, 'fixed', 1)).counts).toEqual({ granted: 1 });
    shared.mode = 'up';
    for (const ms of [0, 250, 500]) {
      access.tick(NOW_MS + round * 1000 + ms);
      await quiet();
    }
    expect(access.sharedStore).toBe('up');
  }
  expect(log).toHaveLength(1);
  access.tick(NOW_MS + 5000);
  expect(log.at(-1)).toBe('info: The shared quota store is back');
  await access.stop();
});

test('a late failure of an earlier connection does not affect the current one', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const { access } = control(folder.path, { shared, keys });
  await access.start();
  const late = Promise.withResolvers<void>();
  shared.delay = late.promise;
  const early = outcome(access, { 'X-API-Key': 'fixed' });
  shared.delay = undefined;
  shared.mode = 'down';
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('granted');
  expect(access.sharedStore).toBe('degraded');
  shared.mode = 'up';
  access.tick(NOW_MS);
  await quiet();
  late.reject(new ConnectionFailure('Connection closed'));
  expect(await early).toBe('granted');
  expect(access.sharedStore).toBe('up');
  await access.stop();
});

test('each worker grants requests while the store is down, and together they exceed a small burst only once', async () => {
  const keys = [{ key: 'fixed', plan: 'slow', name: 'fixed' }];
  const plans = [{ name: 'slow', rate: { perSecond: 1, burst: 2 }, monthlyQuota: undefined }];
  const granted: number[] = [];
  for (const index of [0, 1, 2, 3]) {
    using folder = temporaryFolder();
    const shared = new FakeStore();
    shared.mode = 'down';
    const { access } = control(folder.path, { shared, keys, plans, worker: { index, count: 4 } });
    await access.start();
    for (let second = 0; second < 40; second++) {
      const { counts } = await authoriseOften(access, 'fixed', 2, NOW_MS + second * 1000);
      granted[second] = (granted[second] ?? 0) + (counts['granted'] ?? 0);
    }
    await access.stop();
  }
  expect(granted[0]).toBe(4);
  expect(granted.reduce((sum, count) => sum + count)).toBe(4 + 36); // after 39 s each has got its share nine times
});

test('with `closed`, requests are rejected while the store is down, after authentication', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  shared.mode = 'down';
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const { access } = control(folder.path, { shared, failMode: 'closed', keys });
  await access.start();
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('UPSTREAM_FAILURE');
  expect(await outcome(access, { 'X-API-Key': 'unknown' })).toBe('INVALID_AUTH');
  shared.mode = 'up';
  access.tick(NOW_MS);
  await quiet();
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('granted');
  shared.mode = 'down';
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('UPSTREAM_FAILURE');
  await access.stop();
});

withRedis(
  'Redis killed and restarted under load loses no requests, and at most the counts in flight',
  async () => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
    const { access, log } = control(folder.path, { shared: new RedisStore(server.url, 40), keys });
    await access.start();
    const IN_FLIGHT = 16;
    let granted = 0;
    let refused = 0;
    let isOver = false;
    const load = Array.from({ length: IN_FLIGHT }, async () => {
      while (!isOver) {
        const { error } = await access.authorise(new Headers({ 'X-API-Key': 'fixed' }), NOW_MS);
        if (error) refused += 1;
        else granted += 1;
        await new Promise(setImmediate);
      }
    });
    /** Ticks until a number of further requests are done. */
    const more = async (requests: number) => {
      for (const goal = granted + requests; granted < goal; ) {
        access.tick(Date.now());
        await new Promise(resolve => setTimeout(resolve, 2));
      }
    };
    const until = async (state: string) => {
      while (access.sharedStore !== state) await more(1);
    };
    const rounds = 2;
    for (let round = 0; round < rounds; round++) {
      await more(500);
      await server.kill();
      await until('degraded');
      await more(500);
      await server.start();
      await until('up');
      // The recovery is reported after a second.
      while (access.problem('shared') !== undefined) await more(1);
    }
    await more(500);
    isOver = true;
    await Promise.all(load);
    await access.stop();
    expect(refused).toBe(0);
    expect(log.map(line => line.split(' ')[0])).toEqual(Array(rounds).fill(['error:', 'info:']).flat());
    const probe = new Bun.RedisClient(server.url);
    const [usageKey] = await probe.send('KEYS', ['meridian:usage:*']);
    const counted = Number(
      Object.values((await probe.send('HGETALL', [usageKey])) as Record<string, string>)[0],
    );
    // If the machine stalls, more than one batch can time out and be counted twice.
    expect(Math.abs(counted - granted)).toBeLessThanOrEqual(4 * rounds * IN_FLIGHT);
    probe.close();
  },
);
