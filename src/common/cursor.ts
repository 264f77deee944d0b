import { quoted, type ServiceError, unreadable } from './errors.ts';

/** A position in a text that is parsed from left to right. */
export interface Cursor {
  readonly text: string;
  /** The query parameter that holds the text, for messages. */
  readonly parameter: string;
  at: number;
}

/** An `INVALID_PARAMETER` about the cursor's whole text; `reason` follows it: `'…' has no such day`. */
export function invalid(cursor: Cursor, reason: string): ServiceError {
  return unreadable(cursor.parameter, `${quoted(cursor.text)} ${reason}`);
}

/** An `INVALID_PARAMETER` for text that does not continue with `expected`. */
export function unexpected(cursor: Cursor, expected: string): ServiceError {
  const rest = cursor.text.slice(cursor.at, cursor.at + 12).toWellFormed();
  const end = cursor.text === '' ? 'is empty' : 'ends too early';
  const found = rest === '' ? end : `has '${rest}' at character ${cursor.at + 1}`;
  return invalid(cursor, `${found}: expected ${expected}`);
}

/** The next character, or '' at the end. */
export function peek(cursor: Cursor): string {
  return cursor.text.charAt(cursor.at);
}

/** Whether one of some characters follows. */
export function isAhead(cursor: Cursor, characters: string): boolean {
  return cursor.at < cursor.text.length && characters.includes(peek(cursor));
}

export function skip(cursor: Cursor, character: string): boolean {
  if (peek(cursor) !== character) return false;
  cursor.at++;
  return true;
}

export function digitsAhead(cursor: Cursor): number {
  let end = cursor.at;
  while (isDigit(cursor.text.charCodeAt(end))) end++;
  return end - cursor.at;
}

/** Parses `count` digits; there must be at least that many, see {@link digitsAhead}. */
export function readDigits(cursor: Cursor, count: number): number {
  let value = 0;
  for (const end = cursor.at + count; cursor.at < end; cursor.at++)
    value = value * 10 + cursor.text.charCodeAt(cursor.at) - 48;
  return value;
}

/** Parses a field of exactly two digits. */
export function readPair(cursor: Cursor, expected: string): number {
  if (digitsAhead(cursor) !== 2) throw unexpected(cursor, expected);
  return readDigits(cursor, 2);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
