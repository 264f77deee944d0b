import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { KeyStoreFile } from '../../../src/access/key_store_file.ts';
import { ConnectionFailure } from '../../../src/access/redis/redis_connection.ts';
import { RedisStore } from '../../../src/access/redis/redis_store.ts';
import { newFolder } from '../../support/process.ts';
import { REDIS_PROGRAM, type RedisServer, startRedis } from '../../support/redis.ts';
import { authoriseOften, control, NOW_MS, openStore, quiet } from '../control.ts';

const MONTH = 12 * 2026 + 10;
/** Three batches. */
const KEYS = 600;
const FIXED_KEY = [{ key: 'fixed', plan: 'default', name: 'fixed' }];

/** Writes usage of many keys to the file, as during an outage. Returns the number of requests. */
function recordOutage(folder: string): number {
  const store = openStore(folder);
  const entries = Array.from({ length: KEYS }, (_, i) => ({ id: `key ${i}`, month: MONTH, count: i + 1 }));
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
  const { access, log } = control(folder, { shared, keys: FIXED_KEY, edges: { stored } });
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

async function usageIn(server: RedisServer): Promise<ReadonlyMap<string, number>> {
  const redis = new RedisStore(server.url, 2000);
  await redis.connect();
  const counts = (await Array.fromAsync(redis.usage())).flat();
  redis.close();
  return new Map(counts.map(({ id, count }) => [id, count]));
}

async function receiptsIn(server: RedisServer): Promise<number[]> {
  const client = new Bun.RedisClient(server.url);
  const keys: string[] = await client.send('KEYS', ['meridian:receipt:*']);
  const seconds = await Promise.all(keys.map(key => client.send('TTL', [key])));
  client.close();
  return seconds.map(Number);
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
        expect(usage.size).toBe(KEYS);
        for (let i = 0; i < KEYS; i++)
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

  test('reaches Redis a second later if Redis rejected it, without a new connection', async () => {
    const folder = newFolder();
    await using server = await startRedis();
    recordOutage(folder);
    const client = new Bun.RedisClient(server.url);
    await client.send('SET', ['meridian:usage:{key 0}', 'no hash']);
    const { access, redis, close } = open(folder, server);
    await access.start();
    expect((await redis.requests(['key 1'], MONTH)).get('key 1')).toBe(0);
    await client.send('DEL', ['meridian:usage:{key 0}']);
    access.tick(NOW_MS);
    await access.stop();
    expect((await usageIn(server)).get('key 0')).toBe(1);
    expect((await usageIn(server)).get('key 1')).toBe(2);
    client.close();
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
    const { access, log } = control(folder, { shared, keys: FIXED_KEY });
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
