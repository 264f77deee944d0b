import type { ZonePeriod } from './timeline.ts';

const SECONDS_PER_HOUR = 3600;

/** The periods of a zone. */
interface Periods {
  periodAt(epochSeconds: number): ZonePeriod;
}

/**
 * The offset of the standard time in force at an instant. TZif files have offsets and DST flags but not the saving,
 * so in DST it is inferred:
 *
 * 1. Candidates are the offsets of the nearest non-DST period on either side, as far as they are behind this one.
 * 2. One that makes the saving an hour wins, else the nearer one, else the earlier. It matters where standard time
 *    changes while DST is in force, and the two sides differ.
 * 3. Without a candidate the saving is an hour, the default of POSIX TZ strings: clocks that went from standard time
 *    to "DST" without moving took the DST of the next zone to the west, as Argentina did in 1999.
 *
 * Against tzdata's own STDOFF column this is wrong for thirteen stretches, all before 1980: double summer time next to
 * a change of standard time (Paris and Monaco 1941–1945, Moscow 1919, Jersey and Guernsey 1945), and half-hour savings
 * next to another half hour (Montevideo 1923 and 1942, Rarotonga 1978).
 */
export function standardOffsetAt(periods: Periods, epochSeconds: number): number {
  const period = periods.periodAt(epochSeconds);
  if (!period.isDst) return period.offsetSeconds;
  const candidates = [standardBefore(periods, period), standardAfter(periods, period)]
    .filter(candidate => candidate !== null)
    .filter(({ offsetSeconds }) => offsetSeconds < period.offsetSeconds)
    .sort((a, b) => distanceSeconds(a, period) - distanceSeconds(b, period));
  const hourBehind = period.offsetSeconds - SECONDS_PER_HOUR;
  if (candidates.some(({ offsetSeconds }) => offsetSeconds === hourBehind)) return hourBehind;
  return candidates[0]?.offsetSeconds ?? hourBehind;
}

function standardBefore(periods: Periods, period: ZonePeriod): ZonePeriod | null {
  let current = period;
  while (current.isDst) {
    if (current.fromEpochSeconds === -Infinity) return null;
    current = periods.periodAt(current.fromEpochSeconds - 1);
  }
  return current;
}

function standardAfter(periods: Periods, period: ZonePeriod): ZonePeriod | null {
  let current = period;
  while (current.isDst) {
    if (current.untilEpochSeconds === Infinity) return null;
    current = periods.periodAt(current.untilEpochSeconds);
  }
  return current;
}

/** The time between two periods that do not overlap. */
function distanceSeconds(a: ZonePeriod, b: ZonePeriod): number {
  return Math.max(a.fromEpochSeconds - b.untilEpochSeconds, b.fromEpochSeconds - a.untilEpochSeconds);
}
