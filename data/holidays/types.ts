import type { Coverage, DayStatus, WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';

/** Years, both included. */
export interface Years {
  readonly firstYear: number;
  readonly lastYear: number;
}

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

/** How the dates with a name are set: by law, by a sighting or a list of each year, or by an announcement for one date. */
export type NameKind = 'law' | 'yearly' | 'once';

/** The meaning of what python-holidays writes in parentheses after a name. */
export type Label = 'estimated' | 'substitute' | 'dated';

/** What `names.txt` decides for a country. */
export interface CountryNames {
  readonly kinds: ReadonlyMap<string, NameKind>;
  /** The holiday for which the days of a name are given; null for any. */
  readonly substitutes: ReadonlyMap<string, string | null>;
  /** The holidays of date-holidays with the translations of names that it writes otherwise. */
  readonly libraryNames: ReadonlyMap<string, string>;
  /** The same in all countries, with `0` for each digit. */
  readonly labels: ReadonlyMap<string, Label>;
}

/** A compiled calendar, with its input. */
export interface CompiledCalendar {
  readonly code: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly pythonHolidays: SourceCalendar | undefined;
  readonly dateHolidays: SourceCalendar | undefined;
  readonly review: Review | undefined;
  /** The names of its country. */
  readonly names: CountryNames;
  readonly days: Draft;
  readonly coverage: Coverage;
  readonly workWeek: readonly WorkWeekPeriod[];
}

/** What `calendars.txt` decides for one calendar; corrections also apply to all calendars below it. */
export interface DecidedCalendar {
  /** `CN`, `IN-MH` */
  readonly code: string;
  /** The last year whose official one-off days are in the table; undefined if the sources have it. */
  readonly announcedThrough?: number;
  /** No source has the announcements of subdivisions: a subdivision is followed if its own decision says so. */
  readonly arePartsUnfollowed?: boolean;
  /** Who announces one-off and worked days, if the sources' lists were compared with the announcements. */
  readonly announcedBy?: string;
  /** Years that come from date-holidays although python-holidays has the calendar. */
  readonly fromDateHolidays?: Years;
  /** Only days off in all subdivisions are days off. */
  readonly isCommonOfSubdivisions?: boolean;
  /** Bounds of the years in which the rules are complete, if narrower than those of the source. */
  readonly coverage?: Years;
  readonly corrections: readonly Correction[];
}

/** What a correction does. */
export type Change = AddedRule | BorrowedHoliday | DroppedHoliday | CorrectedDates | CompensatedHolidays;

/** One line of the corrections; `source` is its authority, and `fault` an error that names the line. */
export type Correction = Change & { readonly source: string; readonly fault: (message: string) => Error };

/** A holiday by a rule in the grammar of date-holidays. */
export interface AddedRule {
  readonly kind: 'add rule';
  readonly rule: string;
  readonly name: string;
}

/** Adds the days of another country's holiday as estimates, if both follow one calendar of feasts. */
export interface BorrowedHoliday {
  readonly kind: 'borrow';
  readonly code: string;
  readonly holiday: string;
  readonly name: string;
}

/** Removes a holiday by name, in some years. */
export interface DroppedHoliday extends Years {
  readonly kind: 'drop';
  readonly name: string;
}

/** Adds holidays or worked days, or removes all holidays of one day or of a range. */
export interface CorrectedDates {
  readonly kind: 'holiday' | 'workday' | 'remove';
  readonly dayNumbers: readonly number[];
  /** Empty if they are removed. */
  readonly name: string;
}

/** Holidays in the years from `firstYear` to `lastYear` for which a working day is off instead. */
export interface CompensatedHolidays extends Years {
  readonly kind: 'compensate';
  /** Holidays on a weekend, or holidays that share their day with another one. */
  readonly when: 'weekend' | 'shared';
  /** The first working day after it; or the one before a Saturday and after a Sunday, see `stepOf`. */
  readonly direction: 'next' | 'nearest';
  /** The suffix of the name of the day off. */
  readonly suffix: string;
  /** Only holidays with these names; empty for all. The first line that matches a holiday applies. */
  readonly names: readonly string[];
}

/** The official texts a calendar was compared with. */
export interface Review {
  readonly code: string;
  /** The month of the review, `2026-11`. */
  readonly month: string;
  /** The texts, with an address. */
  readonly text: string;
  readonly lists: readonly ReviewedDays[];
}

/** The days in an official text, for some years. */
export interface ReviewedDays extends Years {
  /** Whether the text lists all days off, including substitutes and one-off days, as annual lists do. */
  readonly isComplete: boolean;
  /** In the grammar of `reviews.txt`. */
  readonly days: readonly string[];
}
