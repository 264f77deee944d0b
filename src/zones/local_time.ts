import { localText, wallClockText } from '../common/iso_text.ts';
import { Moment } from '../common/moment.ts';
import { ServiceError } from '../common/service_error.ts';
import type { Zone, ZonePeriod } from './zone.ts';

/**
 * What a local time means that a clock change skips or repeats. `earlier` and `later` choose one of its two readings;
 * `compatible` is later for a skipped time, which so moves forward by the gap, and earlier for a repeated one.
 */
export const DISAMBIGUATIONS = ['compatible', 'earlier', 'later', 'reject'] as const;
export type Disambiguation = (typeof DISAMBIGUATIONS)[number];

const SECONDS_PER_DAY = 86_400;
/** More than any offset (−25 h to 26 h) and the longest gap between two offsets together. */
const REACH_SECONDS = 4 * SECONDS_PER_DAY;

/**
 * The instant, in epoch seconds, at which a zone's clocks show a local time. `localEpochSeconds` is the wall clock
 * read as if it were UTC. Throws `INVALID_TIMESTAMP` for `reject` where the time is skipped or repeated.
 */
export function resolveLocalTime(
  zone: Zone,
  localEpochSeconds: number,
  disambiguation: Disambiguation,
): number {
  const period = zone.periodAt(localEpochSeconds);
  const isFarFromChanges =
    localEpochSeconds - REACH_SECONDS >= period.fromEpochSeconds &&
    localEpochSeconds + REACH_SECONDS < period.untilEpochSeconds;
  if (isFarFromChanges) return localEpochSeconds - period.offsetSeconds;
  const periods = periodsAround(zone, localEpochSeconds);
  const readings = readingsOf(periods, localEpochSeconds);
  if (readings.length === 1) return readings[0]!;
  const [earlier, later] =
    readings.length > 1 ? [readings[0]!, readings.at(-1)!] : readingsOfSkipped(periods, localEpochSeconds);
  if (disambiguation === 'reject') {
    const problem = readings.length > 1 ? 'is shown twice' : 'is skipped';
    throw new ServiceError(
      'INVALID_TIMESTAMP',
      `${wallClockText(new Moment(localEpochSeconds * 1000, 0, ''))} ${problem} by the clocks of ${zone.name}: ` +
        `it can be read as ${instantText(zone, earlier)} or as ${instantText(zone, later)}`,
    );
  }
  if (disambiguation === 'compatible') return readings.length > 1 ? earlier : later;
  return disambiguation === 'earlier' ? earlier : later;
}

/**
 * The instant, in epoch seconds, that a local time with an offset means in a zone, or null where the zone's clocks do
 * not show that time with that offset (RFC 9557 §3.4). An offset written to the minute (`precision`) also matches a
 * zone offset with seconds that rounds to it, halves away from zero, as ECMAScript's Temporal has it.
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
  const readings = readingsOf(periodsAround(zone, localEpochSeconds), localEpochSeconds);
  return readings.find(reading => roundedToMinute(localEpochSeconds - reading) === offsetSeconds) ?? null;
}

/** The periods that a local time, or a gap around it, can touch, in order. */
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

/** The instants at which the clocks show a local time, ascending: mostly one. */
function readingsOf(periods: readonly ZonePeriod[], localEpochSeconds: number): number[] {
  return periods
    .filter(({ fromEpochSeconds, untilEpochSeconds, offsetSeconds }) => {
      const reading = localEpochSeconds - offsetSeconds;
      return reading >= fromEpochSeconds && reading < untilEpochSeconds;
    })
    .map(({ offsetSeconds }) => localEpochSeconds - offsetSeconds);
}

/** A skipped time read with the offset after the gap, which is earlier, and with the one before it. */
function readingsOfSkipped(periods: readonly ZonePeriod[], localEpochSeconds: number): [number, number] {
  for (const [index, after] of periods.entries()) {
    const before = periods[index - 1];
    if (before !== undefined && localEpochSeconds < after.fromEpochSeconds + after.offsetSeconds) {
      return [localEpochSeconds - after.offsetSeconds, localEpochSeconds - before.offsetSeconds];
    }
  }
  throw new Error('A local time is skipped by no clock change');
}

function roundedToMinute(offsetSeconds: number): number {
  return Math.sign(offsetSeconds) * Math.round(Math.abs(offsetSeconds) / 60) * 60;
}

/** An instant as the clocks of a zone show it: `2026-03-08T01:30:00-05:00`. */
function instantText(zone: Zone, epochSeconds: number): string {
  const { offsetSeconds, abbreviation } = zone.periodAt(epochSeconds);
  return localText(new Moment(epochSeconds * 1000, offsetSeconds, abbreviation));
}
