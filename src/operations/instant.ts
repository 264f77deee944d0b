import { MS_PER_DAY } from '../common/civil.ts';
import { unreadable } from '../common/errors.ts';
import { MAX_EPOCH_MS, TIME_RANGE_TEXT } from '../common/moment.ts';
import type { IsoTimestamp } from '../text/iso_timestamp.ts';
import { type Disambiguation, resolveLocalTime, resolveLocalTimeAtOffset } from '../zones/local_time.ts';
import { NO_TARGET, offsetTarget, type Target } from './target.ts';

/** An instant, and the frame in which it was given: that of its hint, zone or offset, else UTC. */
export interface Instant {
  readonly epochMs: number;
  readonly frame: Target;
}

/** The last UTC date, plus one for local dates and one for an adjacent day. */
const MAX_DAY_NUMBER = MAX_EPOCH_MS / MS_PER_DAY + 2;

/** Rejects an instant outside the range of times. */
export function checkRange(epochMs: number, parameter: string): number {
  if (Math.abs(epochMs) <= MAX_EPOCH_MS) return epochMs;
  throw unreadable(parameter, `it lies outside the range ${TIME_RANGE_TEXT}`);
}

/**
 * The instant of an ISO 8601 timestamp. `hint`: the place of a local time, from a separate parameter or the zone in brackets. A
 * numeric offset must then be one that the place has at that local time (RFC 9557 §3.4), whereas `Z` is UTC and asserts no
 * offset (§2.2). Without hint and offset a local time is in UTC.
 */
export function instantOf(
  iso: IsoTimestamp,
  parameter: string,
  hint: Target | null,
  disambiguation: Disambiguation,
): Instant {
  const { localMs, offset } = iso;
  const within = (epochMs: number, frame: Target) => ({ epochMs: checkRange(epochMs, parameter), frame });
  const frame = hint ?? NO_TARGET;
  if (offset === null) return within(localToEpochMs(localMs, frame, disambiguation, parameter), frame);
  if (offset.kind === 'utc') return within(localMs, frame);
  const { offsetSeconds } = offset;
  if (hint === null) return within(localMs - offsetSeconds * 1000, offsetTarget(offsetSeconds));
  const epochMs = localToEpochMsAtOffset(localMs, hint, offset);
  if (epochMs !== null) return within(epochMs, hint);
  throw unreadable(parameter, `its offset is not one that ${hint.zoneText} has at that time`);
}

/** The local date of an instant in its frame, as days since 1970-01-01, and the time of that day. */
export function dateAndTimeOf({ epochMs, frame }: Instant) {
  const localMs = epochMs + frame.periodAt(Math.floor(epochMs / 1000)).offsetSeconds * 1000;
  const dayNumber = Math.floor(localMs / MS_PER_DAY);
  return { dayNumber, msOfDay: localMs - dayNumber * MS_PER_DAY };
}

/**
 * The instant of a local date and time. A skipped time moves forward by the gap; of a repeated one, the earlier instant is used.
 * The result may be just outside the range of times, and is NaN for a date far outside.
 */
export function instantOfDateAndTime(
  { dayNumber, msOfDay }: ReturnType<typeof dateAndTimeOf>,
  place: Target,
): number {
  if (!(Math.abs(dayNumber) <= MAX_DAY_NUMBER)) return Number.NaN;
  return localToEpochMs(dayNumber * MS_PER_DAY + msOfDay, place, 'compatible');
}

/** The instant at which a place has a local time, in milliseconds. */
export function localToEpochMs(
  localMs: number,
  place: Target,
  disambiguation: Disambiguation,
  parameter?: string,
): number {
  if (place.zone === null) return localMs - place.periodAt(0).offsetSeconds * 1000;
  const localEpochSeconds = Math.floor(localMs / 1000);
  const epochSeconds = resolveLocalTime(place.zone, localEpochSeconds, disambiguation, parameter);
  return epochSeconds * 1000 + (localMs - localEpochSeconds * 1000);
}

/** The same for a given offset; null if the place does not have that offset at that local time. */
function localToEpochMsAtOffset(
  localMs: number,
  place: Target,
  { offsetSeconds, precision }: Extract<IsoTimestamp['offset'], { kind: 'fixed' }>,
): number | null {
  if (place.zone === null)
    return place.periodAt(0).offsetSeconds === offsetSeconds ? localMs - offsetSeconds * 1000 : null;
  const localEpochSeconds = Math.floor(localMs / 1000);
  // An offset without seconds can stand for a local mean time's offset rounded to the minute.
  const epochSeconds = resolveLocalTimeAtOffset(place.zone, localEpochSeconds, offsetSeconds, precision);
  return epochSeconds === null ? null : epochSeconds * 1000 + (localMs - localEpochSeconds * 1000);
}
