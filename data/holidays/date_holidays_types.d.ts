/** Untyped exports of date-holidays: its rules, by country. */
declare module 'date-holidays/data' {
  export interface Place {
    readonly states?: Readonly<Record<string, Place>>;
    readonly regions?: Readonly<Record<string, Place>>;
  }
  export const data: {
    /** The day of the rules' last change, `YYYY-MM-DD`. */
    readonly version: string;
    readonly holidays: Readonly<Record<string, Place>>;
    /** The text in parentheses after a holiday's name for a substitute, by language. */
    readonly names: { readonly substitutes: { readonly name: Readonly<Record<string, string>> } };
  };
}

/** The starts of months in other calendars, private to its parser. */
declare module '*/hijri-calendar.js' {
  export const calendar: import('./extend_calendars.ts').MonthTable;
}
declare module '*/hebrew-calendar.js' {
  export const calendar: import('./extend_calendars.ts').MonthTable;
}

/** Members missing from its types. */
declare module 'date-holidays' {
  export interface HolidayRule {
    readonly rule: string;
  }
}
