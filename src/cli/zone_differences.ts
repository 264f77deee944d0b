import type { Zone } from '../zones/zone.ts';

/** The UTC offset of another source at an instant, in seconds east. */
export type OffsetAt = (epochSeconds: number) => number;

/** The first period in which two sources differ on a zone. */
export interface ZoneDifference {
  readonly zone: string;
  /** Null if the other source lacks the zone. */
  readonly sinceEpochSeconds: number | null;
  readonly offsetSeconds: number | null;
  readonly otherOffsetSeconds: number | null;
  /** Whether the sources agree from now on. */
  readonly isPast: boolean;
}

const SECONDS_PER_DAY = 86_400;
/** Comparison interval between transitions; shorter differences may be missed. */
const STEP_SECONDS = 91 * SECONDS_PER_DAY;
/** Comparison interval from a year ago on, the most relevant period. */
const NEAR_STEP_SECONDS = 14 * SECONDS_PER_DAY;

/** The comparison ends ten years from now. It begins in 1970, since before that sources differ intentionally. */
const YEARS_AHEAD_SECONDS = 3652 * SECONDS_PER_DAY;

/** The first difference of each zone. */
export function zoneDifferences(
  zones: readonly Zone[],
  offsetsOf: (zone: string) => OffsetAt | undefined,
  nowEpochSeconds: number,
): ZoneDifference[] {
  return zones.flatMap(zone => {
    const other = offsetsOf(zone.name);
    if (other !== undefined) return firstDifference(zone, other, nowEpochSeconds) ?? [];
    const unknown = { sinceEpochSeconds: null, offsetSeconds: null, otherOffsetSeconds: null };
    return [{ zone: zone.name, ...unknown, isPast: false }];
  });
}

function firstDifference(zone: Zone, other: OffsetAt, nowEpochSeconds: number): ZoneDifference | undefined {
  const differsAt = (epochSeconds: number) =>
    zone.periodAt(epochSeconds).offsetSeconds !== other(epochSeconds);
  let same: number | undefined;
  for (const instant of comparedInstants(zone, 0, nowEpochSeconds)) {
    if (!differsAt(instant)) {
      same = instant;
      continue;
    }
    const since = same === undefined ? instant : firstBetween(same, instant, differsAt);
    return {
      zone: zone.name,
      sinceEpochSeconds: since,
      offsetSeconds: zone.periodAt(since).offsetSeconds,
      otherOffsetSeconds: other(since),
      isPast: !comparedInstants(zone, nowEpochSeconds, nowEpochSeconds).some(differsAt),
    };
  }
  return undefined;
}

/** Bisects for the first second at which the sources differ. */
function firstBetween(same: number, different: number, differsAt: (epochSeconds: number) => boolean): number {
  let low = same;
  let high = different;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (differsAt(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Both sides of each transition, and regular steps in between. */
function* comparedInstants(zone: Zone, fromEpochSeconds: number, nowEpochSeconds: number) {
  const nearFrom = nowEpochSeconds - 365 * SECONDS_PER_DAY;
  let at = fromEpochSeconds;
  while (at < nowEpochSeconds + YEARS_AHEAD_SECONDS) {
    yield at;
    const next = at + (at < nearFrom ? STEP_SECONDS : NEAR_STEP_SECONDS);
    const change = zone.nextTransition(at)?.epochSeconds ?? Number.POSITIVE_INFINITY;
    if (change > next) at = next;
    else {
      if (change - 1 > at) yield change - 1;
      at = change;
    }
  }
}
