import { type Cursor, invalid, peek, skip, unexpected } from '../common/cursor.ts';
import { quoted } from '../common/service_error.ts';
import { readOffset, signAhead } from './offset.ts';

/** The zone in brackets after a timestamp: a name as written, or an offset in seconds. */
export type ZoneAnnotation = { readonly name: string } | { readonly offsetSeconds: number };

/** RFC 9557 §4.1, `suffix-key` and `suffix-values`. */
const KEY = /^[a-z_][a-z0-9_-]*$/;
const VALUES = /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/;
/** RFC 9557 §4.1, `time-zone-part`, which is neither `.` nor `..`. */
const ZONE_PART = /^(?!\.\.?$)[A-Za-z._][A-Za-z0-9._+-]*$/;

/**
 * Parses the suffix of RFC 9557: at most one zone, first (`[America/New_York]`, `[+05:30]`), then tags (`[u-ca=hebrew]`),
 * which are ignored. An unknown tag marked critical (`[!key=value]`) is rejected, as is a critical calendar together with another.
 * @throws ServiceError `INVALID_PARAMETER`
 */
export function readAnnotations(cursor: Cursor): ZoneAnnotation | null {
  let zone: ZoneAnnotation | null = null;
  let calendars = 0;
  let criticalCalendar = false;
  for (let index = 0; skip(cursor, '['); index++) {
    const critical = skip(cursor, '!');
    const end = cursor.text.indexOf(']', cursor.at);
    if (end < 0) throw invalid(cursor, 'has a [ without a closing ]');
    const content = cursor.text.slice(cursor.at, end);
    if (!content.includes('=')) {
      if (index > 0)
        throw invalid(
          cursor,
          'has a zone after other brackets: only one zone is allowed, and it comes first',
        );
      zone = readZone(cursor, content);
    } else if (keyOf(cursor, content) === 'u-ca') {
      calendars++;
      criticalCalendar ||= critical;
    } else if (critical) {
      throw invalid(cursor, `marks ${quoted(content)} as critical with '!', and it is not supported`);
    }
    cursor.at = end + 1;
  }
  if (criticalCalendar && calendars > 1)
    throw invalid(cursor, 'has several calendars, one of them marked critical');
  return zone;
}

/** The key of a tag `key=value`. */
function keyOf(cursor: Cursor, tag: string): string {
  const equals = tag.indexOf('=');
  const key = tag.slice(0, equals);
  if (!KEY.test(key) || !VALUES.test(tag.slice(equals + 1)))
    throw unexpected(cursor, 'a tag like [u-ca=gregory]');
  return key;
}

/** The cursor is after the opening bracket of `content`. */
function readZone(cursor: Cursor, content: string): ZoneAnnotation {
  if (signAhead(cursor)) {
    // RFC 9557 only has ±HH:MM; we also accept ±HH and ±HHMM, as in offsets.
    const offsetSeconds = readOffset(cursor, { basic: true, seconds: false }, '[+05:30]');
    if (peek(cursor) !== ']') throw unexpected(cursor, 'a ] after the offset');
    return { offsetSeconds: offsetSeconds + 0 };
  }
  // As in offsets, the `+` of an unescaped [Etc/GMT+5] arrives as a space.
  const name = content.replace(/ (?=[0-9])/g, '+');
  if (!name.split('/').every(part => ZONE_PART.test(part)))
    throw unexpected(cursor, 'a zone like [America/New_York] or [+05:30]');
  return { name };
}
