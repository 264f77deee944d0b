import { SQLiteError } from 'bun:sqlite';
import { NO_KEYS } from '../../access/administration/key_administration.ts';
import { RedisStore } from '../../access/redis/redis_store.ts';
import { RedisTokenStore } from '../../access/redis/redis_token_store.ts';
import { ConnectionFailure } from '../../access/redis/store_errors.ts';
import { asStoreError, hasTokenStore } from '../../access/sqlite_file.ts';
import { SqliteStore } from '../../access/sqlite_store.ts';
import type { TokenStore } from '../../access/stored_token.ts';

/** How long a command waits while a server is writing. */
const BUSY_MS = 5000;
const REDIS_SILENCE_MS = 2000;

/** The locations of the API key stores. */
export interface StorePlace {
  /** The file in the state directory. */
  readonly path: string;
  /** The URL of Redis; null for none. */
  readonly redis: string | null;
}

type Work<Store, Result> = (store: Store) => Result | Promise<Result>;

/** Runs `work` on the keys in Redis, if configured, and in the file. Without Redis, `create` creates a missing file. */
export function withTokenStore<Result>(
  { path, redis: url }: StorePlace,
  create: boolean,
  work: Work<TokenStore, Result>,
): Promise<Result> {
  const withExisting = (within: Work<TokenStore, Result>) =>
    hasTokenStore(path) ? withTokenFile(path, within) : Promise.resolve(within(NO_KEYS));
  if (url !== null) {
    return withRedis(url, redis => withExisting(file => work(new RedisTokenStore(redis, file))));
  }
  return create ? withTokenFile(path, work) : withExisting(work);
}

/** Connects to Redis for the duration of `work`. @throws {Error} with a one-line message if it is unavailable */
export async function withRedis<Result>(url: string, work: Work<RedisStore, Result>): Promise<Result> {
  const redis = new RedisStore(url, REDIS_SILENCE_MS);
  try {
    await redis.connect();
    return await work(redis);
  } catch (error) {
    if (error instanceof ConnectionFailure) throw new Error(`Cannot use Redis: ${error.message}`);
    throw error;
  } finally {
    redis.close();
  }
}

/** Opens or creates the file for the duration of `work`. Rejects with a StoreError. */
export async function withTokenFile<Result>(path: string, work: Work<SqliteStore, Result>): Promise<Result> {
  const store = new SqliteStore(path, { create: true, durable: true, busyMs: BUSY_MS });
  try {
    return await work(store);
  } catch (error) {
    throw error instanceof SQLiteError ? asStoreError(`Cannot use the API keys in '${path}'`, error) : error;
  } finally {
    store.close();
  }
}
