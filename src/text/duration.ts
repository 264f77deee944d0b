import { quoted, quotedSigned, requireLength, unreadable } from '../common/errors.ts';

/** Names and lengths in seconds, largest first. */
const UNITS = [
  { name: 'days', seconds: 86_400 },
  { name: 'hours', seconds: 3600 },
  { name: 'minutes', seconds: 60 },
  { name: 'seconds', seconds: 1 },
] as const;

/**
 * The whole seconds between two instants, never negative. Computed with seconds and remaining milliseconds, since the difference
 * between the ends of the range in milliseconds is not exact as a number.
 */
export function wholeSecondsBetween(oneMs: number, otherMs: number): number {
  const earlierMs = Math.min(oneMs, otherMs);
  const laterMs = Math.max(oneMs, otherMs);
  const earlierSeconds = Math.floor(earlierMs / 1000);
  const laterSeconds = Math.floor(laterMs / 1000);
  const isUnfinished = laterMs - laterSeconds * 1000 < earlierMs - earlierSeconds * 1000;
  return laterSeconds - earlierSeconds - (isUnfinished ? 1 : 0);
}

export interface DurationTemplate {
  /** The text for a duration of `seconds`, a non-negative integer. */
  format(seconds: number): string;
}

/** The maximum length of a template, in characters. */
export const MAX_TEMPLATE_LENGTH = 256;
type Unit = (typeof UNITS)[number];

/**
 * Compiles a template with the tokens `%days`, `%hours`, `%minutes`, `%seconds` and `%%` for a percent sign.
 * A token ends with its name, regardless of what follows (`%hoursh` is hours and an `h`). Each token is the remainder after the
 * larger tokens anywhere in the template, and the largest has no upper limit: 25 h in `%hoursh %minutesm` is `25h 0m`.
 * Throws `INVALID_PARAMETER` for any other `%`, with its position, and for more than 256 characters.
 */
export function compileDurationTemplate(template: string, parameter: string): DurationTemplate {
  if (template === '') throw unreadable(parameter, "'' is empty: expected a template like %hours:%minutes");
  requireLength(template, MAX_TEMPLATE_LENGTH, parameter, 'a template');
  const parts = partsOf(template, parameter);
  const present = UNITS.filter(unit => parts.includes(unit));
  return {
    format(seconds) {
      const counts = new Map<Unit, number>();
      let rest = seconds;
      for (const unit of present) {
        const count = Math.floor(rest / unit.seconds);
        counts.set(unit, count);
        rest -= count * unit.seconds;
      }
      let text = '';
      for (const part of parts) text += typeof part === 'string' ? part : counts.get(part);
      return text;
    },
  };
}

const TOKEN = new RegExp(`%(${UNITS.map(({ name }) => name).join('|')}|%)`, 'g');

function partsOf(template: string, parameter: string): (string | Unit)[] {
  const stray = template.replace(TOKEN, token => ' '.repeat(token.length)).indexOf('%');
  if (stray >= 0) {
    const token = quoted(template.slice(stray, stray + 12));
    const expected = 'expected %days, %hours, %minutes, %seconds or %%';
    throw unreadable(parameter, `${token} at character ${stray + 1} is not a token: ${expected}`);
  }
  // Tokens are at odd indexes.
  const unitNamed = (token: string) => UNITS.find(({ name }) => name === token) ?? token;
  return template.split(TOKEN).map((part, index) => (index % 2 === 0 ? part : unitNamed(part)));
}

/** A duration to add: months of the calendar, then days of it, then exact time; all of one sign, or 0. */
export interface IsoDuration {
  readonly months: number;
  readonly days: number;
  /** Of the hours, minutes and seconds. */
  readonly seconds: number;
  /** Less than a second. */
  readonly milliseconds: number;
}

/** What a duration is written from; none is negative. Units that are absent or 0 are omitted. */
export type DurationUnits = Readonly<
  Partial<Record<'years' | 'months' | 'weeks' | 'days' | 'hours' | 'minutes' | 'seconds', number>>
>;

/**
 * Durations as ECMAScript's Temporal parses them (ISO 8601-1 §5.5.2.2 with the sign of ISO 8601-2 §4.4.1.9): the smallest
 * unit of time may have a fraction of up to nine digits. A leading space is the `+` that a query string turns into one.
 */
const DURATION = new RegExp(
  `^(?<mark>[+\\- ])?P(?=[0-9T])${['years', 'months', 'weeks', 'days'].map(dateUnit).join('')}` +
    `(?:T(?=[0-9])${['hours', 'minutes', 'seconds'].map(timeUnit).join('')})?$`,
  'i',
);

function dateUnit(name: string): string {
  return `(?:(?<${name}>[0-9]+)${name[0]})?`;
}

function timeUnit(name: string): string {
  const fraction = `(?:[.,](?<${name}Fraction>[0-9]{1,9})(?=${name[0]}$))?`;
  return `(?:(?<${name}>[0-9]+)${fraction}${name[0]})?`;
}

/** The characters of durations, as an ECMA-262 regular expression for JSON Schema. */
export const DURATION_PATTERN = '^[+ -]?[Pp][0-9TtYyMmWwDdHhSs.,]+$';

/**
 * Parses a duration such as `P1Y2M3W4DT5H6M7.5S` or `-PT90M`; fractions of a millisecond are truncated toward zero.
 * Units of any size are accepted, up to infinity. Throws `INVALID_PARAMETER`.
 */
export function parseIsoDuration(text: string, parameter: string): IsoDuration {
  const units = DURATION.exec(text)?.groups;
  if (units === undefined) {
    const expected = 'an ISO 8601 duration like P1Y2M3W4DT5H6M7.5S or -PT90M';
    throw unreadable(parameter, `${quotedSigned(text)} is not ${expected}`);
  }
  const whole = (unit: string) => Number(units[unit] ?? 0);
  // The whole milliseconds of a fraction. Exact: below 2^53 before the division.
  const partMs = (unit: string, unitMs: number) => {
    const digits = units[`${unit}Fraction`] ?? '';
    return Math.floor((Number(digits) * unitMs) / 10 ** digits.length);
  };
  const fractionMs = partMs('hours', 3_600_000) + partMs('minutes', 60_000) + partMs('seconds', 1000);
  const fractionSeconds = Math.floor(fractionMs / 1000);
  const sign = units['mark'] === '-' ? -1 : 1;
  const signed = (magnitude: number) => sign * magnitude + 0; // -0 becomes 0
  return {
    months: signed(whole('years') * 12 + whole('months')),
    days: signed(whole('weeks') * 7 + whole('days')),
    seconds: signed(whole('hours') * 3600 + whole('minutes') * 60 + whole('seconds') + fractionSeconds),
    milliseconds: signed(fractionMs - fractionSeconds * 1000),
  };
}

/** A duration as ISO 8601 text: `P1Y2M3DT4H`, or `PT0S` if it is zero. */
export function isoDurationText(units: DurationUnits): string {
  const written = (unit: keyof DurationUnits) => (units[unit] ? units[unit] + unit[0]!.toUpperCase() : '');
  const date = written('years') + written('months') + written('weeks') + written('days');
  const time = written('hours') + written('minutes') + written('seconds');
  if (time !== '') return `P${date}T${time}`;
  return date === '' ? 'PT0S' : `P${date}`;
}
