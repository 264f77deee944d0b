import {
  civilDateOf,
  DAYS_PER_CYCLE,
  dayNumberOf,
  isLeapYear,
  SECONDS_PER_DAY,
  weekdayOf,
  YEARS_PER_CYCLE,
} from '../common/civil.ts';
import { countUpTo } from '../common/sorted_list.ts';
import type { PosixTimeZone, YearlyDay, YearlyTime } from './posix_tz.ts';

const FIRST_YEAR = 2000;
const CYCLE_SECONDS = DAYS_PER_CYCLE * SECONDS_PER_DAY;
const CYCLE_START_SECONDS = dayNumberOf(FIRST_YEAR, 1, 1) * SECONDS_PER_DAY;

/** A change of a yearly rule: DST starts or ends. */
interface YearlyChange {
  readonly epochSeconds: number;
  readonly isStart: boolean;
}

/**
 * The changes of a yearly rule over one cycle of the Gregorian calendar. After 400 years every date falls on the same
 * weekday again, so about 800 instants cover all years.
 */
export class YearlyCycle {
  /** Instants of change in epoch seconds, ascending, within the 400 years; alternately start and end of DST. */
  readonly #changes: Float64Array;
  readonly #firstIsStart: boolean;

  /** The cycle of a rule that has changes. */
  constructor(rule: PosixTimeZone) {
    const changes = yearlyChanges(rule, FIRST_YEAR - 2, FIRST_YEAR + YEARS_PER_CYCLE + 1).filter(
      ({ epochSeconds }) => {
        const sinceStart = epochSeconds - CYCLE_START_SECONDS;
        return sinceStart >= 0 && sinceStart < CYCLE_SECONDS;
      },
    );
    this.#changes = Float64Array.from(changes, change => change.epochSeconds);
    this.#firstIsStart = changes[0]!.isStart;
  }

  /** The time between two changes that contains an instant, in epoch seconds. */
  spanAt(epochSeconds: number) {
    const changes = this.#changes;
    const cycles = Math.floor((epochSeconds - CYCLE_START_SECONDS) / CYCLE_SECONDS);
    const base = cycles * CYCLE_SECONDS;
    const index = countUpTo(changes, epochSeconds - base);
    const from = index === 0 ? changes.at(-1)! - CYCLE_SECONDS : changes[index - 1]!;
    const until = index === changes.length ? changes[0]! + CYCLE_SECONDS : changes[index]!;
    return { from: base + from, until: base + until, isDaylight: (index % 2 === 1) === this.#firstIsStart };
  }
}

/**
 * The changes of a rule in the two years after an instant, in order. None without DST, and none for permanent DST, which
 * TZif writes as `XXX3EDT4,0/0,J365/23` (RFC 9636 §3.3.2).
 */
export function yearlyChangesAfter(rule: PosixTimeZone, epochSeconds: number): YearlyChange[] {
  const { year } = civilDateOf(Math.floor(epochSeconds / SECONDS_PER_DAY));
  const changes = yearlyChanges(rule, year - 2, year + 3);
  const until = epochSeconds + 2 * 366 * SECONDS_PER_DAY;
  return changes.filter(change => change.epochSeconds > epochSeconds && change.epochSeconds <= until);
}

/** The changes in some years, in order; at the first and last day of the range one may be missing or superfluous. */
function yearlyChanges(
  { standard, daylight }: PosixTimeZone,
  firstYear: number,
  lastYear: number,
): YearlyChange[] {
  if (daylight === null) return [];
  // A start is encoded as 2t + 1 and an end as 2t, so that they sort as numbers. If one year's DST ends at the instant at
  // which the next year's starts, the start wins, since it sorts last.
  const codes = new Float64Array(2 * (lastYear - firstYear + 1));
  for (let year = firstYear; year <= lastYear; year++) {
    const index = 2 * (year - firstYear);
    codes[index] = 2 * yearlyChangeAt(daylight.start, year, standard.offsetSeconds) + 1;
    codes[index + 1] = 2 * yearlyChangeAt(daylight.end, year, daylight.type.offsetSeconds);
  }
  codes.sort();
  const changes: YearlyChange[] = [];
  let isDaylight: boolean | undefined;
  for (let index = 0; index < codes.length; index++) {
    const epochSeconds = Math.floor(codes[index]! / 2);
    const isStart = codes[index]! % 2 !== 0;
    const isUndone = index + 1 < codes.length && Math.floor(codes[index + 1]! / 2) === epochSeconds;
    if (isUndone || isStart === isDaylight) continue;
    if (isDaylight !== undefined) changes.push({ epochSeconds, isStart });
    isDaylight = isStart;
  }
  return changes;
}

/** The instant, in epoch seconds, of a change in a year, given the offset before it. */
function yearlyChangeAt(change: YearlyTime, year: number, offsetSeconds: number): number {
  return dayOfYear(change.day, year) * SECONDS_PER_DAY + change.secondsOfDay - offsetSeconds;
}

function dayOfYear(rule: YearlyDay, year: number): number {
  if (rule.kind === 'ordinal') return dayNumberOf(year, 1, 1) + rule.day;
  if (rule.kind === 'julian') {
    const afterLeapDay = rule.day >= 60 && isLeapYear(year) ? 1 : 0;
    return dayNumberOf(year, 1, rule.day) + afterLeapDay;
  }
  const { month, week, weekday } = rule;
  // The first of the seven possible days.
  const first = week === 5 ? dayNumberOf(year, month + 1, -6) : dayNumberOf(year, month, 7 * week - 6);
  return first + ((weekday - weekdayOf(first) + 7) % 7);
}
