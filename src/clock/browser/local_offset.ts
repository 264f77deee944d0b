import type { ClockConfig, ClockTransition } from '../clock_config.ts';

/** What a place adds to UTC, and what it calls that. */
export type Offset = Pick<ClockConfig, 'offset_seconds' | 'abbreviation'>;

/** The offset of a place from an instant on. */
export type Change = Offset & Pick<ClockTransition, 'unix_ms'>;

const QUARTER_MS = 900_000;
/** The offset after a change holds at least this long: the shortest of our days, of Morocco's Ramadan, is a month. */
const SURE_AFTER_MS = 28 * 86_400_000;

/** The offset of a place at any instant, as far as it is known, and by the browser's own zones after that. */
export class LocalOffset {
  readonly #timezone: string;
  #now: Offset;
  #transition: Change | null;
  /** The instant from which on more is to be known than is. */
  knownUntilMs: number;
  #guess: { readonly quarter: number; readonly offset: Offset } | undefined;

  constructor(config: ClockConfig) {
    const { timezone, transition } = config;
    this.#timezone = timezone;
    this.#now = config;
    this.#transition = transition;
    this.knownUntilMs = transition?.unix_ms ?? Number.POSITIVE_INFINITY;
  }

  at(epochMs: number): Offset {
    const transition = this.#transition;
    if (transition === null || epochMs < transition.unix_ms) return this.#now;
    const isSure = epochMs < transition.unix_ms + SURE_AFTER_MS;
    return isSure ? transition : this.#guessAt(epochMs, [transition, this.#now]);
  }

  /** Takes over what an answer says; one without a word on changes leaves a change that is to come as it is. */
  learn(now: Offset, nowMs: number, transition: Change | null | undefined): void {
    this.#now = now;
    this.#guess = undefined;
    if (transition !== undefined) {
      this.#transition = transition;
      this.knownUntilMs = transition?.unix_ms ?? Number.POSITIVE_INFINITY;
    } else if (nowMs >= this.knownUntilMs) this.#transition = null;
  }

  #guessAt(epochMs: number, named: readonly Offset[]): Offset {
    const quarter = Math.floor(epochMs / QUARTER_MS);
    if (this.#guess?.quarter !== quarter) {
      this.#guess = { quarter, offset: guessedOffset(this.#timezone, epochMs, named) };
    }
    return this.#guess.offset;
  }
}

/** The offset by the browser's zones; the first of `named` where it does not know the zone. */
function guessedOffset(timeZone: string, epochMs: number, named: readonly Offset[]): Offset {
  const offset_seconds = browserOffset(timeZone, epochMs) ?? named[0]!.offset_seconds;
  return (
    named.find(offset => offset.offset_seconds === offset_seconds) ?? {
      offset_seconds,
      abbreviation: offsetText(offset_seconds),
    }
  );
}

function browserOffset(timeZone: string, epochMs: number): number | undefined {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const text = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')!.value;
    return text === 'GMT' ? 0 : parseOffset(text.slice(3));
  } catch {
    return undefined;
  }
}

/**
 * Seconds to add to UTC, of `±HH:MM` or `±HH:MM:SS`; undefined for another text. Bundling `text/offset.ts` in its place
 * would add 0.6 kB (gzip) to the script.
 */
export function parseOffset(text: string): number | undefined {
  const match = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? 0 - size : size;
}

function offsetText(offsetSeconds: number): string {
  const minutes = Math.abs(Math.round(offsetSeconds / 60));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetSeconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}
