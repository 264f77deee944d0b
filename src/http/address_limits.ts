import type { WorkerShare } from '../access/plan.ts';
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
} from '../access/token_bucket.ts';
import { BoundedCache } from '../common/bounded_cache.ts';
import { ServiceError } from '../common/service_error.ts';
import type { IpAddress } from '../places/ip_address.ts';

/** What an address may request without a key: `perSecond` on average, at most `burst` at once. */
export interface AddressRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The limits of addresses on an open server. */
export interface AddressSettings {
  /** Null for no limit. */
  readonly 'address-rate': number | null;
  /** Null for the rate, rounded up. */
  readonly 'address-burst': number | null;
}

/** What each address may request; null for no limit. */
export function addressRate(settings: AddressSettings): AddressRate | null {
  const { 'address-rate': perSecond, 'address-burst': burst } = settings;
  return perSecond === null ? null : { perSecond, burst: burst ?? Math.ceil(perSecond) };
}

/** The limiter of a worker, whose `index` is from 1; undefined for no limit. */
export function openAddressLimiter(
  settings: AddressSettings,
  { index, count }: WorkerShare,
): AddressLimiter | undefined {
  const rate = addressRate(settings);
  return rate === null ? undefined : new AddressLimiter(rate, { index: index - 1, count });
}

/** How many addresses a limiter remembers at least; at most twice as many, which take about 15 MB. */
const ADDRESSES = 50_000;

/** Too many requests without a key from one address. */
export class AddressLimited extends ServiceError {
  /** What the response says of the limit. */
  readonly headers: Readonly<Record<string, string>>;

  constructor({ perSecond, burst }: AddressRate, left: number, waitMs: number) {
    super(
      'RATE_LIMITED',
      `Without an API key, an address is limited to ${perSecond} requests a second with a burst of ${burst}; ` +
        `retry in ${waitMs} ms`,
    );
    const waitSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    this.headers = {
      'Retry-After': String(waitSeconds),
      'RateLimit-Policy': `"address";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
      RateLimit: `"address";r=${left};t=${waitSeconds}`,
    };
  }
}

/**
 * Limits the requests of each address: an IPv4 address, or the first 64 bits of an IPv6 address, the least that a client is
 * assigned. Clients whose address is not known share one limit. Beyond {@link ADDRESSES} those are forgotten first that
 * requested nothing lately; their next request finds a full bucket.
 */
export class AddressLimiter {
  readonly #rate: AddressRate;
  readonly #rule: BucketRule;
  readonly #buckets = new BoundedCache<string, Bucket>(ADDRESSES);
  #granted = 0;
  #rejected = 0;

  /** Workers have shares of the rate. */
  constructor(rate: AddressRate, worker?: WorkerShare) {
    this.#rate = rate;
    this.#rule = bucketRule(rate.perSecond, rate.burst, worker);
  }

  /** The requests so far, by decision. */
  get counts(): { readonly granted: number; readonly rejected: number } {
    return { granted: this.#granted, rejected: this.#rejected };
  }

  /** The number of addresses in memory. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Counts requests of an address, all or none. Throws `RATE_LIMITED` beyond the limit. */
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

  /** The same for further requests of one that was admitted. */
  admitMore(address: IpAddress | undefined, nowMs: number, requests: number): void {
    const error = oversizedError(requests + 1, this.#rule, 'A client without an API key');
    if (error === undefined) {
      this.admit(address, nowMs, requests);
      return;
    }
    this.#rejected += requests;
    throw error;
  }
}

/** From the bytes: the text can be a part of a header, which would stay in memory as a whole. */
function networkOf(address: IpAddress | undefined): string {
  return address === undefined ? '' : address.bytes.subarray(0, 8).toHex();
}
