import { weekdayOf } from '../common/civil.ts';

/** The days that a calendar speaks of: `firstDay <= day < endDay`, as days since 1970-01-01. */
export interface DayBounds {
  readonly firstDay: number;
  readonly endDay: number;
}

/** What makes a day of a calendar other than a working one, or a working one again. */
export interface DayRules {
  /** Weekdays that are not worked, 1 is Monday, 7 Sunday (ISO 8601). */
  readonly weekend: readonly number[];
  /** Days that are not worked; those out of bounds do not count. */
  readonly holidays: Iterable<number>;
  /** Days that are worked whatever the rest says. */
  readonly workdays: Iterable<number>;
}

/**
 * The business days between two bounds, counted by look-up instead of a walk: one bit a day, and beside each word of
 * 32 bits the number of bits set in the words before it. 131 years take 9 KB.
 */
export class BusinessDays {
  readonly bounds: DayBounds;
  readonly #words: Uint32Array;
  /** Up to 65,535: business days of 250 years. */
  readonly #before: Uint16Array;

  constructor(bounds: DayBounds, rules: DayRules) {
    this.bounds = bounds;
    this.#words = weekdayBits(bounds, rules.weekend);
    for (const day of rules.holidays) this.#set(day, false);
    for (const day of rules.workdays) this.#set(day, true);
    this.#before = new Uint16Array(this.#words.length);
    for (let word = 1; word < this.#words.length; word++) {
      this.#before[word] = this.#before[word - 1]! + bitCount(this.#words[word - 1]!);
    }
  }

  /** How many business days there are from the first day to the day before `dayNumber`; `dayNumber <= endDay`. */
  countBefore(dayNumber: number): number {
    const index = dayNumber - this.bounds.firstDay;
    const word = index >>> 5;
    const earlierBits = (1 << (index & 31)) - 1;
    return this.#before[word]! + bitCount(this.#words[word]! & earlierBits);
  }

  #set(dayNumber: number, isWorked: boolean): void {
    const { firstDay, endDay } = this.bounds;
    if (dayNumber < firstDay || dayNumber >= endDay) return;
    const index = dayNumber - firstDay;
    const bit = 1 << (index & 31);
    if (isWorked) this.#words[index >>> 5]! |= bit;
    else this.#words[index >>> 5]! &= ~bit;
  }
}

/** One bit a day, set outside weekends; a word more than the days need, so that the end itself can be asked for. */
function weekdayBits({ firstDay, endDay }: DayBounds, weekend: readonly number[]): Uint32Array {
  const words = new Uint32Array(Math.floor((endDay - firstDay) / 32) + 1);
  for (let index = 0; index < WORDS_OF_A_CYCLE * 32; index++) {
    const isWorked = !weekend.includes(weekdayOf(firstDay + index) || 7);
    if (isWorked && index >>> 5 < words.length) words[index >>> 5]! |= 1 << (index & 31);
  }
  for (let word = WORDS_OF_A_CYCLE; word < words.length; word++)
    words[word] = words[word - WORDS_OF_A_CYCLE]!;
  return words;
}

/** Seven words of 32 days are 32 weeks: then the weekdays come round. */
const WORDS_OF_A_CYCLE = 7;

/** The number of ones among 32 bits: sums of neighbouring bits, then of pairs, of fours, and of all. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
