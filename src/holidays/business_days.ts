import { civilDateOf, weekdayOf } from '../common/civil.ts';
import type { DayBounds, DaySet } from '../common/day_set.ts';
import { ServiceError } from '../common/errors.ts';
import { HOLIDAY_PARAMETERS } from './find_calendar.ts';
import type { WorkWeekPeriod } from './holiday_pack.ts';

/** The rules that determine which days of a calendar are worked. */
export interface DayRules {
  readonly workWeek: readonly WorkWeekPeriod[];
  /** Days that are not worked. */
  readonly holidays: DaySet;
  /** Days that are worked regardless of the other rules; with the same bounds. */
  readonly workdays: DaySet;
}

/** An ordered sequence of business days. Days are days since 1970-01-01. */
export interface BusinessDaySequence {
  /** The days that it covers; null for all. */
  readonly bounds: DayBounds | null;
  /** The number of business days from a fixed one to the day before `dayNumber`; negative before that one. */
  countBefore(dayNumber: number): number;
  /** Whether a day is a business day; it must be in bounds. */
  isBusinessDay(dayNumber: number): boolean;
  /** The business day that is preceded by `count` others; null if it is out of bounds. */
  dayAt(count: number): number | null;
}

/** Counts have 16 bits, and all days can be business days: 179 years. */
const MAX_DAYS = 0xffff;

/**
 * The business days between two bounds, with constant-time lookup: one bit per day, and for each 32-bit word the number of bits
 * set in the preceding words. 131 years take 9 KB.
 */
export class BusinessDays implements BusinessDaySequence {
  readonly bounds: DayBounds;
  readonly #words: Uint32Array;
  readonly #before: Uint16Array;

  private constructor(bounds: DayBounds, words: Uint32Array) {
    if (bounds.endDay - bounds.firstDay > MAX_DAYS) {
      throw new Error(`Business days are counted for at most ${MAX_DAYS} days`);
    }
    this.bounds = bounds;
    this.#words = words;
    const before = new Uint16Array(words.length);
    let count = 0;
    for (let word = 0; word < words.length; word++) {
      before[word] = count;
      count += bitCount(words[word]!);
    }
    this.#before = before;
  }

  /** The business days of one calendar. */
  static of({ workWeek, holidays, workdays }: DayRules): BusinessDays {
    const words = weekdayBits(holidays.bounds, workWeek);
    const [off, worked] = [holidays.words, workdays.words];
    for (let word = 0; word < off.length; word++) words[word] = (words[word]! & ~off[word]!) | worked[word]!;
    return new BusinessDays(holidays.bounds, words);
  }

  /** The days that are business days in each of several calendars with the same bounds. */
  static common(calendars: readonly [BusinessDays, ...BusinessDays[]]): BusinessDays {
    const [first, ...others] = calendars;
    const words = first.#words.slice();
    for (const other of others) {
      for (let word = 0; word < words.length; word++) words[word]! &= other.#words[word]!;
    }
    return new BusinessDays(first.bounds, words);
  }

  /** From the first day; `dayNumber <= endDay`. */
  countBefore(dayNumber: number): number {
    const index = dayNumber - this.bounds.firstDay;
    const word = index >>> 5;
    const earlierBits = (1 << (index & 31)) - 1;
    return this.#before[word]! + bitCount(this.#words[word]! & earlierBits);
  }

