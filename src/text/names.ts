// English names as the C locale has them.

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
