import type { BusinessDays } from './business_days.ts';

/** A code and what it stands for: `BY`, `Bavaria`. */
export interface NamedCode {
  readonly code: string;
  readonly name: string;
}

/** A holiday or a worked day off, and where it is written. */
export interface NamedDay {
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  readonly name: string;
  /** The library with its version, the official notice behind a correction, or the organisation's calendar. */
  readonly source: string;
}

/** Which days are worked in a country, or in a part of it, and why the others are not. */
export interface HolidayCalendar {
  readonly country: NamedCode;
  readonly subdivision: NamedCode | null;
  /** 1 is Monday, 7 Sunday (ISO 8601). */
  readonly weekend: readonly number[];
  /** The last year whose official one-off days are known; null where none were looked for. */
  readonly knownThrough: number | null;
  readonly businessDays: BusinessDays;
  /** The holidays of a year, also those on a weekend, by date; two holidays may share a date. */
  holidaysOf(year: number): NamedDay[];
  /** The days of a year that would be off and are worked, by date. */
  workdaysOf(year: number): NamedDay[];
}
