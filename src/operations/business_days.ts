import { type Static, Type } from '@sinclair/typebox';
import { nullable, objectSchema } from '../common/json.ts';
import { countBusinessDays } from '../holidays/business_days.ts';
import { codeOf, type HolidayCalendar, requireCoverage } from '../holidays/holiday_calendar.ts';
import type { Coverage } from '../holidays/holiday_pack.ts';
import { dateAndTimeOf, type Instant } from './instant.ts';

export interface UsedCalendars {
  /** A day off in any of them is off; without calendars, Monday to Friday are business days. */
  readonly calendars: readonly HolidayCalendar[];
  /** Whether all days must be within the years that the calendars cover. */
  readonly requiresCoverage: boolean;
}

/** Throws `INVALID_PARAMETER` if the calendars must cover a range of days, both inclusive, and do not. */
export function checkCoverage(used: UsedCalendars, firstDay: number, lastDay: number): void {
  if (used.requiresCoverage) requireCoverage(used.calendars, firstDay, lastDay);
}

/** The business days between two instants, each in its frame. Throws `INVALID_PARAMETER` outside the calendars' years. */
export function businessDaysBetween(one: Instant, other: Instant, used: UsedCalendars): number {
  const [from, until] = [dateAndTimeOf(one).dayNumber, dateAndTimeOf(other).dayNumber];
  const days = countBusinessDays(used.calendars, from, until);
  const first = Math.min(from, until);
  // The later day is not counted.
  checkCoverage(used, first, Math.max(first, from - 1, until - 1));
  return days;
}

export const CoveragePayload = objectSchema(
  'HolidayCoverage',
  'The years for which a holiday calendar is complete.',
  {
    from: Type.Integer({ description: 'First year in which the statutory rules are complete.' }),
    to: Type.Integer({ description: 'Last year in which they are complete.' }),
    announced_through: nullable(
      Type.Integer(),
      'The last year whose announced one-off, compensating and moon-sighted days are included; null where they are not followed.',
    ),
    reviewed: nullable(
      Type.String(),
      'Month of the latest check against an official text cited in the data; null if never checked.',
    ),
  },
);
export type CoveragePayload = Static<typeof CoveragePayload>;

export const SubdivisionsDiffer = Type.Boolean({
  description:
    'Whether subdivisions have different days off; if so, only those common to all of them are off.',
});

/** An entry of `details.holidays`: a calendar used for the response. */
export const CalendarDetails = objectSchema('HolidayCalendarDetails', 'A calendar used for the response.', {
  calendar: Type.String({ description: 'The code, `DE` or `DE-BY`.' }),
  coverage: CoveragePayload,
  subdivisions_differ: SubdivisionsDiffer,
});
export type CalendarDetails = Static<typeof CalendarDetails>;

export function coverageOf({ from, to, announcedThrough, reviewed }: Coverage): CoveragePayload {
  return { from, to, announced_through: announcedThrough, reviewed };
}

/** `details.holidays` for the calendars used for a response. */
export function calendarDetails(calendars: readonly HolidayCalendar[]): CalendarDetails[] {
  return calendars.map(calendar => ({
    calendar: codeOf(calendar),
    coverage: coverageOf(calendar.coverage),
    subdivisions_differ: calendar.subdivisionsDiffer,
  }));
}
