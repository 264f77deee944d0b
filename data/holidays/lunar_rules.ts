import { civilDateOf } from '../../src/common/civil.ts';
import type { CompiledCalendar } from './compile_calendars.ts';

/** A lunar holiday moves by 11 days, or forward by 18 to 20, from a year to the next; a solar one by two at most. */
const LUNAR_SHIFT_DAYS = 8;
/** And in a lifetime it is on many dates. */
const LUNAR_DATES = 15;
/** The first year that is checked: earlier dates are history, in which one calendar gave way to another. */
const FIRST_YEAR = 2015;

/**
 * What is impossible for lunar holidays of a calendar, in words: the same date in three years running, which a table
 * has that was copied from one year into others; and a holiday of each year that is absent from one on, within the
 * years that the calendar covers.
 */
export function lunarFaults({ code, days, coverage }: CompiledCalendar): string[] {
  const byName = new Map<string, number[]>();
  for (const { name, dayNumber, isSubstitute, status } of days.holidays) {
    const { year } = civilDateOf(dayNumber);
    if (isSubstitute || status === 'announced' || year < Math.max(FIRST_YEAR, coverage.from)) continue;
    byName.set(name, [...(byName.get(name) ?? []), dayNumber]);
  }
  return [...byName].flatMap(([name, dayNumbers]) => {
    const dates = Map.groupBy(dayNumbers, dateOf);
    if (dates.size < LUNAR_DATES || !isLunar(dayNumbers)) return [];
    const repeated = [...dates].find(([, ofDate]) =>
      hasThreeRunning(ofDate.map(day => civilDateOf(day).year)),
    );
    const missing = missingYear(new Set(dayNumbers.map(day => civilDateOf(day).year)), coverage.to);
    return [
      ...(repeated === undefined ? [] : [`${code}: ${name} is on ${repeated[0]} in three years running`]),
      ...(missing === undefined
        ? []
        : [`${code}: ${name} is missing from ${missing} on, within its coverage`]),
    ];
  });
}

/** Whether most years have the holiday more than a week from where the year before had it. */
function isLunar(dayNumbers: readonly number[]): boolean {
  const inOrder = dayNumbers.toSorted((a, b) => a - b);
  const shifts = inOrder
    .slice(1)
    .map((day, index) => day - inOrder[index]!)
    .filter(gap => gap > DAYS_OF_ONE_FEAST)
    .map(gap => Math.abs(gap - 365));
  return shifts.length > 5 && shifts.filter(shift => shift >= LUNAR_SHIFT_DAYS).length > shifts.length / 2;
}

/** Days of one holiday that are closer together belong to one feast. */
const DAYS_OF_ONE_FEAST = 20;

function dateOf(dayNumber: number): string {
  const { month, day } = civilDateOf(dayNumber);
  return `${month}-${day}`;
}

function hasThreeRunning(years: readonly number[]): boolean {
  return years.some(year => years.includes(year + 1) && years.includes(year + 2));
}

/** The year after which a holiday of at least five years running never comes again, before the coverage ends. */
function missingYear(years: ReadonlySet<number>, lastYear: number): number | undefined {
  const end = Math.max(...years);
  const isYearly = [1, 2, 3, 4].every(ago => years.has(end - ago));
  return isYearly && end >= 2026 && end < lastYear - 1 ? end + 1 : undefined;
}
