import { weekdayOf } from '../../../src/common/civil.ts';
import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import type { CompiledCalendar } from '../calendars.ts';
import { isoDateOf, yearOf, yearsIn } from '../dates.ts';
import type { ReviewedDays } from '../decisions/reviews.ts';
import type { SourceDay } from '../source_days.ts';

/** The contradictions between a compiled calendar and its text, as messages. */
export function reviewFaults(calendar: CompiledCalendar, calendars: readonly CompiledCalendar[]): string[] {
  return (calendar.review?.lists ?? []).flatMap(list => {
    const ofCountries = calendars.filter(({ code }) => list.countries.includes(code));
    const others = new Set(
      ofCountries.flatMap(({ days }) => days.holidays.map(({ dayNumber }) => dayNumber)),
    );
    return yearsIn(list).flatMap(year => faultsOfYear(calendar, list, others, year));
  });
}

/** The contradictions in a year; days of the countries in the text, `others`, are allowed. */
function faultsOfYear(
  { code, days, workWeek }: CompiledCalendar,
  list: ReviewedDays,
  others: ReadonlySet<number>,
  year: number,
): string[] {
  const table = days.holidays.filter(day => yearOf(day.dayNumber) === year);
  const off = new Set(table.map(day => day.dayNumber));
  const inText = new Set(list.days.map(dayOf => dayOf(year)));
  const isNamed = ({ dayNumber }: SourceDay) =>
    inText.has(dayNumber) || others.has(dayNumber) || (list.hasSundays && weekdayOf(dayNumber) === 0);
  const isWeekend = (day: number) => isOnWeekend(workWeek, day);
  // Statutes describe substitutes and lunar feasts in words, and have no one-off days.
  const isOmitted = ({ isSubstitute, status, dayNumber }: SourceDay) =>
    list.isComplete ? isWeekend(dayNumber) : isSubstitute || status !== 'statutory';
  return [
    ...[...inText]
      .filter(day => !off.has(day) && !(list.isComplete && isWeekend(day)))
      .map(day => `${code}: ${isoDateOf(day)} is in the text of reviews.txt, and not in the table`),
    ...table
      .filter(day => !isOmitted(day) && !isNamed(day))
      .map(
        ({ dayNumber, name }) => `${code}: ${isoDateOf(dayNumber)} ${name} is not in the text of reviews.txt`,
      ),
  ];
}
