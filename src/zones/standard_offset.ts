import type { Timeline, ZonePeriod } from './timeline.ts';

const SECONDS_PER_HOUR = 3600;

/**
 * The offset of the standard time in force at an instant. TZif files have offsets and DST flags but not the saving,
 * so in DST it is inferred:
 *
 * 1. Candidates are the offsets of the nearest non-DST period on either side, if they are behind this one.
 * 2. A candidate with a saving of one hour wins, else the nearer one, else the earlier. This matters if standard time
 *    changes while DST is in force, so that the two sides differ.
 * 3. Without a candidate the saving is an hour, the default of POSIX TZ strings: clocks that went from standard time
 *    to "DST" without moving took the DST of the next zone to the west, as Argentina did in 1999.
 *
 * Compared with tzdata's own STDOFF column, this is wrong for thirteen periods, all before 1980: double summer time next to
 * a change of standard time (Paris and Monaco 1941–1945, Moscow 1919, Jersey and Guernsey 1945), and half-hour savings
 * next to another half hour (Montevideo 1923 and 1942, Rarotonga 1978).
 */
export function standardOffsetAt(timeline: Timeline, epochSeconds: number): number {
  const period = timeline.periodAt(epochSeconds);
  if (!period.isDst) return period.offsetSeconds;
  const before = standardBefore(timeline, period);
  const after = standardAfter(timeline, period);
  const isBeforeNearer =
    period.fromEpochSeconds - before.untilEpochSeconds <= after.fromEpochSeconds - period.untilEpochSeconds;
  const candidates = (isBeforeNearer ? [before, after] : [after, before]).filter(
    ({ isDst, offsetSeconds }) => !isDst && offsetSeconds < period.offsetSeconds,
  );
  const hourBehind = period.offsetSeconds - SECONDS_PER_HOUR;
  if (candidates.some(({ offsetSeconds }) => offsetSeconds === hourBehind)) return hourBehind;
  return candidates[0]?.offsetSeconds ?? hourBehind;
}

/** The last standard time before a period, or else the first period. */
function standardBefore(timeline: Timeline, period: ZonePeriod): ZonePeriod {
  let current = period;
  while (current.isDst && current.fromEpochSeconds > -Infinity) {
    current = timeline.periodAt(current.fromEpochSeconds - 1);
  }
  return current;
}

/** The first standard time after a period, or else the last period. */
function standardAfter(timeline: Timeline, period: ZonePeriod): ZonePeriod {
  let current = period;
  while (current.isDst && current.untilEpochSeconds < Infinity) {
    current = timeline.periodAt(current.untilEpochSeconds);
  }
  return current;
}
