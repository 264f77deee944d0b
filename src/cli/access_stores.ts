import { type KeyStore, NO_KEYS, type PlanStore } from '../access/key_store.ts';
import { layeredStore } from '../access/layers.ts';
import { type Plan, UNLIMITED_PLAN } from '../access/plan.ts';
import { PlanFile } from '../access/plan_file.ts';
import { RedisKeyStore, redisPlanStore } from '../access/redis/redis_key_store.ts';
import { RedisStore } from '../access/redis/redis_store.ts';
import { asStoreError, sqliteCode, subject } from '../access/sqlite_errors.ts';
import { hasKeyStore } from '../access/sqlite_file.ts';
import { SqliteStore } from '../access/sqlite_store.ts';
import { UsageError } from '../common/errors.ts';
import { ConnectionFailure, Refusal } from '../redis/redis_failures.ts';
import { keyStorePath } from '../server/access.ts';
import type { CommandContext } from './command.ts';
import type { ServeSettings } from './flags.ts';

/** How long a command waits while a server is writing. */
const BUSY_MS = 5000;
const REDIS_SILENCE_MS = 2000;

type Work<Store, Result> = (store: Store) => Result | Promise<Result>;

/** The input of a command, which says where the keys are. */
interface KeyInput {
  readonly settings: Pick<ServeSettings, 'state-dir' | 'redis'>;
  readonly context: Pick<CommandContext, 'environment'>;
}

/** The path of the key store in the state directory. */
export function keyPath({ settings, context }: KeyInput): string {
  return keyStorePath(settings, context.environment);
}

/**
 * Runs `work` on the keys in Redis, if configured, and in the file, which is also passed by itself if it exists. Without Redis,
 * `create` creates a missing file.
 */
export function withKeyStore<Result>(
  input: KeyInput,
  create: boolean,
  work: (store: KeyStore, file: SqliteStore | null) => Result | Promise<Result>,
): Promise<Result> {
  const [path, url] = [keyPath(input), input.settings.redis];
  const withFile = (within: Work<SqliteStore | null, Result>) =>
    (create && url === null) || hasKeyStore(path) ? withKeyFile(path, within) : Promise.resolve(within(null));
  if (url === null) return withFile(file => work(file ?? NO_KEYS, file));
  return withRedis(url, redis => {
    const shared = new RedisKeyStore(redis);
    return withFile(file => work(layeredStore(shared, file ?? NO_KEYS), file));
  });
}

/** Connects to Redis for the duration of `work`. @throws {Error} with a one-line message if it is unavailable */
export async function withRedis<Result>(url: string, work: Work<RedisStore, Result>): Promise<Result> {
  const redis = new RedisStore(url, REDIS_SILENCE_MS);
  try {
    await redis.connect();
    return await work(redis);
  } catch (error) {
    if (error instanceof ConnectionFailure || error instanceof Refusal)
      throw new Error(`Cannot use Redis: ${error.message}`);
    throw error;
  } finally {
    redis.close();
  }
}

/** Opens or creates the file for the duration of `work`. Rejects with a StoreError. */
async function withKeyFile<Result>(path: string, work: Work<SqliteStore, Result>): Promise<Result> {
  const store = new SqliteStore(path, { create: true, durable: true, busyMs: BUSY_MS });
  try {
    return await work(store);
  } catch (error) {
    throw sqliteCode(error) === undefined ? error : asStoreError(subject(path), error);
  } finally {
    store.close();
  }
}

/** The locations of plans: a file and Redis, null for none. */
type PlanPlace = Pick<ServeSettings, 'plans' | 'redis'>;

/** A plan and its source in a server with the same settings. */
interface KnownPlan {
  readonly plan: Plan;
  readonly from: string;
}

/** All plans of a server with these settings, by name. Plans in Redis override those in the file. */
export async function knownPlans({ plans: file, redis }: PlanPlace): Promise<ReadonlyMap<string, KnownPlan>> {
  const { name } = UNLIMITED_PLAN;
  const known = new Map<string, KnownPlan>([[name, { plan: UNLIMITED_PLAN, from: 'built-in' }]]);
  const add = (plans: ReadonlyMap<string, Plan>, from: string) => {
    for (const [name, plan] of plans) known.set(name, { plan, from });
  };
  if (file !== null) add(new PlanFile(file).plans(), file);
  if (redis !== null) add(await withRedis(redis, store => redisPlanStore(store).plans()), 'Redis');
  return known;
}

/** Runs `work` on the plans in Redis, if configured, else in the file. @throws {UsageError} if there is neither */
export async function withPlanStore<Result>(
  { plans: file, redis }: PlanPlace,
  work: (store: PlanStore, place: string) => Result | Promise<Result>,
): Promise<Result> {
  if (redis !== null) return withRedis(redis, store => work(redisPlanStore(store), 'Redis'));
  if (file !== null) return work(new PlanFile(file), file);
  throw new UsageError('Changing plans requires --plans FILE or --redis URL');
}
