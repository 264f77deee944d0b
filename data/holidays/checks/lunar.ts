import type { CompiledCalendar } from '../calendars.ts';
import { earlyEndOf } from '../coverage.ts';
import { dateInYear, isoDateOf, yearOf } from '../dates.ts';
import { kindOf } from '../decisions/names.ts';

/** A lunar holiday moves by 11 days, or forward by 18 to 20, from one year to the next; a solar one by at most two. */
const LUNAR_SHIFT_DAYS = 8;
/** Over decades a lunar holiday falls on many dates. */
const LUNAR_DATES = 15;
/** The first checked year: earlier dates are historical, with changes between calendars. */
const FIRST_YEAR = 2015;

/**
 * Impossible dates of a calendar's lunar holidays, as messages: the same date in three consecutive years, as in a table
 * copied from one year to others; a day in another phase of the moon; and a yearly holiday that is absent from some year on,
 * within the years that the calendar covers.
 */
export function lunarFaults({ code, days, coverage, names }: CompiledCalendar): string[] {
  const firstYear = Math.max(FIRST_YEAR, coverage.from);
  const yearly = days.holidays.filter(
    day => !day.isSubstitute && kindOf(day.name, names) !== 'once' && yearOf(day.dayNumber) >= firstYear,
  );
  return [...Map.groupBy(yearly, ({ name }) => name)].flatMap(([name, holidays]) => {
    const dayNumbers = holidays.map(({ dayNumber }) => dayNumber);
    const dates = Map.groupBy(dayNumbers, dateInYear);
    if (dates.size < LUNAR_DATES || !isLunar(dayNumbers)) return [];
    const repeated = [...dates].find(([, ofDate]) => hasThreeRunning(ofDate.map(yearOf)));
    const misplaced = misplacedIn(dayNumbers.filter(day => yearOf(day) <= coverage.to));
    const end = earlyEndOf(holidays, coverage.to);
    return [
      ...(repeated === undefined ? [] : [`${code}: ${name} is on ${repeated[0]} in three years running`]),
      ...misplaced.map(
        ([before, day]) => `${code}: ${name} is on ${isoDateOf(day)}, after ${isoDateOf(before)}`,
      ),
      ...(end === undefined ? [] : [`${code}: ${name} is missing from ${end + 1} on, within its coverage`]),
    ];
  });
}

/** Whether in most years the holiday is more than a week from its date in the previous year. */
function isLunar(dayNumbers: readonly number[]): boolean {
  const inOrder = dayNumbers.toSorted((a, b) => a - b);
  const gaps = inOrder.slice(1).map((day, index) => day - inOrder[index]!);
  const shifts = gaps.filter(gap => gap > DAYS_OF_ONE_FEAST).map(gap => Math.abs(gap - 365));
  return shifts.length > 5 && shifts.filter(shift => shift >= LUNAR_SHIFT_DAYS).length > shifts.length / 2;
}

/** Days of one holiday that are closer together belong to one feast. */
const DAYS_OF_ONE_FEAST = 20;

/** A lunation, in days. */
const LUNATION = 29.530_59;
/** How far a sighting, or a government, moves a day from its place in the lunation. */
const MOVED_DAYS = 4;
/** The part of a lunar holiday's gaps that are whole lunations; Easter, which is on Sundays, has fewer. */
const WHOLE_LUNATIONS = 0.85;

/** Days of a feast are no further apart. */
const DAYS_BETWEEN = 7;

/** The first days of a lunar feast that are not a whole number of lunations after the ones before, 12 or 13 for a year. */
function misplacedIn(dayNumbers: readonly number[]): (readonly [before: number, day: number])[] {
  const inOrder = [...new Set(dayNumbers)].sort((a, b) => a - b);
  const starts = inOrder.filter((day, index) => index === 0 || day - inOrder[index - 1]! > DAYS_BETWEEN);
  const pairs = starts.slice(1).map((day, index) => [starts[index]!, day] as const);
  const misplaced = pairs.filter(([before, day]) => {
    const months = Math.round((day - before) / LUNATION);
    return months < 12 || months === 14 || Math.abs(day - before - months * LUNATION) > MOVED_DAYS;
  });
  return misplaced.length <= pairs.length * (1 - WHOLE_LUNATIONS) ? misplaced : [];
}

function hasThreeRunning(years: readonly number[]): boolean {
  return years.some(year => years.includes(year + 1) && years.includes(year + 2));
}
