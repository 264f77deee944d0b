import { quotedSigned, unreadable } from '../common/service_error.ts';

/** A duration to add: months of the calendar, then days of it, then exact time; all of one sign, or 0. */
export interface IsoDuration {
  readonly months: number;
  readonly days: number;
  /** Of the hours, minutes and seconds. */
  readonly seconds: number;
  /** Less than a second. */
  readonly milliseconds: number;
}

/** What a duration is written from; none is negative. Units that are absent or 0 are omitted. */
export interface DurationUnits {
  readonly years?: number;
  readonly months?: number;
  readonly weeks?: number;
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

/**
 * Durations as ECMAScript's Temporal parses them (ISO 8601-1 §5.5.2.2 with the sign of ISO 8601-2 §4.4.1.9): the smallest
 * unit of time may have a fraction of up to nine digits. A leading space is the `+` that a query string turns into one.
 */
const DURATION =
  /^([+\- ])?P(?=[0-9T])(?:([0-9]+)Y)?(?:([0-9]+)M)?(?:([0-9]+)W)?(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)(?:[.,]([0-9]{1,9})(?=H$))?H)?(?:([0-9]+)(?:[.,]([0-9]{1,9})(?=M$))?M)?(?:([0-9]+)(?:[.,]([0-9]{1,9}))?S)?)?$/i;

/** The characters of durations, as an ECMA-262 regular expression for JSON Schema. */
export const DURATION_PATTERN = '^[+ -]?[Pp][0-9TtYyMmWwDdHhSs.,]+$';

/**
 * Parses a duration such as `P1Y2M3W4DT5H6M7.5S` or `-PT90M`; fractions of a millisecond are truncated toward zero.
 * Units of any size are accepted, up to infinity.
 * @throws ServiceError `INVALID_PARAMETER`
 */
export function parseIsoDuration(text: string, parameter: string): IsoDuration {
  const match = DURATION.exec(text);
  if (match === null) {
    const expected = 'an ISO 8601 duration like P1Y2M3W4DT5H6M7.5S or -PT90M';
    throw unreadable(parameter, `${quotedSigned(text)} is not ${expected}`);
  }
  const [, mark, years, months, weeks, days, hours, hour, minutes, minute, seconds, second] = match;
  const sign = mark === '-' ? -1 : 1;
  const whole = (digits = '0') => Number(digits);
  const fractionMs = part(hour, 3_600_000) + part(minute, 60_000) + part(second, 1000);
  const fractionSeconds = Math.floor(fractionMs / 1000);
  const signed = (magnitude: number) => sign * magnitude + 0; // -0 becomes 0
  return {
    months: signed(whole(years) * 12 + whole(months)),
    days: signed(whole(weeks) * 7 + whole(days)),
    seconds: signed(whole(hours) * 3600 + whole(minutes) * 60 + whole(seconds) + fractionSeconds),
    milliseconds: signed(fractionMs - fractionSeconds * 1000),
  };
}

/** The whole milliseconds in the digits of a fraction of a unit. Exact: below 2^53 before the division. */
function part(digits: string | undefined, unitMs: number): number {
  return digits === undefined ? 0 : Math.floor((Number(digits) * unitMs) / 10 ** digits.length);
}

/** A duration as ISO 8601 text: `P1Y2M3DT4H`, or `PT0S` if it is zero. */
export function isoDurationText({
  years,
  months,
  weeks,
  days,
  hours,
  minutes,
  seconds,
}: DurationUnits): string {
  const date = written(years, 'Y') + written(months, 'M') + written(weeks, 'W') + written(days, 'D');
  const time = written(hours, 'H') + written(minutes, 'M') + written(seconds, 'S');
  if (time !== '') return `P${date}T${time}`;
  return date === '' ? 'PT0S' : `P${date}`;
}

function written(count: number | undefined, designator: string): string {
  return count ? `${count}${designator}` : '';
}
