import { dayNumberOf } from '../common/civil.ts';
import { unreadable } from '../common/errors.ts';
import type { Frequency, Recurrence, RecurrenceRule } from './recurrence_rule.ts';
import { daysOfRule, modulo, Periods } from './rule_days.ts';
import type { LocalClock } from './working_time.ts';
import { indexFrom, LAST_YEAR, type YearDays } from './year_types.ts';

/** The maximum number of periods and times that are examined for a request: about one millisecond. */
export const MAX_STEPS = 4000;

const SECONDS_PER_DAY = 86_400;
/** After all local times that are searched. */
const LAST_SECONDS = dayNumberOf(LAST_YEAR + 1, 1, 1) * SECONDS_PER_DAY;

/** The clock of a recurrence. */
export interface RuleClock extends LocalClock {
  /** The instant of a local time: a skipped one has the offset before the gap, a repeated one is the first (§3.3.5). */
  resolve(localSeconds: number): number;
}

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

/** A rule with what a search for its occurrences needs. */
interface Search {
  readonly rule: RecurrenceRule;
  readonly days: YearDays;
  readonly clock: RuleClock;
  /** `DTSTART` in local seconds, and as an instant. */
  readonly start: number;
  readonly startSeconds: number;
  /** The last instant of the search, in epoch seconds; infinite where nothing bounds it. */
  readonly until: number;
  /** From DAILY on, the periods of the rule, and the times of day that it selects, in seconds since midnight, ascending. */
  readonly periods: Periods;
  readonly times: readonly number[];
  /** Below DAILY, the length of a period before it is multiplied by the interval, in seconds. */
  readonly unit: number | undefined;
  /** Below DAILY, the parts that limit the start of a period. */
  readonly limits: readonly (typeof TIME_PARTS)[number][];
  /** The indices of a set of some size that `BYSETPOS` selects, ascending. */
  readonly positions: (size: number) => Iterable<number>;
  readonly parameter: string;
  readonly takeStep: () => void;
}

/** The lengths of periods of elapsed time. */
const UNIT_SECONDS: Readonly<Partial<Record<Frequency, number>>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: 3600,
};

/** The parts that limit times, each with the seconds of one and of the unit around it. */
const TIME_PARTS = [
  { part: 'byHour', length: 3600, outer: SECONDS_PER_DAY },
  { part: 'byMinute', length: 60, outer: 3600 },
  { part: 'bySecond', length: 1, outer: 60 },
] as const;

/**
 * Prepares the search for the occurrences of a recurrence, from `DTSTART` to `lastEpochSeconds` or `UNTIL`. Throws
 * `INVALID_PARAMETER` for a rule that never occurs.
 */
export function searchOf(
  { start, rule }: Recurrence,
  clock: RuleClock,
  lastEpochSeconds: number,
  parameter: string,
  maxSteps: number,
): Search {
  const startDay = Math.floor(start.localSeconds / SECONDS_PER_DAY);
  const days = daysOfRule(rule, startDay);
  if (days.isEmpty())
    throw unreadable(parameter, 'RRULE never occurs: no date has all that its parts require');
  const instantOf = ({ isUtc, localSeconds }: Recurrence['start']) =>
    isUtc ? localSeconds : clock.resolve(localSeconds);
  const unit = UNIT_SECONDS[rule.frequency];
  const search: Search = {
    rule,
    days,
    clock,
    start: start.localSeconds,
    startSeconds: instantOf(start),
    until: Math.min(lastEpochSeconds, rule.until === null ? Number.POSITIVE_INFINITY : instantOf(rule.until)),
    periods: new Periods(rule, startDay),
    times: unit === undefined ? timesOfDay(rule, start.localSeconds) : [],
    unit,
    limits: TIME_PARTS.filter(({ part, length }) => rule[part].length > 0 && length >= (unit ?? 0)),
    positions: positionsIn(rule.bySetPos),
    parameter,
    takeStep: stepCounter(parameter, maxSteps),
  };
  if (hasNoPosition(search))
    throw unreadable(parameter, 'RRULE never occurs: no period has a time at a position of BYSETPOS');
  return search;
}

function timesOfDay({ byHour, byMinute, bySecond }: RecurrenceRule, start: number): number[] {
  const second = modulo(start, SECONDS_PER_DAY);
  const hours = byHour.length > 0 ? byHour : [Math.floor(second / 3600)];
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor((second % 3600) / 60)];
  const seconds = bySecond.length > 0 ? bySecond : [second % 60];
  return hours.flatMap(hour =>
    minutes.flatMap(minute => seconds.map(each => hour * 3600 + minute * 60 + each)),
  );
}

