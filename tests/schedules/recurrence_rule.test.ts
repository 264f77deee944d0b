/**
 * The occurrences of recurrence rules by brute force: every day from 1994 through 2450 is tested against the table in RFC 5545
 * §3.3.10, with a calendar built day by day.
 */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { parseRecurrence } from '../../src/schedules/recurrence_rule.ts';
import { countBefore } from '../../src/schedules/rule_count.ts';
import { instantsFrom } from '../../src/schedules/rule_instants.ts';
import { ruleOccurrences } from '../../src/schedules/rule_occurrences.ts';
import { type RuleClock, searchOf } from '../../src/schedules/rule_search.ts';
import { resolveLocalTime } from '../../src/zones/local_time.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { expectNoDifferences, runs, sampleNumbers } from '../support/proof.ts';
import { pick, type Random } from '../support/property.ts';
import { rowsIn } from '../support/rows.ts';
import { isoOf, zoneOf } from '../support/zones.ts';

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
const HORIZON = (END_DAY - 1) * DAY;

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

/** The occurrences found by a search, and whether it ended before its bound. */
interface SearchResult {
  readonly found: readonly number[];
  readonly isFinished: boolean;
}

/** The first occurrences of a rule, `DTSTART;TZID=…` with `RRULE:…`, in epoch seconds, up to {@link HORIZON}. */
function occurrencesByBruteForce(text: string, zone: Zone, most: number): SearchResult {
  const visits = { count: 0 };
  const rule = new Rule(text);
  const startAt = instantOf(zone, rule.startLocal);
  const wanted = Math.min(most, rule.count);
  const found: number[] = [];
  const isShort = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(rule.frequency);
  for (const set of isShort ? setsOfTimes(rule, zone, startAt, visits) : setsOfDays(rule, zone)) {
    for (const at of [...set].sort((a, b) => a - b))
      if (at >= startAt && at !== found.at(-1) && found.length < wanted) found.push(at);
    if (found.length === wanted) break;
  }
  return { found: found.filter(at => at < HORIZON), isFinished: visits.count < MAX_VISITS };
}

