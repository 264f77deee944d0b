import { formatOffset } from '../common/iso_text.ts';
import { quoted, unreadable } from '../common/service_error.ts';

const OFFSET = /^[+\- ]([0-9]{2}):([0-9]{2})$/;

/**
 * Seconds to add to UTC, of a text of the strict form `±HH:MM` (hours 00–23, minutes 00–59). A leading space reads
 * as `+`, which is what an unescaped `+` in a query string decodes to.
 * @throws ServiceError `INVALID_PARAMETER` for any other text.
 */
export function parseOffset(text: string, parameter: string): number {
  const match = OFFSET.exec(text);
  if (match === null) {
    throw unreadable(parameter, `${quoted(text)} is not an offset of the form ±HH:MM, like +05:30 or -04:00`);
  }
  const hours = Number(match[1]);
  const minutes = Number(match[2]);
  if (hours > 23) throw unreadable(parameter, `${quoted(text)} has ${hours} hours: an offset has 00 to 23`);
  if (minutes > 59)
    throw unreadable(parameter, `${quoted(text)} has ${minutes} minutes: an offset has 00 to 59`);
  const seconds = hours * 3600 + minutes * 60;
  return text.startsWith('-') ? 0 - seconds : seconds;
}

/** The name of a fixed offset in place of a zone's: `UTC-04:00`; `UTC+00:00` for 0. */
export function offsetName(offsetSeconds: number): string {
  return `UTC${formatOffset(offsetSeconds)}`;
}
