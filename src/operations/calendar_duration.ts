import { addMonths } from 'date-fns/addMonths';
import { civilDateOf } from '../common/civil.ts';
import { requireInRange } from '../common/moment.ts';
import { type DurationUnits, type IsoDuration, wholeSecondsBetween } from '../text/duration.ts';
import { dateAndTimeOf, type Instant, instantOfDateAndTime } from './instant.ts';
import type { Target } from './target.ts';

/** The units of calendar durations, largest first. */
export const CALENDAR_UNITS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/**
 * The instant a duration after another, as computed by `Temporal.ZonedDateTime.prototype.add` with `overflow: constrain`
 * (ECMA-262 Temporal, AddZonedDateTime): months and days on the target's wall clock, then exact time. Throws
 * `INVALID_PARAMETER` if it is outside the range of times.
 */
export function addDuration(
  epochMs: number,
  target: Target,
  { months, days, seconds, milliseconds }: IsoDuration,
): number {
  const moved = months === 0 && days === 0 ? epochMs : addDate(epochMs, target, months, days);
  // In this order every sum is exact as a number.
  return requireInRange(moved + seconds * 1000 + milliseconds, 'duration');
}

function addDate(epochMs: number, target: Target, months: number, days: number): number {
  const { dayNumber, msOfDay } = dateAndTimeOf({ epochMs, frame: target });
  return instantOfDateAndTime({ dayNumber: dayAfterMonths(dayNumber, months) + days, msOfDay }, target);
}

/** The parts that calendar units are computed from; months and days are negative if `to` precedes `from`. */
interface Parts {
  readonly months: number;
  readonly days: number;
  /** Never negative. */
  readonly seconds: number;
}

/**
 * The time from one instant to another in calendar units up to the largest, in the zone of the first: the absolute value
 * of `Temporal.ZonedDateTime.prototype.until` with `smallestUnit: 'second'`, truncated.
 */
export function durationUntil(from: Instant, toMs: number, largestUnit: CalendarUnit): DurationUnits {
  const parts = isAtLeast(largestUnit, 'day')
    ? partsUntil(from, toMs, largestUnit)
    : { months: 0, days: 0, seconds: wholeSecondsBetween(from.epochMs, toMs) };
  return unitsOf(largestUnit, parts);
}

/** ECMA-262 Temporal, DifferenceZonedDateTime and NudgeToZonedTime. */
function partsUntil(from: Instant, toMs: number, largestUnit: CalendarUnit): Parts {
  const { dayNumber: fromDay, msOfDay } = dateAndTimeOf(from);
  const to = dateAndTimeOf({ epochMs: toMs, frame: from.frame });
  const sign = toMs < from.epochMs ? -1 : 1;
  /** The instant at which a date has the time of `from`. */
  const at = (dayNumber: number) => instantOfDateAndTime({ dayNumber, msOfDay }, from.frame);
  // A clock that is set back across midnight shows an earlier date at a later instant.
  const isWithinDay = sign * (to.dayNumber - fromDay) <= 0;
  let lastDay = isWithinDay ? fromDay : to.dayNumber;
  if (!isWithinDay && sign * (to.msOfDay - msOfDay) < 0) lastDay -= sign;
  while (lastDay !== fromDay && sign * (toMs - at(lastDay)) < 0) lastDay -= sign;
  const months = isAtLeast(largestUnit, 'month') ? wholeMonthsBetween(fromDay, lastDay) : 0;
  const days = lastDay - dayAfterMonths(fromDay, months);
  const seconds = wholeSecondsBetween(isWithinDay ? from.epochMs : at(lastDay), toMs);
  const nextDay = lastDay + sign;
  // 0 if the zone skipped the next day.
  const daySeconds = wholeSecondsBetween(at(lastDay), at(nextDay));
  return daySeconds > 0 && seconds >= daySeconds
    ? pastDay(fromDay, nextDay, { months, days, seconds: seconds - daySeconds }, largestUnit)
    : { months, days, seconds };
}

