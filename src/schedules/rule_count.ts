import { SECONDS_PER_DAY } from '../common/civil.ts';
import { modulo } from '../common/modulo.ts';
import { indexFrom } from '../common/sorted_list.ts';
import { instantsFrom } from './rule_instants.ts';
import { type DailySearch, type ElapsedSearch, END_EPOCH_SECONDS, type Search } from './rule_search.ts';

/**
 * The number of occurrences of a rule before an instant, in epoch seconds, or one of at least `most`. Most days have their
 * occurrences at the same times: while the clock does not change, days are counted, not occurrences, which takes a few steps for
 * each change. Occurrences are enumerated around changes, and for rules whose days differ.
 */
export function countBefore(search: Search, from: number, most: number): number {
  const { rule, clock, startEpochSeconds, takeSteps } = search;
  const end = Math.min(from, END_EPOCH_SECONDS);
  if (end <= startEpochSeconds) return 0;
  const hasLists = Object.values(rule).some(part => Array.isArray(part) && part.length > 0);
  if (search.kind === 'elapsed' && !hasLists)
    return Math.ceil((end - startEpochSeconds) / (search.unitSeconds * rule.interval));
  const days = search.kind === 'daily' ? civilDays(search) : elapsedDays(search);
  let count = 0;
  for (let at = startEpochSeconds; at < end && count < most; ) {
    takeSteps(2); // a period of the clock takes as long as two days
    const { offsetSeconds, untilEpochSeconds } = clock.periodAt(at);
    const next = Math.min(end, untilEpochSeconds);
    const regular = days.regularSpan(at);
    const regularFrom = Math.min(regular.from, next);
    const regularEnd = Math.max(Math.min(regular.end, next), regularFrom);
    count += enumerate(search, at, regularFrom, most - count);
    count +=
      days.count(regularFrom, regularEnd, offsetSeconds) ??
      enumerate(search, regularFrom, regularEnd, most - count);
    count += enumerate(search, regularEnd, next, most - count);
    at = next;
  }
  return count;
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

/** The days of a rule that have their occurrences at the same times, which can be counted without enumeration. */
interface RegularDays {
  /** The part of the clock's period around an instant that consists of such days. */
  regularSpan(at: number): { readonly from: number; readonly end: number };
  /** The number of occurrences from an instant to before another; null where it must be enumerated. */
  count(from: number, end: number, offsetSeconds: number): number | null;
}

/** The regular days of a rule of days. */
function civilDays({ rule, clock, days, periods, times, positions, takeSteps }: DailySearch): RegularDays {
  const isAlike = rule.bySetPos.length === 0 || rule.frequency === 'DAILY'; // else BYSETPOS selects other times on each day
  const pattern = isAlike ? Array.from(positions(times.length), index => times[index]!) : null;
  const countDays = (from: number, end: number) => {
    if (rule.interval === 1) return days.countBetween(from, end);
    if (rule.frequency === 'DAILY' && days.countBetween(from, end) === end - from)
      return Math.ceil((end - periods.alignedFrom(from)) / rule.interval);
    let count = 0;
    for (let day = periods.alignedFrom(from); day < end; ) {
      takeSteps();
      const next = periods.endOf(day);
      count += days.countBetween(day, Math.min(next, end));
      day = periods.alignedFrom(next);
    }
    return count;
  };
  return {
    // After the times that earlier changes of the clock have moved or repeat, which take a day at most.
    regularSpan(at) {
      let from = at;
      for (let period = clock.periodAt(at); period.fromEpochSeconds > at - SECONDS_PER_DAY; ) {
        const before = clock.periodAt(period.fromEpochSeconds - 1);
        const shift = Math.abs(period.offsetSeconds - before.offsetSeconds);
        from = Math.max(from, period.fromEpochSeconds + shift);
        period = before;
      }
      return { from, end: Number.POSITIVE_INFINITY };
    },
    count: (from, end, offsetSeconds) =>
      pattern && countTimes(pattern, countDays, from + offsetSeconds, end + offsetSeconds),
  };
}

/** The number of times that a clock shows from a local time to before another, with the same times on each day. */
function countTimes(
  pattern: readonly number[],
  countDays: (from: number, end: number) => number,
  from: number,
  end: number,
): number {
  const before = (local: number) => {
    const day = Math.floor(local / SECONDS_PER_DAY);
    return countDays(day, day + 1) * indexFrom(pattern, local - day * SECONDS_PER_DAY);
  };
  const days = countDays(Math.floor(from / SECONDS_PER_DAY), Math.floor(end / SECONDS_PER_DAY));
  return days * pattern.length + before(end) - before(from);
}

/** The regular days of a rule of elapsed time: its steps fall on the same times of each day, if they divide one. */
function elapsedDays(search: ElapsedSearch): RegularDays {
  const { rule, days, clock, startEpochSeconds, unitSeconds } = search;
  const step = unitSeconds * rule.interval;
  /** By the time of day of the first step. */
  const patterns = new Map<number, readonly number[]>();
  return {
    // The whole hours of the clock: a change may split an hour, which is the longest period.
    regularSpan(at) {
      const { fromEpochSeconds, untilEpochSeconds, offsetSeconds } = clock.periodAt(at);
      const from = Math.ceil((fromEpochSeconds + offsetSeconds) / 3600) * 3600 - offsetSeconds;
      const end = Math.floor((untilEpochSeconds + offsetSeconds) / 3600) * 3600 - offsetSeconds;
      return { from: Math.max(at, from), end };
    },
    count(from, end, offsetSeconds) {
      if (SECONDS_PER_DAY % step !== 0) return null;
      const phase = modulo(startEpochSeconds + offsetSeconds, step);
      const pattern = patterns.get(phase) ?? patternIn(search, from, end, offsetSeconds);
      if (pattern === null) return null;
      patterns.set(phase, pattern);
      const countDays = (first: number, last: number) => days.countBetween(first, last);
      return countTimes(pattern, countDays, from + offsetSeconds, end + offsetSeconds);
    },
  };
}

/** The times of the first whole day between two instants; null where they have none. */
function patternIn(search: ElapsedSearch, from: number, end: number, offsetSeconds: number): number[] | null {
  const day = search.days.nextFrom(Math.ceil((from + offsetSeconds) / SECONDS_PER_DAY));
  if (day === null || (day + 1) * SECONDS_PER_DAY > end + offsetSeconds) return null;
  const midnight = day * SECONDS_PER_DAY - offsetSeconds;
  const seconds: number[] = [];
  for (const epochSeconds of instantsFrom(search, midnight)) {
    if (epochSeconds >= midnight + SECONDS_PER_DAY) break;
    seconds.push(epochSeconds - midnight);
  }
  return seconds;
}
