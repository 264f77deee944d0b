import { dateInYear, isYearlyUntil, SNAPSHOT_YEAR, yearOf } from '../dates.ts';
import { nameFaults, statusFaults } from '../decisions/names.ts';
import { lunisolarFaults } from '../rules/lunisolar.ts';
import type { CompiledCalendar } from '../types.ts';
import { differenceFaults } from './differences.ts';
import { reviewFaults } from './reviews.ts';
import { substitutionFaults } from './substitution.ts';

/** What a table must not have, as messages: undecided names, differences and substitution, wrong dates, a wrong status. */
export function faultsOf(calendars: readonly CompiledCalendar[]): string[] {
  return [
    ...nameFaults(calendars),
    ...differenceFaults(calendars),
    ...substitutionFaults(calendars),
    ...calendars.flatMap(lunarFaults),
    ...calendars.flatMap(statusFaults),
    ...lunisolarFaults(calendars),
    ...calendars.flatMap(calendar => reviewFaults(calendar, calendars)),
  ];
}

/** A lunar holiday moves by 11 days, or forward by 18 to 20, from one year to the next; a solar one by at most two. */
const LUNAR_SHIFT_DAYS = 8;
/** Over decades a lunar holiday falls on many dates. */
const LUNAR_DATES = 15;
/** The first checked year: earlier dates are historical, with changes between calendars. */
const FIRST_YEAR = 2015;

/**
 * Impossible dates of a calendar's lunar holidays, as messages: the same date in three consecutive years, as in a table
 * copied from one year to others; and a yearly holiday that is absent from some year on, within the years that the
 * calendar covers.
 */
export function lunarFaults({ code, days, coverage }: CompiledCalendar): string[] {
  const byName = new Map<string, number[]>();
  for (const { name, dayNumber, isSubstitute, status } of days.holidays) {
    if (isSubstitute || status === 'announced') continue;
    if (yearOf(dayNumber) < Math.max(FIRST_YEAR, coverage.from)) continue;
    byName.set(name, [...(byName.get(name) ?? []), dayNumber]);
  }
  return [...byName].flatMap(([name, dayNumbers]) => {
    const dates = Map.groupBy(dayNumbers, dateInYear);
    if (dates.size < LUNAR_DATES || !isLunar(dayNumbers)) return [];
    const repeated = [...dates].find(([, ofDate]) => hasThreeRunning(ofDate.map(day => yearOf(day))));
    const missing = missingYear(new Set(dayNumbers.map(day => yearOf(day))), coverage.to);
    return [
      ...(repeated === undefined ? [] : [`${code}: ${name} is on ${repeated[0]} in three years running`]),
      ...(missing === undefined
        ? []
        : [`${code}: ${name} is missing from ${missing} on, within its coverage`]),
    ];
  });
}

/** Whether in most years the holiday is more than a week from its date in the previous year. */
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

function hasThreeRunning(years: readonly number[]): boolean {
  return years.some(year => years.includes(year + 1) && years.includes(year + 2));
}

/** The year after which a holiday of at least five consecutive years never recurs, before the coverage ends. */
function missingYear(years: ReadonlySet<number>, lastYear: number): number | undefined {
  const end = Math.max(...years);
  return isYearlyUntil(end, years) && end >= SNAPSHOT_YEAR && end < lastYear - 1 ? end + 1 : undefined;
}
