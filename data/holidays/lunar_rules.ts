import { civilDateOf, dayNumberOf } from '../../src/common/civil.ts';
import type { CompiledCalendar } from './compile_calendars.ts';
import type { SourceDay } from './source_calendar.ts';

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

/** The names of a calendar's lunar holidays, except Easter and holidays that depend on it. */
export function lunarNames(holidays: readonly SourceDay[]): Set<string> {
  const regular = holidays.filter(({ isSubstitute, status }) => !isSubstitute && status !== 'announced');
  const byName = Map.groupBy(regular, ({ name }) => name);
  return new Set(
    [...byName]
      .map(([name, days]) => ({ name, dayNumbers: days.map(day => day.dayNumber) }))
      .filter(
        ({ dayNumbers }) =>
          new Set(dayNumbers.map(dateOf)).size >= LUNAR_DATES &&
          isLunar(dayNumbers) &&
          !isOfEaster(dayNumbers),
      )
      .map(({ name }) => name),
  );
}

/** Whether nearly all days have a fixed distance from Easter, Western or Orthodox; a feast has up to four days. */
function isOfEaster(dayNumbers: readonly number[]): boolean {
  return [easterSunday, orthodoxEasterSunday].some(easter => {
    const distances = Map.groupBy(dayNumbers, day => day - easter(civilDateOf(day).year));
    const counts = [...distances.values()].map(({ length }) => length).sort((a, b) => b - a);
    return counts.slice(0, 4).reduce((sum, count) => sum + count, 0) > 0.8 * dayNumbers.length;
  });
}

/** Easter Sunday by the Meeus/Jones/Butcher algorithm. */
export function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const epact =
    (19 * golden +
      century -
      Math.floor(century / 4) -
      Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3) +
      15) %
    30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const correction = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  return dayNumberOf(year, 3, 22 + epact + weekday - 7 * correction);
}

/** Easter Sunday in the Julian calendar, 13 days behind from 1900 to 2099 and one more in 2100. */
export function orthodoxEasterSunday(year: number): number {
  const epact = (19 * (year % 19) + 15) % 30;
  const weekday = (2 * (year % 4) + 4 * (year % 7) - epact + 34) % 7;
  return dayNumberOf(year, 3, 22 + epact + weekday + (year < 2100 ? 13 : 14));
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

function dateOf(dayNumber: number): string {
  const { month, day } = civilDateOf(dayNumber);
  return `${month}-${day}`;
}

function hasThreeRunning(years: readonly number[]): boolean {
  return years.some(year => years.includes(year + 1) && years.includes(year + 2));
}

/** The year after which a holiday of at least five consecutive years never recurs, before the coverage ends. */
function missingYear(years: ReadonlySet<number>, lastYear: number): number | undefined {
  const end = Math.max(...years);
  const isYearly = [1, 2, 3, 4].every(ago => years.has(end - ago));
  return isYearly && end >= 2026 && end < lastYear - 1 ? end + 1 : undefined;
}
