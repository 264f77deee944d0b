import { civilDateOf, dayNumberOf, daysInMonth, MS_PER_DAY } from '../../src/common/civil.ts';

/** Years, both included. */
export interface Years {
  readonly firstYear: number;
  readonly lastYear: number;
}

/** The day of the snapshot of python-holidays. What was announced by then is in it, if not always marked as such. */
export const SNAPSHOT = '2026-07-23';
export const SNAPSHOT_YEAR = Number(SNAPSHOT.slice(0, 4));

/** The years of the table. */
export const TABLE_YEARS: Years = { firstYear: 1970, lastYear: 2100 };

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

/** The years of a range, in order. */
export function yearsIn({ firstYear, lastYear }: Years): number[] {
  return Array.from({ length: Math.max(0, lastYear - firstYear + 1) }, (_, index) => firstYear + index);
}

/** The month and day of a day number, without leading zeros: `5-31`. */
export function dateInYear(dayNumber: number): string {
  const { month, day } = civilDateOf(dayNumber);
  return `${month}-${day}`;
}

/** Whether a day is within years. */
export function isWithin(dayNumber: number, { firstYear, lastYear }: Years): boolean {
  return dayNumber >= dayNumberOf(firstYear, 1, 1) && dayNumber < dayNumberOf(lastYear + 1, 1, 1);
}
