import { expect, spyOn, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisClient } from 'bun';
import { KeyAdministration } from '../../../src/access/administration.ts';
import { KEY_RANDOM_BYTES, keyDigest, makeKey } from '../../../src/access/key_format.ts';
import type { LogEntry, LogPosition } from '../../../src/access/key_store.ts';
import { type Limits, limitsOf } from '../../../src/access/limiter.ts';
import { RedisKeyStore, redisPlanStore, SHARED_KEYS } from '../../../src/access/redis/redis_key_store.ts';
import { CONSUME, LOG } from '../../../src/access/redis/redis_scripts.ts';
import { logKey, RedisStore } from '../../../src/access/redis/redis_store.ts';
import {
  bucketRule,
  consume,
  fullBucket,
  msToNext,
  refill,
  requestsLeft,
} from '../../../src/access/token_bucket.ts';
import { monthOf } from '../../../src/access/usage.ts';
import type { Script } from '../../../src/redis/redis_connection.ts';
import { ConnectionFailure } from '../../../src/redis/redis_failures.ts';
import { ValueCache } from '../../../src/redis/value_cache_file.ts';
import { redisKeys } from '../../../src/server/redis_keys.ts';
import { FleetKeyStore } from '../../../src/signing/fleet_key_store.ts';
import { KeyDirectory } from '../../../src/signing/key_directory.ts';
import { publicKeyOf } from '../../../src/signing/signing_key.ts';
import { newFolder, until } from '../../support/process.ts';
import { fc } from '../../support/property.ts';
import { RedisServer, runningRedis, startRedis, withRedis } from '../../support/redis.ts';
import { sampleSeed } from '../../support/signing_keys.ts';
import { NOW_MS } from '../control.ts';

const BUDGET_MS = 2000;
function limits(perSecond: number | undefined, burst: number, monthlyQuota?: number): Limits {
  const rate = perSecond === undefined ? undefined : { perSecond, burst };
  return limitsOf({ name: 'test', rate, monthlyQuota }, { index: 0, count: 1 });
}

/** The store's script, with the time as an argument. */
const TOLD_TIME = CONSUME.text.replace(
  "redis.call('TIME')",
  '{math.floor(ARGV[7] / 1000), (ARGV[7] % 1000) * 1000}',
);

async function takeAt(
  client: RedisClient,
  key: string,
  { rule, plan }: Limits,
  nowMs: number,
  requests = 1,
): Promise<number[]> {
  const ofPlan = [rule?.capacity ?? 0, rule?.perMs ?? 0, rule?.perRequest ?? 1, plan.monthlyQuota ?? -1];
  const args = [...ofPlan, requests, key, nowMs];
  return client.send('EVAL', [TOLD_TIME, '3', `bucket:${key}`, `usage:${key}`, 'last', ...args.map(String)]);
}

