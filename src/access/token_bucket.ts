/**
 * A token bucket in whole numbers, so that an hour of requests drifts by nothing.
 *
 * A request costs 1,000,000 units for each worker that shares the plan; a millisecond brings 1,000 units for each request a
 * second that the plan allows. Rates have at most three decimals, so all of these are integers, and with the bounds of
 * `plan.ts` and 1,024 workers no product leaves 2⁵³.
 */

/** What a bucket holds at most, how fast it fills and what a request takes. All in units. */
export interface BucketRule {
  readonly capacity: number;
  readonly perMs: number;
  readonly perRequest: number;
}

/** How full a bucket was, and when. */
export interface Bucket {
  units: number;
  updatedMs: number;
}

const UNITS_PER_REQUEST = 1_000_000;

/**
 * The rule of a plan: `perSecond` requests (0.001 and up, three decimals), `burst` of them at once.
 * Where several workers serve one plan, worker `index` of `count` gets its share, and the shares add up to exactly the whole:
 * the rate is divided evenly, the burst into whole requests (a remainder goes to the first workers).
 */
export function bucketRule(perSecond: number, burst: number, share = { index: 0, count: 1 }): BucketRule {
  const requests = Math.floor(burst / share.count) + (share.index < burst % share.count ? 1 : 0);
  const perRequest = UNITS_PER_REQUEST * share.count;
  return { capacity: requests * perRequest, perMs: Math.round(perSecond * 1000), perRequest };
}

/** A bucket that has not been used yet. It is cut to its rule's capacity at the first request. */
export function fullBucket(): Bucket {
  return { units: Number.POSITIVE_INFINITY, updatedMs: 0 };
}

/** Lets in what time has brought. A clock set back brings nothing and costs nothing. */
export function refill(bucket: Bucket, rule: BucketRule, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - bucket.updatedMs);
  bucket.units = Math.min(rule.capacity, bucket.units + elapsedMs * rule.perMs);
  bucket.updatedMs = nowMs;
}

/** Takes one request out of a refilled bucket; false, and nothing taken, where there is not enough. */
export function take(bucket: Bucket, rule: BucketRule): boolean {
  if (bucket.units < rule.perRequest) return false;
  bucket.units -= rule.perRequest;
  return true;
}

/** How many requests a refilled bucket would let through at once. */
export function requestsLeft(bucket: Bucket, rule: BucketRule): number {
  return Math.floor(bucket.units / rule.perRequest);
}

/** Milliseconds until a refilled bucket holds one request more than now. */
export function msToNext(bucket: Bucket, rule: BucketRule): number {
  const missing = rule.perRequest - (bucket.units % rule.perRequest);
  return Math.ceil(missing / rule.perMs);
}
