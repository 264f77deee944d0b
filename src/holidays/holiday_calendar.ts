import type { DayBounds, DaySet } from '../common/day_set.ts';
import type { BusinessDays } from './business_days.ts';
import type { Coverage, DayStatus, NamedCode, WorkWeekPeriod } from './holiday_pack.ts';

/** A holiday that another day is off for; its day is null where the holiday itself was moved. */
export interface SubstitutedHoliday extends Pick<NamedDay, 'name' | 'nameEn'> {
  readonly dayNumber: number | null;
}

/** A holiday or a worked day off, and where it is written. */
export interface NamedDay {
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  /** In the language of the place. */
  readonly name: string;
  /** In English, where that is another name and known. */
  readonly nameEn: string | null;
  readonly status: DayStatus;
  /** The library with its version, the official notice behind a correction, or the organisation's calendar. */
  readonly source: string;
  /** The holiday for which this day is off, where it is off instead of another day. */
  readonly substituteFor: SubstitutedHoliday | null;
}

/** A holiday or a worked day off, by its names. */
export interface NamedDate extends Pick<NamedDay, 'dayNumber' | 'name' | 'nameEn'> {
  /** Whether it is a day that would be off and is worked. */
  readonly isWorkday: boolean;
}

/** Which days are worked in a country, or in a part of it, and why the others are not. */
export interface HolidayCalendar {
  readonly country: NamedCode;
  readonly subdivision: NamedCode | null;
  /** The weekend of today: 1 is Monday, 7 Sunday (ISO 8601). */
  readonly weekend: readonly number[];
  readonly workWeek: readonly WorkWeekPeriod[];
  readonly coverage: Coverage;
  /** Whether a part of this country has other working days; false for a part itself. */
  readonly subdivisionsDiffer: boolean;
  /** The days of the years of the table. */
  readonly bounds: DayBounds;
  readonly businessDays: BusinessDays;
  /** The days off for a holiday, also those on a weekend, as days since 1970-01-01. */
  readonly publicHolidays: DaySet;
  /** The holidays of a year, or through another, also those on a weekend, by date; two holidays may share a date. */
  holidaysOf(year: number, lastYear?: number): NamedDay[];
  /** The days of these years that would be off and are worked, by date. */
  workdaysOf(year: number, lastYear?: number): NamedDay[];
  /** The holidays and worked days from one day through another, in no order; days since 1970-01-01. */
  datesBetween(firstDay: number, lastDay: number): NamedDate[];
}
