/** Untyped exports of date-holidays: its rules, by country. */
declare module 'date-holidays/data' {
  export interface Place {
    /** Its languages, the first of which names are in by default. */
    readonly langs?: readonly string[];
    /** By rule; false for one of the place above that does not hold here. */
    readonly days?: Readonly<Record<string, LibraryRule | false>>;
    readonly states?: Readonly<Record<string, Place>>;
    readonly regions?: Readonly<Record<string, Place>>;
  }
  /** The names of a rule by language, its own and those that it shares with rules of other places. */
  export interface LibraryRule {
    readonly name?: Readonly<Record<string, string>>;
    readonly _name?: string;
  }
  export const data: {
    /** The day of the rules' last change, `YYYY-MM-DD`. */
    readonly version: string;
    readonly holidays: Readonly<Record<string, Place>>;
    /**
     * Names that rules share, by language; those of `substitutes` are what it writes in parentheses behind the name of a holiday.
     */
    readonly names: Readonly<Record<string, { readonly name: Readonly<Record<string, string>> }>>;
  };
}

/** The starts of months in other calendars, private to its parser. */
declare module '*-calendar.js' {
  export const calendar: import('./library_months.ts').MonthTable;
}

/** Members missing from its types. */
declare module 'date-holidays' {
  export interface HolidayRule {
    readonly rule: string;
  }
}
