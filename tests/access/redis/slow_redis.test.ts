import { expect } from 'bun:test';
import type { Socket } from 'bun';
import type { AccessControl } from '../../../src/access/access_control.ts';
import { RedisStore } from '../../../src/access/redis/redis_store.ts';
import type { FailMode } from '../../../src/access/redis/watched_store.ts';
import { within } from '../../../src/redis/redis_connection.ts';
import { startRedis, usageIn, withRedis } from '../../support/redis.ts';
import { authoriseOften, keyFolder, NOW_MS, outcome, quiet, ticks } from '../control.ts';

/** Longer than any test, for tests in which Redis is slow but must not count as unreachable. */
const PATIENT_MS = 600_000;
const QUOTA = 100;
const ONE = { 'X-API-Key': 'one' };

/** A private Redis, and a server that shares the quotas of two API keys through it. */
async function sharedService(failMode: FailMode, silenceMs: number) {
  const place = keyFolder();
  const redis = await startRedis();
  const { access, log } = place.control({
    failMode,
    keys: ['one', 'other'].map(key => ({ key, plan: 'limited', name: key })),
    plans: [{ name: 'limited', rate: undefined, monthlyQuota: QUOTA }],
    shared: new RedisStore(redis.url, silenceMs),
  });
  await access.start();
  return {
    access,
    log,
    redis,
    /** The requests that Redis has counted. */
    used: async () => [...(await usageIn(redis)).values()].reduce((sum, used) => sum + used, 0),
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await redis.kill();
    },
  };
}

/** Counts the outcomes of requests that arrive together. */
async function together(access: AccessControl, requests: number, key = 'one') {
  const outcomes = await Promise.all(
    Array.from({ length: requests }, () => outcome(access, { 'X-API-Key': key })),
  );
  const groups = [...Map.groupBy(outcomes, name => name)];
  return Object.fromEntries(groups.map(([name, { length }]) => [name, length]));
}

/**
 * Occupies the event loop like expensive requests: each turn has a readable socket whose data takes longer to process than the
 * reply timeout of Redis.
 */
async function starvation(): Promise<Disposable> {
  const data = (socket: Socket) => {
    for (const endMs = performance.now() + 60; performance.now() < endMs; );
    socket.write('x');
  };
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data } });
  const socket = await Bun.connect({ hostname: '127.0.0.1', port: listener.port, socket: { data } });
  socket.write('x');
  return { [Symbol.dispose]: () => listener.stop(true) };
}

for (const failMode of ['open', 'closed'] as const) {
  withRedis(
    `a starved process mistakes no Redis reply for a late one and grants exactly the quota (${failMode}, requires redis-server)`,
    async () => {
      await using shared = await sharedService(failMode, 30);
      const { access, log } = shared;
      let granted = 0;
      using _ = await starvation();
      for (let round = 0; round < 6; round++) {
        const { granted: more = 0, ...others } = await together(access, 20);
        expect(Object.keys(others).filter(name => name !== 'QUOTA_EXCEEDED')).toEqual([]);
        granted += more;
      }
      expect([granted, await shared.used(), access.sharedStore, log]).toEqual([QUOTA, QUOTA, 'up', []]);
    },
  );
}

withRedis('`closed` waits for a slow Redis and rejects nothing', async () => {
  await using shared = await sharedService('closed', PATIENT_MS);
  const { access, redis } = shared;
  redis.freeze(true);
  const outcomes = together(access, QUOTA + 20);
  await expect(within(150, outcomes)).rejects.toThrow(); // five times the wait of `open`
  redis.freeze(false);
  expect(await outcomes).toEqual({ granted: QUOTA, QUOTA_EXCEEDED: 20 });
  expect(access.sharedStore).toBe('up');
});

withRedis('`open` counts late requests of a slow Redis locally, and only once', async () => {
  await using shared = await sharedService('open', PATIENT_MS);
  const { access, redis } = shared;
  redis.freeze(true);
  expect(await together(access, 20)).toEqual({ granted: 20 });
  redis.freeze(false);
  expect(await together(access, 1)).toEqual({ granted: 1 });
  for (let second = 0; (await shared.used()) !== 21; second++) await ticks(access, second * 1000);
  expect(await together(access, QUOTA)).toEqual({ granted: QUOTA - 21, QUOTA_EXCEEDED: 21 });
});

withRedis('requests counted locally by `open` are not granted again before Redis counted them', async () => {
  await using shared = await sharedService('open', PATIENT_MS);
  const { access, redis } = shared;
  redis.freeze(true);
  // The first one is sent; no other is sent to Redis while its reply is late.
  expect(await together(access, 1)).toEqual({ granted: 1 });
  expect(await together(access, QUOTA - 1)).toEqual({ granted: QUOTA - 1 });
  redis.freeze(false);
  await redis.send('PING');
  await quiet();
  expect(await together(access, QUOTA)).toEqual({ QUOTA_EXCEEDED: QUOTA });
  for (let second = 0; (await shared.used()) !== QUOTA; second++) await ticks(access, second * 1000);
  expect(await together(access, 1)).toEqual({ QUOTA_EXCEEDED: 1 });
});

