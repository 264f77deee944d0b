import { expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { KeyStoreFile } from '../../../src/access/key_store_file.ts';
import type { LimitStatus, Limits } from '../../../src/access/limiter.ts';
import { ConnectionFailure } from '../../../src/access/redis/redis_connection.ts';
import { RedisStore, type SharedStore } from '../../../src/access/redis/redis_store.ts';
import { monthOf, type UsageBatch } from '../../../src/access/usage.ts';
import { RedisServer, withRedis } from '../../support/redis.ts';
import { addKey, authoriseOften, type Choices, keyFolder, NOW_MS, outcome, ticks } from '../control.ts';

const MONTH = monthOf(NOW_MS);

const KEYS = [{ key: 'fixed', plan: 'default', name: 'fixed' }];

/** An in-memory shared store that works, fails or only connects. */
class FakeStore implements SharedStore {
  /** `deaf` accepts connections and fails everything else. */
  mode: 'up' | 'down' | 'deaf';
  used = 0;
  takes = 0;
  /** Delays `consume`. */
  delay: Promise<void> | undefined;

  constructor(mode: FakeStore['mode'] = 'up') {
    this.mode = mode;
  }

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

/** A started server with a key, whose usage it shares through a store. */
async function sharing(shared: FakeStore, choices: Choices = {}) {
  const place = keyFolder();
  const file = new KeyStoreFile(join(place.path, 'access.sqlite'), { index: 0, count: 1 });
  const { access, log } = place.control({ shared, keys: KEYS, edges: { stored: file }, ...choices });
  await access.start();
  /** Authorises requests with the key; counts the outcomes. */
  const request = async (times: number, nowMs = NOW_MS) =>
    (await authoriseOften(access, 'fixed', times, nowMs)).counts;
  const stop = place[Symbol.asyncDispose];
  return { place, access, log, file, request, [Symbol.asyncDispose]: stop };
}

test('while the shared store is down requests are counted locally, logged once, and replayed when it is back', async () => {
  await using place = keyFolder();
  const { store } = place;
  const { id, key } = addKey(store, 1, 'ten');
  const shared = new FakeStore();
  const plans = [{ name: 'ten', rate: undefined, monthlyQuota: 10 }];
  const { access, log } = place.control({ shared, plans });
  await access.start();
  expect(access.sharedStore).toBe('up');
  expect((await authoriseOften(access, key, 3)).counts).toEqual({ granted: 3 });
  shared.mode = 'down';
  const { decisions, counts } = await authoriseOften(access, key, 4);
  expect(counts).toEqual({ granted: 4 });
  access.refund(decisions[3]!);
  expect(access.sharedStore).toBe('degraded');
  await ticks(access, 1000, 2000, 3000, 4000);
  expect(store.used(id, MONTH.index)).toBe(3);
  expect((await authoriseOften(access, key, 6)).counts).toEqual({ granted: 4, QUOTA_EXCEEDED: 2 });
  expect(shared.takes).toBe(4);
  shared.mode = 'up';
  await ticks(access, 5000, 6000);
  expect([access.sharedStore, shared.used, store.used(id, MONTH.index)]).toEqual(['up', 10, 0]);
  expect(log).toEqual([
    'error: The shared quota store is unavailable (Connection refused); counting limits locally until it is back',
    'info: The shared quota store is back',
  ]);
});

test('counts from a server that stopped while the store was down are replayed by the next server', async () => {
  const shared = new FakeStore('down');
  await using first = await sharing(shared);
  expect(await first.request(9)).toEqual({ granted: 9 });
  await first.access.stop();
  shared.mode = 'up';
  const second = first.place.control({ shared, keys: KEYS });
  await second.access.start();
  expect(shared.used).toBe(9);
});

test('counts that neither the shared store nor the file accepts stay in memory, and none are lost', async () => {
  const shared = new FakeStore('down');
  await using server = await sharing(shared);
  const { access, log, file } = server;
  expect(await server.request(3)).toEqual({ granted: 3 });
  const record = file.record.bind(file);
  file.record = () => {
    throw new Error('disk full');
  };
  await ticks(access, 0);
  expect(log.at(-1)).toContain('kept in memory: disk full');
  shared.mode = 'deaf';
  await ticks(access, 1000, 2000);
  expect(access.sharedStore).toBe('degraded');
  file.record = record;
  shared.mode = 'up';
  await ticks(access, 3000, 4000, 5000);
  expect(shared.used).toBe(3);
});

test('without a file counts stay in memory for the shared store', async () => {
  const shared = new FakeStore('down');
  using _ = spyOn(KeyStoreFile.prototype, 'create').mockImplementation(() => {
    throw new Error('read-only');
  });
  await using server = await sharing(shared);
  await server.request(3);
  await ticks(server.access, 0);
  shared.mode = 'up';
  await ticks(server.access, 1000, 2000);
  expect(shared.used).toBe(3);
});

test('a flapping shared store is reported once, and its recovery when it has stayed up for a second', async () => {
  const shared = new FakeStore();
  await using server = await sharing(shared);
  const { access, log } = server;
  for (let round = 0; round < 4; round++) {
    shared.mode = 'down';
    expect(await server.request(1)).toEqual({ granted: 1 });
    shared.mode = 'up';
    await ticks(access, ...[0, 250, 500].map(ms => round * 1000 + ms));
    expect(access.sharedStore).toBe('up');
  }
  expect(log).toHaveLength(1);
  access.tick(NOW_MS + 5000);
  expect(log.at(-1)).toBe('info: The shared quota store is back');
});

test('a late failure of an earlier connection does not affect the current one', async () => {
  const shared = new FakeStore();
  await using server = await sharing(shared);
  const { access } = server;
  const late = Promise.withResolvers<void>();
  shared.delay = late.promise;
  const early = server.request(1);
  shared.delay = undefined;
  shared.mode = 'down';
  expect(await server.request(1)).toEqual({ granted: 1 });
  expect(access.sharedStore).toBe('degraded');
  shared.mode = 'up';
  await ticks(access, 0);
  late.reject(new ConnectionFailure('Connection closed'));
  expect(await early).toEqual({ granted: 1 });
  expect(access.sharedStore).toBe('up');
});

test('each worker grants requests while the store is down, and together they exceed a small burst only once', async () => {
  const keys = [{ key: 'fixed', plan: 'slow', name: 'fixed' }];
  const plans = [{ name: 'slow', rate: { perSecond: 1, burst: 2 }, monthlyQuota: undefined }];
  const granted: number[] = [];
  for (const index of [0, 1, 2, 3]) {
    const worker = { index, count: 4 };
    await using server = await sharing(new FakeStore('down'), { keys, plans, worker });
    for (let second = 0; second < 40; second++) {
      const counts = await server.request(2, NOW_MS + second * 1000);
      granted[second] = (granted[second] ?? 0) + (counts['granted'] ?? 0);
    }
  }
  expect(granted[0]).toBe(4);
  expect(granted.reduce((sum, count) => sum + count)).toBe(4 + 36); // after 39 s each has got its share nine times
});

test('with `closed`, requests are rejected while the store is down, after authentication', async () => {
  const shared = new FakeStore('down');
  await using server = await sharing(shared, { failMode: 'closed' });
  expect(await server.request(1)).toEqual({ UPSTREAM_FAILURE: 1 });
  expect(await outcome(server.access, { 'X-API-Key': 'unknown' })).toBe('INVALID_AUTH');
  shared.mode = 'up';
  await ticks(server.access, 0);
  expect(await server.request(1)).toEqual({ granted: 1 });
  shared.mode = 'down';
  expect(await server.request(1)).toEqual({ UPSTREAM_FAILURE: 1 });
});

withRedis('Redis killed and restarted under load loses no requests, and only counts in flight', async () => {
  await using place = keyFolder();
  await using server = new RedisServer(place.path);
  await server.start();
  const { access, log } = place.control({ shared: new RedisStore(server.url, 40), keys: KEYS });
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
});
