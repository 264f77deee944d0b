import { daysInMonth, MINUTES_PER_DAY } from '../common/civil.ts';
import { type Cursor, digitsAhead, invalid, peek, readDigits, skip, unexpected } from '../common/cursor.ts';
import { messageOf, quoted, requireLength, resultsOf } from '../common/errors.ts';
import { EntryFault } from '../common/settings_text.ts';

/** The days to which a rule applies: weekdays, dates or public holidays. */
export interface DaySelector {
  /** Bit n is set for weekday n: 0 is Sunday. */
  readonly weekdays: number;
  /** Dates of every year as {@link dateCode}. */
  readonly dates: readonly number[];
  readonly includesHolidays: boolean;
}

/** A time span in minutes since the start of its day; beyond 1440 it extends into the next day. */
export interface TimeSpan {
  readonly fromMinute: number;
  readonly untilMinute: number;
}

/** One rule of a schedule. */
interface ScheduleRule {
  /** Null for every day. */
  readonly days: DaySelector | null;
  /** Empty for the whole day. */
  readonly spans: readonly TimeSpan[];
  /** False for `off`. */
  readonly isOpen: boolean;
  /** Whether it adds to the preceding rules instead of overriding them. */
  readonly isAdditional: boolean;
}

/** A parsed schedule: its rules in order. */
export interface Schedule {
  readonly rules: readonly ScheduleRule[];
  /** Whether it depends on public holidays. */
  readonly usesHolidays: boolean;
}

/** A date without its year as one number; `month` is 1–12. */
export function dateCode(month: number, day: number): number {
  return month * 32 + day;
}

/** The month of a {@link dateCode}. */
export function monthOf(date: number): number {
  return Math.floor(date / 32);
}

/** The maximum length of a value in OpenStreetMap. */
export const MAX_SCHEDULE_LENGTH = 255;

const WEEKDAYS = ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Parses a schedule in this subset of OpenStreetMap's `opening_hours`:
 *
 *     schedule = rule *( ";" rule / "," rule )    ; ";" overrides days, "," adds to them
 *     rule     = "24/7" / "off" / days [ times ] [ "off" ] / times [ "off" ]
 *     days     = weekdays / dates
 *     weekdays = range *( "," range )
 *     range    = weekday [ "-" weekday ] / "PH"
 *     dates    = month day *( "," [ month ] day )
 *     times    = span *( "," span )
 *     span     = hour ":" minute "-" hour ":" minute
 *
 * Spaces are optional. After a rule without times or `off`, a comma continues the list of its days.
 * Throws `INVALID_PARAMETER` with the position of anything else.
 */
export function parseOpeningHours(text: string, parameter: string): Schedule {
  requireLength(text, MAX_SCHEDULE_LENGTH, parameter);
  const cursor = { text, parameter, at: 0 };
  const rules = [readRule(cursor, false)];
  for (;;) {
    skipSpaces(cursor);
    if (cursor.at === text.length) break;
    const isAdditional = skip(cursor, ',');
    if (!isAdditional && !skip(cursor, ';')) throw unexpected(cursor, "';' or ',' and a rule, or the end");
    rules.push(readRule(cursor, isAdditional));
  }
  return { rules, usesHolidays: rules.some(({ days }) => days?.includesHolidays) };
}

function readRule(cursor: Cursor, isAdditional: boolean): ScheduleRule {
  skipSpaces(cursor);
  if (skipText(cursor, '24/7')) return { days: null, spans: [], isOpen: true, isAdditional };
  const days = readDays(cursor);
  const spans = readSpans(cursor);
  const isOpen = !skipText(cursor, 'off');
  if (isOpen && days === null && spans.length === 0)
    throw unexpected(cursor, "a weekday, a date, 'PH', a time like 09:00-17:30, '24/7' or 'off'");
  return { days, spans, isOpen, isAdditional };
}

function readDays(cursor: Cursor): DaySelector | null {
  const word = wordAhead(cursor);
  if (MONTHS.includes(word)) return readDates(cursor);
  return word === 'PH' || WEEKDAYS.includes(word) ? readWeekdays(cursor) : null;
}

function readWeekdays(cursor: Cursor): DaySelector {
  let weekdays = 0;
  let includesHolidays = false;
  do {
    skipSpaces(cursor);
    if (skipText(cursor, 'PH')) includesHolidays = true;
    else weekdays |= readWeekdayRange(cursor);
    skipSpaces(cursor);
  } while (skip(cursor, ','));
  return { weekdays, dates: [], includesHolidays };
}

/** The bits of `Mo`, or of a range such as `Sa-Mo`, which may wrap around the end of the week. */
function readWeekdayRange(cursor: Cursor): number {
  const first = readName(cursor, WEEKDAYS, "a weekday like Mo, or 'PH'");
  skipSpaces(cursor);
  const last = skip(cursor, '-') ? readName(cursor, WEEKDAYS, 'a weekday like Fr') : first;
  let bits = 1 << last;
  for (let weekday = first; weekday !== last; weekday = (weekday + 1) % 7) bits |= 1 << weekday;
  return bits;
}

