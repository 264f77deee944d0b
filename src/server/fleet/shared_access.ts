import { join } from 'node:path';
import { RedisStore } from '../../access/redis/redis_store.ts';
import { sharedAccess } from '../../access/redis/shared_access.ts';
import { SHARED_KEYS } from '../../access/redis/shared_key.ts';
import { SHARED_PLANS } from '../../access/redis/shared_plan.ts';
import { ValueCache, type ValueKind } from '../../access/redis/value_cache.ts';
import { valueCopyFile } from '../../access/redis/value_copy_file.ts';

/** Redis counts as unreachable after this much silence: longer than slow scripts and forking for a snapshot usually take. */
const SILENCE_MS = 1000;

/**
 * A Redis with its keys and plans. One of several workers writes copies of them to the state directory.
 * @throws {Error} if a copy cannot be read
 */
export function openSharedAccess(url: string, state: string, isWriter: boolean) {
  const store = new RedisStore(url, SILENCE_MS);
  const keys = cached(SHARED_KEYS, join(state, 'redis-keys.json'), isWriter);
  const plans = cached(SHARED_PLANS, join(state, 'redis-plans.json'), isWriter);
  return { store, values: sharedAccess(keys, plans, store) };
}

function cached<Contents>(kind: ValueKind<Contents>, copy: string, isWriter: boolean): ValueCache<Contents> {
  return new ValueCache(kind, valueCopyFile(kind, copy, isWriter));
}
