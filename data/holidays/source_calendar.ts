import type { DayStatus } from '../../src/holidays/holiday_pack.ts';

/** A day off, or a day worked although it would be off, as one source has it. */
export interface SourceDay {
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  readonly name: string;
  readonly nameEn: string | null;
  readonly status: DayStatus;
  /** Given for a holiday that falls on another day, as a rule one of the weekend. */
  readonly isSubstitute: boolean;
  readonly source: string;
}

/** A calendar of a source, all its years together. */
export interface SourceCalendar {
  /** `DE`, `DE-BY`, `DE-BY-A` */
  readonly code: string;
  /** In English, where the source has it. */
  readonly name: string | null;
  /** Other names and codes of the place. */
  readonly aliases: readonly string[];
  /** The first and last year that the source claims for the country. */
  readonly firstYear: number;
  readonly lastYear: number;
  readonly holidays: readonly SourceDay[];
  readonly workdays: readonly SourceDay[];
}

/** The day number of `2026-12-24`. */
export function dayNumberOfIso(date: string): number {
  return Date.parse(date) / 86_400_000;
}
