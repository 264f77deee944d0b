import { SECONDS_PER_DAY } from '../common/civil.ts';
import { unreadable } from '../common/errors.ts';
import { modulo } from '../common/modulo.ts';
import { indexFrom } from '../common/sorted_list.ts';
import { type ElapsedSearch, END_EPOCH_SECONDS, secondsInPeriod } from './rule_search.ts';

/**
 * The instants of a rule of elapsed time, whose periods are `INTERVAL` hours, minutes or seconds apart. A period that begins at a
 * time which the rule excludes is skipped, with all that follow until the next time that it allows.
 */
export function* elapsedTimes(search: ElapsedSearch, from: number): Generator<number> {
  const { rule, unitSeconds, clock, startEpochSeconds, lastEpochSeconds, takeSteps } = search;
  const step = unitSeconds * rule.interval;
  const periodFrom = (epochSeconds: number) =>
    startEpochSeconds + Math.max(0, Math.ceil((epochSeconds - startEpochSeconds) / step)) * step;
  // Without parts below its unit, a period has one time, its start, which BYSETPOS selects if it selects any.
  const hasOneTime =
    (unitSeconds <= 60 || rule.byMinute.length === 0) && (unitSeconds === 1 || rule.bySecond.length === 0);
  const isReachable = reachableFrom(search, step);
  for (let at = periodFrom(from - unitSeconds); at - unitSeconds <= lastEpochSeconds; ) {
    takeSteps();
    const { fromEpochSeconds, offsetSeconds, untilEpochSeconds } = clock.periodAt(at);
    const local = at + offsetSeconds;
    if (!isReachable(local)) {
      const isLast = untilEpochSeconds > END_EPOCH_SECONDS;
      if (isLast && fromEpochSeconds <= startEpochSeconds)
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
    if (hasOneTime) {
      takeSteps();
      yield at;
    } else yield* shownTimes(at, local, search);
    at += step;
  }
}

/** The instants of a period's times, without those that the clock does not show because it changes. */
function* shownTimes(at: number, local: number, search: ElapsedSearch): Generator<number> {
  const { unitSeconds, clock, takeSteps } = search;
  for (const second of secondsInPeriod(local, search)) {
    takeSteps();
    const epochSeconds = at - modulo(local, unitSeconds) + second;
    const shown = epochSeconds + clock.periodAt(epochSeconds).offsetSeconds;
    if (modulo(shown, unitSeconds) === second) yield epochSeconds;
  }
}

/**
 * Whether steps from a local time lead to a time of day that the rule allows, while the clock does not change: 100 minutes from
 * 09:00 never lead to `BYMINUTE=30`. Found once for each remainder of the step and the length of a day.
 */
function reachableFrom({ rule, limits }: ElapsedSearch, step: number): (local: number) => boolean {
  const conditions = limits.map(({ part, ...units }) => ({ ...units, allowed: new Set(rule[part]) }));
  const stride = greatestCommonDivisor(step, SECONDS_PER_DAY);
  const known = new Map<number, boolean>();
  const allows = (second: number) =>
    conditions.every(({ allowed, lengthSeconds, outerSeconds }) =>
      allowed.has(Math.floor((second % outerSeconds) / lengthSeconds)),
    );
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
function nextAllowed(local: number, { rule, days, limits }: ElapsedSearch): number | null {
  const today = Math.floor(local / SECONDS_PER_DAY);
  const day = days.nextFrom(today);
  if (day !== today) return day === null ? null : day * SECONDS_PER_DAY;
  for (const { part, lengthSeconds, outerSeconds } of limits) {
    const list = rule[part];
    const outerStart = local - modulo(local, outerSeconds);
    const value = Math.floor((local - outerStart) / lengthSeconds);
    const next = list[indexFrom(list, value)];
    if (next === undefined) return outerStart + outerSeconds;
    if (next > value) return outerStart + next * lengthSeconds;
  }
  return local;
}

/**
 * The instant at which to continue the search. `next` is that of the next allowed local time, unless the clock changes before:
 * changes move times by a day at most, and may repeat allowed ones.
 */
function searchFrom(at: number, next: number, changeAt: number): number {
  if (next < changeAt) return next;
  return changeAt - at < SECONDS_PER_DAY ? changeAt : Math.max(changeAt, next - SECONDS_PER_DAY);
}
