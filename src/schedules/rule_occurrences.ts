import type { Recurrence } from './recurrence_rule.ts';
import { DayTimes, modulo, Periods, SECONDS_PER_DAY } from './rule_periods.ts';
import {
  instantsFrom,
  isSubdaily,
  LAST_SECONDS,
  type RuleClock,
  type Search,
  searchOf,
  UNIT_SECONDS,
} from './rule_search.ts';
import { indexFrom } from './year_types.ts';

/** The maximum number of periods and times that are examined for a request: about one millisecond. */
export const MAX_STEPS = 4000;

/** From an instant through another, in epoch seconds; an end without bound is infinite. */
export interface InstantSpan {
  readonly from: number;
  readonly last: number;
}

/**
 * The instants of a recurrence in a span, in epoch seconds, ascending and each once, to the end of the last year that is
 * searched. Dates that do not exist are skipped. From DAILY on, periods are those of the wall clock; below, they have their exact
 * length in elapsed time, and the parts of the rule apply to what the clock shows. `COUNT` counts from `DTSTART` on.
 * Throws `INVALID_PARAMETER` where no date matches, or where an occurrence takes too many steps to find.
 */
export function* ruleOccurrences(
  recurrence: Recurrence,
  clock: RuleClock,
  { from, last }: InstantSpan,
  parameter: string,
  maxSteps = MAX_STEPS,
): Generator<number> {
  const search = searchOf(recurrence, clock, last, parameter, maxSteps);
  if (from > search.until) return;
  const { count } = recurrence.rule;
  let left = count === null ? Number.POSITIVE_INFINITY : count - countBefore(search, from, count);
  if (left <= 0) return;
  for (const epochSeconds of instantsFrom(search, from)) {
    yield epochSeconds;
    left--;
    if (left === 0) return;
  }
}

/** Changes of the clock may split an hour, which is the longest period of elapsed time. */
const SECONDS_PER_HOUR = 3600;

/**
 * The number of occurrences of a rule before an instant, in epoch seconds, or one of at least `most`. Most days have their
 * occurrences at the same times: while the clock does not change, days are counted, not occurrences, which takes a few steps for
 * each change. Occurrences are enumerated around changes, and for rules whose days differ.
 */
export function countBefore(search: Search, from: number, most: number): number {
  const { rule, clock, startSeconds, takeStep } = search;
  const end = Math.min(from, LAST_SECONDS);
  if (end <= startSeconds) return 0;
  if (isUnlimited(search))
    return Math.ceil((end - startSeconds) / (UNIT_SECONDS[rule.frequency]! * rule.interval)); // subdaily ones have a unit
  const days = isSubdaily(rule) ? new ElapsedDays(search) : new CivilDays(search);
  let count = 0;
  for (let at = startSeconds; at < end && count < most; ) {
    takeStep();
    takeStep(); // such a period takes twice as long
    const { offsetSeconds, untilEpochSeconds } = clock.periodAt(at);
    const next = Math.min(end, untilEpochSeconds);
    const regularFrom = Math.min(days.regularFrom(at), next);
    const regularEnd = Math.max(Math.min(days.regularEnd(at), next), regularFrom);
    count += enumerate(search, at, regularFrom, most - count);
    count +=
      days.count(regularFrom, regularEnd, offsetSeconds) ??
      enumerate(search, regularFrom, regularEnd, most - count);
    count += enumerate(search, regularEnd, next, most - count);
    at = next;
  }
  return count;
}

/** Whether a rule of elapsed time has no part that excludes or adds times. */
function isUnlimited({ rule }: Search): boolean {
  const { bySecond, byMinute, byHour, byDay, byMonthDay, byYearDay, byWeekNo, byMonth, bySetPos } = rule;
  const lists = [bySecond, byMinute, byHour, byDay, byMonthDay, byYearDay, byWeekNo, byMonth, bySetPos];
  return isSubdaily(rule) && lists.every(list => list.length === 0);
}

/** The number of occurrences from an instant to before another, counted one by one, or `most`. */
function enumerate(search: Search, from: number, end: number, most: number): number {
  let count = 0;
  if (from >= end) return count;
  for (const epochSeconds of instantsFrom(search, from)) {
    if (epochSeconds >= end || count >= most) break;
    count++;
  }
  return count;
}

/** The times of the days on which a rule occurs. */
interface DayPattern {
  readonly count: number;
  /** The index of the first time from a second since midnight on. */
  indexFrom(second: number): number;
}

/** Counts the days of a rule, from one to before another. */
type CountDays = (from: number, end: number) => number;

/** The number of times that a clock shows from a local time to before another. */
function countTimes(pattern: DayPattern, countDays: CountDays, from: number, end: number): number {
  const before = (local: number) => {
    const day = Math.floor(local / SECONDS_PER_DAY);
    return countDays(day, day + 1) * pattern.indexFrom(local - day * SECONDS_PER_DAY);
  };
  const days = countDays(Math.floor(from / SECONDS_PER_DAY), Math.floor(end / SECONDS_PER_DAY));
  return days * pattern.count + before(end) - before(from);
}

