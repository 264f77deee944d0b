import { dayNumberOf, daysInMonth, isLeapYear, isoWeekOf, MS_PER_DAY, weekdayOf } from '../common/civil.ts';
import {
  type Cursor,
  digitsAhead,
  invalid,
  isAhead,
  peek,
  readDigits,
  readPair,
  skip,
  unexpected,
} from '../common/cursor.ts';
import { quoted } from '../common/errors.ts';
import { yearText } from '../common/iso_text.ts';
import { MAX_EPOCH_MS, TIME_RANGE_TEXT } from '../common/moment.ts';
import { MONTHS_FULL } from './languages.ts';
import { readOffset, SIGNS } from './offset.ts';

/** A parsed ISO 8601 timestamp, before any zone is consulted. */
export interface IsoTimestamp {
  /** The local time as if it were UTC, in milliseconds; it can exceed the range of `Date` by up to a day. */
  readonly localMs: number;
  /**
   * `utc` for `Z` and `-00:00`: UTC, with the local offset unknown. Null for a local time. `precision` is the smallest
   * unit written.
   */
  readonly offset:
    | null
    | { readonly kind: 'utc' }
    | {
        readonly kind: 'fixed';
        readonly offsetSeconds: number;
        readonly precision: 'minutes' | 'seconds';
      };
  /** The zone in brackets of RFC 9557: `[America/New_York]`, its name not yet looked up, or `[+05:30]`. */
  readonly zone: null | ZoneAnnotation;
}

const UTC = { kind: 'utc' } as const;

/**
 * Parses a timestamp of ISO 8601, RFC 3339 or RFC 9557: a date, a `T` or space and a time, an offset, and brackets;
 * all but the date are optional. Calendar, ordinal and week dates, extended or basic, with years `YYYY` or
 * `±YYYYYY`; see `readIsoDate`, `readTimeOfDay`, `readOffset` and `readAnnotations`. White space is never trimmed.
 * `parameter` is the query parameter for messages.
 * Throws `INVALID_PARAMETER` with the problem, also for an instant outside the range of `Date`.
 */
export function parseIsoTimestamp(text: string, parameter: string): IsoTimestamp {
  return parseUsual(text) ?? parseAny({ text: withSigns(text), parameter, at: 0 });
}

function parseAny(cursor: Cursor): IsoTimestamp {
  const dayNumber = readIsoDate(cursor);
  const dateEnd = cursor.at;
  let localMs = dayNumber * MS_PER_DAY;
  let offset: IsoTimestamp['offset'] = null;
  if (skip(cursor, 'T') || skip(cursor, 't') || skip(cursor, ' ')) {
    localMs += readTimeOfDay(cursor);
    offset = readAnyOffset(cursor);
  }
  const expected = cursor.at > dateEnd ? 'the end' : 'the end, or a T and the time';
  const zone = readAnnotations(cursor);
  if (cursor.at < cursor.text.length) throw unexpected(cursor, expected);
  checkRange(cursor, localMs, offsetSecondsOf(cursor, offset, zone));
  return { localMs, offset, zone };
}

/**
 * Parses `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM:SS` with nothing, `Z` or `±HH:MM` after it, in a sixth of the time, which is 5 % of a
 * request; null for any other text, valid or not. What is not a digit is NaN, for which every comparison is false.
 */
function parseUsual(text: string): IsoTimestamp | null {
  const { length } = text;
  if (length !== 10 && length !== 19 && length !== 20 && length !== 25) return null;
  const year = pairAt(text, 0) * 100 + pairAt(text, 2);
  const month = pairAt(text, 5);
  const day = pairAt(text, 8);
  const isDate = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isDate || text[4] !== '-' || text[7] !== '-') return null;
  const midnightMs = dayNumberOf(year, month, day) * MS_PER_DAY;
  if (length === 10) return { localMs: midnightMs, offset: null, zone: null };
  const hour = pairAt(text, 11);
  const minute = pairAt(text, 14);
  const second = pairAt(text, 17);
  const isTime = hour <= 23 && minute <= 59 && second <= 59;
  if (!isTime || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return null;
  const offset = length === 19 ? null : usualOffset(text);
  if (offset === undefined) return null;
  return { localMs: midnightMs + (hour * 3600 + minute * 60 + second) * 1000, offset, zone: null };
}

/** `Z` or `±HH:MM` after the seconds; undefined for anything else, and for `-00:00`. */
function usualOffset(text: string): IsoTimestamp['offset'] | undefined {
  const sign = text[19];
  if (text.length === 20) return sign === 'Z' ? UTC : undefined;
  const hours = pairAt(text, 20);
  const minutes = pairAt(text, 23);
  const seconds = hours * 3600 + minutes * 60;
  if (!(hours <= 23 && minutes <= 59) || text[22] !== ':') return undefined;
  if (sign === '-' && seconds > 0) return { kind: 'fixed', offsetSeconds: -seconds, precision: 'minutes' };
  return sign === '+' || sign === ' '
    ? { kind: 'fixed', offsetSeconds: seconds, precision: 'minutes' }
    : undefined;
}

