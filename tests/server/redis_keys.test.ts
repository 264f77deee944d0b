import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { ConnectionFailure } from '../../src/redis/redis_failures.ts';
import type { RedisHash } from '../../src/redis/redis_hash.ts';
import { redisKeys } from '../../src/server/redis_keys.ts';
import { FleetKeyStore } from '../../src/signing/fleet_key_store.ts';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { newFolder } from '../support/process.ts';
import { REDIS_PROGRAM, startRedis } from '../support/redis.ts';
import { sampleSeed } from '../support/signing_keys.ts';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');

/** A machine with its own connection and state directory. */
async function machine(url: string, number: number, state: string) {
  const redis = new RedisStore(url, 1000);
  await redis.connect().catch(() => {});
  const reports: string[] = [];
  const report = (message: string) => reports.push(message);
  const copy = join(state, `copy-${number}.json`);
  const keys = () => redisKeys(redis.hash('signing-keys'), { path: copy, isWriter: true }, report);
  const shared = keys();
  const seed = () => sampleSeed(number);
  const directory = new KeyDirectory(join(state, `keys-${number}`));
  const store = new FleetKeyStore(directory, { shared, epochMs: () => NOW_MS, seed, report });
  const kids = async () => (await store.synchronize()).map(({ kid }) => kid);
  return {
    redis,
    reports,
    copy,
    store,
    kids,
    rotate: () => store.rotate({ epochMs: NOW_MS, seed: seed() }),
    keys,
  };
}

test('a lost connection is not reported here, nor does it hide or repeat another error', async () => {
  const errors = [new ConnectionFailure(), new Error('OOM'), new ConnectionFailure(), new Error('OOM')];
  const hash = { replace: () => Promise.reject(errors.shift()) } as unknown as RedisHash;
  const reports: string[] = [];
  const keys = redisKeys(hash, null, message => reports.push(message));
  while (errors.length > 0) expect(await keys.change([])).toBe('away');
  expect(reports).toEqual(['Signing keys in Redis: OOM']);
});

describe.skipIf(REDIS_PROGRAM === null)('signing keys in Redis (requires redis-server)', () => {
  test('are read from the copy while Redis is down, and are restored to an empty restarted one', async () => {
    const folder = newFolder();
    await using server = await startRedis({ persists: false });
    const [a, b] = [await machine(server.url, 1, folder), await machine(server.url, 2, folder)];
    await a.rotate();
    await b.rotate();
    const names = ['ed25519-2026-11-23', 'ed25519-2026-11-24'];
    expect(await a.kids()).toEqual(names);
    expect(readFileSync(a.copy, 'utf8')).not.toContain('"d"');
    await server.kill();
    expect(await a.kids()).toEqual(names);
    expect([...(await a.keys().read()).keys()].sort()).toEqual(names); // after a restart of the machine
    await server.start();
    await a.redis.connect();
    expect(await a.kids()).toEqual(names);
    const late = await machine(server.url, 3, folder);
    expect((await late.kids()).sort()).toEqual(names);
    for (const { redis } of [a, b, late]) redis.close();
    expect([...a.reports, ...b.reports, ...late.reports]).toEqual([]);
  });

  test('that cannot be read are reported once, and the others stay published', async () => {
    const folder = newFolder();
    await using server = await startRedis();
    const { rotate, kids, reports, redis } = await machine(server.url, 1, folder);
    await rotate();
    await server.send('HSET', 'meridian:signing-keys', 'bad', '9999999999999 {"kid":"bad"}');
    await server.send('SET', 'meridian:signing-keys:revision', '9999999999999');
    for (let i = 0; i < 3; i++) expect(await kids()).toEqual(['ed25519-2026-11-23']);
    expect(reports).toEqual([
      "Signing keys in Redis: the value of 'bad' is ignored: A signing key in Redis is malformed",
    ]);
    // A well-formed key that is not on the curve is omitted.
    const x = `${'_'.repeat(42)}8`;
    const off = JSON.stringify({ kid: 'ed25519-2026-11-30', x, createdMs: 1, sequence: 1, state: 'active' });
    await server.send('HDEL', 'meridian:signing-keys', 'bad');
    await server.send('HSET', 'meridian:signing-keys', 'ed25519-2026-11-30', `9999999999999 ${off}`);
    await server.send('INCR', 'meridian:signing-keys:revision');
    expect(await kids()).toEqual(['ed25519-2026-11-23']);
    expect(reports).toHaveLength(1);
    redis.close();
  });
});
