/**
 * The occurrences of recurrence rules by brute force: every day from 1994 through 2450 is tested against the table in RFC 5545
 * §3.3.10, with a calendar built day by day.
 */
import type { Zone } from '../../src/zones/zone.ts';

const DAY = 86_400;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const FIRST_YEAR = 1994;
/** The calendar repeats after 400 years. */
const LAST_YEAR = 2450;
/** For periods below DAILY. */
const MAX_VISITS = 1_000_000;
/** Days since 1970-01-01. */
const FIRST_DAY = Date.UTC(FIRST_YEAR, 0, 1) / DAY / 1000;

/** A day of a common or leap year. */
interface Day {
  readonly month: number;
  readonly day: number;
  readonly lengthOfMonth: number;
  readonly yearDay: number;
  readonly lengthOfYear: number;
}

const [COMMON_YEAR, LEAP_YEAR] = [28, 29].map(february => {
  const lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const dates = lengths.flatMap((lengthOfMonth, index) =>
    Array.from({ length: lengthOfMonth }, (_, day) => ({ month: index + 1, day: day + 1, lengthOfMonth })),
  );
  return dates.map((date, index) => ({ ...date, yearDay: index + 1, lengthOfYear: dates.length }));
}) as [Day[], Day[]];

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysOf = (year: number) => (isLeap(year) ? LEAP_YEAR : COMMON_YEAR);

/** The year of each day from {@link FIRST_DAY} on, and the first day of each year. */
const YEARS: number[] = [];
const FIRST_DAYS = new Map<number, number>();
// One more year, in which the last week may end.
for (let year = FIRST_YEAR; year <= LAST_YEAR + 1; year++) {
  FIRST_DAYS.set(year, FIRST_DAY + YEARS.length);
  for (const _ of daysOf(year)) YEARS.push(year);
}
/** The first untested day. */
const END_DAY = FIRST_DAYS.get(LAST_YEAR + 1)!;

/** Occurrences before this instant are found, in epoch seconds; below DAILY fewer if a million periods have none. */
export const HORIZON = (END_DAY - 1) * DAY;

function yearAt(dayNumber: number): number {
  return YEARS[dayNumber - FIRST_DAY]!;
}

function dayAt(dayNumber: number): Day {
  const year = yearAt(dayNumber);
  return daysOf(year)[dayNumber - FIRST_DAYS.get(year)!]!;
}

/** 0 is Sunday; 1970-01-01 was a Thursday. */
function weekdayAt(dayNumber: number): number {
  return (dayNumber + 4) % 7;
}

/** A parsed rule. */
class Rule {
  readonly frequency: string;
  readonly interval: number;
  readonly count: number;
  readonly startLocal: number;
  readonly weekStart: number;
  readonly weekdays: readonly { readonly weekday: number; readonly ordinal: number }[];
  readonly #numbers: ReadonlyMap<string, readonly number[]>;

  constructor(text: string) {
    const [, start, rule] = /^DTSTART;TZID=[^:]+:([0-9T]+)\nRRULE:(.+)$/.exec(text)!;
    const parts = new Map(rule!.split(';').map(part => part.split('=') as [string, string]));
    const [year, month, day, hour, minute, second] = /(....)(..)(..)T(..)(..)(..)/
      .exec(start!)!
      .slice(1)
      .map(Number);
    this.startLocal = Date.UTC(year!, month! - 1, day, hour, minute, second) / 1000;
    this.frequency = parts.get('FREQ')!;
    this.interval = Number(parts.get('INTERVAL') ?? 1);
    this.count = Number(parts.get('COUNT') ?? Number.POSITIVE_INFINITY);
    this.weekStart = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO');
    this.weekdays = (parts.get('BYDAY')?.split(',') ?? []).map(item => ({
      weekday: WEEKDAYS.indexOf(item.slice(-2)),
      ordinal: Number(item.slice(0, -2)),
    }));
    this.#numbers = new Map([...parts].map(([name, value]) => [name, value.split(',').map(Number)]));
  }

  has(part: string): boolean {
    return this.#numbers.has(part);
  }

  numbers(part: string): readonly number[] {
    return this.#numbers.get(part) ?? [];
  }

  /** Whether a part is absent or contains a number. */
  allows(part: string, number: number): boolean {
    return this.#numbers.get(part)?.includes(number) ?? true;
  }

  /** Whether a part is absent or contains a position from 1 through `length`, counted from the beginning or the end. */
  allowsPosition(part: string, position: number, length: number): boolean {
    return this.allows(part, position) || this.allows(part, position - length - 1);
  }
}

