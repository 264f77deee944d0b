/** What date-holidays exports without types: its rules, by country. */
declare module 'date-holidays/data' {
  export interface Place {
    readonly states?: Readonly<Record<string, Place>>;
    readonly regions?: Readonly<Record<string, Place>>;
  }
  export const data: {
    /** The day of the rules' last change, `YYYY-MM-DD`. */
    readonly version: string;
    readonly holidays: Readonly<Record<string, Place>>;
    /** What it writes in parentheses behind the name of a holiday for a substitute, by language. */
    readonly names: { readonly substitutes: { readonly name: Readonly<Record<string, string>> } };
  };
}

/** Where the months of other calendars begin; its parser keeps that to itself. */
declare module '*/hijri-calendar.js' {
  export const calendar: import('./extend_calendars.ts').MonthTable;
}
declare module '*/hebrew-calendar.js' {
  export const calendar: import('./extend_calendars.ts').MonthTable;
}

/** What its types leave out. */
declare module 'date-holidays' {
  export interface HolidayRule {
    readonly rule: string;
  }
}
