import { dayNumberOf, daysInMonth, SECONDS_PER_DAY } from '../common/civil.ts';
import { quoted, requireLength, type ServiceError, unreadable } from '../common/errors.ts';

export const MAX_RULE_LENGTH = 1000;
/** From the smallest unit up. */
export const FREQUENCIES = [
  'SECONDLY',
  'MINUTELY',
  'HOURLY',
  'DAILY',
  'WEEKLY',
  'MONTHLY',
  'YEARLY',
] as const;
export type Frequency = (typeof FREQUENCIES)[number];
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** A weekday in `BYDAY`; `ordinal` is the n-th in the month or year, counted from the end if negative, 0 for all. */
interface RuleWeekday {
  readonly weekday: number;
  readonly ordinal: number;
}

/** The parts of an `RRULE` (RFC 5545 §3.3.10); the lists of absent parts are empty. */
export interface RecurrenceRule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | null;
  readonly until: RuleTime | null;
  readonly bySecond: readonly number[];
  readonly byMinute: readonly number[];
  readonly byHour: readonly number[];
  readonly byDay: readonly RuleWeekday[];
  readonly byMonthDay: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byWeekNo: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  /** 0 is Sunday. */
  readonly weekStart: number;
}

/** A date-time of RFC 5545 §3.3.5, or a date (§3.3.4). */
interface RuleTime {
  /** Local time as if it were UTC, in seconds since 1970-01-01. */
  readonly localSeconds: number;
  readonly isUtc: boolean;
  readonly isDate: boolean;
}

/** `DTSTART` with its rule. */
export interface Recurrence {
  readonly start: RuleTime;
  /** `TZID` as given; null for a UTC or floating time. */
  readonly zoneName: string | null;
  readonly rule: RecurrenceRule;
}

/** Parses a `DTSTART` line and an `RRULE` line, which may be folded (RFC 5545 §3.1). Throws `INVALID_PARAMETER`. */
export function parseRecurrence(text: string, parameter: string): Recurrence {
  requireLength(text, MAX_RULE_LENGTH, parameter);
  const lines = text
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .filter(line => line !== '');
  const [first = '', second = ''] = lines;
  const [startLine, ruleLine] = /^RRULE:/i.test(first) ? [second, first] : [first, second];
  if (lines.length !== 2 || !/^DTSTART[;:]/i.test(startLine) || !/^RRULE:/i.test(ruleLine))
    throw unreadable(parameter, 'it is not a DTSTART line and an RRULE line, separated by a newline (%0A)');
  const { start, zoneName } = parseStart(startLine, parameter);
  const rule = parseRule(ruleLine.slice('RRULE:'.length), start, zoneName !== null, parameter);
  return { start, zoneName, rule };
}

function parseStart(line: string, parameter: string) {
  const colon = line.indexOf(':');
  const parameters = new Map<string, string>();
  for (const item of line.slice('DTSTART'.length, colon).split(';').slice(1)) {
    const given = item.split('=')[0]!;
    const [name, value] = [given.toUpperCase(), item.slice(given.length + 1)];
    if (name !== 'TZID' && name !== 'VALUE')
      throw unreadable(parameter, `DTSTART has the unknown parameter ${quoted(name)}`);
    if (value === '' || value === '""' || parameters.has(name))
      throw unreadable(parameter, `DTSTART has ${quoted(item)}: expected ${name} once, and with a value`);
    parameters.set(name, value);
  }
  const zoneName = parameters.get('TZID')?.replace(/^"(.*)"$/, '$1') ?? null;
  const value = parameters.get('VALUE')?.toUpperCase() ?? 'DATE-TIME';
  const start = parseTime(line.slice(colon + 1), 'DTSTART', parameter);
  if (value !== (start.isDate ? 'DATE' : 'DATE-TIME'))
    throw unreadable(
      parameter,
      'DTSTART with VALUE=DATE is a date like 20260415, else a time like 20260415T090000',
    );
  if (start.isUtc && zoneName !== null) throw unreadable(parameter, 'DTSTART is in UTC, and excludes TZID');
  return { start, zoneName };
}

