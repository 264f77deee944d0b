import { MINUTES_PER_DAY } from '../common/civil.ts';
import { quoted, requireLength, type ServiceError, unreadable } from '../common/errors.ts';
import { indexFrom } from '../common/sorted_list.ts';
import { type LocalClock, REACH_SECONDS } from './local_clock.ts';
import { YearDays } from './year_days.ts';

/**
 * Gaps of at least this size and repetitions of more get no special treatment: jobs simply run by the new time. Those of exactly
 * three hours differ since cronie compares with the minute before the change (`timeDiff` in its `src/cron.c`).
 */
const LARGE_CHANGE_SECONDS = 3 * 3600;

export const MAX_CRON_LENGTH = 256;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Names for the numbers from `first` on. */
  readonly names: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', first: 0, last: 59, names: [] },
  { name: 'hour', first: 0, last: 23, names: [] },
  { name: 'day of the month', first: 1, last: 31, names: [] },
  { name: 'month', first: 1, last: 12, names: MONTHS },
  { name: 'day of the week', first: 0, last: 7, names: WEEKDAYS },
];

/** A parsed cron expression. */
export interface Cron {
  readonly days: YearDays;
  /** Minutes from midnight, ascending. */
  readonly minutesOfDay: readonly number[];
  /** Whether the minute or hour begins with `*`: such a job runs whenever the clock shows a matching time. */
  readonly isWildcard: boolean;
}

/**
 * Parses the five fields of a cron expression: numbers, names, ranges, lists and steps as in cronie's crontab(5). If both day
 * fields are restricted, a day may match either. Throws `INVALID_PARAMETER`, also if no day can match.
 */
export function parseCron(text: string, parameter: string): Cron {
  requireLength(text, MAX_CRON_LENGTH, parameter);
  const texts = text.trim().split(/[ \t]+/);
  if (texts.length !== FIELDS.length)
    throw unreadable(
      parameter,
      `${quoted(text)} is not five fields: minute, hour, day of the month, month, day of the week`,
    );
  const [minutes, hours, monthDays, months, weekdays] = texts.map((field, index) =>
    readField(field, FIELDS[index]!, parameter),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  const [isAnyMinute, isAnyHour, isAnyMonthDay, , isAnyWeekday] = texts.map(field => field.startsWith('*'));
  const days = new YearDays(({ month, day, weekday }) => {
    if (!months.has(month)) return false;
    const isMonthDay = monthDays.has(day);
    const isWeekday = weekdays.has(weekday) || (weekday === 0 && weekdays.has(7));
    return isAnyMonthDay || isAnyWeekday ? isMonthDay && isWeekday : isMonthDay || isWeekday;
  });
  if (days.isEmpty())
    throw unreadable(parameter, `${quoted(text)} never occurs: none of its months has such a day`);
  const minutesOfDay = ascending(hours).flatMap(hour => ascending(minutes).map(minute => hour * 60 + minute));
  return { days, minutesOfDay, isWildcard: isAnyMinute! || isAnyHour! };
}

function readField(text: string, field: Field, parameter: string): Set<number> {
  const numbers = new Set<number>();
  for (const item of text.split(',')) {
    const { first, last, step } = readItem(item, field, parameter);
    for (let number = first; number <= last; number += step) numbers.add(number);
  }
  return numbers;
}

const ITEM = /^(?:\*|([A-Za-z0-9]+)(?:-([A-Za-z0-9]+))?)(?:\/([0-9]+))?$/;

function readItem(item: string, field: Field, parameter: string) {
  const invalid = (reason: string) =>
    unreadable(parameter, `the ${field.name} has ${quoted(item)}: ${reason}`);
  const match = ITEM.exec(item);
  if (match === null) throw invalid('expected a number, a range like 1-5, or a step like */15');
  const [, from, to, steps] = match;
  if (from !== undefined && to === undefined && steps !== undefined)
    throw invalid(`a step requires '*' or a range, as in ${from}-${field.last}/${steps}`);
  const first = from === undefined ? field.first : readNumber(from, field, invalid);
  const end = from === undefined ? field.last : first;
  const last = to === undefined ? end : readNumber(to, field, invalid);
  if (last < first) throw invalid('the range ends before it begins');
  const step = steps === undefined ? 1 : Number(steps);
  if (step === 0) throw invalid('a step is at least 1');
  return { first, last, step };
}

function readNumber(text: string, field: Field, invalid: (reason: string) => ServiceError): number {
  const index = field.names.indexOf(text.toLowerCase());
  if (index !== -1) return field.first + index;
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= field.first && number <= field.last) return number;
  const names = field.names.length === 0 ? '' : `, or ${field.names.at(0)} to ${field.names.at(-1)}`;
  throw invalid(`expected ${field.first} to ${field.last}${names}`);
}

