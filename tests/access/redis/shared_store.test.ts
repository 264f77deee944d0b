import { describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { KeyStoreFile } from '../../../src/access/key_store_file.ts';
import type { LimitStatus, Limits } from '../../../src/access/limiter.ts';
import { RedisStore, type SharedStore } from '../../../src/access/redis/redis_store.ts';
import { monthOf, type UsageBatch } from '../../../src/access/usage.ts';
import { ConnectionFailure } from '../../../src/redis/redis_failures.ts';
import { RedisHash } from '../../../src/redis/redis_hash.ts';
import { newFolder } from '../../support/process.ts';
import { REDIS_PROGRAM, RedisServer, startRedis, usageIn, withRedis } from '../../support/redis.ts';
import {
  addKey,
  authoriseOften,
  type Choices,
  control,
  keyFolder,
  NOW_MS,
  openStore,
  outcome,
  quiet,
  ticks,
} from '../control.ts';

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

  async probe(): Promise<void> {
    this.#failUnlessUp();
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

  reported = () => [];
  async restore(): Promise<void> {}

  /** It has no values. */
  hash(name: string): RedisHash {
    return new RedisHash(name, () => Promise.reject(new ConnectionFailure('Connection refused')));
  }

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
  return { place, access, log, file, request, [Symbol.asyncDispose]: place[Symbol.asyncDispose] };
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
    'error: The shared quota store is unavailable: Connection refused; counting limits locally until it is back',
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

test('counts reach the shared store although the file cannot record when keys were used', async () => {
  const shared = new FakeStore('down');
  await using server = await sharing(shared);
  await server.request(3);
  shared.mode = 'up';
  await server.access.start();
  server.file.record = () => {
    throw new Error('disk full');
  };
  await ticks(server.access, 0, 1000);
  expect([shared.used, server.access.problem('usage')]).toEqual([3, undefined]);
  expect(server.log).toContain('error: Last uses of API keys cannot be written: disk full');
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

test('the recovery of the shared store is reported even if the clock is set back meanwhile', async () => {
  const shared = new FakeStore('down');
  await using server = await sharing(shared);
  shared.mode = 'up';
  await ticks(server.access, 0, -3_600_000);
  expect(server.log.at(-1)).toBe('info: The shared quota store is back');
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

/** A key whose plan has a small burst. */
const SLOW = {
  keys: [{ key: 'fixed', plan: 'slow', name: 'fixed' }],
  plans: [{ name: 'slow', rate: { perSecond: 1, burst: 2 }, monthlyQuota: undefined }],
};

test('each worker grants requests while the store is down, and together they exceed a small burst only once', async () => {
  const granted: number[] = [];
  for (const index of [0, 1, 2, 3]) {
    const worker = { index, count: 4 };
    await using server = await sharing(new FakeStore('down'), { ...SLOW, worker });
    for (let second = 0; second < 40; second++) {
      const counts = await server.request(2, NOW_MS + second * 1000);
      granted[second] = (granted[second] ?? 0) + (counts['granted'] ?? 0);
    }
  }
  expect(granted[0]).toBe(4);
  expect(granted.reduce((sum, count) => sum + count)).toBe(4 + 36); // after 39 s each has got its share nine times
});

test('a list beyond the burst of the share that applies during an outage has to be sent in parts', async () => {
  const shared = new FakeStore();
  await using server = await sharing(shared, { ...SLOW, worker: { index: 0, count: 2 } });
  const { access } = server;
  const more = async (nowMs: number) => {
    const granted = await access.authorise(new Headers({ 'X-API-Key': 'fixed' }), nowMs);
    return (await access.chargeMore(granted, 1, nowMs))?.error?.message;
  };
  expect(await more(NOW_MS)).toBeUndefined();
  shared.mode = 'down';
  await server.request(1);
  expect(await more(NOW_MS + 10_000)).toContain('may send at most 1 requests at once');
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

test('a refund whose effect on the shared store is unknown is repeated with the same receipt', async () => {
  const shared = new FakeStore();
  const refunds: UsageBatch[] = [];
  shared.addUsage = batch => {
    refunds.push(batch);
    return Promise.reject(new ConnectionFailure('Connection closed'));
  };
  await using server = await sharing(shared, { failMode: 'closed' });
  const { access } = server;
  access.refund(await access.authorise(new Headers({ 'X-API-Key': 'fixed' }), NOW_MS));
  await ticks(access, 0, 1000, 2000, 3000);
  expect(access.sharedStore).toBe('down');
  await access.stop();
  expect(refunds.length).toBeGreaterThan(1);
  expect(new Set(refunds.map(({ receipt }) => receipt)).size).toBe(1);
  for (const { counts } of refunds) expect(counts).toMatchObject([{ count: -1 }]);
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
  const [counted] = [...(await usageIn(server)).values()];
  // If the machine stalls, more than one batch can time out and be counted twice.
  expect(Math.abs(counted! - granted)).toBeLessThanOrEqual(4 * rounds * IN_FLIGHT);
});

/** Three batches. */
const USED_KEYS = 600;

/** Writes usage of many keys to the file, as during an outage. Returns the number of requests. */
function recordOutage(folder: string): number {
  const store = openStore(folder);
  const month = MONTH.index;
  const entries = Array.from({ length: USED_KEYS }, (_, i) => ({ id: `key ${i}`, month, count: i + 1 }));
  store.record(entries);
  store.close();
  return entries.reduce((sum, { count }) => sum + count, 0);
}

/** The death of a process before or after the effect of its nth call. */
class Death {
  readonly happened = Promise.withResolvers<void>();
  #callsLeft: number;
  readonly #isBefore: boolean;
  #isDead = false;

  constructor(calls: number, isBefore: boolean) {
    this.#callsLeft = calls;
    this.#isBefore = isBefore;
  }

  /** An object whose named methods die: they never resolve, or throw if they are synchronous. */
  of<Mortal extends object>(mortal: Mortal, names: readonly (keyof Mortal)[]): Mortal {
    return new Proxy(mortal, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (!names.includes(name as keyof Mortal)) return value.bind(target);
        return (...args: unknown[]) => this.#call(() => value.apply(target, args));
      },
    });
  }

  #call(method: () => unknown): unknown {
    const isLast = this.#callsLeft-- === 0;
    if (this.#isDead || (isLast && this.#isBefore)) return this.#die();
    const result = method();
    if (!isLast) return result;
    return result instanceof Promise ? result.then(() => this.#die()) : this.#die();
  }

  #die(): never {
    this.#isDead = true;
    this.happened.resolve();
    throw new Error('dead');
  }
}

function open(folder: string, server: RedisServer, death?: Death) {
  const redis = new RedisStore(server.url, 2000);
  const file = new KeyStoreFile(join(folder, 'access.sqlite'), { index: 0, count: 1 });
  const stored = death?.of(file, ['takeBatch', 'settleBatch', 'record']) ?? file;
  const shared = death?.of(redis, ['addUsage', 'settleUsage']) ?? redis;
  const { access, log } = control(folder, { shared, keys: KEYS, edges: { stored } });
  const close = () => {
    redis.close();
    file.close();
  };
  return { access, log, redis, close };
}

/** Starts and stops a server. */
async function live(folder: string, server: RedisServer): Promise<void> {
  const { access } = open(folder, server);
  await access.start();
  await access.stop();
}

/** Starts a server that dies at a call; returns whether that call was reached. */
async function liveUntil(folder: string, server: RedisServer, death: Death): Promise<boolean> {
  const { access, close } = open(folder, server, death);
  const started = access.start().then(() => false);
  const hasDied = await Promise.race([death.happened.promise.then(() => true), started]);
  await started;
  close();
  return hasDied;
}

async function receiptsIn(server: RedisServer): Promise<number[]> {
  const keys: string[] = await server.send('KEYS', 'meridian:receipt:*');
  return (await Promise.all(keys.map(key => server.send('TTL', key)))).map(Number);
}

describe.skipIf(REDIS_PROGRAM === null)('usage from a Redis outage (requires redis-server)', () => {
  test.each([true, false])(
    'is counted once, whenever the process dies (before the step: %p)',
    async isBefore => {
      const folder = newFolder();
      await using server = await startRedis();
      let outages = 0;
      for (let calls = 0; ; calls++) {
        recordOutage(folder);
        outages += 1;
        if (!(await liveUntil(folder, server, new Death(calls, isBefore)))) break;
        await live(folder, server);
        const usage = await usageIn(server);
        expect(usage.size).toBe(USED_KEYS);
        for (let i = 0; i < USED_KEYS; i++)
          expect([calls, i, usage.get(`key ${i}`)]).toEqual([calls, i, outages * (i + 1)]);
      }
      // Three batches of four steps, and one step that finds nothing.
      expect(outages - 1).toBe(13);
      const store = openStore(folder);
      expect([store.usage(), store.takeBatch()]).toEqual([[], null]);
      store.close();
    },
  );

  test('is counted once if several processes replay the same file', async () => {
    const folder = newFolder();
    await using server = await startRedis();
    const requests = recordOutage(folder);
    await Promise.all([1, 2, 3].map(() => live(folder, server)));
    const usage = await usageIn(server);
    expect([...usage.values()].reduce((sum, count) => sum + count)).toBe(requests);
  });

  test('reaches Redis a second later if Redis rejected it, which is reported, without a new connection', async () => {
    const folder = newFolder();
    await using server = await startRedis();
    recordOutage(folder);
    await server.send('SET', 'meridian:usage:{key 0}', 'no hash');
    const { access, log, redis, close } = open(folder, server);
    await access.start();
    await ticks(access, 0);
    while (log.length === 0) await quiet();
    expect(log[0]).toStartWith('error: Usage cannot be written and is kept in memory: ');
    expect((await redis.requests(['key 1'], MONTH.index)).get('key 1')).toBe(0);
    await server.send('DEL', 'meridian:usage:{key 0}');
    access.tick(NOW_MS + 1000);
    await access.stop();
    expect(log.slice(1)).toEqual(['info: Usage can be written again']);
    expect((await usageIn(server)).get('key 0')).toBe(1);
    expect((await usageIn(server)).get('key 1')).toBe(2);
    close();
  });

  test('that was refunded stays refunded after the connection was lost', async () => {
    const folder = newFolder();
    await using server = await startRedis();
    const { access, close } = open(folder, server);
    await access.start();
    const { decisions } = await authoriseOften(access, 'fixed', 5);
    access.refund(decisions[0]!, 2);
    await ticks(access, 0);
    while ([...(await usageIn(server)).values()][0] !== 3) await quiet();
    await server.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await authoriseOften(access, 'fixed', 1);
    expect([...(await usageIn(server)).values()]).toEqual([4]);
    await access.stop();
    close();
  });

  test('that Redis may have added before it went down is counted once after a server restart', async () => {
    const folder = newFolder();
    await using server = await startRedis();
    let lostReplies = 0;
    const shared = new RedisStore(server.url, 2000);
    const addUsage = shared.addUsage.bind(shared);
    shared.addUsage = async batch => {
      await addUsage(batch);
      lostReplies += 1;
      throw new ConnectionFailure('Connection closed');
    };
    const { access, log } = control(folder, { shared, keys: KEYS });
    await access.start();
    const { decisions } = await authoriseOften(access, 'fixed', 5);
    access.refund(decisions[0]!, 2);
    access.tick(NOW_MS);
    while (access.sharedStore === 'up') await quiet();
    await access.stop();
    expect(lostReplies).toBeGreaterThan(0);
    expect(log.filter(line => line.includes('lost'))).toEqual([]);
    await live(folder, server);
    expect([...(await usageIn(server)).values()]).toEqual([3]);
  });

  test('leaves a receipt in Redis for each batch, for an hour', async () => {
    const folder = newFolder();
    await using server = await startRedis();
    recordOutage(folder);
    const { access } = open(folder, server);
    await access.start();
    const { decisions } = await authoriseOften(access, 'fixed', 1);
    access.refund(decisions[0]!);
    await access.stop();
    const receipts = await receiptsIn(server);
    expect(receipts).toHaveLength(4); // the fourth is for the refund
    for (const seconds of receipts) expect([seconds > 0, seconds <= 3600]).toEqual([true, true]);
  });
});
