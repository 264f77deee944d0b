import { dayNumberOf, daysInMonth, isLeapYear, isoWeekOf, weekdayOf } from '../common/civil.ts';
import {
  type Cursor,
  digitsAhead,
  invalid,
  peek,
  readDigits,
  readPair,
  skip,
  unexpected,
} from '../common/cursor.ts';
import { yearText } from '../common/iso_text.ts';
import { MONTHS_FULL } from './names.ts';

const A_DATE = 'a date like 2026-04-16 or 20260416';

/**
 * Parses a date of ISO 8601-1 §5.2.2–5.2.4 to its day number: calendar (`2026-04-16`, `20260416`), ordinal
 * (`2026-106`, `2026106`) or week date (`2026-W16-4`, `2026W164`), with a year `YYYY` or `±YYYYYY`.
 * @throws ServiceError `INVALID_PARAMETER`
 */
export function readIsoDate(cursor: Cursor): number {
  const start = cursor.at;
  const yearDigits = '+- '.includes(peek(cursor) || 'x') ? 6 : 4;
  if (yearDigits === 6) cursor.at++;
  const digits = digitsAhead(cursor);
  const year = readYear(cursor, start, yearDigits, digits);
  if (digits === yearDigits + 4)
    return calendarDay(cursor, year, readDigits(cursor, 2), readDigits(cursor, 2));
  if (digits === yearDigits + 3) return ordinalDay(cursor, year, readDigits(cursor, 3));
  if (skip(cursor, 'W')) return readWeekDate(cursor, year, false);
  if (!skip(cursor, '-')) throw unexpected(cursor, 'the month or week of a date, as in 2026-04-16');
  if (skip(cursor, 'W')) return readWeekDate(cursor, year, true);
  if (digitsAhead(cursor) === 3) return ordinalDay(cursor, year, readDigits(cursor, 3));
  const month = readPair(cursor, 'a month of two digits');
  if (!skip(cursor, '-')) throw unexpected(cursor, 'a hyphen and the day, as in 2026-04-16');
  return calendarDay(cursor, year, month, readPair(cursor, 'a day of two digits'));
}

function readYear(cursor: Cursor, start: number, yearDigits: number, digits: number): number {
  const extra = digits - yearDigits;
  if (extra !== 0 && extra !== 3 && extra !== 4) {
    const expected = yearDigits === 4 ? A_DATE : 'a signed year of six digits, as in +002026-04-16';
    throw unexpected(cursor, expected);
  }
  const year = readDigits(cursor, yearDigits);
  if (cursor.text[start] !== '-') return year;
  if (year === 0) throw invalid(cursor, 'has the year -000000: the year 0 is written 0000 or +000000');
  return -year;
}

function calendarDay(cursor: Cursor, year: number, month: number, day: number): number {
  if (month < 1 || month > 12) throw invalid(cursor, 'has no such month: months run from 01 to 12');
  const days = daysInMonth(year, month);
  if (day < 1 || day > days) {
    throw invalid(cursor, `has no such day: ${MONTHS_FULL[month - 1]} ${yearText(year)} has ${days} days`);
  }
  return dayNumberOf(year, month, day);
}

function ordinalDay(cursor: Cursor, year: number, dayOfYear: number): number {
  const days = isLeapYear(year) ? 366 : 365;
  if (dayOfYear < 1 || dayOfYear > days) {
    throw invalid(cursor, `has no such day: ${yearText(year)} has the days 001 to ${days}`);
  }
  return dayNumberOf(year, 1, dayOfYear);
}

/** After the `W`: `16-4` (extended) or `164`. */
function readWeekDate(cursor: Cursor, year: number, extended: boolean): number {
  const expected = 'a week of two digits and a weekday, as in 2026-W16-4 or 2026W164';
  if (digitsAhead(cursor) !== (extended ? 2 : 3)) throw unexpected(cursor, expected);
  const week = readDigits(cursor, 2);
  if (extended && !(skip(cursor, '-') && digitsAhead(cursor) === 1)) throw unexpected(cursor, expected);
  const weekday = readDigits(cursor, 1);
  // December 28 always lies in its year's last week, January 4 in the first.
  const weeks = isoWeekOf(dayNumberOf(year, 12, 28)).week;
  if (week < 1 || week > weeks)
    throw invalid(cursor, `has no such week: ${yearText(year)} has the weeks 01 to ${weeks}`);
  if (weekday < 1 || weekday > 7)
    throw invalid(cursor, 'has no such weekday: they run from 1 (Monday) to 7 (Sunday)');
  const january4 = dayNumberOf(year, 1, 4);
  const firstMonday = january4 - ((weekdayOf(january4) + 6) % 7);
  return firstMonday + (week - 1) * 7 + weekday - 1;
}
