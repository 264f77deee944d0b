import { BoundedCache } from '../common/caching.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Lifetime } from '../http/freshness.ts';
import type { Query } from '../http/query.ts';
import type { Signature } from '../http/signature.ts';
import { perSnapshot, type Snapshot } from '../http/snapshot.ts';

/** A query whose parameters have been decoded. */
export interface DecodedQuery {
  /** The URL of the request. */
  readonly url: string;
  readonly query: Query;
  /** The snapshot of the request, with the zones of the release given by `tzdata`. */
  readonly snapshot: Snapshot;
  /** The values for the handler of the route. */
  readonly values: unknown;
  readonly lifetime: Lifetime;
  /** The opaque part of the entity tag; '' if the response must not be cached. */
  readonly tag: string;
  /** Whether the response is signed; known once the common parameters have been checked. */
  isSigned?: boolean;
  /** The latest body, unless it depends on more than the query, the snapshot and {@link bodyMs}. */
  body?: string;
  /** The time with which the body was computed, in milliseconds since 1970-01-01T00:00:00Z; undefined for none. */
  bodyMs?: number | undefined;
  /** The latest signature, reused for equal responses. */
  signature?: Signature;
}

/** The cache holds up to twice as many queries, of one kilobyte each, or four with a signature. */
const CACHED_QUERIES = 1024;
/** Longer URLs, including scheme and host, are not cached. */
const MAX_CACHED_URL_LENGTH = 256;
/** The size of the table of queries decoded once: much larger than the cache, so that few collide; a power of two. */
const SEEN_QUERIES = 16_384;

/**
 * LRU cache of decoded queries: decoding is about half of our own CPU time. The key is a hash of the URL, and the URL is then
 * compared; a map with string keys is slower. A query is admitted when it is decoded for the second time, but at most one in
 * four: if more queries repeat than fit, evicting each before its next use would cost more in garbage collection than decoding.
 */
export class QueryCache {
  readonly #queries = new BoundedCache<number, DecodedQuery>(CACHED_QUERIES);
  /** Hashes of the queries decoded once. If two collide, one is admitted too early or too late. */
  readonly #seenOnce = new Int32Array(SEEN_QUERIES);
  /** How many queries were offered, up to four times {@link CACHED_QUERIES}, and how many of them were admitted. */
  #offered = 0;
  #admitted = 0;

  get(exchange: Exchange): DecodedQuery | undefined {
    const { url } = exchange.request;
    if (url.length > MAX_CACHED_URL_LENGTH) return undefined;
    const decoded = this.#queries.get(exchange.targetHash);
    return decoded?.url === url ? decoded : undefined;
  }

  offer(decoded: DecodedQuery, exchange: Exchange): void {
    // Ignored parameters are often meant to prevent caching.
    if (decoded.url.length > MAX_CACHED_URL_LENGTH || decoded.query.ignored.length > 0) return;
    if (++this.#offered > 4 * CACHED_QUERIES) {
      this.#offered = 0;
      this.#admitted = 0;
    }
    const { targetHash } = exchange;
    const index = targetHash & (SEEN_QUERIES - 1);
    if (this.#seenOnce[index] !== targetHash) this.#seenOnce[index] = targetHash;
    else if (this.#admitted++ < CACHED_QUERIES) this.#queries.set(targetHash, decoded);
  }
}

export const decodedQueries = perSnapshot(() => new QueryCache());
