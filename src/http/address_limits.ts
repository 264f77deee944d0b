import {
  type Bucket,
  type BucketRule,
  bucketRule,
  consume,
  fullBucket,
  msToNext,
  oversizedError,
  refill,
  requestsLeft,
  type WorkerShare,
} from '../access/token_bucket.ts';
import { BoundedCache } from '../common/caching.ts';
import { ServiceError } from '../common/errors.ts';
import type { IpAddress } from '../places/ip_address.ts';
import { ratePolicy, wholeSeconds } from './limit_headers.ts';

/** The rate limit of an address without a key: `perSecond` requests on average, at most `burst` at once. */
interface AddressRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The per-address limits of an open server. */
export interface AddressSettings {
  /** Null for no limit. */
  readonly 'address-rate': number | null;
  /** Null for the rate, rounded up. */
  readonly 'address-burst': number | null;
}

/** The per-address rate limit; null for none. */
export function addressRate(settings: AddressSettings): AddressRate | null {
  const { 'address-rate': perSecond, 'address-burst': burst } = settings;
  return perSecond === null ? null : { perSecond, burst: burst ?? Math.ceil(perSecond) };
}

/** Creates the limiter of a worker; undefined if there is no limit. */
export function openAddressLimiter(
  settings: AddressSettings,
  share: WorkerShare,
): AddressLimiter | undefined {
  const rate = addressRate(settings);
  return rate === null ? undefined : new AddressLimiter(rate, share);
}

/** The minimum number of addresses that a limiter tracks; it tracks at most twice as many, in about 15 MB. */
const ADDRESSES = 50_000;

/** The error for too many requests without a key from one address. */
export class AddressLimited extends ServiceError {
  /** The response headers that describe the limit. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(rate: AddressRate, left: number, waitMs: number) {
    super(
      'RATE_LIMITED',
      `Without an API key, an address is limited to ${rate.perSecond} requests a second with a burst of ${rate.burst}; ` +
        `retry in ${waitMs} ms`,
    );
    const waitSeconds = wholeSeconds(waitMs);
    this.headers = {
      'Retry-After': String(waitSeconds),
      'RateLimit-Policy': ratePolicy('address', rate),
      RateLimit: `"address";r=${left};t=${waitSeconds}`,
    };
  }
}

/**
 * Limits requests by address: an IPv4 address, or the /64 prefix of an IPv6 address, the smallest block that clients are
 * assigned. Clients whose address is unknown share one limit. Beyond {@link ADDRESSES}, addresses without recent requests
 * are evicted; their next request finds a full bucket.
 */
export class AddressLimiter {
  readonly #rate: AddressRate;
  readonly #rule: BucketRule;
  readonly #buckets = new BoundedCache<string, Bucket>(ADDRESSES);
  #granted = 0;
  #rejected = 0;

  /** Each worker gets a share of the rate. */
  constructor(rate: AddressRate, worker?: WorkerShare) {
    this.#rate = rate;
    this.#rule = bucketRule(rate.perSecond, rate.burst, worker);
  }

  /** The number of requests so far, by decision. */
  get counts(): { readonly granted: number; readonly rejected: number } {
    return { granted: this.#granted, rejected: this.#rejected };
  }

  /** The number of tracked addresses. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Charges requests to an address, all or none. Throws `RATE_LIMITED` if they exceed the limit. */
  admit(address: IpAddress | undefined, nowMs: number, requests = 1): void {
    const bucket = this.#buckets.getOrInsertComputed(networkOf(address), fullBucket);
    refill(bucket, this.#rule, nowMs);
    if (consume(bucket, this.#rule, requests)) {
      this.#granted += requests;
      return;
    }
    this.#rejected += requests;
    const left = requestsLeft(bucket, this.#rule);
    throw new AddressLimited(this.#rate, left, msToNext(bucket, this.#rule, requests));
  }

  /** Like {@link admit}, for additional requests after an admitted one. */
  admitMore(address: IpAddress | undefined, nowMs: number, requests: number): void {
    const error = oversizedError(requests + 1, this.#rule, 'A client without an API key');
    if (error !== undefined) {
      this.#rejected += requests;
      throw error;
    }
    this.admit(address, nowMs, requests);
  }
}

/** Uses the bytes, since the text can be a slice of a header, which would then stay in memory as a whole. */
function networkOf(address: IpAddress | undefined): string {
  return address === undefined ? '' : address.bytes.subarray(0, 8).toHex();
}

/** Routes that `--public-routes` opens together on a server with API keys. */
export const ROUTE_GROUPS = ['clock', 'feeds'] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/** The limit of an address without a key, per group: enough for a page of clocks at once, then five requests per second. */
const PUBLIC_RATE: AddressRate = { perSecond: 5, burst: 100 };

/** The per-address limiters by group. */
export type PublicLimiters = Readonly<Record<RouteGroup, AddressLimiter>>;

/** Creates the limiters of a worker. */
export function openPublicLimiters(share: WorkerShare): PublicLimiters {
  const limiter = () => new AddressLimiter(PUBLIC_RATE, share);
  return { clock: limiter(), feeds: limiter() };
}
