import { dayNumberOf } from '../common/civil.ts';
import { unreadable } from '../common/service_error.ts';
import { FREQUENCIES, type Frequency, type Recurrence, type RecurrenceRule } from './recurrence_rule.ts';
import { daysOfRule } from './rule_days.ts';
import { DayTimes, modulo, Periods } from './rule_periods.ts';
import type { LocalClock } from './working_time.ts';
import { indexFrom, LAST_YEAR, type YearDays } from './year_types.ts';

const SECONDS_PER_DAY = 86_400;
/** The maximum number of periods and times examined for a request: about one millisecond. */
const MAX_STEPS = 4000;
/** After all searched local times. */
const LAST_SECONDS = dayNumberOf(LAST_YEAR + 1, 1, 1) * SECONDS_PER_DAY;

/** The clock of a recurrence. */
export interface RuleClock extends LocalClock {
  /** The instant of a local time; a skipped one has the offset before the gap, of a repeated one the first is used (§3.3.5). */
  resolve(localSeconds: number): number;
}

/**
 * The distinct instants of a recurrence from one on, in epoch seconds, ascending, to the end of {@link LAST_YEAR}. Dates that do
 * not exist are skipped. For DAILY and longer, periods are in local time; shorter ones have their exact length in elapsed time,
 * and the parts of the rule apply to local time.
 * Throws `INVALID_PARAMETER` if no date matches, or if finding an occurrence takes too many steps.
 */
export function* ruleOccurrences(
  { start, rule }: Recurrence,
  clock: RuleClock,
  fromEpochSeconds: number,
  parameter: string,
  maxSteps = MAX_STEPS,
): Generator<number> {
  const startSeconds = start.isUtc ? start.localSeconds : clock.resolve(start.localSeconds);
  const days = daysOfRule(rule, Math.floor(start.localSeconds / SECONDS_PER_DAY));
  if (days.isEmpty())
    throw unreadable(parameter, 'RRULE never occurs: no date has all that its parts require');
  const search: Search = {
    rule,
    days,
    clock,
    start: start.localSeconds,
    startSeconds,
    positions: positionsIn(rule.bySetPos),
    parameter,
    takeStep: stepCounter(parameter, maxSteps),
  };
  const isSubdaily = FREQUENCIES.indexOf(rule.frequency) < FREQUENCIES.indexOf('DAILY');
  if (hasNoPosition(search))
    throw unreadable(parameter, 'RRULE never occurs: no period has a time at a position of BYSETPOS');
  const until = untilSeconds(rule, clock);
  // Occurrences are counted from DTSTART.
  const from = Math.max(startSeconds, rule.count === null ? fromEpochSeconds : startSeconds);
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const epochSeconds of isSubdaily
    ? elapsedTimes(search, from)
    : inOrder(dailyTimes(search, from), search)) {
    if (epochSeconds < startSeconds || epochSeconds <= last) continue;
    if (epochSeconds > until) return;
    last = epochSeconds;
    if (epochSeconds >= fromEpochSeconds) yield epochSeconds;
    count++;
    if (count === rule.count) return;
  }
}

