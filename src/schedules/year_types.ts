import { dayNumberOf, isLeapYear, weekdayOf } from '../common/civil.ts';

/** After 400 years, which are whole weeks, the calendar repeats. */
export const YEARS_PER_CYCLE = 400;
/** 28 years from 2000 on have each kind of year: its weekdays and its length, and the length of the year before. */
const FIRST_YEAR = 2000;
const SAMPLE_YEARS = 28;
export const YEAR_TYPES = 21;

/**
 * The kind of a year: 0–20 by the weekday of January 1, and by whether the year or the one before it is a leap year. Years of
 * one kind have the same dates on the same weekdays and in the same weeks.
 */
export function yearTypeOf(year: number): number {
  const lengths = isLeapYear(year) ? 2 : isLeapYear(year - 1) ? 1 : 0;
  return lengths * 7 + weekdayOf(dayNumberOf(year, 1, 1));
}

/** A year of each kind. */
export const SAMPLE_YEAR_OF_TYPE: readonly number[] = Array.from({ length: YEAR_TYPES }, (_, type) => {
  const years = Array.from({ length: SAMPLE_YEARS }, (_, index) => FIRST_YEAR + index);
  return years.find(year => yearTypeOf(year) === type)!; // each kind is among them
});
