import { expect } from 'bun:test';
import { KEY_RANDOM_BYTES, keyDigest, makeKey } from '../../../src/access/key_format.ts';
import type { Script } from '../../../src/access/redis/redis_connection.ts';
import { RedisKeyStore, RedisPlanStore } from '../../../src/access/redis/redis_key_store.ts';
import { RedisStore } from '../../../src/access/redis/redis_store.ts';
import { RedisKeys } from '../../../src/server/redis_keys.ts';
import { FleetKeyStore } from '../../../src/signing/fleet_key_store.ts';
import { KeyDirectory } from '../../../src/signing/key_directory.ts';
import { publicKeyOf } from '../../../src/signing/signing_key.ts';
import { runningRedis, withRedis } from '../../support/redis.ts';
import { sampleSeed } from '../../support/signing_keys.ts';
import { NOW_MS } from '../control.ts';

/** Runs each script twice, as if the connection had been lost before the first reply. */
class RepeatingStore extends RedisStore {
  override async execute<Reply>(script: Script, keys: readonly string[], args: readonly string[]) {
    await super.execute<Reply>(script, keys, args);
    return await super.execute<Reply>(script, keys, args);
  }
}

async function repeatingRedis() {
  const running = await runningRedis();
  const repeating = new RepeatingStore(running.server.url, 2000);
  await repeating.connect();
  return {
    repeating,
    async [Symbol.asyncDispose]() {
      repeating.close();
      await running[Symbol.asyncDispose]();
    },
  };
}

withRedis('a key whose rotation is sent twice keeps its former digest', async () => {
  await using redis = await repeatingRedis();
  const store = new RedisKeyStore(redis.repeating);
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
  const store = new RedisPlanStore(redis.repeating);
  await store.set('pro', {});
  expect(await store.remove('pro')).toBe(true);
  expect(await store.remove('pro')).toBe(false);
});

withRedis('a signing key whose revocation is sent twice was revoked', async () => {
  await using redis = await repeatingRedis();
  const keys = new RedisKeys(redis.repeating.hash('signing-keys'), null, report => expect(report).toBe(''));
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
  expect(await hash.replace({ name: 'a', revision: 0, value: '1' })).toBe(true);
  const both = (a: string) =>
    hash.replace({ name: 'a', revision: 0, value: a }, { name: 'b', revision: 0, value: '1' });
  expect([await both('1'), await both('2')]).toEqual([false, false]);
  expect([...(await hash.values())].map(([name, value]) => [name, value.split(' ')[1]])).toEqual([
    ['a', '1'],
  ]);
});