function ascending(numbers: ReadonlySet<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}

/**
 * The instants at which a job runs, in epoch seconds from one on, ascending. At clock changes of less than {@link LARGE_CHANGE_SECONDS}
 * it behaves like cronie: a job without `*` in minute or hour runs once right after a gap that skips it, and not again in a repeated hour.
 * Days for which `isExcluded` is true are omitted.
 */
export function* cronOccurrences(
  cron: Cron,
  clock: LocalClock,
  fromEpochSeconds: number,
  isExcluded: (dayNumber: number) => boolean,
): Generator<number> {
  for (let at = fromEpochSeconds; ; ) {
    const period = clock.periodAt(at);
    const { offsetSeconds, untilEpochSeconds } = period;
    const { repeatedUntil, skippedFrom } =
      at - period.fromEpochSeconds > LARGE_CHANGE_SECONDS ? NO_CHANGE : changeBefore(cron, clock, period);
    const isAfterGap = at === period.fromEpochSeconds && skippedFrom !== null;
    const start = isAfterGap ? skippedFrom : Math.max(at + offsetSeconds, repeatedUntil);
    let local = nextLocal(cron, start, isExcluded);
    if (isAfterGap && local < at + offsetSeconds) {
      yield at;
      local = nextLocal(cron, at + offsetSeconds + 1, isExcluded);
    }
    let latest = at;
    for (; local - offsetSeconds < untilEpochSeconds; local = nextLocal(cron, local + 1, isExcluded)) {
      latest = local - offsetSeconds;
      yield latest;
    }
    // A change within reach may repeat what occurred last; otherwise nothing occurs before `local`.
    const isNear = untilEpochSeconds - latest < REACH_SECONDS;
    at = isNear ? untilEpochSeconds : Math.max(untilEpochSeconds, local - REACH_SECONDS);
    if (at === Number.POSITIVE_INFINITY) return;
  }
}

const NO_CHANGE = { repeatedUntil: Number.NEGATIVE_INFINITY, skippedFrom: null };

/** The local times that the change at a period's start repeats or skips, for jobs at fixed times. */
function changeBefore({ isWildcard }: Cron, clock: LocalClock, period: ReturnType<LocalClock['periodAt']>) {
  const { fromEpochSeconds, offsetSeconds } = period;
  if (isWildcard || fromEpochSeconds === Number.NEGATIVE_INFINITY) return NO_CHANGE;
  const before = clock.periodAt(fromEpochSeconds - 1);
  const shift = offsetSeconds - before.offsetSeconds;
  const localEnd = fromEpochSeconds + before.offsetSeconds;
  if (shift > 0 && shift < LARGE_CHANGE_SECONDS) return { ...NO_CHANGE, skippedFrom: localEnd };
  return shift < 0 && -shift <= LARGE_CHANGE_SECONDS ? { ...NO_CHANGE, repeatedUntil: localEnd } : NO_CHANGE;
}

/** The first local time of a job from another on, in local seconds since 1970-01-01T00:00; infinite if there is none. */
function nextLocal(
  { days, minutesOfDay }: Cron,
  localSeconds: number,
  isExcluded: (dayNumber: number) => boolean,
): number {
  const minutes = Math.ceil(localSeconds / 60);
  const today = Math.floor(minutes / MINUTES_PER_DAY);
  const index = indexFrom(minutesOfDay, minutes - today * MINUTES_PER_DAY);
  let day = days.nextFrom(index < minutesOfDay.length ? today : today + 1);
  while (day !== null && isExcluded(day)) day = days.nextFrom(day + 1);
  if (day === null) return Number.POSITIVE_INFINITY;
  return (day * MINUTES_PER_DAY + minutesOfDay[day === today ? index : 0]!) * 60;
}