function stepCounter(parameter: string, maxSteps: number): () => void {
  let steps = 0;
  return () => {
    steps++;
    if (steps <= maxSteps) return;
    throw unreadable(
      parameter,
      `RRULE requires more than ${maxSteps} steps: it occurs too rarely, or too often before 'from'`,
    );
  };
}

/** {@link Search.positions}: found once for each size, as most periods have the same. */
function positionsIn(bySetPos: readonly number[]): Search['positions'] {
  if (bySetPos.length === 0) return indicesBelow;
  const known = new Map<number, readonly number[]>();
  return size => {
    const found = known.get(size) ?? selectedIndices(size, bySetPos);
    known.set(size, found);
    return found;
  };
}

function selectedIndices(size: number, bySetPos: readonly number[]): number[] {
  const indices = bySetPos.map(position => (position > 0 ? position - 1 : size + position));
  return [...new Set(indices)].filter(index => index >= 0 && index < size).sort((a, b) => a - b);
}

function* indicesBelow(size: number): Generator<number> {
  for (let index = 0; index < size; index++) yield index;
}

/** Whether `BYSETPOS` selects nothing of any set: no period has as many times as its smallest position. */
function hasNoPosition(search: Search): boolean {
  const { rule, start, days, periods, times, unit } = search;
  if (rule.bySetPos.length === 0) return false;
  if (unit !== undefined) return secondsInPeriod(start, unit, search).next().done === true;
  const smallest = Math.min(...Array.from(rule.bySetPos, Math.abs));
  if (rule.frequency === 'DAILY') return times.length < smallest;
  return !days.hasPeriod(periods, Math.ceil(smallest / times.length));
}

/** The instants of a rule from one on, ascending and each once, up to `until`; without regard to `COUNT`. */
export function* instantsFrom(search: Search, from: number): Generator<number> {
  const first = Math.max(search.startSeconds, from);
  const found =
    search.unit === undefined
      ? inOrder(dailyTimes(search, first), search)
      : elapsedTimes(search, search.unit, first);
  let last = Number.NEGATIVE_INFINITY;
  for (const epochSeconds of found) {
    if (epochSeconds < first || epochSeconds <= last) continue;
    if (epochSeconds > search.until) return;
    last = epochSeconds;
    yield epochSeconds;
  }
}

/**
 * The local times of a rule from DAILY on, ascending, from one on that is not after those of an instant; with `BYSETPOS` from
 * the beginning of its period.
 */
function* dailyTimes(search: Search, from: number): Generator<number> {
  const { rule, days, clock, start, until, positions, periods, times, takeStep } = search;
  const fromLocal = earliestLocal(from, clock);
  const fromDay = Math.floor(fromLocal / SECONDS_PER_DAY);
  const first = Math.max(Math.floor(start / SECONDS_PER_DAY), fromDay);
  // Offsets move times by less than a day, and a gap by a day at most.
  const lastDay = Math.floor(until / SECONDS_PER_DAY) + 2;
  let day = days.nextFrom(rule.bySetPos.length === 0 ? first : periods.startOf(first));
  while (day !== null && day <= lastDay) {
    takeStep();
    const aligned = periods.alignedFrom(day);
    if (aligned > day) {
      day = days.nextFrom(aligned);
      continue;
    }
    if (rule.bySetPos.length === 0) {
      const firstIndex = day === fromDay ? indexFrom(times, fromLocal - day * SECONDS_PER_DAY) : 0;
      for (let index = firstIndex; index < times.length; index++) {
        takeStep();
        yield day * SECONDS_PER_DAY + times[index]!;
      }
      day = days.nextFrom(day + 1);
      continue;
    }
    takeStep(); // such a period takes twice as long
    const end = periods.endOf(day);
    const inPeriod = days.between(day, end);
    for (const index of positions(inPeriod.days.length * times.length)) {
      takeStep();
      const selectedDay = inPeriod.firstDay + inPeriod.days[Math.floor(index / times.length)]!;
      yield selectedDay * SECONDS_PER_DAY + times[index % times.length]!;
    }
    day = days.nextFrom(end);
  }
}

/** A local time before which all are of instants before this one. Changes of the clock move times by a day at most. */
function earliestLocal(epochSeconds: number, clock: RuleClock): number {
  let period = clock.periodAt(epochSeconds);
  let offsetSeconds = period.offsetSeconds;
  while (period.fromEpochSeconds > epochSeconds - SECONDS_PER_DAY) {
    period = clock.periodAt(period.fromEpochSeconds - 1);
    offsetSeconds = Math.min(offsetSeconds, period.offsetSeconds);
  }
  return epochSeconds + offsetSeconds;
}

