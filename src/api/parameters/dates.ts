import { civilDateOf, dayNumberOf } from '../../common/civil.ts';
import { type Cursor, unexpected } from '../../common/cursor.ts';
import { quotedSigned, requires, unreadable } from '../../common/errors.ts';
import type { PackHeader } from '../../holidays/holiday_pack.ts';
import type { Query } from '../../http/query.ts';
import type { DayRange } from '../../operations/holidays.ts';
import { readIsoDate } from '../../text/iso_timestamp.ts';
import { parsedValue } from '../inputs.ts';

/** The maximum length of a range of dates, in years. */
export const MAX_YEARS = 10;

/** The first and last year of allowed dates, both inclusive. */
type Years = Pick<PackHeader, 'firstYear' | 'lastYear'>;

/** The years of dates in RFC 3339. */
export const FOUR_DIGIT_YEARS: Years = { firstYear: 0, lastYear: 9999 };

/** The days of `from` and `to`, at most {@link MAX_YEARS} apart and within `years`; null without them. Throws `INVALID_PARAMETER`. */
export function decodeDates(query: Query, years: Years): DayRange | null {
  const dateOf = (name: string) => parsedValue(query, name, value => parseDate(value, name, years));
  const [firstDay, lastDay] = [dateOf('from'), dateOf('to')];
  if (firstDay === null && lastDay === null) return null;
  if (firstDay === null) throw requires('to', 'from');
  if (lastDay === null) throw requires('from', 'to');
  if (lastDay < firstDay) throw unreadable('to', "it is before 'from'");
  const { year, month, day } = civilDateOf(firstDay);
  if (lastDay >= dayNumberOf(year + MAX_YEARS, month, day)) {
    throw unreadable('to', `it is more than ${MAX_YEARS} years after 'from', which is the maximum`);
  }
  return { firstDay, lastDay };
}

/** Parses a year from the first through the last. Throws `INVALID_PARAMETER`. */
export function parseYear(value: string, { firstYear, lastYear }: Years): number {
  const year = /^[0-9]{4}$/.test(value) ? Number(value) : Number.NaN;
  if (year >= firstYear && year <= lastYear) return year;
  const advice = /^[ +-][0-9]{4}$/.test(value) ? '; it is written without a sign or space' : '';
  throw unreadable('year', `${quotedSigned(value)} is not a year from ${firstYear} to ${lastYear}${advice}`);
}

/** Parses a date within a range of years, as days since 1970-01-01. Throws `INVALID_PARAMETER`. */
function parseDate(value: string, name: string, { firstYear, lastYear }: Years): number {
  const cursor: Cursor = { text: value, parameter: name, at: 0 };
  const day = readIsoDate(cursor);
  if (cursor.at < value.length) throw unexpected(cursor, 'the end of the date');
  if (day >= dayNumberOf(firstYear, 1, 1) && day < dayNumberOf(lastYear + 1, 1, 1)) return day;
  throw unreadable(name, `${quotedSigned(value)} is not in the years from ${firstYear} to ${lastYear}`);
}
