import { Moment } from './moment.ts';
import { TimeWriter } from './time_writer.ts';

const LETTER_Z = 90;
const writer = new TimeWriter('+275760-09-13T23:59:59+23:59:59'.length);

/**
 * UTC to the second: `2026-04-15T17:30:47Z`. Parts of a second floor toward the past.
 * `epochMs` lies within ±8.64e15.
 */
export function utcText(epochMs: number): string {
  writer.truncate(0);
  writer.wallClock(new Moment(epochMs, 0, 'UTC'));
  writer.code(LETTER_Z);
  return writer.text();
}

/** Local time with its numeric offset, to the second: `2026-04-15T13:30:47-04:00`. */
export function localText(moment: Moment): string {
  writer.truncate(0);
  writer.wallClock(moment);
  writer.offset(moment.offsetSeconds);
  return writer.text();
}

/** Local time alone, to the second: `2026-04-15T13:30:47`. */
export function wallClockText(moment: Moment): string {
  writer.truncate(0);
  writer.wallClock(moment);
  return writer.text();
}

/** A year as in ISO 8601: `2026`, `0033`, and `±YYYYYY` outside 0000–9999. */
export function yearText(year: number): string {
  writer.truncate(0);
  writer.year(year);
  return writer.text();
}

/** An offset as in ISO 8601: `+05:30`, with seconds only where there are any: `-00:44:30`. */
export function formatOffset(offsetSeconds: number): string {
  writer.truncate(0);
  writer.offset(offsetSeconds);
  return writer.text();
}
