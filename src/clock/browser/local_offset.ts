import type { ClockConfig, ClockTransition } from '../clock_config.ts';

export type Offset = Pick<ClockConfig, 'offset_seconds' | 'abbreviation'>;

/** A change to another offset, and its instant. */
export type Change = Offset & Pick<ClockTransition, 'unix_ms'>;

const QUARTER_MS = 900_000;
/** The minimum duration of an offset: the shortest nowadays is Morocco's during Ramadan, a month. */
const MIN_PERIOD_MS = 28 * 86_400_000;

/** The offset of a place at any instant: from the server as far as it is known, then from the browser's time zone data. */
export class LocalOffset {
  readonly #timezone: string;
  #now: Offset;
  #transition: Change | null;
  /** The instant after which the next transition must be fetched. */
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
    const isKnown = epochMs < transition.unix_ms + MIN_PERIOD_MS;
    return isKnown ? transition : this.#guessAt(epochMs, [transition, this.#now]);
  }

  /** Applies a response; without a transition in it, a known future one is preserved. */
  update(now: Offset, nowMs: number, transition: Change | null | undefined): void {
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

/** The offset in the browser's time zone data, or the first of `named` if that lacks the zone. */
function guessedOffset(timeZone: string, epochMs: number, named: readonly Offset[]): Offset {
  const offset_seconds = browserOffset(timeZone, epochMs) ?? named[0]!.offset_seconds;
  const known = named.find(offset => offset.offset_seconds === offset_seconds);
  return known ?? { offset_seconds, abbreviation: offsetText(offset_seconds) };
}

/** The name of the visitor's zone, from `Temporal` if available: the first use of `Intl` blocks a page in Chromium for 20 to 80 ms. */
export function visitorsZone(): string {
  const { Temporal } = globalThis as { readonly Temporal?: { readonly Now: { timeZoneId(): string } } };
  return Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The offset of the visitor's zone, in seconds. */
export function visitorsOffset(epochMs: number): number {
  return 0 - Math.round(new Date(epochMs).getTimezoneOffset() * 60);
}

/** The offset of a zone in the browser's time zone data, in seconds; undefined for an unknown zone. */
export function browserOffset(timeZone: string, epochMs: number): number | undefined {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    const text = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')!.value;
    return text === 'GMT' ? 0 : parseOffset(text.slice(3));
  } catch {
    return undefined;
  }
}

/** The seconds of `±HH:MM` or `±HH:MM:SS`; undefined for another text. `text/offset.ts` would add 0.6 kB (gzip) to the script. */
export function parseOffset(text: string): number | undefined {
  const match = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? 0 - size : size;
}

/** An offset in the form used for zones without an abbreviation. */
export function offsetText(offsetSeconds: number): string {
  const minutes = Math.abs(Math.round(offsetSeconds / 60));
  const digits = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, '0');
  return (offsetSeconds < 0 ? '-' : '+') + digits;
}
