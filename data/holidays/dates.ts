import { civilDateOf, dayNumberOf, daysInMonth, MS_PER_DAY } from '../../src/common/civil.ts';
import type { Years } from './types.ts';

/** The day of the snapshot of python-holidays. What was announced by then is in it, if not always marked as such. */
export const SNAPSHOT = '2026-07-23';
export const SNAPSHOT_YEAR = Number(SNAPSHOT.slice(0, 4));

/** The years of the table. */
export const TABLE_YEARS: Years = { firstYear: 1970, lastYear: 2100 };

/** The weekdays in decisions, in the order of `weekdayOf`. */
export const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The day number of `2026-12-24`, in days since 1970-01-01. Throws an `Error` for other texts, and if there is no such date. */
export function dayNumberOfIso(date: string): number {
  const [, year, month, day] = /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)$/.exec(date)?.map(Number) ?? [];
  if (day === undefined || day < 1 || day > daysInMonth(year!, month!)) throw new Error(`no date ${date}`);
  return dayNumberOf(year!, month!, day);
}

/** The date of a day number: `2026-12-24`. */
export function isoDateOf(dayNumber: number): string {
  return new Date(dayNumber * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The year of a day number. */
export function yearOf(dayNumber: number): number {
  return civilDateOf(dayNumber).year;
}

/** All of some years. */
export function yearsIn({ firstYear, lastYear }: Years): number[] {
  return Array.from({ length: Math.max(0, lastYear - firstYear + 1) }, (_, index) => firstYear + index);
}

/** The country of a calendar: `DE` for `DE-BY`. */
export function countryOf(code: string): string {
  return code.slice(0, 2);
}

/** Whether a calendar is below another: `DE-BY` and `DE-BY-A` below `DE`. */
export function isPartOf(code: string, above: string): boolean {
  return code.startsWith(`${above}-`);
}

/** A code and those of the calendars above it: `DE-BY-A`, `DE-BY`, `DE`. */
export function lineageOf(code: string): string[] {
  const parts = code.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

/** The month and day of a day number, without leading zeros: `5-31`. */
export function dateInYear(dayNumber: number): string {
  const { month, day } = civilDateOf(dayNumber);
  return `${month}-${day}`;
}

/** Whether years contain one and the four before it. */
export function isYearlyUntil(year: number, years: ReadonlySet<number>): boolean {
  return [0, 1, 2, 3, 4].every(ago => years.has(year - ago));
}

/** Whether a day is within years. */
export function isWithin(dayNumber: number, { firstYear, lastYear }: Years): boolean {
  return dayNumber >= dayNumberOf(firstYear, 1, 1) && dayNumber < dayNumberOf(lastYear + 1, 1, 1);
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
