import { civilDateOf, dayNumberOf, weekdayOf } from '../common/civil.ts';
import { firstWhere } from '../common/sorted_list.ts';
import type { RecurrenceRule, RuleWeekday } from './recurrence_rule.ts';
import { type YearDay, YearDays } from './year_types.ts';

export const SECONDS_PER_DAY = 86_400;

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
    return firstWhere(0, this.count, index => this.at(index) >= second);
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

/**
 * The days that the parts of a rule select by date, regardless of its interval (RFC 5545 §3.3.10): all parts that expand a period
 * to days or limit them amount to conditions on a day. Parts that the rule does not specify are taken from `DTSTART`.
 */
export function daysOfRule(rule: RecurrenceRule, startDay: number): YearDays {
  const start = civilDateOf(startDay);
  const { frequency, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule;
  const hasDay = [byYearDay, byMonthDay, byDay].some(list => list.length > 0);
  const isYearly = frequency === 'YEARLY';
  const needsWeekday = !hasDay && (frequency === 'WEEKLY' || (isYearly && byWeekNo.length > 0));
  const needsMonthDay = !hasDay && !needsWeekday && (isYearly || frequency === 'MONTHLY');
  const needsMonth = needsMonthDay && isYearly && byMonth.length === 0;
  const ordinalsAreOfMonth = frequency === 'MONTHLY' || byMonth.length > 0;
  const months = new Set(needsMonth ? [start.month] : byMonth);
  const monthDays = new Set(needsMonthDay ? [start.day] : byMonthDay);
  const weekdays = needsWeekday ? [{ weekday: weekdayOf(startDay), ordinal: 0 }] : byDay;
  const ordinals = Array.from({ length: 7 }, (_, weekday) => ordinalsOf(weekday, weekdays));
  const [yearDays, weeks] = [new Set(byYearDay), new Weeks(byWeekNo, rule.weekStart)];
  return new YearDays(day => {
    if (months.size > 0 && !months.has(day.month)) return false;
    if (yearDays.size > 0 && !hasPosition(yearDays, day.dayNumber - day.firstDay, day.endDay - day.firstDay))
      return false;
    if (monthDays.size > 0 && !hasPosition(monthDays, day.day - 1, day.daysOfMonth)) return false;
    if (weekdays.length > 0 && !isWeekday(day, ordinals[day.weekday]!, ordinalsAreOfMonth)) return false;
    return byWeekNo.length === 0 || weeks.include(day);
  });
}

/** Whether 1-based positions (negative ones from the end) include an index in a range. */
function hasPosition(positions: ReadonlySet<number>, index: number, length: number): boolean {
  return positions.has(index + 1) || positions.has(index - length);
}

/** The ordinals of a weekday in `BYDAY`. */
function ordinalsOf(weekday: number, weekdays: readonly RuleWeekday[]): ReadonlySet<number> {
  return new Set(weekdays.filter(wanted => wanted.weekday === weekday).map(({ ordinal }) => ordinal));
}

/** Whether a day is one of the given ordinals of its weekday in the month or year; 0 means all. */
function isWeekday(day: YearDay, ordinals: ReadonlySet<number>, isOfMonth: boolean): boolean {
  if (ordinals.size === 0) return false;
  const index = isOfMonth ? day.day - 1 : day.dayNumber - day.firstDay;
  const length = isOfMonth ? day.daysOfMonth : day.endDay - day.firstDay;
  return (
    ordinals.has(0) ||
    ordinals.has(Math.floor(index / 7) + 1) ||
    ordinals.has(-Math.floor((length - 1 - index) / 7) - 1)
  );
}

/** The weeks in `BYWEEKNO`. */
class Weeks {
  readonly #numbers: ReadonlySet<number>;
  readonly #weekStart: number;
  /** The first days of week 1 in the previous year, the year itself and the next two. */
  #starts: { readonly year: number; readonly days: readonly number[] } = { year: Number.NaN, days: [] };

  constructor(numbers: readonly number[], weekStart: number) {
    this.#numbers = new Set(numbers);
    this.#weekStart = weekStart;
  }

  /** Whether the week of a day is included, counted in the year that the week belongs to, which may be an adjacent one. */
  include({ year, dayNumber }: YearDay): boolean {
    if (this.#starts.year !== year) {
      const days = [year - 1, year, year + 1, year + 2].map(each => firstWeekOf(each, this.#weekStart));
      this.#starts = { year, days };
    }
    const { days } = this.#starts;
    const at = days.findLastIndex(start => start <= dayNumber);
    return hasPosition(
      this.#numbers,
      Math.floor((dayNumber - days[at]!) / 7),
      (days[at + 1]! - days[at]!) / 7,
    );
  }
}

/** The first day of a year's first week, which has at least four days in that year. */
function firstWeekOf(year: number, weekStart: number): number {
  const january4 = dayNumberOf(year, 1, 4);
  return january4 - ((weekdayOf(january4) - weekStart + 7) % 7);
}
