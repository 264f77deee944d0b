import { BoundedCache } from '../common/bounded_cache.ts';
import { quoted, unreadable } from '../common/service_error.ts';

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
 * @throws ServiceError `INVALID_PARAMETER` for any other `%`, with its position, and for more than 256 characters.
 */
export function compileDurationTemplate(template: string, parameter: string): DurationTemplate {
  if (template === '') throw unreadable(parameter, "'' is empty: expected a template like %hours:%minutes");
  if (template.length > MAX_TEMPLATE_LENGTH && [...template].length > MAX_TEMPLATE_LENGTH)
    throw unreadable(parameter, `a template has at most ${MAX_TEMPLATE_LENGTH} characters`);
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
  if (stray >= 0) throw unknownToken(template, stray, parameter);
  // Tokens are at odd indexes.
  const unitNamed = (token: string) => UNITS.find(({ name }) => name === token) ?? token;
  return template.split(TOKEN).map((part, index) => (index % 2 === 0 ? part : unitNamed(part)));
}

function unknownToken(template: string, percent: number, parameter: string) {
  const token = template.slice(percent, percent + 12);
  return unreadable(
    parameter,
    `${quoted(token)} at character ${percent + 1} is not a token: expected %days, %hours, %minutes, %seconds or %%`,
  );
}

const templates = new BoundedCache<string, DurationTemplate>(256);

/** `compileDurationTemplate` with an LRU cache. */
export function durationTemplateOf(template: string, parameter: string): DurationTemplate {
  return templates.getOrInsertComputed(template, () => compileDurationTemplate(template, parameter));
}
