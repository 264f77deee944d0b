import { requireInRange } from '../common/moment.ts';
import { addBusinessDays, type Roll } from '../holidays/business_days.ts';
import type { IsoDuration } from '../text/duration.ts';
import { checkCoverage, type UsedCalendars } from './business_days.ts';
import { addDuration } from './calendar_duration.ts';
import { dateAndTimeOf, instantOfDateAndTime } from './instant.ts';
import type { Target } from './target.ts';

/** Whole units to add, null if not given; a day is 86,400 seconds. */
export interface Amounts {
  readonly days: number | null;
  readonly hours: number | null;
  readonly minutes: number | null;
  readonly seconds: number | null;
}

/** Business days to add to a date. */
export interface BusinessDayOffset {
  /** Non-zero without a roll. */
  readonly count: number;
  readonly roll: Roll | null;
  readonly used: UsedCalendars;
}

/** The addend of `add`. */
export type Addition =
  | { readonly amounts: Amounts }
  | { readonly duration: IsoDuration }
  | { readonly businessDays: BusinessDayOffset };

/**
 * The instant an addition after (or, if negative, before) another, using the target's dates and wall clock. Throws
 * `INVALID_PARAMETER` if the result is outside the range of times or the years of the calendars.
 */
export function addTo(epochMs: number, addition: Addition, target: Target): number {
  if ('amounts' in addition) return addAmounts(epochMs, addition.amounts);
  if ('duration' in addition) return addDuration(epochMs, target, addition.duration);
  return addToDate(epochMs, addition.businessDays, target);
}

/** Exact for amounts of up to 2 × 8.64e12 seconds each. */
function addAmounts(epochMs: number, { days, hours, minutes, seconds }: Amounts): number {
  const sumSeconds = (days ?? 0) * 86_400 + (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  const largest =
    days !== null ? 'days' : hours !== null ? 'hours' : minutes !== null ? 'minutes' : 'seconds';
  return requireInRange(epochMs + sumSeconds * 1000, largest);
}

/** The same time of day, a number of business days later. */
function addToDate(epochMs: number, { count, roll, used }: BusinessDayOffset, target: Target): number {
  const { dayNumber, msOfDay } = dateAndTimeOf({ epochMs, frame: target });
  const sum = addBusinessDays(used.calendars, dayNumber, count, roll);
  checkCoverage(used, Math.min(dayNumber, sum), Math.max(dayNumber, sum));
  return requireInRange(instantOfDateAndTime({ dayNumber: sum, msOfDay }, target), 'business_days');
}
