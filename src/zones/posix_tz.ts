import { civilDateOf, dayNumberOf, isLeapYear, weekdayOf } from '../common/civil.ts';
import { firstWhere } from '../common/sorted_list.ts';

/**
 * POSIX TZ strings, as in the footer of a TZif file (RFC 9636 §3.3.2, POSIX.1-2024 §8.3):
 * `EST5EDT,M3.2.0,M11.1.0`, `<-02>2<-01>,M3.5.0/-1,M10.5.0/0`, `UTC0`.
 */

/** A local time type (RFC 9636 §3.2): an offset from UTC, its abbreviation, and whether the data flags it as DST. */
export interface LocalTimeType {
  /** Seconds to add to UTC for local time; east is positive. */
  readonly offsetSeconds: number;
  readonly abbreviation: string;
  readonly isDst: boolean;
}

export function isSameType(a: LocalTimeType, b: LocalTimeType): boolean {
  return a.offsetSeconds === b.offsetSeconds && a.isDst === b.isDst && a.abbreviation === b.abbreviation;
}

/** A day of each year: `Jn` (1–365, never February 29), `n` (0–365), or `Mm.w.d` (week 5 is the last one). */
type YearlyDay =
  | { readonly kind: 'julian'; readonly day: number }
  | { readonly kind: 'ordinal'; readonly day: number }
  | { readonly kind: 'weekday'; readonly month: number; readonly week: number; readonly weekday: number };

/** The yearly time of a change: on a day, by the clock before the change. */
export interface YearlyTime {
  readonly day: YearlyDay;
  /** Seconds after that day's 00:00, from −167 h to 167 h. */
  readonly secondsOfDay: number;
}

/** A yearly rule: standard time, with or without DST from `start` to `end`. */
export interface PosixTimeZone {
  readonly text: string;
  readonly standard: LocalTimeType;
  readonly daylight: {
    readonly type: LocalTimeType;
    readonly start: YearlyTime;
    readonly end: YearlyTime;
  } | null;
}

const NAME = '([A-Za-z]{3,32}|<[A-Za-z0-9+-]{3,32}>)';
const OFFSET = '([+-]?[0-9]{1,2}(?::[0-5][0-9]){0,2})';
const CHANGE = '([JM0-9.]{1,8})(?:/([+-]?[0-9]{1,3}(?::[0-5][0-9]){0,2}))?';
const PATTERN = new RegExp(`^${NAME}${OFFSET}(?:${NAME}${OFFSET}?,${CHANGE},${CHANGE})?$`);

const MAX_OFFSET_HOURS = 24;
const MAX_RULE_HOURS = 167; // RFC 9636 §3.3.2; POSIX itself ends at 24
const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3600;

/** Parses a TZ string. Throws an `Error` that quotes it if it is malformed. */
export function parsePosixTz(text: string): PosixTimeZone {
  const [match, name, offset, dstName, dstOffset, startDay, startTime, endDay, endTime] =
    PATTERN.exec(text) ?? [];
  if (match === undefined) throw malformed(text);
  // POSIX offsets are positive west of Greenwich. Not `-secondsOf`, which would turn 0 into −0.
  const offsetSeconds = 0 - secondsOf(offset!, MAX_OFFSET_HOURS, text);
  const standard = { offsetSeconds, abbreviation: unquoted(name!), isDst: false };
  if (dstName === undefined) return { text, standard, daylight: null };
  const type = {
    // DST defaults to one hour ahead.
    offsetSeconds:
      dstOffset === undefined
        ? offsetSeconds + SECONDS_PER_HOUR
        : 0 - secondsOf(dstOffset, MAX_OFFSET_HOURS, text),
    abbreviation: unquoted(dstName),
    isDst: true,
  };
  const start = changeOf(startDay!, startTime, text);
  return { text, standard, daylight: { type, start, end: changeOf(endDay!, endTime, text) } };
}

/** The instant, in epoch seconds, of a change in a year, given the offset before it. */
function yearlyChangeAt(change: YearlyTime, year: number, offsetSeconds: number): number {
  return dayOfYear(change.day, year) * SECONDS_PER_DAY + change.secondsOfDay - offsetSeconds;
}

function dayOfYear(rule: YearlyDay, year: number): number {
  if (rule.kind === 'ordinal') return dayNumberOf(year, 1, 1) + rule.day;
  if (rule.kind === 'julian') {
    const afterLeapDay = rule.day >= 60 && isLeapYear(year) ? 1 : 0;
    return dayNumberOf(year, 1, rule.day) + afterLeapDay;
  }
  const { month, week, weekday } = rule;
  // The first of the seven possible days.
  const first = week === 5 ? dayNumberOf(year, month + 1, -6) : dayNumberOf(year, month, 7 * week - 6);
  return first + ((weekday - weekdayOf(first) + 7) % 7);
}

