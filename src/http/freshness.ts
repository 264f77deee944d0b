import type { SteadySpan } from '../zones/steady_span.ts';
import { sourcesDigest } from './data_use.ts';
import type { Exchange } from './exchange.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * How long a response to a query stays the same while the data do: not at all, until the clock of some zone changes, or for
 * ever.
 */
export type Lifetime = 'moment' | 'transition' | 'fixed';

/** What caches may do with a response. */
export interface Freshness {
  /** The opaque part of its entity tag, the same in every content coding. */
  readonly tag: string;
  readonly cacheControl: CacheControl;
}

/** The `Cache-Control` of a response to anyone, and of one to the client of an API key. */
export type CacheControl = Readonly<Record<'public' | 'private', string>>;

function cacheControlOf(directives: string): CacheControl {
  return { public: `public, ${directives}`, private: `private, ${directives}` };
}

const MAX_AGE_SECONDS = 3600;
/** That of a response that stays the same. A day's more of staleness can only be of a release of data. */
export const FIXED = cacheControlOf(`max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=86400`);

/**
 * Identifies the response to a request among those of all times: by its path and query, the executable and the data that were
 * read for it, as noted in the snapshot. Clients compare tags of the same URL only, so that only the digest of the rest,
 * which is seldom computed, is cryptographic.
 */
export function entityTag({ targetHash }: Exchange, snapshot: Snapshot): string {
  return sourcesDigest(snapshot) + targetHash.toString(36);
}

/** The freshness of a response that is the same from one instant to before another, in epoch seconds. */
export function freshnessUntil(
  tag: string,
  { fromEpochSeconds, untilEpochSeconds }: SteadySpan,
  nowMs: number,
): Freshness {
  const leftSeconds = Math.ceil(untilEpochSeconds - nowMs / 1000) - 1; // not until the second of the change
  return {
    tag: `${tag}.${fromEpochSeconds}`,
    cacheControl: cacheControlOf(`max-age=${Math.max(0, Math.min(MAX_AGE_SECONDS, leftSeconds))}`),
  };
}