/** Whether all parts of a rule allow a day, with unspecified parts taken from DTSTART. */
function matcherOf(rule: Rule): (dayNumber: number) => boolean {
  const startDay = Math.floor(rule.startLocal / DAY);
  const start = dayAt(startDay);
  const { frequency } = rule;
  const hasDays = ['BYYEARDAY', 'BYMONTHDAY', 'BYDAY'].some(part => rule.has(part));
  const hasWeekdayOfStart = !hasDays && (frequency === 'WEEKLY' || rule.has('BYWEEKNO'));
  const hasDateOfStart = !hasDays && !hasWeekdayOfStart && ['MONTHLY', 'YEARLY'].includes(frequency);
  const hasMonthOfStart = hasDateOfStart && frequency === 'YEARLY' && !rule.has('BYMONTH');
  const isOrdinalOfMonth = frequency === 'MONTHLY' || rule.has('BYMONTH');
  const isWeekdayOfRule = (dayNumber: number, { day, lengthOfMonth, yearDay, lengthOfYear }: Day) => {
    const [position, length] = isOrdinalOfMonth ? [day, lengthOfMonth] : [yearDay, lengthOfYear];
    const ordinals = [0, Math.ceil(position / 7), -Math.ceil((length - position + 1) / 7)];
    return rule.weekdays.some(
      ({ weekday, ordinal }) => weekday === weekdayAt(dayNumber) && ordinals.includes(ordinal),
    );
  };
  return dayNumber => {
    const day = dayAt(dayNumber);
    return (
      rule.allows('BYMONTH', day.month) &&
      (!hasMonthOfStart || day.month === start.month) &&
      (!hasDateOfStart || day.day === start.day) &&
      (!hasWeekdayOfStart || weekdayAt(dayNumber) === weekdayAt(startDay)) &&
      rule.allowsPosition('BYYEARDAY', day.yearDay, day.lengthOfYear) &&
      rule.allowsPosition('BYMONTHDAY', day.day, day.lengthOfMonth) &&
      (rule.weekdays.length === 0 || isWeekdayOfRule(dayNumber, day)) &&
      (!rule.has('BYWEEKNO') || isInWeeks(rule, dayNumber))
    );
  };
}

/** A week belongs to the year of its fourth day, which has at least four of its days. */
function isInWeeks(rule: Rule, dayNumber: number): boolean {
  const fourth = dayAt(dayNumber - ((weekdayAt(dayNumber) - rule.weekStart + 7) % 7) + 3);
  const weeks = Math.ceil(fourth.yearDay / 7) + Math.floor((fourth.lengthOfYear - fourth.yearDay) / 7);
  return rule.allowsPosition('BYWEEKNO', Math.ceil(fourth.yearDay / 7), weeks);
}

/** The elements of an ordered set that BYSETPOS selects. */
function positioned(rule: Rule, set: readonly number[]): readonly number[] {
  return rule.has('BYSETPOS')
    ? set.filter((_, index) => rule.allowsPosition('BYSETPOS', index + 1, set.length))
    : set;
}

/** The instant of a local time: the first of two, or with the offset before the gap if it is skipped (§3.3.5). */
function instantOf(zone: Zone, local: number): number {
  const offsets = [local - DAY, local + DAY].map(at => zone.periodAt(at).offsetSeconds);
  const instants = offsets.map(offset => local - offset);
  const shown = instants.filter(at => at + zone.periodAt(at).offsetSeconds === local);
  return shown.length > 0 ? Math.min(...shown) : instants[0]!;
}

function isShown(zone: Zone, local: number): boolean {
  const at = instantOf(zone, local);
  return at + zone.periodAt(at).offsetSeconds === local;
}

/** The occurrences found by a search, and whether it ended before its bound. */
export interface SearchResult {
  readonly found: readonly number[];
  readonly isFinished: boolean;
}

/**
 * The first occurrences of a rule, `DTSTART;TZID=…` with `RRULE:…`, in epoch seconds, up to {@link HORIZON}. From DAILY on,
 * skipped times are moved according to §3.3.5, or omitted according to §3.3.10 on nonexistent times.
 */
export function occurrencesByBruteForce(
  text: string,
  zone: Zone,
  most: number,
  skipped: 'moved' | 'omitted' = 'moved',
): SearchResult {
  const visits = { count: 0 };
  const rule = new Rule(text);
  const startAt = instantOf(zone, rule.startLocal);
  const wanted = Math.min(most, rule.count);
  const found: number[] = [];
  const isShort = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(rule.frequency);
  for (const set of isShort ? setsOfTimes(rule, zone, startAt, visits) : setsOfDays(rule, zone, skipped)) {
    for (const at of [...set].sort((a, b) => a - b))
      if (at >= startAt && at !== found.at(-1) && found.length < wanted) found.push(at);
    if (found.length === wanted) break;
  }
  return { found: found.filter(at => at < HORIZON), isFinished: visits.count < MAX_VISITS };
}