function patternOf(seconds: readonly number[]): DayPattern {
  return { count: seconds.length, indexFrom: second => indexFrom(seconds, second) };
}

/** The days of a rule from DAILY on: the local times of each that applies are the same. */
class CivilDays {
  readonly #search: Search;
  readonly #periods: Periods;
  /** Null where `BYSETPOS` selects other times on each day. */
  readonly #pattern: DayPattern | null;

  constructor(search: Search) {
    const { rule, start, positions } = search;
    this.#search = search;
    this.#periods = new Periods(rule, Math.floor(start / SECONDS_PER_DAY));
    const times = new DayTimes(rule, start);
    if (rule.bySetPos.length === 0) this.#pattern = times;
    else if (rule.frequency !== 'DAILY') this.#pattern = null;
    else this.#pattern = patternOf(Array.from(positions(times.count), index => times.at(index)));
  }

  /** After the times that earlier changes of the clock have moved or repeat, which take a day at most. */
  regularFrom(at: number): number {
    const { clock } = this.#search;
    let settled = at;
    for (let period = clock.periodAt(at); period.fromEpochSeconds > at - SECONDS_PER_DAY; ) {
      const before = clock.periodAt(period.fromEpochSeconds - 1);
      const shift = Math.abs(period.offsetSeconds - before.offsetSeconds);
      settled = Math.max(settled, period.fromEpochSeconds + shift);
      period = before;
    }
    return settled;
  }

  /** All times before a change are regular. */
  regularEnd(_at: number): number {
    return Number.POSITIVE_INFINITY;
  }

  /** The number of occurrences from an instant to before another; null where it must be enumerated. */
  count(from: number, end: number, offsetSeconds: number): number | null {
    if (this.#pattern === null) return null;
    return countTimes(this.#pattern, this.#countDays, from + offsetSeconds, end + offsetSeconds);
  }

  readonly #countDays: CountDays = (from, end) => {
    const { rule, days, takeStep } = this.#search;
    if (rule.interval === 1) return days.countBetween(from, end);
    if (rule.frequency === 'DAILY' && days.countBetween(from, end) === end - from)
      return Math.ceil((end - this.#periods.alignedFrom(from)) / rule.interval);
    let count = 0;
    for (let day = this.#periods.alignedFrom(from); day < end; ) {
      takeStep();
      const next = this.#periods.endOf(day);
      count += days.countBetween(day, Math.min(next, end));
      day = this.#periods.alignedFrom(next);
    }
    return count;
  };
}

/** The days of a rule below DAILY: its steps fall on the same times of each day, if they divide one. */
class ElapsedDays {
  readonly #search: Search;
  readonly #step: number;
  /** By the time of day of the first step. */
  readonly #patterns = new Map<number, DayPattern>();

  constructor(search: Search) {
    this.#search = search;
    this.#step = UNIT_SECONDS[search.rule.frequency]! * search.rule.interval; // those below DAILY have a unit
  }

  /** The start of the first hour of the clock that has not begun. */
  regularFrom(at: number): number {
    const { fromEpochSeconds, offsetSeconds } = this.#search.clock.periodAt(at);
    const hours = Math.ceil((fromEpochSeconds + offsetSeconds) / SECONDS_PER_HOUR);
    return Math.max(at, hours * SECONDS_PER_HOUR - offsetSeconds);
  }

  /** The end of the last hour that is whole. */
  regularEnd(at: number): number {
    const { untilEpochSeconds, offsetSeconds } = this.#search.clock.periodAt(at);
    return (
      Math.floor((untilEpochSeconds + offsetSeconds) / SECONDS_PER_HOUR) * SECONDS_PER_HOUR - offsetSeconds
    );
  }

  /** The number of occurrences from an instant to before another; null where it must be enumerated. */
  count(from: number, end: number, offsetSeconds: number): number | null {
    if (SECONDS_PER_DAY % this.#step !== 0) return null;
    const phase = modulo(this.#search.startSeconds + offsetSeconds, this.#step);
    const pattern = this.#patterns.get(phase) ?? this.#find(from, end, offsetSeconds);
    if (pattern === null) return null;
    this.#patterns.set(phase, pattern);
    const countDays: CountDays = (first, last) => this.#search.days.countBetween(first, last);
    return countTimes(pattern, countDays, from + offsetSeconds, end + offsetSeconds);
  }

  /** The times of the first whole day between two instants; null where they have none. */
  #find(from: number, end: number, offsetSeconds: number): DayPattern | null {
    const day = this.#search.days.nextFrom(Math.ceil((from + offsetSeconds) / SECONDS_PER_DAY));
    if (day === null || (day + 1) * SECONDS_PER_DAY > end + offsetSeconds) return null;
    const midnight = day * SECONDS_PER_DAY - offsetSeconds;
    const seconds: number[] = [];
    for (const epochSeconds of instantsFrom(this.#search, midnight)) {
      if (epochSeconds >= midnight + SECONDS_PER_DAY) break;
      seconds.push(epochSeconds - midnight);
    }
    return patternOf(seconds);
  }
}
