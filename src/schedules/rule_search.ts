import { dayNumberOf } from '../common/civil.ts';
import { unreadable } from '../common/errors.ts';
import { FREQUENCIES, type Frequency, type Recurrence, type RecurrenceRule } from './recurrence_rule.ts';
import { DayTimes, daysOfRule, modulo, Periods, SECONDS_PER_DAY } from './rule_periods.ts';
import type { LocalClock } from './working_time.ts';
import { indexFrom, LAST_YEAR, type YearDays } from './year_types.ts';

/** After all local times that are searched. */
export const LAST_SECONDS = dayNumberOf(LAST_YEAR + 1, 1, 1) * SECONDS_PER_DAY;

/** The clock of a recurrence. */
export interface RuleClock extends LocalClock {
  /** The instant of a local time: a skipped one has the offset before the gap, a repeated one is the first (§3.3.5). */
  resolve(localSeconds: number): number;
}

/** A rule with what a search for its occurrences needs. */
export interface Search {
  readonly rule: RecurrenceRule;
  readonly days: YearDays;
  readonly clock: RuleClock;
  /** `DTSTART` in local seconds, and as an instant. */
  readonly start: number;
  readonly startSeconds: number;
  /** The last instant of the search, in epoch seconds; infinite where nothing bounds it. */
  readonly until: number;
  /** The indices of a set of some size that `BYSETPOS` selects, ascending. */
  readonly positions: (size: number) => Iterable<number>;
  readonly parameter: string;
  readonly takeStep: () => void;
}

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
  const days = daysOfRule(rule, Math.floor(start.localSeconds / SECONDS_PER_DAY));
  if (days.isEmpty())
    throw unreadable(parameter, 'RRULE never occurs: no date has all that its parts require');
  const search: Search = {
    rule,
    days,
    clock,
    start: start.localSeconds,
    startSeconds: start.isUtc ? start.localSeconds : clock.resolve(start.localSeconds),
    until: Math.min(lastEpochSeconds, untilSeconds(rule, clock)),
    positions: positionsIn(rule.bySetPos),
    parameter,
    takeStep: stepCounter(parameter, maxSteps),
  };
  if (hasNoPosition(search))
    throw unreadable(parameter, 'RRULE never occurs: no period has a time at a position of BYSETPOS');
  return search;
}

/** The instants of a rule from one on, ascending and each once, up to `until`; without regard to `COUNT`. */
export function* instantsFrom(search: Search, from: number): Generator<number> {
  const first = Math.max(search.startSeconds, from);
  const found = isSubdaily(search.rule)
    ? elapsedTimes(search, first)
    : inOrder(dailyTimes(search, first), search);
  let last = Number.NEGATIVE_INFINITY;
  for (const epochSeconds of found) {
    if (epochSeconds < first || epochSeconds <= last) continue;
    if (epochSeconds > search.until) return;
    last = epochSeconds;
    yield epochSeconds;
  }
}

