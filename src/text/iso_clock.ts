import {
  type Cursor,
  digitsAhead,
  invalid,
  readDigits,
  readPair,
  skip,
  unexpected,
} from '../common/cursor.ts';

/** Parses `HH`, `HHMM`, `HH:MM`, `HHMMSS` or `HH:MM:SS`, unchecked. Omitted fields are 0; `count` fields are present. */
function readFields(cursor: Cursor) {
  const digits = digitsAhead(cursor);
  if (digits !== 2 && digits !== 4 && digits !== 6) throw unexpected(cursor, 'a time like 09:30:00');
  const hours = readDigits(cursor, 2);
  if (digits > 2) {
    const minutes = readDigits(cursor, 2);
    return { hours, minutes, seconds: digits === 6 ? readDigits(cursor, 2) : 0, count: digits / 2 };
  }
  if (!skip(cursor, ':')) return { hours, minutes: 0, seconds: 0, count: 1 };
  const minutes = readPair(cursor, 'minutes of two digits');
  if (!skip(cursor, ':')) return { hours, minutes, seconds: 0, count: 2 };
  return { hours, minutes, seconds: readPair(cursor, 'seconds of two digits'), count: 3 };
}

/**
 * Parses a time of day (ISO 8601-1 §5.3) to milliseconds since midnight, 86,400,000 for `24:00:00`. A fraction of a
 * second is truncated to the millisecond, toward the past even before 1970, since a time of day counts forward. A leap
 * second `:60` is parsed as `:59`.
 * @throws ServiceError `INVALID_PARAMETER`
 */
export function readTimeOfDay(cursor: Cursor): number {
  const { hours, minutes, seconds, count } = readFields(cursor);
  const milliseconds = readFraction(cursor, count);
  if (hours > 24) throw invalid(cursor, `has the hour ${hours}: hours run from 00 to 23`);
  if (minutes > 59) throw invalid(cursor, `has the minute ${minutes}: minutes run from 00 to 59`);
  if (seconds > 60)
    throw invalid(cursor, `has the second ${seconds}: seconds run from 00 to 59, or 60 in a leap second`);
  if (hours === 24 && (minutes > 0 || seconds > 0 || milliseconds > 0)) {
    throw invalid(cursor, 'is past 24:00:00, the end of the day');
  }
  return (hours * 3600 + minutes * 60 + Math.min(seconds, 59)) * 1000 + milliseconds;
}

/** Milliseconds of a fraction, if one follows; `count` fields precede it. */
function readFraction(cursor: Cursor, count: number): number {
  if (!skip(cursor, '.') && !skip(cursor, ',')) return 0;
  if (count < 3)
    throw invalid(
      cursor,
      `has a fraction of ${count === 1 ? 'an hour' : 'a minute'}: only seconds can have one`,
    );
  const digits = digitsAhead(cursor);
  if (digits === 0) throw unexpected(cursor, 'the digits of the fraction');
  const end = cursor.at + digits;
  const value = readDigits(cursor, Math.min(digits, 3));
  cursor.at = end;
  return digits === 1 ? value * 100 : digits === 2 ? value * 10 : value;
}