/**
 * A repeated time of day can also be reached on the next day. If that day completes a month or week, Temporal drops the rest
 * (ECMA-262 Temporal, BubbleRelativeDuration).
 */
function pastDay(
  fromDay: number,
  nextDay: number,
  { months, days, seconds }: Parts,
  largestUnit: CalendarUnit,
): Parts {
  const sign = Math.sign(nextDay - fromDay);
  const isMonth =
    isAtLeast(largestUnit, 'month') && sign * (nextDay - dayAfterMonths(fromDay, months + sign)) >= 0;
  if (isMonth) return { months: months + sign, days: 0, seconds: 0 };
  const isWeek = largestUnit === 'week' && (days + sign) % 7 === 0;
  return { months, days: days + sign, seconds: isWeek ? 0 : seconds };
}

/** The number of whole months by which a date can be moved without passing another; negative if that is earlier. */
function wholeMonthsBetween(fromDay: number, toDay: number): number {
  const [from, to] = [civilDateOf(fromDay), civilDateOf(toDay)];
  const sign = Math.sign(toDay - fromDay);
  const months = (to.year - from.year) * 12 + to.month - from.month;
  return sign * (from.day - to.day) > 0 ? months - sign : months;
}

function isAtLeast(unit: CalendarUnit, other: CalendarUnit): boolean {
  return CALENDAR_UNITS.indexOf(unit) <= CALENDAR_UNITS.indexOf(other);
}

/** Converts parts to units up to the largest, none negative; weeks are used only if they are the largest. */
function unitsOf(largestUnit: CalendarUnit, parts: Parts): DurationUnits {
  const [months, days] = [Math.abs(parts.months), Math.abs(parts.days)];
  const has = (unit: CalendarUnit) => isAtLeast(largestUnit, unit);
  const minutes = Math.floor(parts.seconds / 60);
  const hours = Math.floor(minutes / 60);
  return {
    ...(has('year') && { years: Math.floor(months / 12) }),
    ...(has('month') && { months: has('year') ? months % 12 : months }),
    ...(largestUnit === 'week' && { weeks: Math.floor(days / 7) }),
    ...(has('day') && { days: largestUnit === 'week' ? days % 7 : days }),
    ...(has('hour') && { hours }),
    ...(has('minute') && { minutes: has('hour') ? minutes % 60 : minutes }),
    seconds: has('minute') ? parts.seconds % 60 : parts.seconds,
  };
}

const MS_PER_DAY = 86_400_000;
/** The Gregorian calendar repeats every 400 years. */
const DAYS_PER_CYCLE = 146_097;
const MONTHS_PER_CYCLE = 4_800;

/** A date for date-fns, which uses the local fields of a `Date`: here they are in UTC, regardless of the host's zone. */
class UtcDate extends Date {
  override getFullYear(): number {
    return this.getUTCFullYear();
  }
  override getMonth(): number {
    return this.getUTCMonth();
  }
  override getDate(): number {
    return this.getUTCDate();
  }
  override setFullYear(year: number, month: number, day: number): number {
    return this.setUTCFullYear(year, month, day);
  }
  override setMonth(month: number, day: number): number {
    return this.setUTCMonth(month, day);
  }
}

const IN_UTC = { in: (date: Date | number | string) => new UtcDate(date) };

/**
 * The date a number of months after another (before it if negative), as days since 1970-01-01, limited to the last day of the
 * month: a month after January 31 is February 28 or 29. Computed within one cycle of the calendar, so it is exact even beyond
 * the range of `Date`; NaN for infinite months.
 */
export function dayAfterMonths(dayNumber: number, months: number): number {
  const cycle = Math.floor(dayNumber / DAYS_PER_CYCLE);
  const dayOfCycle = dayNumber - cycle * DAYS_PER_CYCLE;
  const moved = addMonths(dayOfCycle * MS_PER_DAY, months % MONTHS_PER_CYCLE, IN_UTC);
  return moved.getTime() / MS_PER_DAY + (cycle + Math.trunc(months / MONTHS_PER_CYCLE)) * DAYS_PER_CYCLE;
}