/** The time defaults to 02:00. */
function changeOf(day: string, time: string | undefined, text: string): YearlyTime {
  return { day: yearlyDayOf(day, text), secondsOfDay: secondsOf(time ?? '2', MAX_RULE_HOURS, text) };
}

function yearlyDayOf(day: string, text: string): YearlyDay {
  const [isWeekday, month, week, weekday] = /^M(0?[1-9]|1[0-2])\.([1-5])\.([0-6])$/.exec(day) ?? [];
  if (isWeekday) {
    return { kind: 'weekday', month: Number(month), week: Number(week), weekday: Number(weekday) };
  }
  if (/^J\d{1,3}$/.test(day)) return { kind: 'julian', day: within(Number(day.slice(1)), 1, 365, text) };
  if (/^\d{1,3}$/.test(day)) return { kind: 'ordinal', day: within(Number(day), 0, 365, text) };
  throw malformed(text);
}

/** `[+-]h[:mm[:ss]]` in seconds. */
function secondsOf(clock: string, maxHours: number, text: string): number {
  const [hours, minutes = 0, seconds = 0] = clock.replace(/^[+-]/, '').split(':').map(Number);
  const total = within(hours!, 0, maxHours, text) * SECONDS_PER_HOUR + minutes * 60 + seconds;
  return clock.startsWith('-') ? 0 - total : total;
}

function within(value: number, least: number, most: number, text: string): number {
  if (value < least || value > most) throw malformed(text);
  return value;
}

function unquoted(name: string): string {
  return name.startsWith('<') ? name.slice(1, -1) : name;
}

function malformed(text: string): Error {
  return new Error(`${JSON.stringify(text.slice(0, 80))} is not a POSIX TZ string`);
}

const FIRST_YEAR = 2000;
const YEARS = 400;
const CYCLE_SECONDS = 146_097 * SECONDS_PER_DAY; // 400 Gregorian years, which are whole weeks
const CYCLE_START_SECONDS = dayNumberOf(FIRST_YEAR, 1, 1) * SECONDS_PER_DAY;

/** A change of a yearly rule: DST starts or ends. */
interface YearlyChange {
  readonly epochSeconds: number;
  readonly isStart: boolean;
}

/**
 * The changes of a yearly rule over one cycle of the Gregorian calendar. After 400 years every date falls on the same
 * weekday again, so about 800 instants cover all years.
 */
export class YearlyCycle {
  /** Instants of change in epoch seconds, ascending, within the 400 years; alternately start and end of DST. */
  readonly #changes: Float64Array;
  readonly #firstIsStart: boolean;

  /** The cycle of a rule that has changes. */
  constructor(rule: PosixTimeZone) {
    const changes = yearlyChanges(rule, FIRST_YEAR - 2, FIRST_YEAR + YEARS + 1).filter(({ epochSeconds }) => {
      const sinceStart = epochSeconds - CYCLE_START_SECONDS;
      return sinceStart >= 0 && sinceStart < CYCLE_SECONDS;
    });
    this.#changes = Float64Array.from(changes, change => change.epochSeconds);
    this.#firstIsStart = changes[0]!.isStart;
  }

