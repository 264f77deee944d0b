import { formatOffset } from '../common/iso_text.ts';
import { quotedSigned, type ServiceError, unreadable, unwantedList } from '../common/service_error.ts';

const OFFSET = /^[+\- ]([0-9]{2}):([0-9]{2})$/;

/**
 * Seconds to add to UTC, of a text of the strict form `±HH:MM` (hours 00–23, minutes 00–59). A leading space reads
 * as `+`, which is what an unescaped `+` in a query string decodes to.
 * @throws ServiceError `INVALID_PARAMETER` for any other text.
 */
export function parseOffset(text: string, parameter: string): number {
  const match = OFFSET.exec(text);
  if (match === null) throw notAnOffset(text, parameter);
  const hours = Number(match[1]);
  const minutes = Number(match[2]);
  if (hours > 23)
    throw unreadable(parameter, `${quotedSigned(text)} has ${hours} hours: an offset has 00 to 23`);
  if (minutes > 59)
    throw unreadable(parameter, `${quotedSigned(text)} has ${minutes} minutes: an offset has 00 to 59`);
  const seconds = hours * 3600 + minutes * 60;
  return text.startsWith('-') ? 0 - seconds : seconds;
}

function notAnOffset(text: string, parameter: string): ServiceError {
  const shown = quotedSigned(text);
  if (text.includes(',')) return unwantedList(parameter, shown, 'offset');
  return unreadable(parameter, `${shown} is not an offset of the form ±HH:MM, like +05:30 or -04:00`);
}

const NAMED_OFFSET = /^(?:UTC|UT|GMT)?([+\- ])([0-9]{1,2})(?::?([0-9]{2}))?$/i;

/** The offset that someone means who gives it as a zone, in the form `±HH:MM`: `UTC+1` is `+01:00`. Null for other names. */
export function offsetOfName(name: string): string | null {
  const [, sign, hours = '', minutes = '00'] = NAMED_OFFSET.exec(name) ?? [];
  if (sign === undefined || Number(hours) > 23 || Number(minutes) > 59) return null;
  return `${sign === '-' ? '-' : '+'}${hours.padStart(2, '0')}:${minutes}`;
}

/** The name of a fixed offset in place of a zone's: `UTC-04:00`; `UTC+00:00` for 0. */
export function offsetName(offsetSeconds: number): string {
  return `UTC${formatOffset(offsetSeconds)}`;
}
