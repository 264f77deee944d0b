import { civilDateOf, dayNumberOf, daysInMonth, weekdayOf } from '../common/civil.ts';
import type { RecurrenceRule, RuleWeekday } from './recurrence_rule.ts';
import { type YearDay, YearDays } from './year_types.ts';

/**
 * The days that the parts of a rule select by their date, whatever its interval: RFC 5545 §3.3.10, in which all parts that expand
 * a period to days or limit them come down to conditions on a day. What the rule leaves open is that of `DTSTART`.
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
  const [yearDays, weeks] = [new Set(byYearDay), new Set(byWeekNo)];
  return new YearDays(day => {
    if (months.size > 0 && !months.has(day.month)) return false;
    if (yearDays.size > 0 && !hasPosition(yearDays, day.dayNumber - day.firstDay, day.endDay - day.firstDay))
      return false;
    if (monthDays.size > 0 && !hasPosition(monthDays, day.day - 1, daysInMonth(day.year, day.month)))
      return false;
    if (weekdays.length > 0 && !weekdays.some(wanted => isWeekday(day, wanted, ordinalsAreOfMonth)))
      return false;
    return weeks.size === 0 || isInWeeks(day, weeks, rule.weekStart);
  });
}

/** Whether 1-based positions, negative ones from the end, have an index of a range. */
function hasPosition(positions: ReadonlySet<number>, index: number, length: number): boolean {
  return positions.has(index + 1) || positions.has(index - length);
}

function isWeekday(day: YearDay, { weekday, ordinal }: RuleWeekday, isOfMonth: boolean): boolean {
  if (day.weekday !== weekday) return false;
  if (ordinal === 0) return true;
  const index = isOfMonth ? day.day - 1 : day.dayNumber - day.firstDay;
  const length = isOfMonth ? daysInMonth(day.year, day.month) : day.endDay - day.firstDay;
  return Math.floor(index / 7) + 1 === ordinal || -Math.floor((length - 1 - index) / 7) - 1 === ordinal;
}

/** Whether the week of a day has one of some numbers in the year that it belongs to, which may be a neighbour. */
function isInWeeks({ year, dayNumber }: YearDay, weeks: ReadonlySet<number>, weekStart: number): boolean {
  const starts = [year - 1, year, year + 1, year + 2].map(each => firstWeekOf(each, weekStart));
  const at = starts.findLastIndex(start => start <= dayNumber);
  return hasPosition(weeks, Math.floor((dayNumber - starts[at]!) / 7), (starts[at + 1]! - starts[at]!) / 7);
}

/** The first day of the first week of a year: the week that has at least four days of it. */
function firstWeekOf(year: number, weekStart: number): number {
  const january4 = dayNumberOf(year, 1, 4);
  return january4 - ((weekdayOf(january4) - weekStart + 7) % 7);
}