const TIME = /^([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z)?)?$/i;

function parseTime(text: string, name: string, parameter: string): RuleTime {
  const match = TIME.exec(text);
  if (match === null)
    throw unreadable(parameter, `${name} has ${quoted(text)}: expected a time like 20260415T090000`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(digits => Number(digits ?? 0));
  const isValid = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isValid || hour > 23 || minute > 59 || second > 60)
    throw unreadable(parameter, `${name} has ${quoted(text)}, which does not exist`);
  return {
    localSeconds:
      dayNumberOf(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + Math.min(second, 59),
    isUtc: match[7] !== undefined,
    isDate: match[4] === undefined,
  };
}

/** The parts of an `RRULE` by name, as text. */
interface RuleParts {
  readonly texts: ReadonlyMap<string, string>;
  readonly parameter: string;
}

/** The names of all parts, as messages list them. */
const PART_NAMES =
  'FREQ, UNTIL, COUNT, INTERVAL, BYSECOND, BYMINUTE, BYHOUR, BYDAY, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYMONTH, BYSETPOS, WKST';

/** Parses the value of an `RRULE` line. */
function parseRule(value: string, start: RuleTime, hasZone: boolean, parameter: string): RecurrenceRule {
  const texts = new Map<string, string>();
  const parts = { texts, parameter };
  for (const part of value.split(';')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).toUpperCase();
    if (!PART_NAMES.split(', ').includes(name))
      throw wrongPart(parts, part, `expected one of ${PART_NAMES} with a value`);
    if (texts.has(name)) throw wrongPart(parts, part, `${name} is given twice`);
    texts.set(name, part.slice(equals + 1));
  }
  const frequency = choiceIn(parts, 'FREQ', FREQUENCIES);
  if (frequency === undefined)
    throw unreadable(parameter, `FREQ is missing: one of ${FREQUENCIES.join(', ')}`);
  const rule: RecurrenceRule = {
    frequency,
    interval: countIn(parts, 'INTERVAL') ?? 1,
    count: countIn(parts, 'COUNT'),
    until: untilIn(parts, start, hasZone),
    // 60, a leap second, becomes 59, as in times: the time scale has none.
    bySecond: [...new Set(listIn(parts, 'BYSECOND', 0, 60).map(second => Math.min(second, 59)))],
    byMinute: listIn(parts, 'BYMINUTE', 0, 59),
    byHour: listIn(parts, 'BYHOUR', 0, 23),
    byDay: weekdaysIn(parts),
    byMonthDay: listIn(parts, 'BYMONTHDAY', 1, 31, true),
    byYearDay: listIn(parts, 'BYYEARDAY', 1, 366, true),
    byWeekNo: listIn(parts, 'BYWEEKNO', 1, 53, true),
    byMonth: listIn(parts, 'BYMONTH', 1, 12),
    bySetPos: listIn(parts, 'BYSETPOS', 1, 366, true),
    weekStart: WEEKDAYS.indexOf(choiceIn(parts, 'WKST', WEEKDAYS) ?? 'MO'),
  };
  rejectContradictions(rule, start, parts);
  return rule;
}