interface Search {
  readonly rule: RecurrenceRule;
  readonly days: YearDays;
  readonly clock: RuleClock;
  /** `DTSTART` in local seconds, and as an instant. */
  readonly start: number;
  readonly startSeconds: number;
  /** The indices that `BYSETPOS` selects in a set of a given size, ascending. */
  readonly positions: (size: number) => Iterable<number>;
  readonly parameter: string;
  readonly takeStep: () => void;
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

/** Whether `BYSETPOS` never selects anything, if all sets have the same size, as for days and shorter periods. */
function hasNoPosition(search: Search): boolean {
  const { rule, start } = search;
  const unit = UNIT_SECONDS[rule.frequency];
  if (unit !== undefined) return isEmpty(secondsInPeriod(start, unit, search));
  return rule.frequency === 'DAILY' && isEmpty(search.positions(new DayTimes(rule, start).count));
}

function isEmpty(values: Iterable<unknown>): boolean {
  return values[Symbol.iterator]().next().done === true;
}

function untilSeconds({ until }: RecurrenceRule, clock: RuleClock): number {
  if (until === null) return Number.POSITIVE_INFINITY;
  return until.isUtc ? until.localSeconds : clock.resolve(until.localSeconds);
}

/**
 * The local times of a rule with DAILY or longer periods, ascending, starting no later than those of an instant; with `BYSETPOS`
 * from the beginning of the period.
 */
function* dailyTimes(search: Search, from: number): Generator<number> {
  const { rule, days, clock, start, positions, takeStep } = search;
  const times = new DayTimes(rule, start);
  const startDay = Math.floor(start / SECONDS_PER_DAY);
  const periods = new Periods(rule, startDay);
  const fromLocal = earliestLocal(from, clock);
  const fromDay = Math.floor(fromLocal / SECONDS_PER_DAY);
  const first = Math.max(startDay, fromDay);
  let day = days.nextFrom(rule.bySetPos.length === 0 ? first : periods.startOf(first));
  while (day !== null) {
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
    takeStep(); // counts twice, since such a period takes twice as long
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

/** A local time before which all local times are before the instant. Clock changes move times by at most a day. */
function earliestLocal(epochSeconds: number, clock: RuleClock): number {
  let period = clock.periodAt(epochSeconds);
  let offsetSeconds = period.offsetSeconds;
  while (period.fromEpochSeconds > epochSeconds - SECONDS_PER_DAY) {
    period = clock.periodAt(period.fromEpochSeconds - 1);
    offsetSeconds = Math.min(offsetSeconds, period.offsetSeconds);
  }
  return epochSeconds + offsetSeconds;
}

/** The instants of ascending local times, in order, since skipped times can have later instants than the times after them. */
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

const UNIT_SECONDS: Readonly<Partial<Record<Frequency, number>>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: 3600,
};

/**
 * The instants of a rule with periods shorter than DAILY, `interval` hours, minutes or seconds of elapsed time apart. If a period
 * begins at a time excluded by the rule, all periods up to the next allowed time are skipped.
 */
function* elapsedTimes(search: Search, from: number): Generator<number> {
  const { rule, clock, startSeconds, takeStep } = search;
  const unit = UNIT_SECONDS[rule.frequency]!; // defined for periods shorter than DAILY
  const step = unit * rule.interval;
  const periodFrom = (epochSeconds: number) =>
    startSeconds + Math.max(0, Math.ceil((epochSeconds - startSeconds) / step)) * step;
  // Without parts for smaller units, a period has only its start time, which BYSETPOS selects if it selects any.
  const isWhole = [unit > 60 ? rule.byMinute : [], unit > 1 ? rule.bySecond : []].every(
    list => list.length === 0,
  );
  const isReachable = reachableFrom(search, unit, step);
  for (let at = periodFrom(from - unit); ; ) {
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

/** The instants of a period whose local time matches; clock changes can prevent that. */
function* shownTimes(at: number, local: number, unit: number, search: Search): Generator<number> {
  for (const second of secondsInPeriod(local, unit, search)) {
    search.takeStep();
    const epochSeconds = at - modulo(local, unit) + second;
    const shown = epochSeconds + search.clock.periodAt(epochSeconds).offsetSeconds;
    if (modulo(shown, unit) === second) yield epochSeconds;
  }
}

/**
 * Whether steps from a local time reach a time of day that the rule allows if the clock does not change: steps of 100 minutes
 * from 09:00 never reach `BYMINUTE=30`. Determined once per remainder of the step and the length of a day.
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
 * Where to continue searching for a local time that is at `next` unless the clock changes before: changes move times by at most a
 * day, and may repeat allowed times.
 */
function searchFrom(at: number, next: number, changeAt: number): number {
  if (next < changeAt) return next;
  return changeAt - at < SECONDS_PER_DAY ? changeAt : Math.max(changeAt, next - SECONDS_PER_DAY);
}

/** The parts that limit times, with the seconds of their unit and of the next larger unit. */
const TIME_PARTS = [
  { part: 'byHour', length: 3600, outer: SECONDS_PER_DAY },
  { part: 'byMinute', length: 60, outer: 3600 },
  { part: 'bySecond', length: 1, outer: 60 },
] as const;

/** The next local time in a period that the rule allows: the same, or the start of a later one; null if there is none. */
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

/** The seconds of a period that the rule selects, ascending; without parts for smaller units, the period's own. */
function* secondsInPeriod(local: number, unit: number, { rule, positions }: Search): Generator<number> {
  const { byMinute, bySecond } = rule;
  const own = modulo(local, unit);
  const minutes = unit > 60 && byMinute.length > 0 ? byMinute : [Math.floor(own / 60)];
  const seconds = unit > 1 && bySecond.length > 0 ? bySecond : [own % 60];
  for (const index of positions(minutes.length * seconds.length))
    yield minutes[Math.floor(index / seconds.length)]! * 60 + seconds[index % seconds.length]!;
}

/** {@link Search.positions}, computed once per size, since most periods have the same size. */
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
