import type { Plan } from './plan.ts';
import { type BucketRule, bucketRule } from './token_bucket.ts';

/** A plan made ready for requests. */
export interface Limits {
  readonly plan: Plan;
  /** The plan's rate; undefined without a rate limit. */
  readonly rule: BucketRule | undefined;
  /** This worker's part of it. */
  readonly share: BucketRule | undefined;
}

/** Which of the workers that share a port this is, `index` from 0. */
export interface WorkerShare {
  readonly index: number;
  readonly count: number;
}

/** The limits of a plan for one worker. */
export function limitsOf(plan: Plan, worker: WorkerShare): Limits {
  if (plan.rate === undefined) return { plan, rule: undefined, share: undefined };
  const { perSecond, burst } = plan.rate;
  return { plan, rule: bucketRule(perSecond, burst), share: bucketRule(perSecond, burst, worker) };
}

/**
 * Throws an Error where a plan's burst leaves nothing for one of the workers: whoever came to that one would be refused for ever.
 */
export function checkShares(plans: Iterable<Plan>, workers: number): void {
  for (const { name, rate } of plans) {
    if (rate === undefined || rate.burst >= workers) continue;
    throw new Error(
      `'plans.${name}.burst': ${rate.burst} cannot be divided among ${workers} workers: give at least ${workers}, or share limits with --redis`,
    );
  }
}
