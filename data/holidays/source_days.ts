import type { DayStatus } from '../../src/holidays/holiday_pack.ts';
import type { Years } from './dates.ts';

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

/** A source's calendar, with all the years that the source covers for the country. */
export interface SourceCalendar extends Years {
  /** `DE`, `DE-BY`, `DE-BY-A` */
  readonly code: string;
  /** In English, if the source has it. */
  readonly name: string | null;
  /** Other names and codes of the place. */
  readonly aliases: readonly string[];
  readonly holidays: readonly SourceDay[];
  readonly workdays: readonly SourceDay[];
}

/** A calendar during compilation. */
export interface Draft {
  readonly holidays: readonly SourceDay[];
  readonly workdays: readonly SourceDay[];
  /** The years in which its rules are complete according to the sources. */
  readonly years: Years;
}