/** The number of two digits, NaN if they are not digits. */
function pairAt(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** A space in the place of a sign, of a year or after a time, as the `+` that was typed, so that messages show it. */
function withSigns(text: string): string {
  return text.includes(' ') ? text.replace(/^ (?=\d)|(?<=:\d\d(?:[.,]\d+)?) (?=\d)/g, '+') : text;
}

/** The offset from UTC that the text itself states, else null. */
function offsetSecondsOf(
  cursor: Cursor,
  offset: IsoTimestamp['offset'],
  zone: IsoTimestamp['zone'],
): number | null {
  if (offset?.kind === 'utc') return 0;
  const bracketSeconds = zone !== null && 'offsetSeconds' in zone ? zone.offsetSeconds : null;
  if (offset === null) return bracketSeconds;
  if (bracketSeconds !== null && bracketSeconds !== offset.offsetSeconds)
    throw invalid(cursor, 'has one offset after its time and another in its brackets');
  return offset.offsetSeconds;
}

function readAnyOffset(cursor: Cursor): IsoTimestamp['offset'] {
  if (skip(cursor, 'Z') || skip(cursor, 'z')) return UTC;
  if (!isAhead(cursor, SIGNS)) return null;
  if (peek(cursor) === ' ' && isAhead({ ...cursor, at: cursor.at + 1 }, ' +-Zz['))
    throw invalid(
      cursor,
      `has a space at character ${cursor.at + 1}: an offset directly follows the time, as in 09:30:00+05:30`,
    );
  const start = cursor.at;
  const { offsetSeconds, isNegativeZero } = readOffset(cursor, { basic: true, seconds: true }, '+05:30');
  const precision = cursor.at - start > '±HH:MM'.length ? 'seconds' : 'minutes';
  if (isAhead(cursor, '.,')) throw invalid(cursor, 'has an offset with a fraction of a second');
  // RFC 3339 §4.3, adopted by RFC 9557 §2: `-00:00` means the same as `Z`.
  return isNegativeZero ? UTC : { kind: 'fixed', offsetSeconds, precision };
}

/** Without an offset, the instant can differ from the local time by up to a day. */
function checkRange(cursor: Cursor, localMs: number, offsetSeconds: number | null): void {
  const outside =
    offsetSeconds === null
      ? Math.abs(localMs) >= MAX_EPOCH_MS + MS_PER_DAY
      : Math.abs(localMs - offsetSeconds * 1000) > MAX_EPOCH_MS;
  if (outside) throw invalid(cursor, `lies outside the range ${TIME_RANGE_TEXT}`);
}

const A_DATE = 'a date like 2026-04-16 or 20260416';

/**
 * Parses a date of ISO 8601-1 §5.2.2–5.2.4 to its day number: calendar (`2026-04-16`, `20260416`), ordinal
 * (`2026-106`, `2026106`) or week date (`2026-W16-4`, `2026W164`), with a year `YYYY` or `±YYYYYY`.
 * Throws `INVALID_PARAMETER`.
 */
export function readIsoDate(cursor: Cursor): number {
  const start = cursor.at;
  const yearDigits = isAhead(cursor, SIGNS) ? 6 : 4;
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
  if (day < 1 || day > days)
    throw invalid(cursor, `has no such day: ${MONTHS_FULL[month - 1]} ${yearText(year)} has ${days} days`);
  return dayNumberOf(year, month, day);
}

function ordinalDay(cursor: Cursor, year: number, dayOfYear: number): number {
  const days = isLeapYear(year) ? 366 : 365;
  if (dayOfYear < 1 || dayOfYear > days)
    throw invalid(cursor, `has no such day: ${yearText(year)} has the days 001 to ${days}`);
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

/** Parses `HH`, `HHMM`, `HH:MM`, `HHMMSS` or `HH:MM:SS`, unchecked. Omitted fields are 0; `count` fields are present. */
function readFields(cursor: Cursor) {
  const digits = digitsAhead(cursor);
  if (digits !== 2 && digits !== 4 && digits !== 6) throw unexpected(cursor, 'a time like 09:30:00');
  const hours = readDigits(cursor, 2);
  if (digits > 2) {
    const minutes = readDigits(cursor, 2);
    return { hours, minutes, seconds: digits === 6 ? readDigits(cursor, 2) : 0, count: digits / 2 };
  }
  if (!skip(cursor, ':')) return { hours, minutes: 0, seconds: 0, count: 1 };
  const minutes = readPair(cursor, 'minutes of two digits');
  if (!skip(cursor, ':')) return { hours, minutes, seconds: 0, count: 2 };
  return { hours, minutes, seconds: readPair(cursor, 'seconds of two digits'), count: 3 };
}

/**
 * Parses a time of day (ISO 8601-1 §5.3) to milliseconds since midnight, 86,400,000 for `24:00:00`. A fraction of a
 * second is truncated to the millisecond, toward the past even before 1970, since a time of day counts forward. A leap
 * second `:60` is parsed as `:59`. Throws `INVALID_PARAMETER`.
 */
function readTimeOfDay(cursor: Cursor): number {
  const { hours, minutes, seconds, count } = readFields(cursor);
  const milliseconds = readFraction(cursor, count);
  if (hours > 24) throw invalid(cursor, `has the hour ${hours}: hours run from 00 to 23`);
  if (minutes > 59) throw invalid(cursor, `has the minute ${minutes}: minutes run from 00 to 59`);
  if (seconds > 60)
    throw invalid(cursor, `has the second ${seconds}: seconds run from 00 to 59, or 60 in a leap second`);
  if (hours === 24 && (minutes > 0 || seconds > 0 || milliseconds > 0))
    throw invalid(cursor, 'is past 24:00:00, the end of the day');
  return (hours * 3600 + minutes * 60 + Math.min(seconds, 59)) * 1000 + milliseconds;
}

/** Milliseconds of a fraction, if one follows; `count` fields precede it. */
function readFraction(cursor: Cursor, count: number): number {
  if (!skip(cursor, '.') && !skip(cursor, ',')) return 0;
  if (count < 3)
    throw invalid(
      cursor,
      `has a fraction of ${count === 1 ? 'an hour' : 'a minute'}: only seconds can have one`,
    );
  const digits = digitsAhead(cursor);
  if (digits === 0) throw unexpected(cursor, 'the digits of the fraction');
  const end = cursor.at + digits;
  const value = readDigits(cursor, Math.min(digits, 3));
  cursor.at = end;
  return digits === 1 ? value * 100 : digits === 2 ? value * 10 : value;
}

/** The zone in brackets after a timestamp: a name as written, or an offset in seconds. */
type ZoneAnnotation = { readonly name: string } | { readonly offsetSeconds: number };

/** RFC 9557 §4.1, `suffix-key` and `suffix-values`. */
const KEY = /^[a-z_][a-z0-9_-]*$/;
const VALUES = /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/;
/** RFC 9557 §4.1, `time-zone-part`, which is neither `.` nor `..`. */
const ZONE_PART = /^(?!\.\.?$)[A-Za-z._][A-Za-z0-9._+-]*$/;

/**
 * Parses the suffix of RFC 9557: at most one zone, first (`[America/New_York]`, `[+05:30]`), then tags (`[u-ca=hebrew]`),
 * which are ignored. An unknown tag marked critical (`[!key=value]`) is rejected, as is a critical calendar together with another.
 * Throws `INVALID_PARAMETER`.
 */
function readAnnotations(cursor: Cursor): ZoneAnnotation | null {
  let zone: ZoneAnnotation | null = null;
  let calendars = 0;
  let criticalCalendar = false;
  for (let index = 0; skip(cursor, '['); index++) {
    const critical = skip(cursor, '!');
    const end = cursor.text.indexOf(']', cursor.at);
    if (end < 0) throw invalid(cursor, 'has a [ without a closing ]');
    const content = cursor.text.slice(cursor.at, end);
    if (!content.includes('=')) {
      if (index > 0)
        throw invalid(
          cursor,
          'has a zone after other brackets: only one zone is allowed, and it comes first',
        );
      zone = readZone(cursor, content);
    } else if (keyOf(cursor, content) === 'u-ca') {
      calendars++;
      criticalCalendar ||= critical;
    } else if (critical) {
      throw invalid(cursor, `marks ${quoted(content)} as critical with '!', and it is not supported`);
    }
    cursor.at = end + 1;
  }
  if (criticalCalendar && calendars > 1)
    throw invalid(cursor, 'has several calendars, one of them marked critical');
  return zone;
}

/** The key of a tag `key=value`. */
function keyOf(cursor: Cursor, tag: string): string {
  const equals = tag.indexOf('=');
  const key = tag.slice(0, equals);
  if (!KEY.test(key) || !VALUES.test(tag.slice(equals + 1)))
    throw unexpected(cursor, 'a tag like [u-ca=gregory]');
  return key;
}

/** The cursor is after the opening bracket of `content`. */
function readZone(cursor: Cursor, content: string): ZoneAnnotation {
  if (isAhead(cursor, SIGNS)) {
    // RFC 9557 only has ±HH:MM; we also accept ±HH and ±HHMM, as in offsets.
    const { offsetSeconds } = readOffset(cursor, { basic: true, seconds: false }, '[+05:30]');
    if (peek(cursor) !== ']') throw unexpected(cursor, 'a ] after the offset');
    return { offsetSeconds };
  }
  // As in offsets, the `+` of an unescaped [Etc/GMT+5] arrives as a space.
  const name = content.replace(/ (?=[0-9])/g, '+');
  if (!name.split('/').every(part => ZONE_PART.test(part)))
    throw unexpected(cursor, 'a zone like [America/New_York] or [+05:30]');
  return { name };
}
