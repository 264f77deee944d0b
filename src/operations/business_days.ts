import { countBusinessDays } from '../holidays/count_business_days.ts';
import { requireCoverage } from '../holidays/coverage.ts';
import type { HolidayCalendar } from '../holidays/holiday_calendar.ts';
import type { Instant } from './instant.ts';

/** How business days are counted. */
export interface BusinessDayCount {
  /** A day off in any of them is off; without one every Monday to Friday is a business day. */
  readonly calendars: readonly HolidayCalendar[];
  /** Whether all days must lie in the years that the calendars cover. */
  readonly requiresCoverage: boolean;
}

/**
 * The business days between two instants, each as the date of its own frame; null where they are not requested.
 * Throws `INVALID_PARAMETER` where a date lies outside the calendars' years.
 */
export function businessDaysBetween(
  one: Instant,
  other: Instant,
  count: BusinessDayCount | null,
): number | null {
  if (count === null) return null;
  const [from, until] = [localDayNumber(one), localDayNumber(other)];
  const days = countBusinessDays(count.calendars, from, until);
  if (count.requiresCoverage) {
    const first = Math.min(from, until);
    // The later day is not counted.
    requireCoverage(count.calendars, first, Math.max(first, from - 1, until - 1));
  }
  return days;
}

/** The local date of an instant in its frame, as days since 1970-01-01. */
export function localDayNumber({ epochMs, frame }: Instant): number {
  const epochSeconds = Math.floor(epochMs / 1000);
  return Math.floor((epochSeconds + frame.periodAt(epochSeconds).offsetSeconds) / 86_400);
}