/** The sets of a rule of DAILY or above, one for each applicable period, as instants. */
function* setsOfDays(rule: Rule, zone: Zone): Generator<readonly number[]> {
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
      const locals = days.flatMap(day => times.map(time => day * DAY + time));
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

const RULE_DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

function listOf(random: Random, most: number, item: () => number | string): string {
  const items = new Set(Array.from({ length: 1 + Math.floor(random() * most) }, item));
  return [...items].join(',');
}

function whole(random: Random, first: number, last: number): number {
  return first + Math.floor(random() * (last - first + 1));
}

function signed(random: Random, last: number): number {
  return whole(random, 1, last) * (random() < 0.3 ? -1 : 1);
}

/** An RFC 5545 rule without `DTSTART`, with any frequency and any of the parts allowed for it. */
function randomRule(random: Random): string {
  const frequency = pick(random, ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY']);
  const isSubdaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(frequency);
  const parts = [`FREQ=${frequency}`];
  const maybe = (chance: number, name: string, value: () => string) => {
    if (random() < chance) parts.push(`${name}=${value()}`);
  };
  maybe(
    0.4,
    'INTERVAL',
    () => `${pick(random, isSubdaily ? [2, 3, 5, 7, 12, 25, 45, 100] : [2, 3, 4, 5, 7, 12])}`,
  );
  maybe(0.2, 'COUNT', () => `${whole(random, 1, 30)}`);
  maybe(0.3, 'BYMONTH', () => listOf(random, 4, () => whole(random, 1, 12)));
  const takesWeekNo = frequency === 'YEARLY' && random() < 0.15;
  // Weeks that extend into an adjacent year: RFC 5545 does not say to which year their days belong.
  const [firstWeek, lastWeek] = parts.some(part => part.startsWith('INTERVAL')) ? [3, 50] : [1, 53];
  const week = () => whole(random, firstWeek, lastWeek) * (random() < 0.3 ? -1 : 1);
  if (takesWeekNo) parts.push(`BYWEEKNO=${listOf(random, 3, week)}`);
  if (!['DAILY', 'WEEKLY', 'MONTHLY'].includes(frequency) && !takesWeekNo)
    maybe(0.1, 'BYYEARDAY', () => listOf(random, 4, () => signed(random, 366)));
  const has = (name: string) => parts.some(part => part.startsWith(`${name}=`));
  if (frequency !== 'WEEKLY') maybe(0.2, 'BYMONTHDAY', () => listOf(random, 4, () => signed(random, 31)));
  const takesOrdinals = ['MONTHLY', 'YEARLY'].includes(frequency) && !takesWeekNo && random() < 0.5;
  const ordinals = frequency === 'MONTHLY' || has('BYMONTH') ? 5 : 52;
  const ordinal = () => (takesOrdinals ? signed(random, ordinals) : '');
  maybe(takesWeekNo ? 0.6 : 0.4, 'BYDAY', () =>
    listOf(random, 4, () => `${ordinal()}${pick(random, RULE_DAYS)}`),
  );
  maybe(0.25, 'BYHOUR', () => listOf(random, 4, () => pick(random, [0, 1, 2, 3, whole(random, 0, 23)])));
  maybe(0.25, 'BYMINUTE', () => listOf(random, 3, () => pick(random, [0, 30, whole(random, 0, 59)])));
  maybe(0.15, 'BYSECOND', () => listOf(random, 3, () => whole(random, 0, 59)));
  if (!takesWeekNo && parts.some(part => part.startsWith('BY')))
    maybe(0.15, 'BYSETPOS', () => listOf(random, 2, () => signed(random, 4)));
  maybe(0.2, 'WKST', () => pick(random, RULE_DAYS));
  return parts.join(';');
}

const NEW_YORK = zoneOf('America/New_York');

const ALWAYS = { from: Number.NEGATIVE_INFINITY, last: Number.POSITIVE_INFINITY };

/** The occurrences of a recurrence in a zone, in epoch seconds. */
function allOccurrences(text: string, zone: Zone, from = Number.NEGATIVE_INFINITY): Generator<number> {
  return ruleOccurrences(parseRecurrence(text, 'rrule'), clockOf(zone), { ...ALWAYS, from }, 'rrule');
}

function clockOf(zone: Zone): RuleClock {
  return {
    periodAt: epochSeconds => zone.periodAt(epochSeconds),
    resolve: local => resolveLocalTime(zone, local, 'compatible'),
  };
}

/** The first occurrences. */
function occurrences(text: string, zone: Zone, count: number, from?: number): number[] {
  return [...allOccurrences(text, zone, from).take(count)];
}

/** The first occurrences as local times. */
function localTimes(text: string, zone: Zone, count: number, from?: number): string[] {
  return occurrences(text, zone, count, from).map(at => isoOf(at + zone.periodAt(at).offsetSeconds));
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The dates in `1997 Sep 2 4-6 Oct 1 1998 Jan 5`, the notation of the RFC's examples. */
function datesOf(text: string): string[] {
  let [year, month] = ['', ''];
  return text.split(' ').flatMap(word => {
    if (/^\d{4}$/.test(word)) year = word;
    else if (MONTHS.includes(word)) month = `${MONTHS.indexOf(word) + 1}`.padStart(2, '0');
    else {
      const [first, last = first] = word.split('-').map(Number) as [number, number?];
      return Array.from(
        { length: last - first + 1 },
        (_, index) => `${year}-${month}-${`${first + index}`.padStart(2, '0')}`,
      );
    }
    return [];
  });
}

/** The rows of `rfc5545_examples.txt`: start, rule, and the listed dates; `…` if the list continues. */
const EXAMPLES = readFileSync(new URL('rfc5545_examples.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap(line => {
    const [, start, rule, dates] = /^(\d{8}) (\S+): (.+)$/.exec(line) ?? [];
    return dates === undefined ? [] : [[start!, rule!, dates] as const];
  });

describe('the examples of RFC 5545 §3.8.5.3', () => {
  test.each(EXAMPLES)('%s %s', (start, rule, dates) => {
    const expected = datesOf(dates.replace(' …', ''));
    const text = `DTSTART;TZID=America/New_York:${start}T090000\nRRULE:${rule}`;
    const found = localTimes(text, NEW_YORK, dates.endsWith('…') ? expected.length : 1000);
    expect(found).toEqual(expected.map(date => `${date}T09:00:00`));
  });

  test.each([
    // UNTIL as corrected by erratum 3883.
    ['FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z', ['09:00', '12:00', '15:00']],
    ['FREQ=MINUTELY;INTERVAL=15;COUNT=6', ['09:00', '09:15', '09:30', '09:45', '10:00', '10:15']],
    ['FREQ=MINUTELY;INTERVAL=90;COUNT=4', ['09:00', '10:30', '12:00', '13:30']],
  ])('%s', (rule, times) => {
    const found = localTimes(`DTSTART;TZID=America/New_York:19970902T090000\nRRULE:${rule}`, NEW_YORK, 100);
    expect(found).toEqual(times.map(time => `1997-09-02T${time}:00`));
  });

  test.each([
    'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
    'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
  ])('%s', rule => {
    const expected = ['1997-09-02', '1997-09-03'].flatMap(date =>
      Array.from(
        { length: 24 },
        (_, index) => `${date}T${`${9 + Math.floor(index / 3)}`.padStart(2, '0')}:${(index % 3) * 2}0:00`,
      ),
    );
    const text = `DTSTART;TZID=America/New_York:19970902T090000\nRRULE:${rule}`;
    expect(localTimes(text, NEW_YORK, expected.length)).toEqual(expected);
  });
});

describe('when the clock changes', () => {
  const spring = 'DTSTART;TZID=America/New_York:20260306T023000\nRRULE:';
  const autumn = 'DTSTART;TZID=America/New_York:20261031T013000\nRRULE:';

  test.each([
    [
      'a skipped time has the offset before the gap',
      `${spring}FREQ=DAILY`,
      ['2026-03-06T02:30:00', '2026-03-07T02:30:00', '2026-03-08T03:30:00', '2026-03-09T02:30:00'],
    ],
    [
      'skipped times are in order with those after the gap, each once',
      `${spring}FREQ=DAILY;BYHOUR=2,3;BYMINUTE=10,30;INTERVAL=2`,
      [
        ...['2026-03-06T02:30:00', '2026-03-06T03:10:00', '2026-03-06T03:30:00', '2026-03-08T03:10:00'],
        ...['2026-03-08T03:30:00', '2026-03-10T02:10:00'],
      ],
    ],
    [
      'a repeated time is the first',
      `${autumn}FREQ=DAILY;COUNT=3`,
      ['2026-10-31T01:30:00', '2026-11-01T01:30:00', '2026-11-02T01:30:00'],
    ],
    [
      '24 hours are exact',
      `${autumn}FREQ=HOURLY;INTERVAL=24;COUNT=3`,
      ['2026-10-31T01:30:00', '2026-11-01T01:30:00', '2026-11-02T00:30:00'],
    ],
    [
      'a repeated hour occurs twice',
      `${autumn}FREQ=HOURLY;BYHOUR=1;COUNT=4`,
      ['2026-10-31T01:30:00', '2026-11-01T01:30:00', '2026-11-01T01:30:00', '2026-11-02T01:30:00'],
    ],
  ])('%s', (_, text, expected) => {
    expect(localTimes(text, NEW_YORK, expected.length)).toEqual(expected);
  });
});

test('a range may begin anywhere; COUNT counts from DTSTART', () => {
  const from = Date.UTC(2400, 0, 1) / 1000;
  const start = 'DTSTART;TZID=America/New_York:19970902T090000\nRRULE:';
  expect(localTimes(`${start}FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU`, NEW_YORK, 2, from)).toEqual([
    '2404-02-29T09:00:00',
    '2432-02-29T09:00:00',
  ]);
  expect(localTimes(`${start}FREQ=SECONDLY;INTERVAL=7`, NEW_YORK, 1, from)[0]).toStartWith(
    '2399-12-31T19:00:0',
  );
  expect(localTimes(`${start}FREQ=WEEKLY;COUNT=3`, NEW_YORK, 10, Date.UTC(1997, 8, 10) / 1000)).toEqual([
    '1997-09-16T09:00:00',
  ]);
  expect(localTimes(`${start}FREQ=DAILY;COUNT=3`, NEW_YORK, 10, from)).toEqual([]);
});

test.each(['\r\n ', '\r\n\t', '\n ', '\n\t'])('lines folded by %j are unfolded', fold => {
  const text = `DTSTART;TZID=Ameri${fold}ca/New_York:20260902T090000\r\nRRULE:FREQ=WEEKLY;BYDAY=MO,${fold}TU;COUNT=2\r\n`;
  expect(parseRecurrence(text, 'rrule').zoneName).toBe('America/New_York');
  expect(localTimes(text, NEW_YORK, 9)).toEqual(['2026-09-07T09:00:00', '2026-09-08T09:00:00']);
});

test('a leap second of BYSECOND is the second before it, once', () => {
  const secondsOf = (list: string) =>
    localTimes(`DTSTART:20260101T000000\nRRULE:FREQ=MINUTELY;BYSECOND=${list};COUNT=3`, zoneOf('UTC'), 9).map(
      text => text.slice(14),
    );
  expect(secondsOf('60')).toEqual(['00:59', '01:59', '02:59']);
  expect(secondsOf('60,59,0')).toEqual(['00:00', '00:59', '01:00']);
});

test('BYSETPOS may select of the largest periods alone', () => {
  const start = 'DTSTART:20260415T090000\nRRULE:';
  expect(localTimes(`${start}FREQ=MONTHLY;BYDAY=FR;BYSETPOS=5`, zoneOf('UTC'), 2)).toEqual([
    '2026-05-29T09:00:00',
    '2026-07-31T09:00:00',
  ]);
  expect(localTimes(`${start}FREQ=YEARLY;BYDAY=FR;BYSETPOS=-53`, zoneOf('UTC'), 1)).toEqual([
    '2027-01-01T09:00:00',
  ]);
});

test.each([
  'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
  'FREQ=MONTHLY;INTERVAL=12;BYDAY=FR;BYSETPOS=5',
  'FREQ=HOURLY;INTERVAL=5;BYHOUR=1;BYYEARDAY=1;BYMINUTE=30;BYSETPOS=1',
  'FREQ=SECONDLY;INTERVAL=86399;BYHOUR=0;BYMINUTE=0;BYSECOND=0',
])('the search for %s ends with UNTIL, or with the range', rule => {
  const text = `DTSTART:20260415T090000Z\nRRULE:${rule}`;
  const [utc, last] = [zoneOf('UTC'), Date.UTC(2027, 0, 1) / 1000];
  expect(occurrences(`${text};UNTIL=20270101T000000Z`, utc, 9)).toEqual([]);
  const until = ruleOccurrences(parseRecurrence(text, 'rrule'), clockOf(utc), { ...ALWAYS, last }, 'rrule');
  expect([...until]).toEqual([]);
});

test('random rules occur as in brute force', () => {
  const random = sampleNumbers();
  const differences: string[] = [];
  const wanted = runs(150, 10_000);
  let unfinished = 0;
  for (let comparisons = 0; comparisons < wanted; comparisons++) {
    const rule = randomRule(random);
    const zone = zoneOf(pick(random, COMMON_ZONES));
    const start = Math.floor(Date.UTC(1995, 0, 1) / 1000 + random() * 30 * 365 * 86_400);
    const text = `DTSTART;TZID=${zone.name}:${startText(start)}\nRRULE:${rule}`;
    const ours = firstOfRule(text, zone);
    const expected = occurrencesByBruteForce(text, zone, COMPARED);
    const isToItsEnd = ours.isFinished && expected.isFinished;
    if (!isToItsEnd) unfinished++;
    const compared = isToItsEnd ? COMPARED : Math.min(ours.found.length, expected.found.length);
    const [found, wantedText] = [ours, expected].map(each => each.found.slice(0, compared).map(isoOf).join());
    if (found !== wantedText)
      differences.push(`${text.replace('\n', ' ')}: ${found} instead of ${wantedText}`);
  }
  expectNoDifferences('recurrence rules against brute force', wanted, differences, 10_000);
  // The others, at most 1 in 1000, have no occurrence within a million steps: they are compared up to there.
  expectNoDifferences('recurrence rules to their end', wanted - unfinished, [], 9990);
});

const COMMON_ZONES = [
  ...['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'Australia/Sydney', 'America/Sao_Paulo', 'UTC'],
];
const COMPARED = 15;

/** The first occurrences before the brute-force horizon, up to those found within a million steps. */
function firstOfRule(text: string, zone: Zone): SearchResult {
  const found: number[] = [];
  const all = ruleOccurrences(parseRecurrence(text, 'rrule'), clockOf(zone), ALWAYS, 'rrule', 1_000_000);
  try {
    for (const at of all.take(COMPARED)) {
      if (at >= HORIZON) break;
      found.push(at);
    }
  } catch (error) {
    if (!/never occurs|too rarely/.test(`${error}`)) throw error;
    return { found, isFinished: `${error}`.includes('never occurs') };
  }
  return { found, isFinished: true };
}

test.each([
  ['RRULE:FREQ=DAILY', 'not a DTSTART line and an RRULE line'],
  [
    'DTSTART:20260415T090000Z\nRRULE:FREQ=DAILY\nEXDATE:20260416T090000Z',
    'not a DTSTART line and an RRULE line',
  ],
  [
    'DTSTART:2026-04-15T09:00\nRRULE:FREQ=DAILY',
    "DTSTART has '2026-04-15T09:00': expected a time like 20260415T090000",
  ],
  ['DTSTART:20260431T090000\nRRULE:FREQ=DAILY', 'which does not exist'],
  ['DTSTART;TZID=Europe/Berlin:20260415T090000Z\nRRULE:FREQ=DAILY', 'is in UTC, and excludes TZID'],
  ['DTSTART;X=1:20260415T090000Z\nRRULE:FREQ=DAILY', "unknown parameter 'X'"],
  ['DTSTART;TZID:20260415T090000\nRRULE:FREQ=DAILY', "DTSTART has 'TZID': expected TZID once"],
  ['DTSTART;TZID="":20260415T090000\nRRULE:FREQ=DAILY', 'expected TZID once, and with a value'],
  ['DTSTART;TZID=UTC;tzid=A:20260415T090000\nRRULE:FREQ=DAILY', "'tzid=A': expected TZID once"],
  ['DTSTART:20260415\nRRULE:FREQ=DAILY', 'VALUE=DATE'],
  ['DTSTART;TZID=UTC:20260415T090000\nRRULE:FREQ=DAILY;UNTIL=20270101T000000', 'UNTIL is a time in UTC'],
  ['DTSTART;VALUE=DATE:20260415\nRRULE:FREQ=DAILY;UNTIL=20270101T000000Z', 'UNTIL is a date'],
  [
    'DTSTART;VALUE=DATE:20260415\nRRULE:FREQ=DAILY;BYHOUR=9',
    'BYHOUR is excluded by a DTSTART that is a date',
  ],
  ['DTSTART;VALUE=DATE:20260415\nRRULE:FREQ=HOURLY', 'FREQ is of a time'],
])('%p is rejected', (text, message) => {
  expect(() => occurrences(text, zoneOf('UTC'), 10)).toThrow(message);
});

test.each([
  ...rowsIn(new URL('rejected_rules.txt', import.meta.url)),
  [`FREQ=DAILY;BYHOUR=${'1,'.repeat(500)}1`, 'the maximum is 1000'],
])('the rule %p is rejected', (rule, message) => {
  expect(() => occurrences(`DTSTART:20260415T090000\nRRULE:${rule}`, zoneOf('UTC'), 10)).toThrow(message);
});

test('BYSETPOS is evaluated once for each period length', () => {
  for (const frequency of ['HOURLY', 'DAILY', 'YEARLY']) {
    let evaluations = 0;
    const text = `DTSTART:20260101T000000\nRRULE:FREQ=${frequency};BYMINUTE=0,10,20;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1`;
    const { start, rule, ...rest } = parseRecurrence(text, 'rrule');
    const bySetPos = new Proxy(rule.bySetPos, {
      get(positions, name) {
        if (name === 'map') evaluations++;
        return Reflect.get(positions, name);
      },
    });
    const clock = { periodAt: () => zoneOf('UTC').periodAt(0), resolve: (local: number) => local };
    const found = ruleOccurrences({ ...rest, start, rule: { ...rule, bySetPos } }, clock, ALWAYS, 'rrule');
    expect([...found.take(400)]).toHaveLength(400);
    expect(evaluations).toBeGreaterThan(0);
    expect(evaluations).toBeLessThanOrEqual(3); // years have 260 to 262 such days
  }
});

test('the only time of a one-second period is both its first and its last', () => {
  const rule = 'RRULE:FREQ=SECONDLY;BYSECOND=0,30;BYSETPOS=1,-1';
  expect(localTimes(`DTSTART:20260415T090000\n${rule}`, zoneOf('UTC'), 3)).toEqual([
    '2026-04-15T09:00:00',
    '2026-04-15T09:00:30',
    '2026-04-15T09:01:00',
  ]);
});

test('a week that spans two years is one period', () => {
  const rule = 'RRULE:FREQ=WEEKLY;BYDAY=WE,TH,FR;BYSETPOS=1,-1;COUNT=4';
  expect(localTimes(`DTSTART:20251224T120000\n${rule}`, zoneOf('UTC'), 4)).toEqual([
    '2025-12-24T12:00:00',
    '2025-12-26T12:00:00',
    '2025-12-31T12:00:00',
    '2026-01-02T12:00:00',
  ]);
});

function startText(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().replace(/[-:]/g, '').slice(0, 15);
}

/** With gaps and folds of an hour, half an hour, a day and others, and offsets with seconds. */
const ZONES = [
  ...['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Kwajalein', 'Asia/Manila'],
  ...['Africa/Casablanca', 'Africa/Monrovia', 'Antarctica/Troll', 'America/Juneau'],
];

/** Those for which a search takes too many steps or that never occur. */
const REJECTED = /never occurs|too rarely/;

test('occurrences before an instant are as many as are enumerated', () => {
  const random = sampleNumbers();
  const differences: string[] = [];
  const wanted = runs(60, 20_000);
  let compared = 0;
  while (compared < wanted) {
    const zone = zoneOf(pick(random, ZONES));
    const start = Math.floor(Date.UTC(1960, 0, 1) / 1000 + random() * 50 * 365 * 86_400);
    const rule = randomRule(random).replace(/;COUNT=\d+/, '');
    const text = `DTSTART;TZID=${zone.name}:${startText(start)}\nRRULE:${rule}`;
    const span = (random() < 0.5 ? 3 : 0.1) * 365 * 86_400;
    const from = start + Math.floor(random() * span);
    const search = () =>
      searchOf(parseRecurrence(text, 'rrule'), clockOf(zone), Number.POSITIVE_INFINITY, 'rrule', 100_000);
    try {
      let expected = 0;
      for (const at of instantsFrom(search(), Number.NEGATIVE_INFINITY)) {
        if (at >= from) break;
        expected++;
      }
      const found = countBefore(search(), from, Number.POSITIVE_INFINITY);
      compared++;
      if (found !== expected) differences.push(`${text} before ${from}: ${found} instead of ${expected}`);
    } catch (error) {
      if (!REJECTED.test(`${error}`)) throw error;
    }
  }
  expectNoDifferences('counts of occurrences', compared, differences, 20_000);
});

test.each(['20260306T023000', '20261030T013000'])(
  'occurrences before each half hour around a change of the clock are counted, from %s',
  start => {
    const text = `DTSTART;TZID=America/New_York:${start}\nRRULE:FREQ=DAILY;BYHOUR=1,2,3`;
    const search = () =>
      searchOf(parseRecurrence(text, 'rrule'), clockOf(NEW_YORK), Number.POSITIVE_INFINITY, 'rrule', 100_000);
    const all = [...instantsFrom(search(), Number.NEGATIVE_INFINITY).take(20)];
    for (let from = all[0]!; from < all.at(-1)!; from += 1800) {
      const expected = all.filter(epochSeconds => epochSeconds < from).length;
      expect([from, countBefore(search(), from, Number.POSITIVE_INFINITY)]).toEqual([from, expected]);
    }
  },
);

/** The occurrences of a rule from a year on, within the steps of a request. */
function fromYear(year: number, zone: string, start: string, rule: string): number[] {
  const text = `DTSTART;TZID=${zone}:${start}\nRRULE:${rule}`;
  const span = { from: Date.UTC(year, 0, 1) / 1000, last: Number.POSITIVE_INFINITY };
  return [...ruleOccurrences(parseRecurrence(text, 'rrule'), clockOf(zoneOf(zone)), span, 'rrule').take(3)];
}

describe('rules with COUNT that began long ago take few steps', () => {
  test.each([
    ['FREQ=DAILY;COUNT=100000'],
    ['FREQ=DAILY;INTERVAL=2;COUNT=100000'],
    ['FREQ=DAILY;BYHOUR=8,10,12,14,16;BYMINUTE=0,30;COUNT=1000000'],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=100000'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=100000'],
    ['FREQ=MONTHLY;BYDAY=-1FR;COUNT=10000'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=100'],
    ['FREQ=HOURLY;COUNT=10000000'],
    ['FREQ=HOURLY;INTERVAL=7;COUNT=10000000'],
    ['FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11,12;BYDAY=MO,FR;COUNT=1000000'],
    ['FREQ=MINUTELY;INTERVAL=15;BYHOUR=9,10,11,12,13,14,15,16;BYDAY=MO,TU,WE,TH,FR;COUNT=100000000'],
    ['FREQ=MINUTELY;BYDAY=MO;COUNT=100000000'],
    ['FREQ=SECONDLY;COUNT=999999999'],
  ])('%s', rule => {
    for (const zone of ['UTC', 'America/New_York']) {
      const counted = fromYear(1995, zone, '19700102T090000', rule);
      const uncounted = fromYear(1995, zone, '19700102T090000', rule.replace(/;COUNT=\d+/, ''));
      expect(counted).toEqual(uncounted);
      expect(counted).toHaveLength(3);
    }
  });
});

test('a rule ends after COUNT occurrences, also where they are before the range', () => {
  const start = '20150101T090000';
  expect(fromYear(2028, 'UTC', start, 'FREQ=DAILY;COUNT=5000')).toHaveLength(3);
  expect(fromYear(2029, 'UTC', start, 'FREQ=DAILY;COUNT=5000')).toEqual([]);
  // 4018 days until 2026.
  expect(fromYear(2026, 'UTC', start, 'FREQ=DAILY;COUNT=4018')).toEqual([]);
  expect(fromYear(2026, 'UTC', start, 'FREQ=DAILY;COUNT=4020').map(at => startText(at))).toEqual([
    '20260101T090000',
    '20260102T090000',
  ]);
});
