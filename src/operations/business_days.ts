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
  'What is known of a holiday calendar, and from what.',
  {
    from: Type.Integer({ description: 'First year in which the statutory rules are complete.' }),
    to: Type.Integer({ description: 'Last year in which they are complete.' }),
    basis: nullable(
      Type.Union([Type.Literal('law'), Type.Literal('list')]),
      '`law` if each recurring day follows from a law that was read, `list` otherwise if a law or an official list was read, null if ' +
        'neither was.',
    ),
    certain: Type.Array(
      objectSchema('CertainYears', 'A range of years, both inclusive.', {
        from: Type.Integer({ description: 'The first year.' }),
        to: Type.Integer({ description: 'The last year.' }),
      }),
      {
        description:
          'The years whose one-off days are complete by a cited text and, with `law`, the year of the data and the three after ' +
          'it, in which days may still be declared. `require_coverage=true` requires them.',
      },
    ),
    announced_through: nullable(
      Type.Integer(),
      'The last year whose one-off and moon-sighted days are complete by a cited text, without an estimated day up to it; null ' +
        'if there is none.',
    ),
    reviewed: nullable(
      Type.String(),
      'Month in which a law or official list that the data cites was last read; null if never.',
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

export function coverageOf(coverage: Coverage): CoveragePayload {
  const { from, to, basis, certain, announcedThrough, reviewed } = coverage;
  return { from, to, basis, certain: [...certain], announced_through: announcedThrough, reviewed };
}

/** `details.holidays` for the calendars used for a response. */
export function calendarDetails(calendars: readonly HolidayCalendar[]): CalendarDetails[] {
  return calendars.map(calendar => ({
    calendar: codeOf(calendar),
    coverage: coverageOf(calendar.coverage),
    subdivisions_differ: calendar.subdivisionsDiffer,
  }));
}
