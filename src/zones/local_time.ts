import { SECONDS_PER_DAY } from '../common/civil.ts';
import { ServiceError } from '../common/errors.ts';
import { localText, wallClockText } from '../common/iso_text.ts';
import { Moment } from '../common/moment.ts';
import type { ZonePeriod } from './timeline.ts';
import type { Zone } from './zone.ts';

/**
 * How to resolve a local time that a clock change skips or repeats, as in ECMAScript's Temporal. `compatible` is `later`
 * for a skipped time, which moves it forward by the gap, and `earlier` for a repeated one.
 */
export const DISAMBIGUATIONS = ['compatible', 'earlier', 'later', 'reject'] as const;
export type Disambiguation = (typeof DISAMBIGUATIONS)[number];

/** More than the sum of the largest offset (−25 h to 26 h) and the widest gap. */
const REACH_SECONDS = 4 * SECONDS_PER_DAY;

/**
 * The instant of a local time in a zone, in epoch seconds. `localEpochSeconds` is the wall clock as if it were UTC.
 * Throws `INVALID_TIMESTAMP` for a skipped or repeated time with `reject`.
 */
export function resolveLocalTime(
  zone: Zone,
  localEpochSeconds: number,
  disambiguation: Disambiguation,
  parameter?: string,
): number {
  const period = zone.periodAt(localEpochSeconds);
  const isFarFromChanges =
    localEpochSeconds - REACH_SECONDS >= period.fromEpochSeconds &&
    localEpochSeconds + REACH_SECONDS < period.untilEpochSeconds;
  if (isFarFromChanges) return localEpochSeconds - period.offsetSeconds;
  const periods = periodsAround(zone, localEpochSeconds);
  const instants = instantsOf(periods, localEpochSeconds);
  const isSkipped = instants.length === 0;
  const candidates = isSkipped ? instantsOfSkipped(periods, localEpochSeconds) : instants;
  const [earlier, later] = [candidates[0]!, candidates.at(-1)!];
  if (earlier === later) return earlier;
  if (disambiguation === 'reject') {
    const problem = isSkipped ? 'is skipped' : 'is shown twice';
    throw new ServiceError(
      'INVALID_TIMESTAMP',
      `${wallClockText(new Moment(localEpochSeconds * 1000, 0, ''))} ${problem} by the clocks of ${zone.name}: ` +
        `it can be read as ${instantText(zone, earlier)} or as ${instantText(zone, later)}`,
      parameter === undefined ? undefined : { parameter },
    );
  }
  const isLater = disambiguation === 'later' || (disambiguation === 'compatible' && isSkipped);
  return isLater ? later : earlier;
}

/**
 * The instant, in epoch seconds, of a local time with an offset, or null if the zone does not have that offset then
 * (RFC 9557 §3.4). An offset given in minutes (`precision`) also matches a zone offset with seconds that rounds to it,
 * halves away from zero, as in ECMAScript's Temporal.
 */
export function resolveLocalTimeAtOffset(
  zone: Zone,
  localEpochSeconds: number,
  offsetSeconds: number,
  precision: 'minutes' | 'seconds',
): number | null {
  const exact = localEpochSeconds - offsetSeconds;
  if (zone.periodAt(exact).offsetSeconds === offsetSeconds) return exact;
  if (precision === 'seconds') return null;
  const instants = instantsOf(periodsAround(zone, localEpochSeconds), localEpochSeconds);
  return instants.find(instant => roundedToMinute(localEpochSeconds - instant) === offsetSeconds) ?? null;
}

/** The periods that may contain a local time or border a gap around it, in order. */
function periodsAround(zone: Zone, localEpochSeconds: number): ZonePeriod[] {
  const last = localEpochSeconds + REACH_SECONDS;
  let period = zone.periodAt(localEpochSeconds - REACH_SECONDS);
  const periods = [period];
  while (period.untilEpochSeconds <= last) {
    period = zone.periodAt(period.untilEpochSeconds);
    periods.push(period);
  }
  return periods;
}

/** The instants that have a local time, ascending: usually one. */
function instantsOf(periods: readonly ZonePeriod[], localEpochSeconds: number): number[] {
  return periods
    .filter(({ fromEpochSeconds, untilEpochSeconds, offsetSeconds }) => {
      const reading = localEpochSeconds - offsetSeconds;
      return reading >= fromEpochSeconds && reading < untilEpochSeconds;
    })
    .map(({ offsetSeconds }) => localEpochSeconds - offsetSeconds);
}

/** A skipped local time with the offset after the gap, which is earlier, and with the one before it. */
function instantsOfSkipped(periods: readonly ZonePeriod[], localEpochSeconds: number): [number, number] {
  for (const [index, after] of periods.entries()) {
    const before = periods[index - 1];
    if (before !== undefined && localEpochSeconds < after.fromEpochSeconds + after.offsetSeconds)
      return [localEpochSeconds - after.offsetSeconds, localEpochSeconds - before.offsetSeconds];
  }
  throw new Error('No clock change skips this local time');
}

function roundedToMinute(offsetSeconds: number): number {
  return Math.sign(offsetSeconds) * Math.round(Math.abs(offsetSeconds) / 60) * 60;
}

/** An instant as local time in a zone: `2026-03-08T01:30:00-05:00`. */
function instantText(zone: Zone, epochSeconds: number): string {
  const { offsetSeconds, abbreviation } = zone.periodAt(epochSeconds);
  return localText(new Moment(epochSeconds * 1000, offsetSeconds, abbreviation));
}
