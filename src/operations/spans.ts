import { type Static, Type } from '@sinclair/typebox';
import { civilDateOf, dayNumberOf, daysInMonth } from '../common/civil.ts';
import { type Json, objectSchema, withMembers } from '../common/json.ts';
import { requireInRange } from '../common/moment.ts';
import { addBusinessDays, type Roll } from '../holidays/business_days.ts';
import {
  type DurationTemplate,
  type DurationUnits,
  type IsoDuration,
  isoDurationText,
  wholeSecondsBetween,
} from '../text/duration.ts';
import { DiffSpan, diffSpanJson, ElapsedSpan, elapsedSpanJson } from '../text/span_payload.ts';
import { businessDaysBetween, checkCoverage, type UsedCalendars } from './business_days.ts';
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

/** The parts that calendar units are computed from; months and days are negative if `to` precedes `from`, seconds never. */
type Parts = Pick<IsoDuration, 'months' | 'days' | 'seconds'>;

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

/** The next day can have the time, too. If it completes a month or week, Temporal drops the rest (BubbleRelativeDuration). */
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

/**
 * The date a number of months after another (before it if negative), as days since 1970-01-01, limited to the last day of the
 * month: a month after January 31 is February 28 or 29. NaN for infinite months.
 */
export function dayAfterMonths(dayNumber: number, months: number): number {
  const { year, month, day } = civilDateOf(dayNumber);
  const monthsFromZero = year * 12 + month - 1 + months;
  const toYear = Math.floor(monthsFromZero / 12);
  const toMonth = monthsFromZero - toYear * 12 + 1;
  return dayNumberOf(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth)));
}

/** Exact time to add: at most 8 × 8.64e12 seconds; `unit` is the largest unit in which a part of it was given. */
export interface ExactTime {
  readonly seconds: number;
  readonly unit: string;
}

export interface BusinessDayOffset {
  /** Non-zero without a roll. */
  readonly count: number;
  readonly roll: Roll | null;
  readonly used: UsedCalendars;
}

export type Addition =
  | { readonly exact: ExactTime }
  | { readonly duration: IsoDuration }
  | { readonly businessDays: BusinessDayOffset };

/** The instant an addition after another. Throws `INVALID_PARAMETER` outside the range of times or the calendars' years. */
export function addTo(epochMs: number, addition: Addition, target: Target): number {
  if ('exact' in addition)
    return requireInRange(epochMs + addition.exact.seconds * 1000, addition.exact.unit);
  if ('duration' in addition) return addDuration(epochMs, target, addition.duration);
  return addToDate(epochMs, addition.businessDays, target);
}

/** The same time of day, a number of business days later. */
function addToDate(epochMs: number, { count, roll, used }: BusinessDayOffset, target: Target): number {
  const { dayNumber, msOfDay } = dateAndTimeOf({ epochMs, frame: target });
  const sum = addBusinessDays(used.calendars, dayNumber, count, roll);
  checkCoverage(used, Math.min(dayNumber, sum), Math.max(dayNumber, sum));
  return requireInRange(instantOfDateAndTime({ dayNumber: sum, msOfDay }, target), 'business_days');
}

function units(name: string) {
  return Type.Optional(Type.Integer({ minimum: 0, description: `Whole ${name}.` }));
}

const CalendarSpan = objectSchema(
  'CalendarSpan',
  'A duration in calendar units, from `largest_unit` down; each is the remainder after the larger ones.',
  {
    years: units('years'),
    months: units('months'),
    weeks: units('weeks; only if `largest_unit` is `week`'),
    days: units('calendar days, which can have 23 or 25 hours when clocks change'),
    hours: units('hours'),
    minutes: units('minutes'),
    seconds: units('seconds'),
  },
);

const SpanExtras = Type.Object({
  business_days: Type.Optional(
    Type.Integer({ description: 'Business days from the earlier date to before the later one.' }),
  ),
  calendar: Type.Optional(CalendarSpan),
  duration: Type.Optional(
    Type.String({ description: 'The same as an ISO 8601 duration; with `largest_unit`.' }),
  ),
  formatted: Type.Optional(Type.String({ description: 'The duration in the requested `format`.' })),
});
type SpanExtras = Static<typeof SpanExtras>;

/** The requested optional members; null if not requested. */
export interface SpanOptions {
  readonly businessDays: UsedCalendars | null;
  readonly largestUnit: CalendarUnit | null;
  readonly format: DurationTemplate | null;
}

export const DiffPayload = objectSchema('Diff', 'The time between two instants, never negative.', {
  ...DiffSpan.properties,
  ...SpanExtras.properties,
});
export type DiffPayload = Static<typeof DiffPayload>;

/** The time from one instant to another; magnitudes are absolute, `direction` has the sign. */
export function diff(from: Instant, to: Instant, options: SpanOptions): Json<DiffPayload> {
  return withExtras(diffSpanJson(from.epochMs, to.epochMs), from, to, options);
}

export const ElapsedPayload = objectSchema('Elapsed', 'The time since a reference, or until it.', {
  ...ElapsedSpan.properties,
  ...SpanExtras.properties,
});
export type ElapsedPayload = Static<typeof ElapsedPayload>;

/** The time since a reference, or until it, at the instant that it is compared with. */
export function elapsed(reference: Instant, comparison: Instant, options: SpanOptions): Json<ElapsedPayload> {
  const span = elapsedSpanJson(reference.epochMs, comparison.epochMs);
  return withExtras(span, reference, comparison, options);
}

/** Appends the optional members of the span from one instant to another; its calendar units are those in the frame of the first. */
function withExtras<Span extends object>(
  json: Json<Span>,
  from: Instant,
  to: Instant,
  { businessDays, largestUnit, format }: SpanOptions,
): Json<Span & SpanExtras> {
  if (businessDays === null && largestUnit === null && format === null)
    return json as Json<Span & SpanExtras>;
  const extras: SpanExtras = {};
  if (businessDays !== null) extras.business_days = businessDaysBetween(from, to, businessDays);
  if (largestUnit !== null) {
    extras.calendar = durationUntil(from, to.epochMs, largestUnit);
    extras.duration = isoDurationText(extras.calendar);
  }
  if (format !== null) extras.formatted = format.format(wholeSecondsBetween(from.epochMs, to.epochMs));
  return withMembers(json, extras);
}
