import { civilDateOf, dayNumberOf, weekdayOf } from '../common/civil.ts';
import type { RecurrenceRule } from './recurrence_rule.ts';

const SECONDS_PER_DAY = 86_400;

/** The numbered periods of a rule with DAILY or longer periods; those in which it applies are its interval apart. */
export class Periods {
  readonly #rule: RecurrenceRule;
  readonly #start: number;

  constructor(rule: RecurrenceRule, startDay: number) {
    this.#rule = rule;
    this.#start = this.#indexOf(startDay);
  }

  /** The first day from one on in a period in which the rule applies. */
  alignedFrom(day: number): number {
    const index = this.#indexOf(day);
    const past = modulo(index - this.#start, this.#rule.interval);
    return past === 0 ? day : this.#firstDayOf(index - past + this.#rule.interval);
  }

  startOf(day: number): number {
    return this.#firstDayOf(this.#indexOf(day));
  }

  /** The first day after the period of a day. */
  endOf(day: number): number {
    return this.#firstDayOf(this.#indexOf(day) + 1);
  }

  #indexOf(day: number): number {
    switch (this.#rule.frequency) {
      case 'YEARLY':
        return civilDateOf(day).year;
      case 'MONTHLY': {
        const { year, month } = civilDateOf(day);
        return year * 12 + month - 1;
      }
      case 'WEEKLY':
        return Math.floor((day - this.#weekOffset()) / 7);
      default:
        return day;
    }
  }

  #firstDayOf(index: number): number {
    switch (this.#rule.frequency) {
      case 'YEARLY':
        return dayNumberOf(index, 1, 1);
      case 'MONTHLY':
        return dayNumberOf(Math.floor(index / 12), modulo(index, 12) + 1, 1);
      case 'WEEKLY':
        return index * 7 + this.#weekOffset();
      default:
        return index;
    }
  }

  /** A day on which weeks start. */
  #weekOffset(): number {
    return this.#rule.weekStart - weekdayOf(0);
  }
}

/** The times of a day that a rule selects, in order. */
export class DayTimes {
  readonly count: number;
  readonly #hours: readonly number[];
  readonly #minutes: readonly number[];
  readonly #seconds: readonly number[];

  constructor({ byHour, byMinute, bySecond }: RecurrenceRule, start: number) {
    const second = modulo(start, SECONDS_PER_DAY);
    this.#hours = byHour.length > 0 ? byHour : [Math.floor(second / 3600)];
    this.#minutes = byMinute.length > 0 ? byMinute : [Math.floor((second % 3600) / 60)];
    this.#seconds = bySecond.length > 0 ? bySecond : [second % 60];
    this.count = this.#hours.length * this.#minutes.length * this.#seconds.length;
  }

  /** The index of the first time at or after a second since midnight; {@link count} if there is none. */
  indexFrom(second: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < second) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The time at an index, in seconds since midnight. */
  at(index: number): number {
    const minuteIndex = Math.floor(index / this.#seconds.length);
    const hour = this.#hours[Math.floor(minuteIndex / this.#minutes.length)]!;
    return (
      hour * 3600 +
      this.#minutes[minuteIndex % this.#minutes.length]! * 60 +
      this.#seconds[index % this.#seconds.length]!
    );
  }
}

/** The non-negative remainder of a division. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
