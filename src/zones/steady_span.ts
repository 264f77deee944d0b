import type { ZonePeriod } from './timeline.ts';
import type { ZoneDatabase } from './zone_database.ts';

/** A period in which no canonical zone changes its offset, abbreviation or DST flag. */
export type SteadySpan = Pick<ZonePeriod, 'fromEpochSeconds' | 'untilEpochSeconds'>;

const latestSpans = new WeakMap<ZoneDatabase, SteadySpan>();

/** Zones are parsed on first use, in 0.14 ms each. */
const ZONES_PER_SLICE = 8;

/** The span around an instant; a promise if it differs from that of the last call. */
export function steadySpan(zones: ZoneDatabase, epochSeconds: number): SteadySpan | Promise<SteadySpan> {
  const latest = latestSpans.get(zones);
  const isLatest =
    latest !== undefined &&
    latest.fromEpochSeconds <= epochSeconds &&
    epochSeconds < latest.untilEpochSeconds;
  return isLatest ? latest : findSpan(zones, epochSeconds);
}

async function findSpan(zones: ZoneDatabase, epochSeconds: number): Promise<SteadySpan> {
  let fromEpochSeconds = Number.NEGATIVE_INFINITY;
  let untilEpochSeconds = Number.POSITIVE_INFINITY;
  for (const [index, zone] of zones.canonicalZones().entries()) {
    if (index % ZONES_PER_SLICE === 0) await new Promise(setImmediate);
    const period = zone.periodAt(epochSeconds);
    fromEpochSeconds = Math.max(fromEpochSeconds, period.fromEpochSeconds);
    untilEpochSeconds = Math.min(untilEpochSeconds, period.untilEpochSeconds);
  }
  const span = { fromEpochSeconds, untilEpochSeconds };
  latestSpans.set(zones, span);
  return span;
}