withRedis('the bucket in Redis grants exactly what the bucket in memory does', async () => {
  await using running = await runningRedis();
  const { client } = running;
  let key = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000_000 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 20 })), {
        minLength: 1,
        maxLength: 20,
      }),
      async (milliRate, burst, steps) => {
        key += 1;
        const rule = bucketRule(milliRate / 1000, burst);
        const bucket = fullBucket();
        let nowMs = Date.UTC(2026, 10, 21);
        for (const [pauseMs, requests] of steps) {
          nowMs += pauseMs;
          refill(bucket, rule, nowMs);
          const granted = consume(bucket, rule, requests);
          const reply = await takeAt(client, String(key), limits(milliRate / 1000, burst), nowMs, requests);
          expect([reply[0], reply[3], reply[4]]).toEqual([
            granted ? 0 : 1,
            requestsLeft(bucket, rule),
            msToNext(bucket, rule, granted ? 1 : requests),
          ]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

withRedis('over an hour and a change of month Redis grants exactly the rate, burst and quota', async () => {
  await using running = await runningRedis();
  const { client } = running;
  const turnMs = Date.UTC(2027, 0);
  const counts = new Map<string, number>();
  for (let nowMs = turnMs - 1_800_000; nowMs <= turnMs + 1_800_000; nowMs += 500) {
    const replies = await Promise.all([
      ...Array.from({ length: 2 }, () => takeAt(client, 'rate', limits(1.5, 4), nowMs)),
      takeAt(client, 'quota', limits(undefined, 1, 1000), nowMs),
    ]);
    for (const [i, reply] of replies.entries()) {
      expect(reply[1]).toBe(monthOf(nowMs).index);
      const name = `${i < 2 ? 'rate' : 'quota'} ${nowMs < turnMs ? 'before' : 'after'}`;
      counts.set(name, (counts.get(name) ?? 0) + (reply[0] === 0 ? 1 : 0));
    }
  }
  expect(counts.get('rate before')! + counts.get('rate after')!).toBe(1.5 * 3600 + 4);
  expect([counts.get('quota before'), counts.get('quota after')]).toEqual([1000, 1000]);
  expect(await client.send('HGETALL', ['usage:quota'])).toEqual({ '2026-12': '1000', '2027-01': '1000' });
});

withRedis('the month in Redis is the civil one of any instant', async () => {
  await using running = await runningRedis();
  const { client } = running;
  const turns = Array.from({ length: 60 }, (_, i) => Date.UTC(2023, i));
  const leapless = [Date.UTC(2100, 1, 28), Date.UTC(2100, 2)];
  for (const epochMs of [...turns, ...turns.map(turn => turn - 1), ...leapless]) {
    const [, month] = await takeAt(client, `month${epochMs}`, limits(undefined, 1), epochMs);
    expect(month).toBe(monthOf(epochMs).index);
  }
});

withRedis('two servers on one Redis together grant no more than one bucket and one quota', async () => {
  await using server = await startRedis();
  const stores = [new RedisStore(server.url, BUDGET_MS), new RedisStore(server.url, BUDGET_MS)];
  await Promise.all(stores.map(store => store.connect()));
  const serverMs = async () => {
    const [seconds, micros] = await server.send('TIME');
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
  const rate = limits(100, 20);
  const [fromMs, verdicts] = [await serverMs(), [] as string[]];
  for (let round = 0; round < 40; round++) {
    const many = stores.flatMap(store => Array.from({ length: 10 }, () => store.consume('rate', rate, 0)));
    for (const { verdict } of await Promise.all(many)) verdicts.push(verdict);
  }
  const elapsedMs = (await serverMs()) - fromMs;
  const granted = verdicts.filter(verdict => verdict === 'granted').length;
  expect(granted).toBeGreaterThanOrEqual(20);
  expect(granted).toBeLessThanOrEqual(20 + Math.ceil((elapsedMs * 100) / 1000));
  const quota = limits(undefined, 1, 333);
  const taken = await Promise.all(
    stores.flatMap(store => Array.from({ length: 250 }, () => store.consume('quota', quota, 0))),
  );
  expect(taken.filter(({ verdict }) => verdict === 'granted')).toHaveLength(333);
  expect(taken.filter(({ verdict }) => verdict === 'quota')).toHaveLength(167);
  const month = monthOf(await serverMs()).index;
  const refund = { receipt: 'refund', counts: [{ id: 'quota', month, count: -3 }] };
  expect(await stores[0]!.addUsage(refund)).toEqual([330]);
  expect((await stores[1]!.consume('quota', quota, 0)).used).toBe(331);
  for (const store of stores) store.close();
});

withRedis('a batch sent again with the same receipt is added once', async () => {
  await using running = await runningRedis();
  const { store } = running;
  const month = monthOf(0).index;
  const countsOf = (...counts: number[]) => counts.map((count, i) => ({ id: 'ab'[i]!, month, count }));
  for (let time = 0; time < 2; time++)
    expect(await store.addUsage({ receipt: 'x', counts: countsOf(5, 1) })).toEqual([5, 1]);
  for (let time = 0; time < 2; time++)
    expect(await store.addUsage({ receipt: 'y', counts: countsOf(-2, 9) })).toEqual([3, 10]);
  await store.raiseUsage(countsOf(2, 12));
  const usage = (await Array.fromAsync(store.usage())).flat();
  expect(usage).toEqual(expect.arrayContaining(countsOf(3, 12)));
});

withRedis('a batch with a count that cannot be added is rejected as a whole, and can be resent', async () => {
  await using running = await runningRedis();
  const { store, client } = running;
  await client.send('SET', ['meridian:usage:{b}', 'no hash']);
  const month = monthOf(0).index;
  const counts = ['a', 'b', 'c'].map(id => ({ id, month, count: 7 }));
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(store.addUsage({ receipt: 'x', counts })).rejects.toThrow('WRONGTYPE');
    expect(Object.fromEntries(await store.requests(['a', 'c'], month))).toEqual({ a: 0, c: 0 });
  }
  await client.send('DEL', ['meridian:usage:{b}']);
  expect(await store.addUsage({ receipt: 'x', counts })).toEqual([7, 7, 7]);
});

withRedis('a receipt is kept as long as usage, and for an hour after its batch is settled', async () => {
  await using running = await runningRedis();
  const { store, client } = running;
  const batch = { receipt: 'x', counts: [{ id: 'a', month: monthOf(0).index, count: 7 }] };
  await store.addUsage(batch);
  expect(await client.send('TTL', ['meridian:receipt:x'])).toBeGreaterThan(799 * 86_400);
  await store.settleUsage(batch);
  const seconds = Number(await client.send('TTL', ['meridian:receipt:x']));
  expect([seconds > 0, seconds <= 3600]).toEqual([true, true]);
  expect(await store.addUsage(batch)).toEqual([7]);
});

withRedis('usage is not sent again on a new connection before it is restored there', async () => {
  await using running = await runningRedis({ persists: false });
  const { server, store } = running;
  const total = { id: 'a', month: monthOf(0).index, count: 7 };
  expect(await store.addUsage({ receipt: 'x', counts: [total] })).toEqual([7]);
  store.reported = () => [total];
  await server.kill();
  await server.start();
  expect(await store.addUsage({ receipt: 'y', counts: [total] })).toEqual([14]);
});

withRedis('a connection on which usage cannot be restored is closed', async () => {
  const { server, store } = await runningRedis();
  store.reported = () => {
    throw new ConnectionFailure('lost');
  };
  for (let attempt = 0; attempt < 9; attempt++) await expect(store.connect()).rejects.toThrow('lost');
  await until(async () => String(await server.send('CLIENT', 'LIST')).split('\n').length < 6);
  await server.kill();
});

withRedis('buckets expire once they are full again, usage after 800 days', async () => {
  await using running = await runningRedis();
  const { store, client } = running;
  await store.consume('a', limits(1, 10), 0);
  expect(await client.send('PTTL', ['meridian:bucket:{a}'])).toBeLessThanOrEqual(2000);
  expect(await client.send('TTL', ['meridian:usage:{a}'])).toBeGreaterThan(399 * 86_400);
  await client.send('SCRIPT', ['FLUSH']);
  expect((await store.consume('a', limits(1, 10), 0)).used).toBe(2);
});

withRedis('a server that rejects connections, is frozen or killed fails until it is back', async () => {
  await using server = new RedisServer(newFolder());
  const store = new RedisStore(server.url, 40);
  const consume = () =>
    store.consume('a', limits(1, 10), 0).then(
      ({ verdict }) => verdict,
      () => 'failed',
    );
  expect(store.connect()).rejects.toThrow();
  expect(await consume()).toBe('failed');
  await server.start();
  await store.connect();
  expect(await consume()).toBe('granted');
  server.freeze(true);
  expect(await consume()).toBe('failed');
  server.freeze(false);
  await store.connect();
  expect(await consume()).toBe('granted');
  await server.kill();
  expect(await consume()).toBe('failed');
  await server.start();
  expect(await consume()).toBe('granted');
  await server.send('CONFIG', 'SET', 'maxmemory', '1');
  expect(await consume()).toBe('failed');
  store.close();
});

/** Runs each script twice, as if the connection had been lost before the first reply. */
class RepeatingStore extends RedisStore {
  override async execute<Reply>(script: Script, keys: readonly string[], args: readonly string[]) {
    await super.execute<Reply>(script, keys, args);
    return await super.execute<Reply>(script, keys, args);
  }
}

const repeatingRedis = () => runningRedis({}, RepeatingStore);

withRedis('a key whose rotation is sent twice keeps its former digest', async () => {
  await using redis = await repeatingRedis();
  const store = new RedisKeyStore(redis.store);
  const { id, key } = makeKey(new Uint8Array(KEY_RANDOM_BYTES));
  await store.add({ id, name: 'a', plan: 'default', digest: keyDigest(key), createdMs: NOW_MS });
  const next = keyDigest('the next key');
  expect(await store.rotate(id, next, NOW_MS + 1)).toBe(true);
  const [stored] = await store.keys();
  expect(stored!.digest.toHex()).toBe(next.toHex());
  expect(stored!.former!.digest.toHex()).toBe(keyDigest(key).toHex());
  expect(await store.change(id, { name: 'b' })).toBe(true);
  expect(await store.remove(id, NOW_MS)).toBe(true);
  expect(await store.remove(id, NOW_MS + 1)).toBe(false);
});

withRedis('a plan whose removal is sent twice was removed', async () => {
  await using redis = await repeatingRedis();
  const store = redisPlanStore(redis.store);
  await store.set('pro', {});
  expect(await store.remove('pro')).toBe(true);
  expect(await store.remove('pro')).toBe(false);
});

withRedis('a plan that cannot be read can be removed', async () => {
  await using redis = await runningRedis();
  const store = redisPlanStore(redis.store);
  await redis.client.send('HSET', ['meridian:plans', 'pro', 'garbage']);
  expect([await store.remove('pro'), await store.remove('pro')]).toEqual([true, false]);
});

withRedis('a change that cannot be logged or numbered changes nothing, and says what to do', async () => {
  await using redis = await runningRedis();
  const store = new RedisKeyStore(redis.store);
  const digest = new Uint8Array(32);
  const key = { id: 'a', name: 'a', plan: 'default', digest, createdMs: NOW_MS };
  await store.add(key);
  const servers = new ValueCache(SHARED_KEYS, null);
  await servers.poll(redis.store.hash('keys'));
  const present = await store.keys();
  const author = { user: 'alice', operator: null };
  const entry: LogEntry = { timeMs: NOW_MS, serial: 's', action: 'edit', id: 'a', ...author, values: {} };
  const whole = { ...present[0]!, name: 'b' };
  const changes = [
    () => store.add({ ...key, id: 'b' }, entry),
    () => store.change('a', { suspendedMs: 1 }, entry),
    () => store.rotate('a', new Uint8Array(32).fill(1), NOW_MS, entry),
    () => store.remove('a', NOW_MS, entry),
    () => store.put({ keys: [whole], removed: [], usage: [] }, [entry]),
  ];
  const remedy = 'meridian:log:2026-11 in Redis is not a hash, since another program has set it; DEL it';
  for (const [breaks, mends, reason] of [
    [['SET', 'meridian:log:2026-11', 'x'], ['DEL', 'meridian:log:2026-11'], remedy],
    [['ACL', 'SETUSER', 'default', '-set'], ['ACL', 'SETUSER', 'default', '+set'], 'NOPERM'],
    [['ACL', 'SETUSER', 'default', '-expire'], ['ACL', 'SETUSER', 'default', '+expire'], 'NOPERM'],
  ] as const) {
    await redis.client.send(breaks[0], breaks.slice(1));
    for (const change of changes) await expect(change()).rejects.toThrow(reason);
    await redis.client.send(mends[0], mends.slice(1));
    expect([...(await new RedisKeyStore(redis.store).keys())]).toEqual([...present]);
  }
  expect(await store.change('a', { suspendedMs: 1 }, entry)).toBe(true);
  await servers.poll(redis.store.hash('keys'));
  expect(servers.read().get('a')!.suspendedMs).toBe(1);
});

withRedis(
  'a probe names each command of scripts that the ACL user may not run, and has no effect',
  async () => {
    await using redis = await runningRedis();
    const { client, store } = redis;
    await store.probe();
    const rooms = ['access/redis', 'redis'].map(room => join(import.meta.dir, '../../../src', room));
    const sources = rooms.flatMap(room => [
      ...new Bun.Glob('**/*.{lua,ts}').scanSync({ cwd: room, absolute: true }),
    ]);
    const called = sources.flatMap(path => [
      ...readFileSync(path, 'utf8').matchAll(/redis\.p?call\('([A-Z]+)'/g),
    ]);
    const commands = new Set(called.map(([, command]) => command!));
    expect(commands).toContain('HINCRBY');
    for (const command of commands) {
      await client.send('ACL', ['SETUSER', 'default', `-${command.toLowerCase()}`]);
      await expect(store.probe()).rejects.toThrow(`(NOPERM ${command})`);
      await client.send('ACL', ['SETUSER', 'default', `+${command.toLowerCase()}`]);
    }
    await store.probe();
    expect(await client.send('KEYS', ['*'])).toEqual([]);
  },
);

withRedis(
  'values are not restored without a new revision, which other servers would not notice',
  async () => {
    await using redis = await runningRedis();
    const hash = redis.store.hash('plans');
    await redis.client.send('ACL', ['SETUSER', 'default', '-set']);
    await expect(hash.restore(new Map([['a', '5 1']]))).rejects.toThrow('NOPERM');
    expect((await hash.values()).size).toBe(0);
  },
);

withRedis('a signing key whose revocation is sent twice was revoked', async () => {
  await using redis = await repeatingRedis();
  const keys = redisKeys(redis.store.hash('signing-keys'), null, report => expect(report).toBe(''));
  const key = { kid: 'ed25519-2026-11-23', x: publicKeyOf(sampleSeed(1)), createdMs: NOW_MS, sequence: 1 };
  const added = { name: key.kid, revision: 0, key: { ...key, state: 'retired' } } as const;
  expect(await keys.change([added])).toBe('done');
  const world = { shared: keys, epochMs: () => NOW_MS, seed: () => sampleSeed(2), report() {} };
  await new FleetKeyStore(new KeyDirectory('/nonexistent'), world).revoke(key.kid, false);
  expect((await keys.read()).get(key.kid)?.key.state).toBe('revoked');
});

withRedis('values are replaced all or none, and only those of a known revision', async () => {
  await using redis = await runningRedis();
  const hash = redis.store.hash('plans');
  expect(await hash.replace([{ name: 'a', revision: 0, value: '1' }])).toBe(true);
  const both = (a: string) =>
    hash.replace([a, '1'].map((value, i) => ({ name: 'ab'[i]!, revision: 0, value })));
  expect([await both('1'), await both('2')]).toEqual([false, false]);
  expect([...(await hash.values())].map(([name, value]) => [name, value.split(' ')[1]])).toEqual([
    ['a', '1'],
  ]);
  const revision = Date.now() + 60_000; // restored from a machine whose clock is ahead
  await hash.restore(new Map([['c', `${revision} 1`]]));
  expect(await hash.replace([{ name: 'c', revision, value: '2' }])).toBe(true);
  expect((await hash.get(['c'])).get('c')).toBe(`${revision + 1} 2`);
  // Another program has set the value and the highest revision.
  const far = revision + 60_000;
  await redis.client.send('HSET', ['meridian:plans', 'd', `${far} 1`, 'e', 'garbage']);
  await redis.client.send('SET', ['meridian:plans:revision', 'garbage']);
  await hash.update(['d', 'e'], () => '2', 'plans');
  expect([...(await hash.get(['d', 'e'])).values()]).toEqual([`${far + 1} 2`, `${far + 1} 2`]);
});

/** Spies on what is read of the log: the hashes, with the number of fields from each. */
function spyOnLog() {
  const spy = spyOn(RedisStore.prototype, 'execute');
  return {
    async read(): Promise<Readonly<Record<string, number>>> {
      const fields: Record<string, number> = {};
      for (const [i, [script, [key = '']]] of spy.mock.calls.entries()) {
        if (script !== LOG) continue;
        const [, found] = (await spy.mock.results[i]!.value) as [string, string[]];
        fields[key] = (fields[key] ?? 0) + found.length / 2;
      }
      spy.mockClear();
      return fields;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

withRedis('the log is read by month, each month once, only as far as it is listed or is new', async () => {
  await using running = await runningRedis();
  const { client, store } = running;
  const values = { plan: 'pro', name: 'some application' };
  const text = JSON.stringify({ action: 'edit', id: 'a', user: 'alice@host', operator: null, values });
  const months = [Date.UTC(2026, 8), Date.UTC(2026, 9), Date.UTC(2026, 10)];
  for (const startMs of months) {
    const fields = Array.from({ length: 600 }, (_, i) => [`${startMs + (i >> 1) * 60_000}.${i % 2}`, text]);
    await client.send('HSET', [logKey(monthOf(startMs).index), ...fields.flat()]);
  }
  using log = spyOnLog();
  const administration = new KeyAdministration(() => new RedisKeyStore(store));
  const listed = async (after: LogPosition | null, limit: number) => {
    const rows: string[] = [];
    for await (const batch of administration.log(NOW_MS, after)) {
      rows.push(...batch.map(({ position }) => `${position.timeMs}.${position.serial}`));
      if (rows.length >= limit) break;
    }
    return rows;
  };
  const parse = spyOn(JSON, 'parse');
  expect(await listed(null, 100)).toHaveLength(100);
  expect(parse).toHaveBeenCalledTimes(100);
  parse.mockRestore();
  const [september, october, november] = ['2026-09', '2026-10', '2026-11'].map(
    label => `meridian:log:${label}`,
  );
  expect(Object.entries(await log.read()).filter(([, count]) => count > 0)).toEqual([[september!, 600]]);
  const all = await listed(null, 9999);
  expect(all).toEqual(all.toSorted());
  expect(new Set(all).size).toBe(1800);
  const found = { [september!]: 600, [october!]: 600, [november!]: 600, 'meridian:log:2026-12': 0 };
  expect(await log.read()).toMatchObject(found);
  const lastMs = months[2]! + 299 * 60_000;
  expect(await listed({ timeMs: lastMs - 60_000, serial: '0' }, 9999)).toHaveLength(3);
  expect(await log.read()).toEqual({ [november!]: 4, 'meridian:log:2026-12': 0 });
});

test('an entry of the log that a scan finds twice is listed once, and pages are full', async () => {
  const text = JSON.stringify({ action: 'edit', id: 'a', user: 'alice@host', operator: null, values: {} });
  const fields = [...'bacabcda'].map(serial => [`${NOW_MS}.${serial}`, text] as const);
  const redis = {
    hash: () => null,
    async *log(month: number) {
      if (month === monthOf(NOW_MS).index) yield fields;
    },
  };
  const store = new RedisKeyStore(redis as unknown as RedisStore);
  const listed = async (after: string, limit: number) => {
    const part = { after: { timeMs: NOW_MS, serial: after }, limit, lastMonth: monthOf(NOW_MS).index + 1 };
    return (await store.log(part)).map(({ serial }) => serial).join('');
  };
  expect([await listed('', 9), await listed('', 3), await listed('a', 2)]).toEqual(['abcd', 'abc', 'bc']);
  expect([await listed('c', 2), await listed('d', 2)]).toEqual(['d', '']);
});