/** The instants of ascending local times, ascending: those of skipped times are after times that follow them. */
function* inOrder(localTimes: Iterable<number>, { clock }: Search): Generator<number> {
  const skipped: number[] = [];
  for (const local of localTimes) {
    const epochSeconds = clock.resolve(local);
    if (epochSeconds + clock.periodAt(epochSeconds).offsetSeconds !== local) {
      skipped.push(epochSeconds);
      continue;
    }
    while (skipped.length > 0 && skipped[0]! <= epochSeconds) yield skipped.shift()!;
    yield epochSeconds;
  }
  yield* skipped;
}

/**
 * The instants of a rule below DAILY, whose periods are `interval` hours, minutes or seconds of elapsed time apart. A period that
 * begins at a time which the rule excludes is skipped, with all that follow until the next time that it allows.
 */
function* elapsedTimes(search: Search, unit: number, from: number): Generator<number> {
  const { rule, clock, startSeconds, until, takeStep } = search;
  const step = unit * rule.interval;
  const periodFrom = (epochSeconds: number) =>
    startSeconds + Math.max(0, Math.ceil((epochSeconds - startSeconds) / step)) * step;
  // Without parts below it, a period has the time at which it begins, which BYSETPOS selects if it selects any.
  const isWhole = [unit > 60 ? rule.byMinute : [], unit > 1 ? rule.bySecond : []].every(
    list => list.length === 0,
  );
  const isReachable = reachableFrom(search, step);
  for (let at = periodFrom(from - unit); at - unit <= until; ) {
    takeStep();
    const { fromEpochSeconds, offsetSeconds, untilEpochSeconds } = clock.periodAt(at);
    const local = at + offsetSeconds;
    if (!isReachable(local)) {
      const isLast = untilEpochSeconds > LAST_SECONDS;
      if (isLast && fromEpochSeconds <= startSeconds)
        throw unreadable(
          search.parameter,
          'RRULE never occurs: INTERVAL leads to no time of day that it allows',
        );
      if (isLast) return;
      at = periodFrom(untilEpochSeconds);
      continue;
    }
    const allowed = nextAllowed(local, search);
    if (allowed === null) return;
    if (allowed > local) {
      at = periodFrom(searchFrom(at, allowed - offsetSeconds, untilEpochSeconds));
      continue;
    }
    if (isWhole) {
      takeStep();
      yield at;
    } else yield* shownTimes(at, local, unit, search);
    at += step;
  }
}

/** The instants of a period at which the clock shows its times, as it does not where it changes. */
function* shownTimes(at: number, local: number, unit: number, search: Search): Generator<number> {
  for (const second of secondsInPeriod(local, unit, search)) {
    search.takeStep();
    const epochSeconds = at - modulo(local, unit) + second;
    const shown = epochSeconds + search.clock.periodAt(epochSeconds).offsetSeconds;
    if (modulo(shown, unit) === second) yield epochSeconds;
  }
}

/** The seconds of a period that the rule selects, ascending; without parts below it, that of the period itself. */
function* secondsInPeriod(local: number, unit: number, { rule, positions }: Search): Generator<number> {
  const { byMinute, bySecond } = rule;
  const own = modulo(local, unit);
  const minutes = unit > 60 && byMinute.length > 0 ? byMinute : [Math.floor(own / 60)];
  const seconds = unit > 1 && bySecond.length > 0 ? bySecond : [own % 60];
  for (const index of positions(minutes.length * seconds.length))
    yield minutes[Math.floor(index / seconds.length)]! * 60 + seconds[index % seconds.length]!;
}

/**
 * Whether steps from a local time lead to a time of day that the rule allows, while the clock does not change: 100 minutes from
 * 09:00 never lead to `BYMINUTE=30`. Found once for each remainder of the step and the length of a day.
 */
function reachableFrom({ rule, limits }: Search, step: number): (local: number) => boolean {
  const conditions = limits.map(({ part, ...units }) => ({ ...units, allowed: new Set(rule[part]) }));
  const stride = greatestCommonDivisor(step, SECONDS_PER_DAY);
  const known = new Map<number, boolean>();
  const allows = (second: number) =>
    conditions.every(({ allowed, length, outer }) => allowed.has(Math.floor((second % outer) / length)));
  const isFound = (first: number) => {
    for (let second = first; second < SECONDS_PER_DAY; second += stride) if (allows(second)) return true;
    return false;
  };
  return local => {
    if (limits.length === 0) return true;
    const first = modulo(local, stride);
    const isReachable = known.get(first) ?? isFound(first);
    known.set(first, isReachable);
    return isReachable;
  };
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}

