import { join } from 'node:path';
import { RedisStore } from './redis_store.ts';
import { SHARED_KEYS, SHARED_PLANS } from './redis_token_store.ts';
import type { SharedAccessValues } from './shared_upkeep.ts';
import { ValueCache } from './value_cache_file.ts';

/** Redis counts as unreachable after this much silence: longer than slow scripts and forking for a snapshot usually take. */
const SILENCE_MS = 1000;

/**
 * A Redis with its cached keys and plans. One of several workers writes copies of them to the state directory.
 * @throws {Error} if a copy cannot be read
 */
export function openSharedAccess(url: string, state: string, isWriter: boolean): SharedAccessValues {
  return {
    store: new RedisStore(url, SILENCE_MS),
    keys: new ValueCache(SHARED_KEYS, { path: join(state, 'redis-keys.json'), isWriter }),
    plans: new ValueCache(SHARED_PLANS, { path: join(state, 'redis-plans.json'), isWriter }),
  };
}
