/**
 * Dates of the proleptic Gregorian calendar as day numbers: days since 1970-01-01, which is 0.
 * Plain integer arithmetic, exact over the whole range of `Date` and far beyond.
 */

/** A date; `month` is 1–12, `day` 1–31, `year` 0 is 1 BC. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export const MINUTES_PER_DAY = 1440;
export const SECONDS_PER_HOUR = 3600;
export const SECONDS_PER_DAY = 86_400;
export const MS_PER_DAY = 86_400_000;
/** The calendar repeats after 400 years, which are whole weeks. */
export const YEARS_PER_CYCLE = 400;
export const DAYS_PER_CYCLE = 146_097;
const DAYS_TO_EPOCH = 719_468; // from 0000-03-01 to 1970-01-01

/** The day number of a date. A day outside its month overflows: February 30 is March 1 or 2. */
export function dayNumberOf(year: number, month: number, day: number): number {
  // Years begin in March, so that the leap day is a year's last day.
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const marchMonth = month <= 2 ? month + 9 : month - 3;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_CYCLE + dayOfEra - DAYS_TO_EPOCH;
}

export function civilDateOf(dayNumber: number): CivilDate {
  const shifted = dayNumber + DAYS_TO_EPOCH;
  const era = Math.floor(shifted / DAYS_PER_CYCLE);
  const dayOfEra = shifted - era * DAYS_PER_CYCLE;
  // From here on no value is negative, and `| 0` truncates in a third of the time of `Math.floor`.
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1_460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) |
    0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const marchMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * marchMonth + 2) / 5) | 0) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** The weekday of a day number: 0 is Sunday, 6 Saturday. */
export function weekdayOf(dayNumber: number): number {
  const weekday = ((dayNumber + 4) % 7) | 0;
  return weekday < 0 ? weekday + 7 : weekday;
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** The number of days in a month (1–12) of a year. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : DAYS_IN_MONTH[month - 1]!;
}

/** The week by ISO 8601-1 §4.3.7: weeks begin on Monday, week 1 has the year's first Thursday. Its year can differ from the date's. */
export function isoWeekOf(dayNumber: number) {
  const mondayFirst = (weekdayOf(dayNumber) + 6) % 7;
  const thursday = dayNumber - mondayFirst + 3;
  const { year } = civilDateOf(thursday);
  return { year, week: Math.floor((thursday - dayNumberOf(year, 1, 1)) / 7) + 1 };
}