/** Whether periods are of elapsed time. */
export function isSubdaily({ frequency }: RecurrenceRule): boolean {
  return FREQUENCIES.indexOf(frequency) < FREQUENCIES.indexOf('DAILY');
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

/** Whether `BYSETPOS` selects nothing of any set: no period has as many times as its smallest position. */
function hasNoPosition(search: Search): boolean {
  const { rule, start, days } = search;
  if (rule.bySetPos.length === 0) return false;
  const unit = UNIT_SECONDS[rule.frequency];
  if (unit !== undefined) return isEmpty(secondsInPeriod(start, unit, search));
  const times = new DayTimes(rule, start).count;
  const smallest = Math.min(...Array.from(rule.bySetPos, Math.abs));
  if (rule.frequency === 'DAILY') return times < smallest;
  return !days.hasPeriod(new Periods(rule, Math.floor(start / SECONDS_PER_DAY)), Math.ceil(smallest / times));
}

function isEmpty(values: Iterable<unknown>): boolean {
  return values[Symbol.iterator]().next().done === true;
}

function untilSeconds({ until }: RecurrenceRule, clock: RuleClock): number {
  if (until === null) return Number.POSITIVE_INFINITY;
  return until.isUtc ? until.localSeconds : clock.resolve(until.localSeconds);
}

/**
 * The local times of a rule from DAILY on, ascending, from one on that is not after those of an instant; with `BYSETPOS` from
 * the beginning of its period.
 */
function* dailyTimes(search: Search, from: number): Generator<number> {
  const { rule, days, clock, start, until, positions, takeStep } = search;
  const times = new DayTimes(rule, start);
  const startDay = Math.floor(start / SECONDS_PER_DAY);
  const periods = new Periods(rule, startDay);
  const fromLocal = earliestLocal(from, clock);
  const fromDay = Math.floor(fromLocal / SECONDS_PER_DAY);
  const first = Math.max(startDay, fromDay);
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
      const firstIndex = day === fromDay ? times.indexFrom(fromLocal - day * SECONDS_PER_DAY) : 0;
      for (let index = firstIndex; index < times.count; index++) {
        takeStep();
        yield day * SECONDS_PER_DAY + times.at(index);
      }
      day = days.nextFrom(day + 1);
      continue;
    }
    takeStep(); // such a period takes twice as long
    const end = periods.endOf(day);
    const inPeriod = days.between(day, end);
    for (const index of positions(inPeriod.days.length * times.count)) {
      takeStep();
      const selectedDay = inPeriod.firstDay + inPeriod.days[Math.floor(index / times.count)]!;
      yield selectedDay * SECONDS_PER_DAY + times.at(index % times.count);
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

/** The lengths of periods of elapsed time. */
export const UNIT_SECONDS: Readonly<Partial<Record<Frequency, number>>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: 3600,
};

/**
 * The instants of a rule below DAILY, whose periods are `interval` hours, minutes or seconds of elapsed time apart. A period that
 * begins at a time which the rule excludes is skipped, with all that follow until the next time that it allows.
 */
function* elapsedTimes(search: Search, from: number): Generator<number> {
  const { rule, clock, startSeconds, until, takeStep } = search;
  const unit = UNIT_SECONDS[rule.frequency]!; // those below DAILY have one
  const step = unit * rule.interval;
  const periodFrom = (epochSeconds: number) =>
    startSeconds + Math.max(0, Math.ceil((epochSeconds - startSeconds) / step)) * step;
  // Without parts below it, a period has the time at which it begins, which BYSETPOS selects if it selects any.
  const isWhole = [unit > 60 ? rule.byMinute : [], unit > 1 ? rule.bySecond : []].every(
    list => list.length === 0,
  );
  const isReachable = reachableFrom(search, unit, step);
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
    const allowed = nextAllowed(local, unit, search);
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

/**
 * Whether steps from a local time lead to a time of day that the rule allows, while the clock does not change: 100 minutes from
 * 09:00 never lead to `BYMINUTE=30`. Found once for each remainder of the step and the length of a day.
 */
function reachableFrom({ rule }: Search, unit: number, step: number): (local: number) => boolean {
  const parts = TIME_PARTS.filter(({ part, length }) => rule[part].length > 0 && length >= unit).map(
    ({ part, length, outer }) => {
      const allowed = new Uint8Array(outer / length);
      for (const value of rule[part]) allowed[value] = 1;
      return { allowed, length, outer };
    },
  );
  const stride = greatestCommonDivisor(step, SECONDS_PER_DAY);
  const known = new Map<number, boolean>();
  const allows = (second: number) => {
    for (const { allowed, length, outer } of parts)
      if (!allowed[Math.floor((second % outer) / length)]) return false;
    return true;
  };
  return local => {
    const first = modulo(local, stride);
    const isKnown = parts.length === 0 || known.get(first);
    if (isKnown !== undefined) return isKnown;
    let isFound = false;
    for (let second = first; second < SECONDS_PER_DAY && !isFound; second += stride) isFound = allows(second);
    known.set(first, isFound);
    return isFound;
  };
}

/**
 * Where to search on for a local time that is at `next` unless the clock changes before: changes move times by a day at
 * most, and may repeat times that are allowed.
 */
function searchFrom(at: number, next: number, changeAt: number): number {
  if (next < changeAt) return next;
  return changeAt - at < SECONDS_PER_DAY ? changeAt : Math.max(changeAt, next - SECONDS_PER_DAY);
}

/** The parts that limit times, each with the seconds of one and of the unit around it. */
const TIME_PARTS = [
  { part: 'byHour', length: 3600, outer: SECONDS_PER_DAY },
  { part: 'byMinute', length: 60, outer: 3600 },
  { part: 'bySecond', length: 1, outer: 60 },
] as const;

/** The next local time whose period the rule allows: the same, or the start of a later one; null for none. */
function nextAllowed(local: number, unit: number, { rule, days }: Search): number | null {
  const today = Math.floor(local / SECONDS_PER_DAY);
  const day = days.nextFrom(today);
  if (day !== today) return day === null ? null : day * SECONDS_PER_DAY;
  for (const { part, length, outer } of TIME_PARTS) {
    const list = rule[part];
    if (list.length === 0 || length < unit) continue;
    const outerStart = local - modulo(local, outer);
    const value = Math.floor((local - outerStart) / length);
    const next = list[indexFrom(list, value)];
    if (next === undefined) return outerStart + outer;
    if (next > value) return outerStart + next * length;
  }
  return local;
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

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
