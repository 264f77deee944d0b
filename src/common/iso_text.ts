import { Moment } from './moment.ts';
import { TimeWriter } from './time_writer.ts';

const LETTER_T = 84;
const LETTER_Z = 90;
const writer = new TimeWriter('+275760-09-13T23:59:59+23:59:59'.length);

/**
 * UTC to the second: `2026-04-15T17:30:47Z`. Fractions of a second are rounded toward the past.
 * `epochMs` must be within ±8.64e15.
 */
export function utcText(epochMs: number): string {
  const end = writeWallClock(new Moment(epochMs, 0, 'UTC'));
  return writer.text(0, writer.code(end, LETTER_Z));
}

/** Local time with its numeric offset, to the second: `2026-04-15T13:30:47-04:00`. */
export function localText(moment: Moment): string {
  return writer.text(0, writer.offset(writeWallClock(moment), moment.offsetSeconds));
}

/** Local time without an offset, to the second: `2026-04-15T13:30:47`. */
export function wallClockText(moment: Moment): string {
  return writer.text(0, writeWallClock(moment));
}

function writeWallClock(moment: Moment): number {
  const { hour, minute, second } = moment;
  const at = writer.code(writer.date(0, moment), LETTER_T);
  return writer.time(at, (hour * 60 + minute) * 60 + second);
}

/** A year as in ISO 8601: `2026`, `0033`, and `±YYYYYY` outside 0000–9999. */
export function yearText(year: number): string {
  return writer.text(0, writer.year(0, year));
}

/** An offset as in ISO 8601: `+05:30`, with seconds only if they are not zero: `-00:44:30`. */
export function formatOffset(offsetSeconds: number): string {
  return writer.text(0, writer.offset(0, offsetSeconds));
}
