import { type Bucket, bucketRule, consume, fullBucket, msToNext, refill } from '../access/token_bucket.ts';
import { BoundedCache } from '../common/bounded_cache.ts';
import { ServiceError } from '../common/service_error.ts';
import type { IpAddress } from '../places/ip_address.ts';

/** Routes that `--public-routes` opens together on a server with API keys. */
export const ROUTE_GROUPS = ['clock', 'feeds'] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/** What an address may request of a route without a key: a page of clocks at once, and then five a second. */
const RATE = { perSecond: 5, burst: 100 };
const RULE = bucketRule(RATE.perSecond, RATE.burst);
/** Addresses beyond twice as many are forgotten, those first that requested nothing lately. */
const ADDRESSES = 10_000;

/** Too many requests without a key from one address. */
export class AddressLimited extends ServiceError {
  readonly waitSeconds: number;

  constructor(waitMs: number) {
    super(
      'RATE_LIMITED',
      `Without an API key, an address is limited to ${RATE.perSecond} requests a second with a burst of ${RATE.burst}; ` +
        `retry in ${waitMs} ms`,
    );
    this.waitSeconds = Math.ceil(waitMs / 1000);
  }
}

/** Limits the requests without a key to a route that `--public-routes` opens. */
export class AddressLimiter {
  readonly #buckets = new BoundedCache<string, Bucket>(ADDRESSES);

  /** Counts a request. Throws `RATE_LIMITED` beyond the limit; clients whose address is not known share one. */
  admit(address: IpAddress | undefined, nowMs: number): void {
    const bucket = this.#buckets.getOrInsertComputed(networkOf(address), fullBucket);
    refill(bucket, RULE, nowMs);
    if (consume(bucket, RULE)) return;
    throw new AddressLimited(msToNext(bucket, RULE));
  }
}

/** An IPv4 address, or the first 64 bits of an IPv6 address, the least that a client is assigned. */
function networkOf(address: IpAddress | undefined): string {
  if (address === undefined) return '';
  return address.version === 4 ? address.text : address.bytes.subarray(0, 8).toHex();
}
