import { civilDateOf } from '../common/civil.ts';
import type { DayBounds, DaySet } from '../common/day_set.ts';
import { ServiceError } from '../common/errors.ts';
import { dateText } from '../common/iso_text.ts';
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
 * Throws an `INVALID_PARAMETER` that names calendars, years and reasons unless the days of a range are certain in each calendar: in
 * its certain years or, after an official list, on days that await no announcement. Days are days since 1970-01-01, both
 * inclusive.
 */
export function requireCoverage(
  calendars: readonly HolidayCalendar[],
  firstDay: number,
  lastDay: number,
): void {
  const lacking = calendars.flatMap(calendar => {
    const reason = uncertaintyOf(calendar, firstDay, lastDay);
    return reason === null ? [] : [{ calendar, reason }];
  });
  if (lacking.length === 0) return;
  const [first, last] = [civilDateOf(firstDay).year, civilDateOf(lastDay).year];
  const years = first === last ? `${first}` : `${first} to ${last}`;
  throw new ServiceError(
    'INVALID_PARAMETER',
    `'require_coverage' is not met for ${years}: ${lacking.map(({ reason }) => reason).join('; ')}`,
    {
      parameter: 'require_coverage',
      calendars: lacking.map(({ calendar }) => codeOf(calendar)),
      first_year: first,
      last_year: last,
    },
  );
}

/** How far an announcement or a sighting can move a day. */
const SHIFT_DAYS = 3;
const NAMED_HOLIDAYS = 3;

/** Why the days of a range are not certain; null if they are. */
function uncertaintyOf(calendar: HolidayCalendar, firstDay: number, lastDay: number): string | null {
  const { basis, certain, expected, reviewed } = calendar.coverage;
  const code = codeOf(calendar);
  if (basis === null) return `nobody has compared ${code} with its law`;
  const isWithin = (year: number, { from, to }: Years) => year >= from && year <= to;
  const uncertain = yearsBetween(firstDay, lastDay).filter(
    year => !certain.some(range => isWithin(year, range)),
  );
  const open = uncertain.find(year => expected === null || !isWithin(year, expected));
  if (open !== undefined) {
    const isAhead =
      basis === 'list' && open > Math.max(Number(reviewed?.slice(0, 4)), ...certain.map(({ to }) => to));
    return isAhead
      ? `the days of ${code} in ${open} are not announced`
      : `the one-off days of ${code} are not complete in ${open}`;
  }
  if (uncertain.length === 0) return null;
  const awaited = calendar
    .holidaysOf(civilDateOf(firstDay - SHIFT_DAYS).year, civilDateOf(lastDay + SHIFT_DAYS).year)
    .filter(({ status, dayNumber }) => status === 'estimated' && isNear(dayNumber, firstDay, lastDay));
  const firsts = [...Map.groupBy(awaited, ({ name }) => name).values()].map(([first]) => first!);
  const named = firsts
    .slice(0, NAMED_HOLIDAYS)
    .map(({ name, nameEn, dayNumber }) => `${nameEn ?? name} (about ${dateText(dayNumber)})`);
  return named.length === 0 ? null : `${code} awaits the announcement of ${named.join(', ')}`;
}

type Years = Coverage['certain'][number];

function yearsBetween(firstDay: number, lastDay: number): number[] {
  const [first, last] = [civilDateOf(firstDay).year, civilDateOf(lastDay).year];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function isNear(dayNumber: number, firstDay: number, lastDay: number): boolean {
  return dayNumber >= firstDay - SHIFT_DAYS && dayNumber <= lastDay + SHIFT_DAYS;
}
