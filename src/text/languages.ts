/** The names of weekdays (Sunday is at index 0), months (January is at index 0) and halves of the day in a language. */
export interface TimeNames {
  /** For use within dates: CLDR's "format" form. */
  readonly weekdaysShort: readonly string[];
  readonly weekdaysFull: readonly string[];
  readonly monthsShort: readonly string[];
  readonly monthsFull: readonly string[];
  readonly halvesOfDay: readonly string[];
  /** Used by themselves: CLDR's "stand-alone" form. */
  readonly loneWeekdaysShort: readonly string[];
  readonly loneWeekdaysFull: readonly string[];
  readonly loneMonthsFull: readonly string[];
}

// English names as in the C locale.

/** `Sunday` … `Saturday`; Sunday is at index 0, as `Moment.weekday` counts. */
export const WEEKDAYS_FULL: readonly string[] =
  'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** `Sun` … `Sat`. */
export const WEEKDAYS_SHORT: readonly string[] = WEEKDAYS_FULL.map(name => name.slice(0, 3));

/** `January` … `December`; month 1 is at index 0. */
export const MONTHS_FULL: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');

/** `Jan` … `Dec`; month 1 is at index 0. */
export const MONTHS_SHORT: readonly string[] = MONTHS_FULL.map(name => name.slice(0, 3));

export const ENGLISH_NAMES: TimeNames = {
  weekdaysShort: WEEKDAYS_SHORT,
  weekdaysFull: WEEKDAYS_FULL,
  monthsShort: MONTHS_SHORT,
  monthsFull: MONTHS_FULL,
  halvesOfDay: ['AM', 'PM'],
  loneWeekdaysShort: WEEKDAYS_SHORT,
  loneWeekdaysFull: WEEKDAYS_FULL,
  loneMonthsFull: MONTHS_FULL,
};