  /** The time between two changes that contains an instant, in epoch seconds. */
  spanAt(epochSeconds: number) {
    const changes = this.#changes;
    const cycles = Math.floor((epochSeconds - CYCLE_START_SECONDS) / CYCLE_SECONDS);
    const base = cycles * CYCLE_SECONDS;
    const index = countUpTo(changes, epochSeconds - base);
    const from = index === 0 ? changes.at(-1)! - CYCLE_SECONDS : changes[index - 1]!;
    const until = index === changes.length ? changes[0]! + CYCLE_SECONDS : changes[index]!;
    return { from: base + from, until: base + until, isDaylight: (index % 2 === 1) === this.#firstIsStart };
  }
}

/**
 * The changes of a rule in the two years after an instant, in order. None without DST, and none for permanent DST, which
 * TZif writes as `XXX3EDT4,0/0,J365/23` (RFC 9636 §3.3.2).
 */
export function yearlyChangesAfter(rule: PosixTimeZone, epochSeconds: number): YearlyChange[] {
  const { year } = civilDateOf(Math.floor(epochSeconds / SECONDS_PER_DAY));
  const changes = yearlyChanges(rule, year - 2, year + 3);
  const until = epochSeconds + 2 * SECONDS_PER_YEAR;
  return changes.filter(change => change.epochSeconds > epochSeconds && change.epochSeconds <= until);
}

/** The changes in some years, in order; at the first and last day of the range one may be missing or superfluous. */
function yearlyChanges(
  { standard, daylight }: PosixTimeZone,
  firstYear: number,
  lastYear: number,
): YearlyChange[] {
  if (daylight === null) return [];
  // A start is encoded as 2t + 1 and an end as 2t, so that they sort as numbers. If one year's DST ends at the instant at
  // which the next year's starts, the start wins, since it sorts last.
  const codes = new Float64Array(2 * (lastYear - firstYear + 1));
  for (let year = firstYear; year <= lastYear; year++) {
    const index = 2 * (year - firstYear);
    codes[index] = 2 * yearlyChangeAt(daylight.start, year, standard.offsetSeconds) + 1;
    codes[index + 1] = 2 * yearlyChangeAt(daylight.end, year, daylight.type.offsetSeconds);
  }
  codes.sort();
  const changes: YearlyChange[] = [];
  let isDaylight: boolean | undefined;
  for (let index = 0; index < codes.length; index++) {
    const epochSeconds = Math.floor(codes[index]! / 2);
    const isStart = codes[index]! % 2 !== 0;
    const isUndone = index + 1 < codes.length && Math.floor(codes[index + 1]! / 2) === epochSeconds;
    if (isUndone || isStart === isDaylight) continue;
    if (isDaylight !== undefined) changes.push({ epochSeconds, isStart });
    isDaylight = isStart;
  }
  return changes;
}

/** The number of ascending values that are at most `limit`. */
export function countUpTo(values: Float64Array, limit: number): number {
  return firstWhere(0, values.length, index => values[index]! > limit);
}

/**
 * tzdata's main format flags Ireland's winter time as DST with a saving of −1 h, since Irish law defines summer time as
 * the standard one; likewise Morocco's Ramadan (2019–2026), Namibia's winters (1994–2017) and Czechoslovakia's winter
 * of 1946. In common usage, DST is what the rearguard format flags: the time of year when clocks are ahead. These functions
 * convert from the main format to the rearguard format.
 */

const SECONDS_PER_YEAR = 366 * SECONDS_PER_DAY;

/** A yearly rule with rearguard flags: swapped if its DST is behind its standard time. */
export function rearguardRule(rule: PosixTimeZone): PosixTimeZone {
  const { standard, daylight } = rule;
  if (daylight === null || daylight.type.offsetSeconds >= standard.offsetSeconds) return rule;
  return {
    ...rule,
    standard: { ...standard, isDst: true },
    daylight: { ...daylight, type: { ...daylight.type, isDst: false } },
  };
}

/**
 * The types between transitions (`types[i]` holds before `transitions[i]`) with rearguard flags.
 *
 * A flagged type that is behind its unflagged neighbours is negative DST and becomes standard time. Its neighbours
 * become DST, unless they are standard time even so: if they last a year or longer (Ireland 1968–1971, Namibia since
 * 2017), or are next to a flagged type that is ahead of them (Prague around that winter).
 */
export function rearguardTypes(
  transitions: Float64Array,
  types: readonly LocalTimeType[],
): readonly LocalTimeType[] {
  if (!types.some((_, index) => isNegative(types, index))) return types;
  return types.map((type, index) => {
    if (isNegative(types, index)) return { ...type, isDst: false };
    const bordersNegative = isNegative(types, index - 1) || isNegative(types, index + 1);
    if (type.isDst || !bordersNegative) return type;
    const lasts = (transitions[index] ?? Infinity) - (transitions[index - 1] ?? -Infinity);
    const bordersPositive = [types[index - 1], types[index + 1]].some(
      neighbour => neighbour?.isDst === true && neighbour.offsetSeconds > type.offsetSeconds,
    );
    return { ...type, isDst: lasts < SECONDS_PER_YEAR && !bordersPositive };
  });
}

/**
 * Whether a type is flagged as DST and both neighbours are unflagged and ahead of it; at either end of the list one is
 * enough. Elsewhere both are needed: Iqaluit starts with war time after "-00", which is ahead of it.
 */
function isNegative(types: readonly LocalTimeType[], index: number): boolean {
  const type = types[index];
  if (type?.isDst !== true || types.length === 1) return false;
  const isAhead = (neighbour: LocalTimeType | undefined) =>
    neighbour === undefined || (!neighbour.isDst && neighbour.offsetSeconds > type.offsetSeconds);
  return isAhead(types[index - 1]) && isAhead(types[index + 1]);
}
