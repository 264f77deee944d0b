import { civilDateOf } from '../common/civil.ts';
import { ServiceError } from '../common/service_error.ts';
import { BusinessDays, type DayBounds } from './business_days.ts';
import type { HolidayCalendar } from './holiday_calendar.ts';

/**
 * The business days d with `earlier <= d < later`, never negative and in whichever order the dates are given: one
 * hour within a day is 0, Monday to Wednesday 2 (NumPy's `busday_count`). Dates are days since 1970-01-01.
 *
 * With several calendars a day off in any of them is off. Without one every Monday to Friday is a business day and any
 * date will do; otherwise both dates lie within the years of the table, else the error is an `INVALID_PARAMETER` that
 * names them.
 */
export function countBusinessDays(
  calendars: readonly Pick<HolidayCalendar, 'businessDays'>[],
  fromDayNumber: number,
  untilDayNumber: number,
): number {
  const [calendar] = calendars;
  if (calendar === undefined) {
    return Math.abs(weekdaysBefore(untilDayNumber) - weekdaysBefore(fromDayNumber));
  }
  const { businessDays } = calendar;
  requireWithin(businessDays.bounds, fromDayNumber);
  requireWithin(businessDays.bounds, untilDayNumber);
  return calendars.length === 1
    ? Math.abs(businessDays.countBefore(untilDayNumber) - businessDays.countBefore(fromDayNumber))
    : BusinessDays.countCommon(
        calendars.map(each => each.businessDays),
        Math.min(fromDayNumber, untilDayNumber),
        Math.max(fromDayNumber, untilDayNumber),
      );
}

const FIRST_MONDAY = 4; // 1970-01-05

/** Mondays to Fridays from 1970-01-05 to the day before; negative for days before that. */
function weekdaysBefore(dayNumber: number): number {
  const days = dayNumber - FIRST_MONDAY;
  const weeks = Math.floor(days / 7);
  return weeks * 5 + Math.min(days - weeks * 7, 5);
}

/** Throws an `INVALID_PARAMETER` that names the years of a calendar where a day is not in them. */
export function requireWithin({ firstDay, endDay }: DayBounds, dayNumber: number): void {
  if (dayNumber >= firstDay && dayNumber < endDay) return;
  const [first, last] = [civilDateOf(firstDay).year, civilDateOf(endDay - 1).year];
  throw new ServiceError(
    'INVALID_PARAMETER',
    `Cannot count with 'holiday_country': holidays are known for ${first} to ${last}, and a date is in ${civilDateOf(dayNumber).year}`,
    { parameter: 'holiday_country', first_year: first, last_year: last },
  );
}
