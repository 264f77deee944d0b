import { countBusinessDays } from '../holidays/count_business_days.ts';
import { requireCoverage } from '../holidays/coverage.ts';
import type { HolidayCalendar } from '../holidays/holiday_calendar.ts';
import { dateAndTimeOf, type Instant } from './instant.ts';

/** The calendars of a request. */
export interface UsedCalendars {
  /** A day off in any of them is off; without calendars, Monday to Friday are business days. */
  readonly calendars: readonly HolidayCalendar[];
  /** Whether all days must be within the years that the calendars cover. */
  readonly requiresCoverage: boolean;
}

/** Throws `INVALID_PARAMETER` if the calendars must cover a range of days, both inclusive, and do not. */
export function checkCoverage(
  { calendars, requiresCoverage }: UsedCalendars,
  firstDay: number,
  lastDay: number,
): void {
  if (requiresCoverage) requireCoverage(calendars, firstDay, lastDay);
}

/**
 * The business days between two instants, each on the date in its own frame. Throws `INVALID_PARAMETER` if a date is outside
 * the calendars' years.
 */
export function businessDaysBetween(one: Instant, other: Instant, used: UsedCalendars): number {
  const [from, until] = [localDayNumber(one), localDayNumber(other)];
  const days = countBusinessDays(used.calendars, from, until);
  const first = Math.min(from, until);
  // The later day is not counted.
  checkCoverage(used, first, Math.max(first, from - 1, until - 1));
  return days;
}

/** The local date of an instant in its frame, as days since 1970-01-01. */
export function localDayNumber(instant: Instant): number {
  return dateAndTimeOf(instant).dayNumber;
}
