/** The valid properties of an API key, for commands and the operator API. Parsers throw an Error that describes the problem. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parseDate, parseDuration } from '../../common/settings_text.ts';

const MAX_NAME_LENGTH = 100;

/** Who a key is for: one line, not empty. */
export const KeyName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
});

/** Who a key is for; returns a valid name unchanged. */
export function parseKeyName(text: string): string {
  if (Value.Check(KeyName, text)) return text;
  throw new Error(`expected one line of at most ${MAX_NAME_LENGTH} characters`);
}

/** How long the old key stays valid after a rotation by default. */
export const DEFAULT_OVERLAP = '7d';

/** When a key expires, given the current time; null for never. */
export type Expiry = (nowMs: number) => number | null;

const INSTANT = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** `never`, a date (its beginning in UTC), an instant (`2027-01-31T12:00:00Z`), or a duration from now. */
export function parseExpiry(text: string): Expiry {
  if (text === 'never') return () => null;
  if (/^\d{4}-/.test(text)) {
    const isInstant = INSTANT.test(text);
    const dateMs = Date.parse(parseDate(isInstant ? text.slice(0, 10) : text));
    const epochMs = isInstant ? Date.parse(text) : dateMs;
    return () => epochMs;
  }
  try {
    const durationMs = parseDuration(text);
    return nowMs => nowMs + durationMs;
  } catch {
    throw new Error(`'${text}' is neither 'never' nor a date such as 2027-01-31 nor a duration such as 90d`);
  }
}

/** A month, `YYYY-MM`. */
export function parseMonth(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new Error(`'${text}' is not a month such as 2026-11`);
  return text;
}