  isBusinessDay(dayNumber: number): boolean {
    const index = dayNumber - this.bounds.firstDay;
    return ((this.#words[index >>> 5]! >>> (index & 31)) & 1) === 1;
  }

  dayAt(count: number): number | null {
    if (count < 0) return null;
    const word = lastAtMost(this.#before, count);
    let bits = this.#words[word]!;
    for (let skipped = this.#before[word]!; skipped < count && bits !== 0; skipped++) bits &= bits - 1;
    const dayNumber = this.bounds.firstDay + word * 32 + (31 - Math.clz32(bits & -bits));
    return bits !== 0 && dayNumber < this.bounds.endDay ? dayNumber : null;
  }
}

/** The index of the last of some ascending numbers (the first is 0) that is at most `limit`. */
function lastAtMost(numbers: Uint16Array, limit: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (numbers[middle]! <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** One bit per day, set outside weekends, plus one word, so that the end itself can be looked up. */
function weekdayBits({ firstDay, endDay }: DayBounds, workWeek: readonly WorkWeekPeriod[]): Uint32Array {
  const words = new Uint32Array(Math.floor((endDay - firstDay) / 32) + 1);
  for (const [index, period] of workWeek.entries()) {
    // The first period also applies before its beginning.
    const start = index === 0 ? 0 : Math.max(0, period.firstDay - firstDay);
    const cycle = cycleOf(period, firstDay);
    let kept = (1 << (start & 31)) - 1;
    for (let word = start >>> 5; word < words.length; word++, kept = 0)
      words[word] = (words[word]! & kept) | (cycle[word % WORDS_OF_A_CYCLE]! & ~kept);
  }
  return words;
}

/** The words from a day on, after which they repeat. */
function cycleOf(period: WorkWeekPeriod, firstDay: number): Uint32Array {
  const cycle = new Uint32Array(WORDS_OF_A_CYCLE);
  for (let index = 0; index < WORDS_OF_A_CYCLE * 32; index++)
    if (isWorkedIn(period, firstDay + index)) cycle[index >>> 5]! |= 1 << (index & 31);
  return cycle;
}

/** Whether a day is on the weekend in force at the time; the first period also applies before its beginning. */
export function isOnWeekend(workWeek: readonly WorkWeekPeriod[], dayNumber: number): boolean {
  let index = workWeek.length - 1;
  while (index > 0 && workWeek[index]!.firstDay > dayNumber) index--;
  return !isWorkedIn(workWeek[index]!, dayNumber);
}

function isWorkedIn({ weekend }: WorkWeekPeriod, dayNumber: number): boolean {
  return !weekend.includes(weekdayOf(dayNumber) || 7);
}

/** Seven words of 32 days are 32 weeks: then the weekdays repeat. */
const WORDS_OF_A_CYCLE = 7;

/** The number of ones among 32 bits: sums of neighbouring bits, then of pairs, of fours, and of all. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Calendars; a business day must be one in each of them. */
export type CalendarList = readonly { readonly businessDays: BusinessDays }[];

const FIRST_MONDAY = 4; // 1970-01-05

/** All Mondays to Fridays, counted from 1970-01-05. */
const WEEKDAYS: BusinessDaySequence = {
  bounds: null,
  countBefore(dayNumber) {
    const days = dayNumber - FIRST_MONDAY;
    const weeks = Math.floor(days / 7);
    return weeks * 5 + Math.min(days - weeks * 7, 5);
  },
  isBusinessDay: dayNumber => weekdayOf(dayNumber) % 6 !== 0,
  dayAt(count) {
    const weeks = Math.floor(count / 5);
    return FIRST_MONDAY + weeks * 7 + (count - weeks * 5);
  },
};

/** The business days of calendars: a day off in any of them is off; without calendars, Monday to Friday are business days. */
export function businessDaysOf(calendars: CalendarList): BusinessDaySequence {
  const [first, ...others] = calendars.map(({ businessDays }) => businessDays);
  if (first === undefined) return WEEKDAYS;
  return others.length === 0 ? first : BusinessDays.common([first, ...others]);
}

/**
 * The number of business days d with `earlier <= d < later`, never negative, for dates in either order: one hour within a day is
 * 0, Monday to Wednesday 2 (NumPy's `busday_count`). Dates are days since 1970-01-01.
 *
 * Without a calendar any date is allowed; otherwise dates outside the years of the table cause an `INVALID_PARAMETER` that names
 * these years.
 */
export function countBusinessDays(
  calendars: CalendarList,
  fromDayNumber: number,
  untilDayNumber: number,
): number {
  const days = businessDaysOf(calendars);
  requireWithin(days.bounds, fromDayNumber);
  requireWithin(days.bounds, untilDayNumber);
  return Math.abs(days.countBefore(untilDayNumber) - days.countBefore(fromDayNumber));
}

/** How a day off is moved to a business day before business days are added. */
export const ROLLS = ['following', 'preceding', 'modified_following', 'modified_preceding'] as const;
export type Roll = (typeof ROLLS)[number];

/**
 * The business day a number of business days after a date, or before it if negative (NumPy's `busday_offset`). A roll first moves
 * the date to a business day: the next or previous one, or in the opposite direction if `modified` and that is in another month.
 * Without a roll, 1 is the first business day after the date, −1 the last one before it, and 0 is not allowed.
 *
 * Dates as in {@link countBusinessDays}; also throws `INVALID_PARAMETER` if the result is outside the years of the table.
 */
export function addBusinessDays(
  calendars: CalendarList,
  dayNumber: number,
  count: number,
  roll: Roll | null,
): number {
  const days = businessDaysOf(calendars);
  const failure = `Cannot add ${count} business days`;
  requireWithin(days.bounds, dayNumber, failure);
  const sum = days.dayAt(originOf(days, dayNumber, count, roll) + count);
  if (sum !== null) return sum;
  throw outsideTable(failure, days.bounds!, 'the sum is outside'); // without bounds there is a sum
}

/**
 * The number of business days before the one from which to count. Without a roll, that is the last one up to the date or,
 * counting back, the first one from the date on.
 */
function originOf(days: BusinessDaySequence, dayNumber: number, count: number, roll: Roll | null): number {
  const following = days.countBefore(dayNumber);
  const preceding = days.countBefore(dayNumber + 1) - 1;
  const isInMonth = (index: number) => {
    const day = days.dayAt(index);
    return day !== null && civilDateOf(day).month === civilDateOf(dayNumber).month;
  };
  switch (roll) {
    case null:
      return count > 0 ? preceding : following;
    case 'following':
      return following;
    case 'preceding':
      return preceding;
    case 'modified_following':
      return isInMonth(following) ? following : preceding;
    case 'modified_preceding':
      return isInMonth(preceding) ? preceding : following;
  }
}

/**
 * Throws an `INVALID_PARAMETER` that begins with what failed, and names the years of a calendar, if a day is outside them; null
 * means all years.
 */
export function requireWithin(bounds: DayBounds | null, dayNumber: number, failure = 'Cannot count'): void {
  if (bounds === null || (dayNumber >= bounds.firstDay && dayNumber < bounds.endDay)) return;
  throw outsideTable(failure, bounds, `a date is in ${civilDateOf(dayNumber).year}`);
}

/** The error of what failed since it leaves the years of a calendar, and why. */
export function outsideTable(failure: string, { firstDay, endDay }: DayBounds, reason: string): ServiceError {
  const [first, last] = [civilDateOf(firstDay).year, civilDateOf(endDay - 1).year];
  return new ServiceError(
    'INVALID_PARAMETER',
    `${failure} with '${HOLIDAY_PARAMETERS.country}': holidays are known for ${first} to ${last}, and ${reason}`,
    { parameter: HOLIDAY_PARAMETERS.country, first_year: first, last_year: last },
  );
}
