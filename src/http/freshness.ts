import type { SteadySpan } from '../zones/zone_database.ts';
import { sourcesDigest } from './data_use.ts';
import type { Exchange } from './exchange.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * How long the response to a query stays the same with unchanged data: not at all, until the next clock change in any zone, or
 * for ever.
 */
export type Lifetime = 'moment' | 'transition' | 'fixed';

/** What caches may do with a response. */
export interface Freshness {
  /** The opaque part of its entity tag, the same for every content coding. */
  readonly tag: string;
  readonly cacheControl: CacheControl;
}

/** The `Cache-Control` of responses to clients without and with an API key. */
export type CacheControl = Readonly<Record<'public' | 'private', string>>;

function cacheControlOf(directives: string): CacheControl {
  return { public: `public, ${directives}`, private: `private, ${directives}` };
}

const MAX_AGE_SECONDS = 3600;
/** The `Cache-Control` of fixed responses. They can be stale for another day, since only a data release can change them. */
export const FIXED = cacheControlOf(`max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=86400`);

/**
 * Identifies the response to a request over time, by path and query, executable, and the data read for it as recorded in the
 * snapshot. Clients only compare tags of the same URL, so only the digest of executable and data, which is rarely computed,
 * is cryptographic.
 */
export function entityTag({ targetHash }: Exchange, snapshot: Snapshot): string {
  return sourcesDigest(snapshot) + targetHash.toString(36);
}

/** The freshness of a response that stays the same throughout a span. */
export function freshnessUntil(
  tag: string,
  { fromEpochSeconds, untilEpochSeconds }: SteadySpan,
  nowMs: number,
): Freshness {
  const leftSeconds = Math.ceil(untilEpochSeconds - nowMs / 1000) - 1; // ends before the second of the change
  return {
    tag: `${tag}.${fromEpochSeconds}`,
    cacheControl: cacheControlOf(`max-age=${Math.max(0, Math.min(MAX_AGE_SECONDS, leftSeconds))}`),
  };
}
