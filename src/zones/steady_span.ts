import { nextTurn } from '../common/promises.ts';
import type { ZonePeriod } from './timeline.ts';
import type { ZoneDatabase } from './zone_database.ts';

/** A period in which no canonical zone changes its offset, abbreviation or DST flag. */
export type SteadySpan = Pick<ZonePeriod, 'fromEpochSeconds' | 'untilEpochSeconds'>;

const latestSpans = new WeakMap<ZoneDatabase, SteadySpan>();

/** Zones are parsed on first use, in 0.14 ms each. */
const ZONES_PER_SLICE = 8;

/** The span around an instant; a promise on the first call, which parses all zones. */
export function steadySpan(zones: ZoneDatabase, epochSeconds: number): SteadySpan | Promise<SteadySpan> {
  const latest = latestSpans.get(zones);
  if (latest === undefined) return parseAndFindSpan(zones, epochSeconds);
  const isLatest = latest.fromEpochSeconds <= epochSeconds && epochSeconds < latest.untilEpochSeconds;
  return isLatest ? latest : findSpan(zones, epochSeconds);
}

async function parseAndFindSpan(zones: ZoneDatabase, epochSeconds: number): Promise<SteadySpan> {
  for (const [index, zone] of zones.canonicalZones().entries()) {
    if (index % ZONES_PER_SLICE === 0) await nextTurn();
    zone.periodAt(epochSeconds);
  }
  return findSpan(zones, epochSeconds);
}

/** Takes 0.1 ms for zones that have been parsed. */
function findSpan(zones: ZoneDatabase, epochSeconds: number): SteadySpan {
  const periods = zones.canonicalZones().map(zone => zone.periodAt(epochSeconds));
  const span = {
    fromEpochSeconds: Math.max(...periods.map(({ fromEpochSeconds }) => fromEpochSeconds)),
    untilEpochSeconds: Math.min(...periods.map(({ untilEpochSeconds }) => untilEpochSeconds)),
  };
  latestSpans.set(zones, span);
  return span;
}
