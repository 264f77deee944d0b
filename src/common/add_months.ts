import { addMonths } from 'date-fns/addMonths';

const MS_PER_DAY = 86_400_000;
/** The Gregorian calendar repeats every 400 years. */
const DAYS_PER_CYCLE = 146_097;
const MONTHS_PER_CYCLE = 4_800;

/** A date for date-fns, which uses the local fields of a `Date`: here they are in UTC, regardless of the host's zone. */
class UtcDate extends Date {
  override getFullYear(): number {
    return this.getUTCFullYear();
  }
  override getMonth(): number {
    return this.getUTCMonth();
  }
  override getDate(): number {
    return this.getUTCDate();
  }
  override setFullYear(year: number, month: number, day: number): number {
    return this.setUTCFullYear(year, month, day);
  }
  override setMonth(month: number, day: number): number {
    return this.setUTCMonth(month, day);
  }
}

const IN_UTC = { in: (date: Date | number | string) => new UtcDate(date) };

/**
 * The date a number of months after another (before it if negative), as days since 1970-01-01, limited to the last day of the
 * month: a month after January 31 is February 28 or 29. Computed within one cycle of the calendar, so it is exact even beyond
 * the range of `Date`; NaN for infinite months.
 */
export function dayAfterMonths(dayNumber: number, months: number): number {
  const cycle = Math.floor(dayNumber / DAYS_PER_CYCLE);
  const dayOfCycle = dayNumber - cycle * DAYS_PER_CYCLE;
  const moved = addMonths(dayOfCycle * MS_PER_DAY, months % MONTHS_PER_CYCLE, IN_UTC);
  return moved.getTime() / MS_PER_DAY + (cycle + Math.trunc(months / MONTHS_PER_CYCLE)) * DAYS_PER_CYCLE;
}
