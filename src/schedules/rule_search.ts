import { dayNumberOf, SECONDS_PER_DAY } from '../common/civil.ts';
import { unreadable } from '../common/errors.ts';
import { modulo } from '../common/modulo.ts';
import type { LocalClock } from './local_clock.ts';
import type { Frequency, Recurrence, RecurrenceRule } from './recurrence_rule.ts';
import { daysOfRule, Periods } from './rule_days.ts';
import { LAST_YEAR, type YearDays } from './year_days.ts';

/** The end of the last year that is searched, in UTC. */
export const END_EPOCH_SECONDS = dayNumberOf(LAST_YEAR + 1, 1, 1) * SECONDS_PER_DAY;

/** The clock of a recurrence. */
export interface RuleClock extends LocalClock {
  /** The instant of a local time: a skipped one has the offset before the gap, a repeated one is the first (§3.3.5). */
  resolve(localSeconds: number): number;
}

/** A rule with what a search for its occurrences needs. */
interface SearchOfRule {
  readonly rule: RecurrenceRule;
  readonly days: YearDays;
  readonly clock: RuleClock;
  /** `DTSTART` as local time, and as an instant. */
  readonly startLocalSeconds: number;
  readonly startEpochSeconds: number;
  /** The last instant of the search, inclusive; infinite where nothing bounds it. */
  readonly lastEpochSeconds: number;
  /** The indices of a set of some size that `BYSETPOS` selects, ascending. */
  readonly positions: (size: number) => Iterable<number>;
  readonly parameter: string;
  /** Counts one step or more. Throws `INVALID_PARAMETER` after too many. */
  readonly takeSteps: (count?: number) => void;
}

/** The search for a rule whose periods are whole days: DAILY to YEARLY. */
export interface DailySearch extends SearchOfRule {
  readonly kind: 'daily';
  readonly periods: Periods;
  /** The times of day that the rule selects, in seconds since midnight, ascending. */
  readonly times: readonly number[];
}

/** The search for a rule whose periods are elapsed time: SECONDLY to HOURLY. */
export interface ElapsedSearch extends SearchOfRule {
  readonly kind: 'elapsed';
  /** The length of a period before it is multiplied by the interval. */
  readonly unitSeconds: number;
  /** The parts that limit the start of a period. */
  readonly limits: readonly (typeof TIME_PARTS)[number][];
}

export type Search = DailySearch | ElapsedSearch;

/** The lengths of periods of elapsed time. */
const UNIT_SECONDS: Partial<Record<Frequency, number>> = { SECONDLY: 1, MINUTELY: 60, HOURLY: 3600 };

/** The parts that limit times, each with the length of its unit and of the unit around it. */
const TIME_PARTS = [
  { part: 'byHour', lengthSeconds: 3600, outerSeconds: SECONDS_PER_DAY },
  { part: 'byMinute', lengthSeconds: 60, outerSeconds: 3600 },
  { part: 'bySecond', lengthSeconds: 1, outerSeconds: 60 },
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
  const common = {
    rule,
    days,
    clock,
    startLocalSeconds: start.localSeconds,
    startEpochSeconds: instantOf(start),
    lastEpochSeconds:
      rule.until === null ? lastEpochSeconds : Math.min(lastEpochSeconds, instantOf(rule.until)),
    positions: positionsIn(rule.bySetPos),
    parameter,
    takeSteps: stepCounter(parameter, maxSteps),
  };
  const unitSeconds = UNIT_SECONDS[rule.frequency];
  let search: Search;
  if (unitSeconds === undefined) {
    const times = timesOfDay(rule, start.localSeconds);
    search = { ...common, kind: 'daily', periods: new Periods(rule, startDay), times };
  } else {
    const limits = TIME_PARTS.filter(
      ({ part, lengthSeconds }) => rule[part].length > 0 && lengthSeconds >= unitSeconds,
    );
    search = { ...common, kind: 'elapsed', unitSeconds, limits };
  }
  if (hasNoPosition(search))
    throw unreadable(parameter, 'RRULE never occurs: no period has a time at a position of BYSETPOS');
  return search;
}

function timesOfDay({ byHour, byMinute, bySecond }: RecurrenceRule, startLocalSeconds: number): number[] {
  const second = modulo(startLocalSeconds, SECONDS_PER_DAY);
  const hours = byHour.length > 0 ? byHour : [Math.floor(second / 3600)];
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor((second % 3600) / 60)];
  const seconds = bySecond.length > 0 ? bySecond : [second % 60];
  return hours.flatMap(hour =>
    minutes.flatMap(minute => seconds.map(each => hour * 3600 + minute * 60 + each)),
  );
}

function stepCounter(parameter: string, maxSteps: number): Search['takeSteps'] {
  let steps = 0;
  return (count = 1) => {
    steps += count;
    if (steps <= maxSteps) return;
    throw unreadable(
      parameter,
      `RRULE requires more than ${maxSteps} steps: it occurs too rarely, or too often before 'from'`,
    );
  };
}

/** Makes {@link Search.positions}, which selects once for each size: most periods have the same. */
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
  const { rule, startLocalSeconds, days } = search;
  if (rule.bySetPos.length === 0) return false;
  if (search.kind === 'elapsed') return secondsInPeriod(startLocalSeconds, search).next().done === true;
  const { periods, times } = search;
  const smallest = Math.min(...Array.from(rule.bySetPos, Math.abs));
  if (rule.frequency === 'DAILY') return times.length < smallest;
  return !periods.someHas(days, Math.ceil(smallest / times.length));
}

/** The seconds that the rule selects in the period of a local time, ascending; that time's own where no part of the rule sets them. */
export function* secondsInPeriod(
  local: number,
  { rule, unitSeconds, positions }: ElapsedSearch,
): Generator<number> {
  const { byMinute, bySecond } = rule;
  const own = modulo(local, unitSeconds);
  const minutes = unitSeconds > 60 && byMinute.length > 0 ? byMinute : [Math.floor(own / 60)];
  const seconds = unitSeconds > 1 && bySecond.length > 0 ? bySecond : [own % 60];
  for (const index of positions(minutes.length * seconds.length))
    yield minutes[Math.floor(index / seconds.length)]! * 60 + seconds[index % seconds.length]!;
}
