import { ServiceError } from '../common/service_error.ts';
import { MAX_EPOCH_MS, TIME_RANGE_TEXT } from '../common/time_range.ts';

/** What `add` adds, in whole units, null where nothing was given; a day is 86,400 seconds. */
export interface Amounts {
  readonly days: number | null;
  readonly hours: number | null;
  readonly minutes: number | null;
  readonly seconds: number | null;
}

/**
 * The instant that lies `amounts` after (or, where negative, before) another.
 * Exact for amounts of up to 2 × 8.64e12 seconds each; `INVALID_PARAMETER` where the sum leaves the range of times.
 */
export function addTo(epochMs: number, amounts: Amounts): number {
  const { days, hours, minutes, seconds } = amounts;
  const sumSeconds = (days ?? 0) * 86_400 + (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  const sum = epochMs + sumSeconds * 1000;
  if (Math.abs(sum) > MAX_EPOCH_MS) {
    throw new ServiceError('INVALID_PARAMETER', `The sum lies outside the range ${TIME_RANGE_TEXT}`);
  }
  return sum;
}