/** The sets of a rule of DAILY or above, one for each applicable period, as instants. */
function* setsOfDays(rule: Rule, zone: Zone, skipped: 'moved' | 'omitted'): Generator<readonly number[]> {
  const matches = matcherOf(rule);
  const startDay = Math.floor(rule.startLocal / DAY);
  const weekOf = (dayNumber: number) => Math.floor((dayNumber + 4 - rule.weekStart) / 7);
  const periodOf = (dayNumber: number) => {
    if (rule.frequency === 'DAILY') return dayNumber;
    if (rule.frequency === 'WEEKLY') return weekOf(dayNumber);
    const year = yearAt(dayNumber);
    return rule.frequency === 'MONTHLY' ? year * 12 + dayAt(dayNumber).month : year;
  };
  const times = timesOfDay(rule);
  const first = periodOf(startDay);
  let period = first;
  let days: number[] = [];
  // Starts with the period of DTSTART, since a set covers its whole period.
  for (let dayNumber = FIRST_DAY; dayNumber <= END_DAY; dayNumber++) {
    const next = periodOf(dayNumber);
    if (next < first) continue;
    if (next !== period || dayNumber === END_DAY) {
      const locals = days
        .flatMap(day => times.map(time => day * DAY + time))
        .filter(local => skipped === 'moved' || isShown(zone, local));
      if (locals.length > 0) yield positioned(rule, locals).map(local => instantOf(zone, local));
      days = [];
      period = next;
    }
    if ((next - first) % rule.interval === 0 && matches(dayNumber)) days.push(dayNumber);
  }
}

/** The times of a day in order. */
function timesOfDay(rule: Rule): number[] {
  const [hours, minutes, seconds] = (
    [
      ['BYHOUR', 3600, 24],
      ['BYMINUTE', 60, 60],
      ['BYSECOND', 1, 60],
    ] as const
  ).map(([part, unit, count]) =>
    rule.has(part) ? rule.numbers(part) : [Math.floor(rule.startLocal / unit) % count],
  ) as [number[], number[], number[]];
  return hours
    .flatMap(hour => minutes.flatMap(minute => seconds.map(second => hour * 3600 + minute * 60 + second)))
    .sort((a, b) => a - b);
}

/** The same below DAILY: every period of elapsed time is visited, except in excluded days, hours and minutes. */
function* setsOfTimes(
  rule: Rule,
  zone: Zone,
  startAt: number,
  visits: { count: number },
): Generator<readonly number[]> {
  const matches = matcherOf(rule);
  const unit = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 }[rule.frequency]!;
  const step = unit * rule.interval;
  // All sets have the same size: BYSETPOS may select nothing from any.
  if (positioned(rule, timesOfPeriod(rule, rule.startLocal, unit)).length === 0) return;
  if (!leadsToAllowedTime(rule, zone, startAt, step, unit)) return;
  let at = startAt;
  for (; visits.count < MAX_VISITS; visits.count++) {
    const { offsetSeconds, untilEpochSeconds } = zone.periodAt(at);
    const local = at + offsetSeconds;
    if (local >= END_DAY * DAY) return;
    const excluded = excludedSeconds(rule, matches, local, unit);
    if (excluded === 0) {
      yield positioned(rule, timesOfPeriod(rule, local, unit)).map(time => at - local + time);
      at += step;
    } else {
      const from = Math.min(at + excluded, untilEpochSeconds);
      at = startAt + Math.ceil((from - startAt) / step) * step;
    }
  }
}

/** Whether steps lead to an allowed time of day: tries as many as a day has seconds, with all offsets of the zone. */
function leadsToAllowedTime(rule: Rule, zone: Zone, startAt: number, step: number, unit: number): boolean {
  const offsets = new Set<number>();
  for (let at = startAt; at < END_DAY * DAY; at = zone.periodAt(at).untilEpochSeconds)
    offsets.add(zone.periodAt(at).offsetSeconds);
  for (const offset of offsets) {
    for (let steps = 0, local = startAt + offset; steps < DAY; steps++, local += step)
      if (excludedSeconds(rule, () => true, local, unit) === 0) return true;
  }
  return false;
}

/** The time until the next allowed period begins; 0 if one begins at once. */
function excludedSeconds(
  rule: Rule,
  matches: (dayNumber: number) => boolean,
  local: number,
  unit: number,
): number {
  if (!matches(Math.floor(local / DAY))) return DAY - (local % DAY);
  if (!rule.allows('BYHOUR', Math.floor(local / 3600) % 24)) return 3600 - (local % 3600);
  if (unit <= 60 && !rule.allows('BYMINUTE', Math.floor(local / 60) % 60)) return 60 - (local % 60);
  return unit > 1 || rule.allows('BYSECOND', local % 60) ? 0 : 1;
}

/** The local times of the hour, minute or second around one. */
function timesOfPeriod(rule: Rule, local: number, unit: number): number[] {
  const start = local - (local % unit);
  const minutes =
    unit === 3600 && rule.has('BYMINUTE') ? rule.numbers('BYMINUTE') : [Math.floor((local - start) / 60)];
  const seconds = unit > 1 && rule.has('BYSECOND') ? rule.numbers('BYSECOND') : [local % 60];
  const times = minutes.flatMap(minute =>
    seconds.map(second => start + minute * 60 + (unit > 1 ? second : 0)),
  );
  return times.sort((a, b) => a - b);
}