withRedis('a silent Redis times out once, then fails immediately until it is back', async () => {
  await using shared = await sharedService('closed', 200);
  const { access, redis, log } = shared;
  redis.freeze(true);
  expect(await together(access, 20)).toEqual({ UPSTREAM_FAILURE: 20 });
  expect(access.sharedStore).toBe('down');
  expect(await together(access, 20)).toEqual({ UPSTREAM_FAILURE: 20 });
  redis.freeze(false);
  while (access.sharedStore === 'down') await ticks(access, 0);
  const { counts } = await authoriseOften(access, 'one', QUOTA + 1);
  expect(counts['granted']).toBeLessThanOrEqual(QUOTA);
  expect(counts['UPSTREAM_FAILURE']).toBeUndefined();
  expect(log).toEqual([
    'error: The shared quota store is unavailable: No reply within 200 ms; rejecting requests with 502 until it is back',
  ]);
});

withRedis('connections closed by Redis lose no request and grant no more than the quota', async () => {
  await using shared = await sharedService('closed', PATIENT_MS);
  const { access, redis, log } = shared;
  let granted = 0;
  for (let round = 0; round < 12; round++) {
    const [outcomes] = await Promise.all([
      together(access, 10),
      redis.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
    ]);
    expect(Object.keys(outcomes).filter(name => name !== 'granted' && name !== 'QUOTA_EXCEEDED')).toEqual([]);
    granted += outcomes['granted'] ?? 0;
  }
  expect(granted).toBeGreaterThan(0);
  expect(granted).toBeLessThanOrEqual(QUOTA);
  expect([access.sharedStore, log]).toEqual(['up', []]);
});

withRedis('a killed Redis is used again by the first request after it accepts connections', async () => {
  await using shared = await sharedService('closed', PATIENT_MS);
  const { access, redis } = shared;
  let granted = 0;
  for (let round = 1; round <= 6; round++) {
    const nowMs = NOW_MS + round * 1000;
    const [outcomes] = await Promise.all([together(access, 10), redis.kill()]);
    granted += outcomes['granted'] ?? 0;
    for (const _ of ['the connection is lost', 'no other is accepted'])
      expect([await outcome(access, ONE, nowMs), access.sharedStore]).toEqual(['UPSTREAM_FAILURE', 'down']);
    await redis.start();
    // For 20 ms requests do not try to reconnect.
    expect(await outcome(access, ONE, nowMs + 19)).toBe('UPSTREAM_FAILURE');
    for (let requests = 0; requests < 12; requests++) {
      const found = await outcome(access, ONE, nowMs + 20);
      expect(['granted', 'QUOTA_EXCEEDED']).toContain(found);
      if (found === 'granted') granted += 1;
    }
  }
  expect(granted).toBeGreaterThan(QUOTA / 2);
  expect(granted).toBeLessThanOrEqual(QUOTA);
});

withRedis('a key whose usage Redis cannot count is rejected by `closed`, and no other', async () => {
  await using shared = await sharedService('closed', PATIENT_MS);
  const { access, redis } = shared;
  expect(await together(access, 1)).toEqual({ granted: 1 });
  const [usageKey] = await redis.send('KEYS', 'meridian:usage:*');
  await redis.send('SET', usageKey, 'no hash');
  for (let round = 0; round < 5; round++) {
    expect(await together(access, 3)).toEqual({ UPSTREAM_FAILURE: 3 });
    expect(await together(access, 1, 'other')).toEqual({ granted: 1 });
    await ticks(access, round * 1000);
  }
  expect(access.sharedStore).toBe('up');
});

withRedis('a Redis that refuses writes is down, though it can be read, until it accepts them', async () => {
  for (const [failMode, state, outcomeWhileFull] of [
    ['closed', 'down', 'UPSTREAM_FAILURE'],
    ['open', 'degraded', 'granted'],
  ] as const) {
    await using shared = await sharedService(failMode, PATIENT_MS);
    const { access, redis, log } = shared;
    const untilState = async (wanted: string) => {
      while (access.sharedStore !== wanted) await ticks(access, 0);
    };
    for (const [setting, value, usual, reason] of [
      ['maxmemory', '1', '0', 'it is full (OOM)'],
      ['min-replicas-to-write', '1', '0', 'it has too few replicas (NOREPLICAS)'],
    ] as const) {
      expect(await outcome(access, ONE)).toBe('granted');
      await redis.send('CONFIG', 'SET', setting, value);
      await untilState(state); // without any request
      expect([await outcome(access, ONE), access.sharedFailure]).toEqual([outcomeWhileFull, reason]);
      await redis.send('CONFIG', 'SET', setting, usual);
      await untilState('up');
      await ticks(access, 1000, 2000);
      expect(log.splice(0)).toEqual([
        expect.stringContaining(`The shared quota store is unavailable: ${reason}; `),
        'info: The shared quota store is back',
      ]);
    }
    await redis.send('ACL', 'SETUSER', 'default', '-time');
    await untilState(state);
    expect(access.sharedFailure).toBe('the ACL user lacks a permission (NOPERM TIME)');
    await redis.send('ACL', 'SETUSER', 'default', '+time');
    await untilState('up');
  }
});
