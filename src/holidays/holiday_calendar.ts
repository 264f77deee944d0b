import { civilDateOf } from '../common/civil.ts';
import type { DayBounds, DaySet } from '../common/day_set.ts';
import { ServiceError } from '../common/errors.ts';
import type { BusinessDays } from './business_days.ts';
import type { Coverage, DayStatus, NamedCode, WorkWeekPeriod } from './holiday_pack.ts';

/** A holiday with a substitute; its day is null if the holiday itself was moved. */
export interface SubstitutedHoliday extends Pick<NamedDay, 'name' | 'nameEn'> {
  readonly dayNumber: number | null;
}

/** A holiday or a worked day off, with its source. */
export interface NamedDay {
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  /** In the local language. */
  readonly name: string;
  /** In English, if known and different. */
  readonly nameEn: string | null;
  readonly status: DayStatus;
  /** The library with its version, the official notice behind a correction, or the organisation's calendar. */
  readonly source: string;
  /** The holiday for which this day is a substitute, if any. */
  readonly substituteFor: SubstitutedHoliday | null;
}

/** A holiday or a worked day off, with its names. */
interface NamedDate extends Pick<NamedDay, 'dayNumber' | 'name' | 'nameEn'> {
  /** Whether it is a worked day that would otherwise be off. */
  readonly isWorkday: boolean;
}

/** The days off in a country or a part of it, with their reasons. */
export interface HolidayCalendar {
  readonly country: NamedCode;
  readonly subdivision: NamedCode | null;
  /** The current weekend: 1 is Monday, 7 Sunday (ISO 8601). */
  readonly weekend: readonly number[];
  readonly workWeek: readonly WorkWeekPeriod[];
  readonly coverage: Coverage;
  /** Whether a part of this country has different working days; false for a part itself. */
  readonly subdivisionsDiffer: boolean;
  /** The days of the years of the table. */
  readonly bounds: DayBounds;
  readonly businessDays: BusinessDays;
  /** All holidays, including those on weekends, as days since 1970-01-01. */
  readonly publicHolidays: DaySet;
  /** The translation of a day's name in the table into a language; undefined if it is unknown, and for English. */
  translated(name: string, language: string): string | undefined;
  /** The holidays of one or more years, including those on weekends, by date; two holidays may share a date. */
  holidaysOf(year: number, lastYear?: number): NamedDay[];
  /** The worked days of these years that would otherwise be off, by date. */
  workdaysOf(year: number, lastYear?: number): NamedDay[];
  /** The holidays and worked days from one day through another, unordered; days since 1970-01-01. */
  datesBetween(firstDay: number, lastDay: number): NamedDate[];
}

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
