import { ServiceError } from '../common/errors.ts';

/**
 * A token bucket in integers, so that nothing drifts.
 *
 * A request costs 1,000,000 units per worker that shares the plan; a millisecond adds 1,000 units per request a second
 * that the plan allows. Rates have at most three decimals, so all of these are integers, and with the bounds of `plan.ts`
 * and 1,024 workers no product exceeds 2⁵³.
 */

/** Capacity, refill rate and cost of a request, in units. */
export interface BucketRule {
  readonly capacity: number;
  readonly perMs: number;
  readonly perRequest: number;
}

/** The level of a bucket at a time. */
export interface Bucket {
  units: number;
  updatedMs: number;
}

/** One of several workers that share a port; `index` from 0. */
export interface WorkerShare {
  readonly index: number;
  readonly count: number;
}

export const ALONE: WorkerShare = { index: 0, count: 1 };
const UNITS_PER_REQUEST = 1_000_000;

/**
 * The rule of a plan: `perSecond` requests (at least 0.001, three decimals) with a burst of `burst`. Worker `index` of
 * `count` gets a share; the shares add up to exactly the whole. The rate is divided evenly, the burst into whole requests
 * (the first workers get the remainder). A share of less than one request would never grant any, so it is one: workers that
 * count on their own during an outage of Redis may together exceed a burst that is smaller than their number, but not the rate.
 */
export function bucketRule(perSecond: number, burst: number, share: WorkerShare = ALONE): BucketRule {
  const requests = Math.floor(burst / share.count) + (share.index < burst % share.count ? 1 : 0);
  const perRequest = UNITS_PER_REQUEST * share.count;
  return { capacity: Math.max(1, requests) * perRequest, perMs: Math.round(perSecond * 1000), perRequest };
}

/** An unused bucket; the first refill limits it to its rule's capacity. */
export function fullBucket(): Bucket {
  return { units: Number.POSITIVE_INFINITY, updatedMs: 0 };
}

/** Adds the units of the time elapsed; none if the clock was set back. */
export function refill(bucket: Bucket, rule: BucketRule, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - bucket.updatedMs);
  bucket.units = Math.min(rule.capacity, bucket.units + elapsedMs * rule.perMs);
  bucket.updatedMs = nowMs;
}

/** Takes the units for requests from a refilled bucket; returns false, changing nothing, if there are not enough. */
export function consume(bucket: Bucket, rule: BucketRule, requests = 1): boolean {
  const units = requests * rule.perRequest;
  if (bucket.units < units) return false;
  bucket.units -= units;
  return true;
}

/** The error for a request beyond the capacity, for which waiting would not help. `limit`: what sets it, the subject of the message. */
export function oversizedError(requests: number, rule: BucketRule, limit: string): ServiceError | undefined {
  const burst = rule.capacity / rule.perRequest;
  if (requests <= burst) return undefined;
  const message = `${limit} may send at most ${burst} requests at once, and this one counts as ${requests}: send it in parts`;
  return new ServiceError('RATE_LIMITED', message);
}

/** The number of requests that a refilled bucket would grant at once. */
export function requestsLeft(bucket: Bucket, rule: BucketRule): number {
  return Math.floor(bucket.units / rule.perRequest);
}

/** Milliseconds until a refilled bucket has units for one more request than now, or for `requests` if that is later. */
export function msToNext(bucket: Bucket, rule: BucketRule, requests = 1): number {
  const oneMore = bucket.units - (bucket.units % rule.perRequest) + rule.perRequest;
  const missing = Math.max(oneMore, requests * rule.perRequest) - bucket.units;
  return Math.ceil(missing / rule.perMs);
}
