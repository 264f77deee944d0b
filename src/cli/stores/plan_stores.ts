import { type Plan, type PlanStore, UNLIMITED_PLAN } from '../../access/plan.ts';
import { PlanFile } from '../../access/plan_file.ts';
import { RedisPlanStore } from '../../access/redis/redis_plan_store.ts';
import { UsageError } from '../../common/errors.ts';
import { withRedis } from './key_stores.ts';

/** The locations of plans. */
export interface PlanPlace {
  /** The plans file; null for none. */
  readonly file: string | null;
  /** The URL of Redis; null for none. */
  readonly redis: string | null;
}

/** A plan and its source in a server with the same settings. */
export interface KnownPlan {
  readonly plan: Plan;
  readonly from: string;
}

/** All plans of a server with these settings, by name. Plans in Redis override those in the file. */
export async function knownPlans({ file, redis }: PlanPlace): Promise<ReadonlyMap<string, KnownPlan>> {
  const { name } = UNLIMITED_PLAN;
  const known = new Map<string, KnownPlan>([[name, { plan: UNLIMITED_PLAN, from: 'built-in' }]]);
  const add = (plans: ReadonlyMap<string, Plan>, from: string) => {
    for (const [name, plan] of plans) known.set(name, { plan, from });
  };
  if (file !== null) add(new PlanFile(file).plans(), file);
  if (redis !== null) add(await withRedis(redis, store => new RedisPlanStore(store).plans()), 'Redis');
  return known;
}

/** Runs `work` on the plans in Redis, if configured, else in the file. @throws {UsageError} if there is neither */
export async function withPlanStore<Result>(
  { file, redis }: PlanPlace,
  work: (store: PlanStore, place: string) => Result | Promise<Result>,
): Promise<Result> {
  if (redis !== null) return withRedis(redis, store => work(new RedisPlanStore(store), 'Redis'));
  if (file !== null) return work(new PlanFile(file), file);
  throw new UsageError('Changing plans requires --plans FILE or --redis URL');
}
