import {
  civilDateOf,
  DAYS_PER_CYCLE,
  dayNumberOf,
  daysInMonth,
  isLeapYear,
  weekdayOf,
} from '../common/civil.ts';
import { indexFrom } from '../common/sorted_list.ts';

/** The last year in which recurrences are searched: that of the four digits of RFC 5545. */
export const LAST_YEAR = 9999;
/** Consecutive years that include each kind of year once, see {@link yearTypeOf}. */
export const SAMPLE_YEARS = Array.from({ length: 28 }, (_, index) => 2000 + index);

/**
 * The kind of a year, 0–27: by the weekday of January 1, and by which of the year and its neighbours is a leap year. Years of
 * one kind have the same dates on the same weekdays and in the same weeks.
 */
function yearTypeOf(year: number): number {
  const phase = isLeapYear(year) ? 0 : isLeapYear(year - 1) ? 1 : isLeapYear(year + 1) ? 2 : 3;
  return phase * 7 + weekdayOf(dayNumberOf(year, 1, 1));
}

/** A day that a recurrence selects by its date. */
export interface YearDay {
  readonly year: number;
  /** 1–12 */
  readonly month: number;
  /** 1–31 */
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  /** That of January 1. */
  readonly firstDay: number;
  /** That of January 1 of the next year. */
  readonly endDay: number;
  readonly daysOfMonth: number;
}

/** A year, from its first day to before `endDay`, with its days from 0 for January 1. */
interface SearchedYear {
  readonly year: number;
  readonly firstDay: number;
  readonly endDay: number;
  readonly days: readonly number[];
}

/** The days that a condition on their date selects, in all years; found once for each kind of year. */
export class YearDays {
  readonly #selects: (day: YearDay) => boolean;
  /** By kind, the days from 0 for January 1. */
  readonly #daysOfType: (readonly number[])[] = [];
  /** The year that was searched last: most searches continue in it. */
  #latest: SearchedYear = { year: 0, firstDay: 0, endDay: 0, days: [] };

  constructor(selects: (day: YearDay) => boolean) {
    this.#selects = selects;
  }

  /** Whether no year has such a day. */
  isEmpty(): boolean {
    return SAMPLE_YEARS.every(year => this.#daysOf(year).length === 0);
  }

  /** The first of these days from one on, as days since 1970-01-01; null for none through {@link LAST_YEAR}. */
  nextFrom(dayNumber: number): number | null {
    for (let searched = this.#yearOf(dayNumber); searched.year <= LAST_YEAR; ) {
      const { year, firstDay, days } = searched;
      const next = days[indexFrom(days, dayNumber - firstDay)];
      if (next !== undefined) {
        this.#latest = searched;
        return firstDay + next;
      }
      searched = this.#searched(year + 1);
    }
    return null;
  }

  /** These days from one to before another, in days since `firstDay`, ascending. */
  between(from: number, end: number): { readonly firstDay: number; readonly days: readonly number[] } {
    const { year, firstDay, endDay, days: all } = this.#yearOf(from);
    const days = all.slice(indexFrom(all, from - firstDay), indexFrom(all, end - firstDay));
    if (end <= endDay || year === LAST_YEAR) return { firstDay, days };
    const later = this.between(endDay, end).days.map(day => day + endDay - firstDay);
    return { firstDay, days: [...days, ...later] };
  }

  /** How many of these days there are from one to before another. */
  countBetween(from: number, end: number): number {
    const cycles = Math.floor((end - from) / DAYS_PER_CYCLE);
    if (cycles > 1) {
      const rest = from + cycles * DAYS_PER_CYCLE;
      return cycles * this.countBetween(from, from + DAYS_PER_CYCLE) + this.countBetween(rest, end);
    }
    let count = 0;
    for (let day = from; day < end; ) {
      const { firstDay, endDay, days } = this.#yearOf(day);
      count += indexFrom(days, Math.min(end, endDay) - firstDay) - indexFrom(days, day - firstDay);
      day = endDay;
    }
    return count;
  }

  #yearOf(dayNumber: number): SearchedYear {
    const { firstDay, endDay } = this.#latest;
    return dayNumber >= firstDay && dayNumber < endDay
      ? this.#latest
      : this.#searched(civilDateOf(dayNumber).year);
  }

  #searched(year: number): SearchedYear {
    const firstDay = dayNumberOf(year, 1, 1);
    return { year, firstDay, endDay: firstDay + (isLeapYear(year) ? 366 : 365), days: this.#daysOf(year) };
  }

  #daysOf(year: number): readonly number[] {
    const type = yearTypeOf(year);
    this.#daysOfType[type] ??= this.#find(year);
    return this.#daysOfType[type];
  }

  #find(year: number): number[] {
    const [firstDay, endDay] = [dayNumberOf(year, 1, 1), dayNumberOf(year + 1, 1, 1)];
    const days: number[] = [];
    // One object for all days: ten thousand are tested where years of all kinds are searched.
    const tested = { year, month: 1, day: 1, weekday: 0, dayNumber: 0, firstDay, endDay, daysOfMonth: 0 };
    let weekday = weekdayOf(firstDay);
    let dayNumber = firstDay;
    for (let month = 1; month <= 12; month++) {
      tested.month = month;
      tested.daysOfMonth = daysInMonth(year, month);
      for (let day = 1; day <= tested.daysOfMonth; day++, dayNumber++) {
        tested.day = day;
        tested.dayNumber = dayNumber;
        tested.weekday = weekday;
        if (this.#selects(tested)) days.push(dayNumber - firstDay);
        weekday = weekday === 6 ? 0 : weekday + 1;
      }
    }
    return days;
  }
}
