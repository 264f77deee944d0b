import { civilDateOf } from '../common/civil.ts';
import { ServiceError } from '../common/errors.ts';
import type { HolidayCalendar } from './holiday_calendar.ts';

/** The code of a calendar: `DE`, `DE-BY`. */
export function codeOf({ country, subdivision }: Pick<HolidayCalendar, 'country' | 'subdivision'>): string {
  return subdivision === null ? country.code : `${country.code}-${subdivision.code}`;
}

/**
 * Throws an `INVALID_PARAMETER` that names calendars and years if a range is not within the years for which each calendar has
 * statutory and announced days. Days are days since 1970-01-01, both inclusive.
 */
export function requireCoverage(
  calendars: readonly HolidayCalendar[],
  firstDay: number,
  lastDay: number,
): void {
  const [first, last] = [civilDateOf(firstDay).year, civilDateOf(lastDay).year];
  const lacking = calendars.filter(
    ({ coverage: { from, announcedThrough } }) =>
      announcedThrough === null || first < from || last > announcedThrough,
  );
  if (lacking.length === 0) return;
  const years = first === last ? `${first}` : `${first} to ${last}`;
  throw new ServiceError(
    'INVALID_PARAMETER',
    `'require_coverage' is not met for ${years}: ${lacking.map(describeCoverage).join('; ')}`,
    { parameter: 'require_coverage', calendars: lacking.map(codeOf), first_year: first, last_year: last },
  );
}

function describeCoverage(calendar: HolidayCalendar): string {
  const { from, announcedThrough } = calendar.coverage;
  return announcedThrough === null
    ? `the announced days of ${codeOf(calendar)} are not followed`
    : `${codeOf(calendar)} is covered from ${from} to ${announcedThrough}`;
}
