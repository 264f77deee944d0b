import { weekdayOf } from '../../../src/common/civil.ts';
import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import { isoDateOf, yearOf, yearsIn } from '../dates.ts';
import { daysOfText, SUNDAYS } from '../decisions/reviews.ts';
import type { CompiledCalendar, ReviewedDays, SourceDay } from '../types.ts';

/** The contradictions between a compiled calendar and its text, as messages. */
export function reviewFaults(calendar: CompiledCalendar, calendars: readonly CompiledCalendar[]): string[] {
  const lists = calendar.review?.lists ?? [];
  return lists.flatMap(list => yearsIn(list).flatMap(year => faultsOfYear(calendar, list, year, calendars)));
}

function faultsOfYear(
  { code, days, workWeek }: CompiledCalendar,
  list: ReviewedDays,
  year: number,
  calendars: readonly CompiledCalendar[],
): string[] {
  const { days: texts, isComplete } = list;
  const table = days.holidays.filter(day => yearOf(day.dayNumber) === year);
  const off = new Set(table.map(day => day.dayNumber));
  const inText = daysOfText(list, year);
  const isOther = (dayNumber: number) =>
    (texts.includes(SUNDAYS) && weekdayOf(dayNumber) === 0) ||
    calendars.some(other => texts.includes(other.code) && hasDay(other, dayNumber));
  // Statutes describe substitutes and lunar feasts in words, and have no one-off days.
  const isExpected = ({ isSubstitute, status, dayNumber }: SourceDay) =>
    isComplete ? isOnWeekend(workWeek, dayNumber) : isSubstitute || status !== 'statutory';
  const more = table.filter(day => !isExpected(day) && !inText.has(day.dayNumber) && !isOther(day.dayNumber));
  return [
    ...[...inText]
      .filter(day => !off.has(day) && !(isComplete && isOnWeekend(workWeek, day)))
      .map(day => `${code}: ${isoDateOf(day)} is in the text of reviews.txt, and not in the table`),
    ...more.map(
      ({ dayNumber, name }) => `${code}: ${isoDateOf(dayNumber)} ${name} is not in the text of reviews.txt`,
    ),
  ];
}

function hasDay({ days }: CompiledCalendar, dayNumber: number): boolean {
  return days.holidays.some(day => day.dayNumber === dayNumber);
}
