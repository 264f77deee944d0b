import type { SteadySpan } from '../zones/steady_span.ts';
import { digestOf } from './data_use.ts';
import type { Query } from './query.ts';
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
  /** Its `Cache-Control`, apart from `public` or `private`. */
  readonly directives: string;
}

const MAX_AGE_SECONDS = 3600;
/** The directives of a response that stays the same. A day's more of staleness can only be of a release of data. */
export const FIXED_DIRECTIVES = `max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=86400`;

/**
 * Identifies the response to a query among those of all times: by the path, the known parameters in any order, the executable
 * and the data that were read for it, as noted in the snapshot.
 */
export function questionTag(path: string, query: Query, snapshot: Snapshot): string {
  const { build, use } = snapshot;
  const data = [...(use?.used ?? [])].sort().map(name => [name, digestOf(name, snapshot)]);
  const question = JSON.stringify([path, query.entries.toSorted(byName), build, data]);
  return new Bun.CryptoHasher('sha256').update(question).digest('base64url').slice(0, TAG_LENGTH);
}

/** 96 bits: a tag is only compared with those of other responses to the same URL. */
const TAG_LENGTH = 16;

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
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
    directives: `max-age=${Math.max(0, Math.min(MAX_AGE_SECONDS, leftSeconds))}`,
  };
}
