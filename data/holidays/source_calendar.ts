import type { DayStatus } from '../../src/holidays/holiday_pack.ts';

/** A day off, or a worked day that would otherwise be off, in one source. */
export interface SourceDay {
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  readonly name: string;
  readonly nameEn: string | null;
  readonly status: DayStatus;
  /** A substitute for a holiday on another day, usually on a weekend. */
  readonly isSubstitute: boolean;
  readonly source: string;
}

/** A source's calendar, with all its years. */
export interface SourceCalendar {
  /** `DE`, `DE-BY`, `DE-BY-A` */
  readonly code: string;
  /** In English, if the source has it. */
  readonly name: string | null;
  /** Other names and codes of the place. */
  readonly aliases: readonly string[];
  /** The first and last year that the source covers for the country. */
  readonly firstYear: number;
  readonly lastYear: number;
  readonly holidays: readonly SourceDay[];
  readonly workdays: readonly SourceDay[];
}

/** The day number of `2026-12-24`. */
export function dayNumberOfIso(date: string): number {
  return Date.parse(date) / 86_400_000;
}
