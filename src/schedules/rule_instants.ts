import { SECONDS_PER_DAY } from '../common/civil.ts';
import { indexFrom } from '../common/sorted_list.ts';
import { elapsedTimes } from './elapsed_times.ts';
import type { DailySearch, RuleClock, Search } from './rule_search.ts';

/** The instants of a rule from one on to the last of the search, ascending and each once; without regard to `COUNT`. */
export function* instantsFrom(search: Search, from: number): Generator<number> {
  const first = Math.max(search.startEpochSeconds, from);
  const found =
    search.kind === 'daily' ? inOrder(dailyTimes(search, first), search) : elapsedTimes(search, first);
  let last = Number.NEGATIVE_INFINITY;
  for (const epochSeconds of found) {
    if (epochSeconds < first || epochSeconds <= last) continue;
    if (epochSeconds > search.lastEpochSeconds) return;
    last = epochSeconds;
    yield epochSeconds;
  }
}

/**
 * The local times of a rule of days, ascending. They begin with or before the first that could be at `from` or later, and with
 * `BYSETPOS` at the beginning of its period.
 */
function* dailyTimes(search: DailySearch, from: number): Generator<number> {
  const { rule, days, clock, positions, periods, times, takeSteps } = search;
  const fromLocal = earliestLocal(from, clock);
  const fromDay = Math.floor(fromLocal / SECONDS_PER_DAY);
  const first = Math.max(Math.floor(search.startLocalSeconds / SECONDS_PER_DAY), fromDay);
  // Offsets move times by less than a day, and a gap by a day at most.
  const lastDay = Math.floor(search.lastEpochSeconds / SECONDS_PER_DAY) + 2;
  let day = days.nextFrom(rule.bySetPos.length === 0 ? first : periods.startOf(first));
  while (day !== null && day <= lastDay) {
    takeSteps();
    const aligned = periods.alignedFrom(day);
    if (aligned > day) {
      day = days.nextFrom(aligned);
      continue;
    }
    if (rule.bySetPos.length === 0) {
      const firstIndex = day === fromDay ? indexFrom(times, fromLocal - day * SECONDS_PER_DAY) : 0;
      for (let index = firstIndex; index < times.length; index++) {
        takeSteps();
        yield day * SECONDS_PER_DAY + times[index]!;
      }
      day = days.nextFrom(day + 1);
      continue;
    }
    takeSteps(); // a period with BYSETPOS takes as long as two days
    const end = periods.endOf(day);
    const inPeriod = days.between(day, end);
    for (const index of positions(inPeriod.days.length * times.length)) {
      takeSteps();
      const selectedDay = inPeriod.firstDay + inPeriod.days[Math.floor(index / times.length)]!;
      yield selectedDay * SECONDS_PER_DAY + times[index % times.length]!;
    }
    day = days.nextFrom(end);
  }
}

/**
 * The earliest local time that can be at an instant or after it: local times before it are of earlier instants. Changes of the
 * clock move times by a day at most.
 */
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
