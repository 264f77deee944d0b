import { countBusinessDays } from '../holidays/count_business_days.ts';
import type { HolidayCalendar } from '../holidays/holiday_calendar.ts';
import type { Instant } from './instant.ts';

/** How business days are counted: by a calendar, or null for every Monday to Friday. */
export interface BusinessDayCount {
  readonly calendar: HolidayCalendar | null;
}

/**
 * The business days between two instants, each as the date of its own frame; null where they are not requested.
 * Throws `INVALID_PARAMETER` where a date lies outside the calendar's years.
 */
export function businessDaysBetween(
  one: Instant,
  other: Instant,
  count: BusinessDayCount | null,
): number | null {
  return count === null
    ? null
    : countBusinessDays(count.calendar, localDayNumber(one), localDayNumber(other));
}

/** The local date of an instant in its frame, as days since 1970-01-01. */
function localDayNumber({ epochMs, frame }: Instant): number {
  const epochSeconds = Math.floor(epochMs / 1000);
  return Math.floor((epochSeconds + frame.periodAt(epochSeconds).offsetSeconds) / 86_400);
}
