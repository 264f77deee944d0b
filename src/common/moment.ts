import { civilDateOf, SECONDS_PER_DAY, weekdayOf } from './civil.ts';
import { ServiceError } from './errors.ts';

/** An instant, and what a wall clock at a given offset from UTC shows at that instant. */
export class Moment {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly epochMs: number;
  /** Seconds to add to UTC for local time; east is positive. */
  readonly offsetSeconds: number;
  /** The value of `%Z`: `EDT`, `UTC`, `UTC-04:00`. */
  readonly abbreviation: string;
  readonly year: number;
  /** 1–12 */
  readonly month: number;
  /** 1–31 */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** The local date as days since 1970-01-01. */
  readonly dayNumber: number;
  /** 0 is Sunday, 6 Saturday. */
  readonly weekday: number;

  constructor(epochMs: number, offsetSeconds: number, abbreviation: string) {
    this.epochMs = epochMs;
    this.offsetSeconds = offsetSeconds;
    this.abbreviation = abbreviation;
    const epochSeconds = Math.floor(epochMs / 1000);
    this.millisecond = epochMs - epochSeconds * 1000;
    const localSeconds = epochSeconds + offsetSeconds;
    this.dayNumber = Math.floor(localSeconds / SECONDS_PER_DAY);
    const secondOfDay = localSeconds - this.dayNumber * SECONDS_PER_DAY;
    // Integer division, since no value is negative.
    const minuteOfDay = (secondOfDay / 60) | 0;
    this.hour = (minuteOfDay / 60) | 0;
    this.minute = minuteOfDay - this.hour * 60;
    this.second = secondOfDay - minuteOfDay * 60;
    const { year, month, day } = civilDateOf(this.dayNumber);
    this.year = year;
    this.month = month;
    this.day = day;
    this.weekday = weekdayOf(this.dayNumber);
  }
}

/** The supported range of times in ±milliseconds, the same as for ECMAScript's `Date` (ECMA-262 §21.4.1.1). */
export const MAX_EPOCH_MS = 8.64e15;

/** The range as text for messages. */
export const TIME_RANGE_TEXT = 'from -271821-04-20T00:00:00Z to +275760-09-13T00:00:00Z';

/** Returns a sum. Throws `INVALID_PARAMETER` if it is outside the range, or NaN. `parameter` is the one that was added. */
export function requireInRange(epochMs: number, parameter: string): number {
  if (Math.abs(epochMs) <= MAX_EPOCH_MS) return epochMs;
  throw new ServiceError('INVALID_PARAMETER', `The sum lies outside the range ${TIME_RANGE_TEXT}`, {
    parameter,
  });
}
