import { ServiceError } from './service_error.ts';

/** The supported range of times in ±milliseconds, the same as for ECMAScript's `Date` (ECMA-262 §21.4.1.1). */
export const MAX_EPOCH_MS = 8.64e15;

/** The range as text for messages. */
export const TIME_RANGE_TEXT = 'from -271821-04-20T00:00:00Z to +275760-09-13T00:00:00Z';

/** Returns a sum. Throws `INVALID_PARAMETER` if it is outside the range, or NaN. `parameter` is the one that was added. */
export function requireInRange(epochMs: number, parameter: string): number {
  if (Math.abs(epochMs) <= MAX_EPOCH_MS) return epochMs;
  throw new ServiceError('INVALID_PARAMETER', `The sum lies outside the range ${TIME_RANGE_TEXT}`, {
    parameter,
  });
}