/** Rejects combinations forbidden by RFC 5545 §3.3.10. */
function rejectContradictions(
  { frequency, count, until, byDay }: RecurrenceRule,
  { isDate }: RuleTime,
  { texts, parameter }: RuleParts,
): void {
  const exclude = (name: string, isExcluded: boolean, reason: string) => {
    if (isExcluded && texts.has(name)) throw unreadable(parameter, `${name} ${reason}`);
  };
  const isShort = !['MONTHLY', 'YEARLY'].includes(frequency);
  exclude('COUNT', count !== null && until !== null, 'excludes UNTIL');
  exclude('BYWEEKNO', frequency !== 'YEARLY', 'requires FREQ=YEARLY');
  const isWithinYear = ['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency);
  exclude('BYYEARDAY', isWithinYear, `is excluded by FREQ=${frequency}`);
  exclude('BYMONTHDAY', frequency === 'WEEKLY', 'is excluded by FREQ=WEEKLY');
  const hasOrdinals = byDay.some(({ ordinal }) => ordinal !== 0);
  exclude('BYDAY', hasOrdinals && isShort, 'with a number requires FREQ=MONTHLY or FREQ=YEARLY');
  exclude('BYDAY', hasOrdinals && texts.has('BYWEEKNO'), 'with a number is excluded by BYWEEKNO');
  const hasOtherPart = [...texts.keys()].some(name => name.startsWith('BY') && name !== 'BYSETPOS');
  exclude('BYSETPOS', !hasOtherPart, 'requires another BY part');
  for (const name of ['BYHOUR', 'BYMINUTE', 'BYSECOND'])
    exclude(name, isDate, 'is excluded by a DTSTART that is a date');
  const isBelowDaily = FREQUENCIES.indexOf(frequency) < FREQUENCIES.indexOf('DAILY');
  exclude('FREQ', isDate && isBelowDaily, 'is of a time unit below a day, and DTSTART is a date');
}

function untilIn(parts: RuleParts, start: RuleTime, hasZone: boolean): RuleTime | null {
  const text = parts.texts.get('UNTIL');
  if (text === undefined) return null;
  const until = parseTime(text, 'UNTIL', parts.parameter);
  const isSameType =
    until.isDate === start.isDate && (until.isUtc || !(start.isUtc || hasZone) || start.isDate);
  if (isSameType) return until;
  const expected = start.isDate ? 'a date, as DTSTART is' : 'a time in UTC like 20261224T000000Z';
  throw wrongPart(parts, text, `UNTIL is ${expected}`);
}

function choiceIn<Word extends string>(
  parts: RuleParts,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = parts.texts.get(name)?.toUpperCase();
  const word = words.find(candidate => candidate === text);
  if (text !== undefined && word === undefined)
    throw wrongPart(parts, text, `${name} is one of ${words.join(', ')}`);
  return word;
}

function countIn(parts: RuleParts, name: string): number | null {
  const text = parts.texts.get(name);
  if (text === undefined) return null;
  const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (count === 0) throw wrongPart(parts, text, `${name} is a number of at least 1 and at most nine digits`);
  return count;
}

/** A list of numbers, ascending; if signed, negative ones count from the end. A space is a `+` decoded in a query. */
function listIn(parts: RuleParts, name: string, first: number, last: number, isSigned = false): number[] {
  const pattern = isSigned ? /^[+ -]?[0-9]{1,3}$/ : /^[0-9]{1,2}$/;
  const numbers = parts.texts
    .get(name)
    ?.split(',')
    .map(item => {
      const number = pattern.test(item) ? Number(item.trim()) : Number.NaN;
      if (Math.abs(number) >= first && Math.abs(number) <= last) return number;
      const expected = `${name} has numbers from ${first} to ${last}${isSigned ? ', or negative ones' : ''}`;
      throw wrongPart(parts, item, expected);
    });
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function weekdaysIn(parts: RuleParts): RuleWeekday[] {
  const items = parts.texts.get('BYDAY')?.split(',') ?? [];
  return items.map(item => {
    const match = /^([+ -]?[0-9]{1,2})?([A-Z]{2})$/i.exec(item);
    const weekday = WEEKDAYS.indexOf(match?.[2]?.toUpperCase() ?? '');
    const ordinal = Number(match?.[1]?.trim() ?? 0);
    if (weekday !== -1 && Math.abs(ordinal) <= 53 && (ordinal !== 0 || match?.[1] === undefined))
      return { weekday, ordinal };
    throw wrongPart(parts, item, 'BYDAY has weekdays like MO, 1FR or -1SU');
  });
}

function wrongPart({ parameter }: RuleParts, text: string, reason: string): ServiceError {
  return unreadable(parameter, `RRULE has ${quoted(text)}: ${reason}`);
}