function readDates(cursor: Cursor): DaySelector {
  const dates: number[] = [];
  let month = 0;
  do {
    skipSpaces(cursor);
    if (month === 0 || digitsAhead(cursor) === 0) month = readName(cursor, MONTHS, 'a date like Dec 24') + 1;
    dates.push(dateCode(month, readDay(cursor, month)));
    skipSpaces(cursor);
  } while (skip(cursor, ','));
  return { weekdays: 0, dates, includesHolidays: false };
}

function readDay(cursor: Cursor, month: number): number {
  skipSpaces(cursor);
  const digits = digitsAhead(cursor);
  if (digits !== 1 && digits !== 2) throw unexpected(cursor, 'a day of the month, as in Dec 24');
  const day = readDigits(cursor, digits);
  const days = daysInMonth(2000, month); // of a leap year
  if (day >= 1 && day <= days) return day;
  throw invalid(
    cursor,
    `has the day ${day} at character ${cursor.at}: ${MONTHS[month - 1]} has ${days} days`,
  );
}

/** Time spans; empty if no time follows. A comma before anything else ends the rule. */
function readSpans(cursor: Cursor): TimeSpan[] {
  skipSpaces(cursor);
  const spans: TimeSpan[] = [];
  if (digitsAhead(cursor) === 0) return spans;
  do {
    skipSpaces(cursor);
    spans.push(readSpan(cursor));
    skipSpaces(cursor);
  } while (isSpanAhead(cursor) && skip(cursor, ','));
  return spans;
}

function isSpanAhead({ text, at }: Cursor): boolean {
  return /^, *[0-9]/.test(text.slice(at)) && !/^, *24\/7/.test(text.slice(at));
}

function readSpan(cursor: Cursor): TimeSpan {
  const start = cursor.at;
  const fromMinute = readTime(cursor);
  skipSpaces(cursor);
  if (!skip(cursor, '-')) throw unexpected(cursor, 'a hyphen and the end, as in 09:00-17:30');
  skipSpaces(cursor);
  const untilMinute = readTime(cursor);
  if (fromMinute === MINUTES_PER_DAY)
    throw invalid(
      cursor,
      `has a span that begins at 24:00 at character ${start + 1}: write 00:00 of the next day`,
    );
  // As in OpenStreetMap, 09:00-09:00 are 24 hours.
  return { fromMinute, untilMinute: untilMinute <= fromMinute ? untilMinute + MINUTES_PER_DAY : untilMinute };
}

function readTime(cursor: Cursor): number {
  const start = cursor.at;
  const match = /^([0-9]{2}):([0-9]{2})(?![0-9])/.exec(cursor.text.slice(start));
  if (match === null) throw unexpected(cursor, 'a time like 09:00');
  const [hour, minute] = [Number(match[1]), Number(match[2])];
  const minuteOfDay = hour * 60 + minute;
  cursor.at += match[0].length;
  if (minute <= 59 && minuteOfDay <= MINUTES_PER_DAY) return minuteOfDay;
  throw invalid(
    cursor,
    `has the time ${quoted(match[0])} at character ${start + 1}: times run from 00:00 to 24:00`,
  );
}

/** The index of a name in a list. */
function readName(cursor: Cursor, names: readonly string[], expected: string): number {
  skipSpaces(cursor);
  const index = names.indexOf(wordAhead(cursor));
  if (index === -1) throw unexpected(cursor, expected);
  cursor.at += names[index]!.length;
  return index;
}

function wordAhead({ text, at }: Cursor): string {
  return /^[A-Za-z]*/.exec(text.slice(at))![0]; // also matches the empty word
}

function skipText(cursor: Cursor, text: string): boolean {
  const isAhead =
    cursor.text.startsWith(text, cursor.at) &&
    !/[A-Za-z0-9]/.test(cursor.text[cursor.at + text.length] ?? '');
  if (isAhead) cursor.at += text.length;
  return isAhead;
}

function skipSpaces(cursor: Cursor): void {
  while (peek(cursor) === ' ') cursor.at++;
}

/** Valid names of schedules in a file. */
export const SCHEDULE_NAME = /^[a-z][a-z0-9-]*$/;

/** Schedules by name, with their text. */
export type NamedSchedules = ReadonlyMap<string, Schedule>;

/**
 * Reads a parsed file of schedules:
 *
 *     office = "Mo-Fr 09:00-17:30; PH off"
 *     support = "24/7"
 *
 * Throws an {@link EntryFault} that names the entry and the expected value, or an `AggregateError` of all.
 */
export function readNamedSchedules(parsed: Readonly<Record<string, unknown>>): NamedSchedules {
  return new Map(
    resultsOf(
      ...Object.entries(parsed).map(
        ([name, text]) =>
          () =>
            [name, namedSchedule(name, text)] as const,
      ),
    ),
  );
}

function namedSchedule(name: string, text: unknown): Schedule {
  if (!SCHEDULE_NAME.test(name)) {
    const reason = `${quoted(name)}: a name is lower-case letters, digits and '-', a letter first`;
    throw new EntryFault([name], reason, 'key');
  }
  if (typeof text !== 'string')
    throw new EntryFault([name], `'${name}': a schedule is a text like "Mo-Fr 09:00-17:30"`);
  try {
    return parseOpeningHours(text, name);
  } catch (error) {
    throw new EntryFault([name], messageOf(error));
  }
}
