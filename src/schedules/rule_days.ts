import { civilDateOf, dayNumberOf, weekdayOf } from '../common/civil.ts';
import { modulo } from '../common/modulo.ts';
import type { RecurrenceRule } from './recurrence_rule.ts';
import { SAMPLE_YEARS, type YearDay, YearDays } from './year_days.ts';

/** Periods of days, numbered in order. */
interface Numbering {
  indexOf(day: number): number;
  firstDayOf(index: number): number;
}

function numberingOf({ frequency, weekStart }: RecurrenceRule): Numbering {
  const firstWeek = weekStart - weekdayOf(0);
  switch (frequency) {
    case 'YEARLY':
      return { indexOf: day => civilDateOf(day).year, firstDayOf: year => dayNumberOf(year, 1, 1) };
    case 'MONTHLY':
      return {
        indexOf(day) {
          const { year, month } = civilDateOf(day);
          return year * 12 + month - 1;
        },
        firstDayOf: index => dayNumberOf(Math.floor(index / 12), modulo(index, 12) + 1, 1),
      };
    case 'WEEKLY':
      return {
        indexOf: day => Math.floor((day - firstWeek) / 7),
        firstDayOf: index => index * 7 + firstWeek,
      };
    default:
      return { indexOf: day => day, firstDayOf: index => index };
  }
}

/** The periods of a rule with DAILY or longer periods; those in which it applies are its interval apart. */
export class Periods {
  readonly #interval: number;
  readonly #numbering: Numbering;
  readonly #start: number;

  constructor(rule: RecurrenceRule, startDay: number) {
    this.#interval = rule.interval;
    this.#numbering = numberingOf(rule);
    this.#start = this.#numbering.indexOf(startDay);
  }

  /** The first day from one on in a period in which the rule applies. */
  alignedFrom(day: number): number {
    const index = this.#numbering.indexOf(day);
    const past = modulo(index - this.#start, this.#interval);
    return past === 0 ? day : this.#numbering.firstDayOf(index - past + this.#interval);
  }

  startOf(day: number): number {
    return this.#numbering.firstDayOf(this.#numbering.indexOf(day));
  }

  /** The first day after the period of a day. */
  endOf(day: number): number {
    return this.#numbering.firstDayOf(this.#numbering.indexOf(day) + 1);
  }

  /** Whether a period of some year has at least `count` of some days. */
  someHas(days: YearDays, count: number): boolean {
    return SAMPLE_YEARS.some(year => {
      const end = dayNumberOf(year + 1, 1, 1);
      for (let day = this.startOf(dayNumberOf(year, 1, 1)); day < end; day = this.endOf(day))
        if (days.countBetween(day, this.endOf(day)) >= count) return true;
      return false;
    });
  }
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
  const ordinals = Array.from(
    { length: 7 },
    (_, weekday) =>
      new Set(weekdays.filter(wanted => wanted.weekday === weekday).map(({ ordinal }) => ordinal)),
  );
  const [yearDays, weeks] = [new Set(byYearDay), new Set(byWeekNo)];
  return new YearDays(day => {
    if (months.size > 0 && !months.has(day.month)) return false;
    if (yearDays.size > 0 && !hasPosition(yearDays, day.dayNumber - day.firstDay, day.endDay - day.firstDay))
      return false;
    if (monthDays.size > 0 && !hasPosition(monthDays, day.day - 1, day.daysOfMonth)) return false;
    if (weekdays.length > 0 && !isWeekday(day, ordinals[day.weekday]!, ordinalsAreOfMonth)) return false;
    return weeks.size === 0 || isInWeeks(day, weeks, rule.weekStart);
  });
}

/** Whether 1-based positions (negative ones from the end) include an index in a range. */
function hasPosition(positions: ReadonlySet<number>, index: number, length: number): boolean {
  return positions.has(index + 1) || positions.has(index - length);
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

/** Whether the week of a day is included, counted in the year of its fourth day, which may be an adjacent one. */
function isInWeeks(day: YearDay, weeks: ReadonlySet<number>, weekStart: number): boolean {
  const fourth = day.dayNumber - modulo(day.weekday - weekStart, 7) + 3;
  const year = day.year + (fourth < day.firstDay ? -1 : fourth >= day.endDay ? 1 : 0);
  const isOfYear = year === day.year;
  const index = Math.floor((fourth - (isOfYear ? day.firstDay : dayNumberOf(year, 1, 1))) / 7);
  const later = Math.floor(((isOfYear ? day.endDay : dayNumberOf(year + 1, 1, 1)) - 1 - fourth) / 7);
  return hasPosition(weeks, index, index + 1 + later);
}