/** The next local time whose period the rule allows: the same, or the start of a later one; null for none. */
function nextAllowed(local: number, { rule, days, limits }: Search): number | null {
  const today = Math.floor(local / SECONDS_PER_DAY);
  const day = days.nextFrom(today);
  if (day !== today) return day === null ? null : day * SECONDS_PER_DAY;
  for (const { part, length, outer } of limits) {
    const list = rule[part];
    const outerStart = local - modulo(local, outer);
    const value = Math.floor((local - outerStart) / length);
    const next = list[indexFrom(list, value)];
    if (next === undefined) return outerStart + outer;
    if (next > value) return outerStart + next * length;
  }
  return local;
}

/**
 * Where to search on for a local time that is at `next` unless the clock changes before: changes move times by a day at
 * most, and may repeat times that are allowed.
 */
function searchFrom(at: number, next: number, changeAt: number): number {
  if (next < changeAt) return next;
  return changeAt - at < SECONDS_PER_DAY ? changeAt : Math.max(changeAt, next - SECONDS_PER_DAY);
}

/**
 * The number of occurrences of a rule before an instant, in epoch seconds, or one of at least `most`. Most days have their
 * occurrences at the same times: while the clock does not change, days are counted, not occurrences, which takes a few steps for
 * each change. Occurrences are enumerated around changes, and for rules whose days differ.
 */
export function countBefore(search: Search, from: number, most: number): number {
  const { rule, clock, startSeconds, unit, takeStep } = search;
  const end = Math.min(from, LAST_SECONDS);
  if (end <= startSeconds) return 0;
  if (unit !== undefined && BY_PARTS.every(part => rule[part].length === 0))
    return Math.ceil((end - startSeconds) / (unit * rule.interval));
  const days = unit === undefined ? civilDays(search) : elapsedDays(search, unit * rule.interval);
  let count = 0;
  for (let at = startSeconds; at < end && count < most; ) {
    takeStep();
    takeStep(); // such a period takes twice as long
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

/** The parts of a rule that exclude or add times. */
const BY_PARTS = [
  ...(['bySecond', 'byMinute', 'byHour', 'byDay', 'byMonthDay'] as const),
  ...(['byYearDay', 'byWeekNo', 'byMonth', 'bySetPos'] as const),
];

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

/** The days of a rule, in so far as their occurrences are at the same times. */
interface RegularDays {
  /** The part of the clock's period around an instant in which they are. */
  regularSpan(at: number): { readonly from: number; readonly end: number };
  /** The number of occurrences from an instant to before another; null where it must be enumerated. */
  count(from: number, end: number, offsetSeconds: number): number | null;
}

/** The days of a rule from DAILY on. */
function civilDays({ rule, clock, days, periods, times, positions, takeStep }: Search): RegularDays {
  const isAlike = rule.bySetPos.length === 0 || rule.frequency === 'DAILY'; // else BYSETPOS selects other times on each day
  const pattern = isAlike ? Array.from(positions(times.length), index => times[index]!) : null;
  const countDays = (from: number, end: number) => {
    if (rule.interval === 1) return days.countBetween(from, end);
    if (rule.frequency === 'DAILY' && days.countBetween(from, end) === end - from)
      return Math.ceil((end - periods.alignedFrom(from)) / rule.interval);
    let count = 0;
    for (let day = periods.alignedFrom(from); day < end; ) {
      takeStep();
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

/** The days of a rule below DAILY: its steps fall on the same times of each day, if they divide one. */
function elapsedDays(search: Search, step: number): RegularDays {
  const { days, clock, startSeconds } = search;
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
      const phase = modulo(startSeconds + offsetSeconds, step);
      const pattern = patterns.get(phase) ?? patternIn(search, from, end, offsetSeconds);
      if (pattern === null) return null;
      patterns.set(phase, pattern);
      const countDays = (first: number, last: number) => days.countBetween(first, last);
      return countTimes(pattern, countDays, from + offsetSeconds, end + offsetSeconds);
    },
  };
}

/** The times of the first whole day between two instants; null where they have none. */
function patternIn(search: Search, from: number, end: number, offsetSeconds: number): number[] | null {
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
