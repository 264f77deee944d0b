import type { CompiledCalendar } from '../calendars.ts';
import { earlyEndOf } from '../coverage.ts';
import { dateInYear, yearOf } from '../dates.ts';

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
  const firstYear = Math.max(FIRST_YEAR, coverage.from);
  const yearly = days.holidays.filter(
    day => !day.isSubstitute && day.status !== 'announced' && yearOf(day.dayNumber) >= firstYear,
  );
  return [...Map.groupBy(yearly, ({ name }) => name)].flatMap(([name, holidays]) => {
    const dayNumbers = holidays.map(({ dayNumber }) => dayNumber);
    const dates = Map.groupBy(dayNumbers, dateInYear);
    if (dates.size < LUNAR_DATES || !isLunar(dayNumbers)) return [];
    const repeated = [...dates].find(([, ofDate]) => hasThreeRunning(ofDate.map(yearOf)));
    const end = earlyEndOf(holidays, coverage.to);
    return [
      ...(repeated === undefined ? [] : [`${code}: ${name} is on ${repeated[0]} in three years running`]),
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

function hasThreeRunning(years: readonly number[]): boolean {
  return years.some(year => years.includes(year + 1) && years.includes(year + 2));
}
