import { civilDateOf, weekdayOf } from '../common/civil.ts';
import type { DayBounds } from '../common/day_set.ts';
import { ServiceError } from '../common/errors.ts';
import { type BusinessDaySequence, BusinessDays } from './business_days.ts';
import type { HolidayCalendar } from './holiday_calendar.ts';

/** Calendars; a business day must be one in each of them. */
export type CalendarList = readonly Pick<HolidayCalendar, 'businessDays'>[];

const FIRST_MONDAY = 4; // 1970-01-05

/** All Mondays to Fridays, counted from 1970-01-05. */
const WEEKDAYS: BusinessDaySequence = {
  bounds: null,
  countBefore(dayNumber) {
    const days = dayNumber - FIRST_MONDAY;
    const weeks = Math.floor(days / 7);
    return weeks * 5 + Math.min(days - weeks * 7, 5);
  },
  isBusinessDay: dayNumber => weekdayOf(dayNumber) % 6 !== 0,
  dayAt(count) {
    const weeks = Math.floor(count / 5);
    return FIRST_MONDAY + weeks * 7 + (count - weeks * 5);
  },
};

/**
 * The business days of calendars: a day off in any of them is off; without calendars, Monday to Friday are business days.
 */
export function businessDaysOf(calendars: CalendarList): BusinessDaySequence {
  const [first, ...others] = calendars.map(({ businessDays }) => businessDays);
  if (first === undefined) return WEEKDAYS;
  return others.length === 0 ? first : BusinessDays.common([first, ...others]);
}

/**
 * The number of business days d with `earlier <= d < later`, never negative, for dates in either order: one hour within a day is
 * 0, Monday to Wednesday 2 (NumPy's `busday_count`). Dates are days since 1970-01-01.
 *
 * Without a calendar any date is allowed; otherwise dates outside the years of the table cause an `INVALID_PARAMETER` that names
 * these years.
 */
export function countBusinessDays(
  calendars: CalendarList,
  fromDayNumber: number,
  untilDayNumber: number,
): number {
  const days = businessDaysOf(calendars);
  requireWithin(days.bounds, fromDayNumber);
  requireWithin(days.bounds, untilDayNumber);
  return Math.abs(days.countBefore(untilDayNumber) - days.countBefore(fromDayNumber));
}

/** How a day off is moved to a business day before business days are added. */
export const ROLLS = ['following', 'preceding', 'modified_following', 'modified_preceding'] as const;
export type Roll = (typeof ROLLS)[number];

/**
 * The business day a number of business days after a date, or before it if negative (NumPy's `busday_offset`). A roll first moves
 * the date to a business day: the next or previous one, or in the opposite direction if `modified` and that is in another month.
 * Without a roll, 1 is the first business day after the date, −1 the last one before it, and 0 is not allowed.
 *
 * Dates as in {@link countBusinessDays}; also throws `INVALID_PARAMETER` if the result is outside the years of the table.
 */
export function addBusinessDays(
  calendars: CalendarList,
  dayNumber: number,
  count: number,
  roll: Roll | null,
): number {
  const days = businessDaysOf(calendars);
  requireWithin(days.bounds, dayNumber);
  const sum = days.dayAt(originOf(days, dayNumber, count, roll) + count);
  if (sum !== null) return sum;
  throw outsideTable(`Cannot add ${count} business days`, days.bounds!, 'the sum is outside'); // without bounds there is a sum
}

/**
 * The number of business days before the one from which to count. Without a roll, that is the last one up to the date or,
 * counting back, the first one from the date on.
 */
function originOf(days: BusinessDaySequence, dayNumber: number, count: number, roll: Roll | null): number {
  const following = days.countBefore(dayNumber);
  const preceding = days.countBefore(dayNumber + 1) - 1;
  const isInMonth = (index: number) => {
    const day = days.dayAt(index);
    return day !== null && monthOf(day) === monthOf(dayNumber);
  };
  switch (roll) {
    case null:
      return count > 0 ? preceding : following;
    case 'following':
      return following;
    case 'preceding':
      return preceding;
    case 'modified_following':
      return isInMonth(following) ? following : preceding;
    case 'modified_preceding':
      return isInMonth(preceding) ? preceding : following;
  }
}

function monthOf(dayNumber: number): number {
  return civilDateOf(dayNumber).month;
}

/** Throws an `INVALID_PARAMETER` that names the years of a calendar if a day is outside them; null means all years. */
export function requireWithin(bounds: DayBounds | null, dayNumber: number): void {
  if (bounds === null || (dayNumber >= bounds.firstDay && dayNumber < bounds.endDay)) return;
  throw outsideTable('Cannot count', bounds, `a date is in ${civilDateOf(dayNumber).year}`);
}

/** The error where `what` leaves the years of a calendar, and why. */
export function outsideTable(what: string, { firstDay, endDay }: DayBounds, reason: string): ServiceError {
  const [first, last] = [civilDateOf(firstDay).year, civilDateOf(endDay - 1).year];
  return new ServiceError(
    'INVALID_PARAMETER',
    `${what} with 'holiday_country': holidays are known for ${first} to ${last}, and ${reason}`,
    { parameter: 'holiday_country', first_year: first, last_year: last },
  );
}
