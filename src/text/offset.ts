import { type Cursor, invalid, unexpected } from '../common/cursor.ts';
import { quotedSigned, type ServiceError, unreadable, unwantedList } from '../common/errors.ts';
import { formatOffset } from '../common/iso_text.ts';

/** The forms that a grammar permits in addition to `±HH:MM`. */
interface OffsetGrammar {
  /** `±HH`, and digits without colons: `±HHMM`. */
  readonly basic: boolean;
  readonly seconds: boolean;
}

/** An offset in a text. */
interface ParsedOffset {
  /** Seconds east of UTC. */
  readonly offsetSeconds: number;
  readonly isNegativeZero: boolean;
  /** The index after it. */
  readonly end: number;
}

/** The signs of offsets; an unescaped `+` in a query string decodes to a space. */
export const SIGNS = '+- ';
const OFFSET = /([+\- ])([0-9]{2})(?::([0-9]{2})(?::([0-9]{2}))?|([0-9]{2})([0-9]{2})?)?(?![0-9:])/y;

/** Parses the offset that begins at `start`; undefined if there is none. A `problem`: `24 hours: an offset has 00 to 23`. */
function parseOffsetAt(
  text: string,
  start: number,
  { basic, seconds: hasSeconds }: OffsetGrammar,
): ParsedOffset | { readonly problem: string } | undefined {
  OFFSET.lastIndex = start;
  const match = OFFSET.exec(text);
  if (match === null) return undefined;
  const [{ length }, sign, hh, extendedMm, extendedSs, basicMm, basicSs] = match;
  const ss = extendedSs ?? basicSs;
  if ((!basic && extendedMm === undefined) || (!hasSeconds && ss !== undefined)) return undefined;
  const hours = Number(hh);
  const minutes = Number(extendedMm ?? basicMm ?? 0);
  const seconds = Number(ss ?? 0);
  if (hours > 23) return { problem: `${hours} hours: an offset has 00 to 23` };
  if (minutes > 59) return { problem: `${minutes} minutes: an offset has 00 to 59` };
  if (seconds > 59) return { problem: `${seconds} seconds: an offset has 00 to 59` };
  const magnitude = hours * 3600 + minutes * 60 + seconds;
  const isNegative = sign === '-' && magnitude > 0;
  return {
    offsetSeconds: isNegative ? -magnitude : magnitude,
    isNegativeZero: sign === '-' && magnitude === 0,
    end: start + length,
  };
}

/** The offsets that `parseOffset` accepts, as an ECMA-262 regular expression for JSON Schema. */
export const OFFSET_PATTERN = '[+ -]([01][0-9]|2[0-3]):[0-5][0-9]';

/**
 * The seconds to add to UTC for a text of the form `±HH:MM` (hours 00–23, minutes 00–59); the sign may be a space.
 * Throws `INVALID_PARAMETER` for any other text.
 */
export function parseOffset(text: string, parameter: string): number {
  const found = parseOffsetAt(text, 0, { basic: false, seconds: false });
  if (found === undefined) throw notAnOffset(text, parameter);
  if ('problem' in found) throw unreadable(parameter, `${quotedSigned(text)} has ${found.problem}`);
  if (found.end !== text.length) throw notAnOffset(text, parameter);
  return found.offsetSeconds;
}

/**
 * Parses the offset at the cursor, which is at its sign. `example` is for the error message. Throws `INVALID_PARAMETER`.
 */
export function readOffset(cursor: Cursor, grammar: OffsetGrammar, example: string): ParsedOffset {
  const found = parseOffsetAt(cursor.text, cursor.at, grammar);
  if (found === undefined) throw unexpected({ ...cursor, at: cursor.at + 1 }, `an offset like ${example}`);
  if ('problem' in found) throw invalid(cursor, `has an offset of ${found.problem}`);
  cursor.at = found.end;
  return found;
}

function notAnOffset(text: string, parameter: string): ServiceError {
  const shown = quotedSigned(text);
  if (text.includes(',')) return unwantedList(parameter, shown, 'offset');
  return unreadable(parameter, `${shown} is not an offset of the form ±HH:MM, like +05:30 or -04:00`);
}

/**
 * The offset, as `±HH:MM`, that was given in place of a zone name: `+01:00` for `UTC+1`, `+05:30` for `GMT+530`. Null for other
 * names.
 */
export function offsetOfName(name: string): string | null {
  const offset = name.replace(/^(?:UTC|UT|GMT)/i, '').replace(ONE_DIGIT_HOUR, '$10');
  const found = parseOffsetAt(offset, 0, { basic: true, seconds: false });
  if (found === undefined || 'problem' in found || found.end !== offset.length) return null;
  return formatOffset(found.offsetSeconds);
}

/** The sign before a one-digit hour. */
const ONE_DIGIT_HOUR = /^([+\- ])(?=[0-9](?:[0-9]{2})?$|[0-9]:)/;

/** The name of a fixed offset: `UTC-04:00`; `UTC+00:00` for 0. */
export function offsetName(offsetSeconds: number): string {
  return `UTC${formatOffset(offsetSeconds)}`;
}
