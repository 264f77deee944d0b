import { parse, TomlError } from 'smol-toml';

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A positive integer with one of the units `s m h d w`, in milliseconds; NaN for other text. */
export function durationMs(text: string, units: string): number {
  const [, count, unit = ''] = /^([1-9][0-9]{0,4})([a-z])$/.exec(text) ?? [];
  return units.includes(unit) ? Number(count) * (MS_PER_UNIT[unit] ?? Number.NaN) : Number.NaN;
}

/** `90d`, `12h` or `2w` in milliseconds, or `0`. Throws an `Error` for other text. */
export function parseDuration(text: string): number {
  const ms = text === '0' ? 0 : durationMs(text, 'smhdw');
  if (Number.isNaN(ms)) throw new Error(`'${text}' is not a duration such as 12h, 90d or 2w, nor 0`);
  return ms;
}

/** The given text if it is a date of the Gregorian calendar, `YYYY-MM-DD`. Throws an `Error` for any other. */
export function requireDate(text: string): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text))
    throw new Error(`'${text}' is not a date such as 2026-10-27`);
  return text;
}

/**
 * Parses TOML 1.0. Throws a one-line `Error` with the position: `line 3, column 5: invalid value`. It does not quote the text,
 * which may contain secrets.
 */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
    throw new Error(`line ${error.line}, column ${error.column}: ${reason}`);
  }
}
