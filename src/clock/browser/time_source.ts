import { Moment } from '../../common/moment.ts';
import type { ClockConfig } from '../clock_config.ts';
import { type Change, LocalOffset, type Offset, parseOffset } from './local_offset.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** If a config's instant differs more than this from the visitor's clock, the config is old or the clock is wrong. */
const FRESH_MS = 5 * SECOND_MS;
/** After an absence of this length the time is fetched again. */
const AWAY_MS = 10 * MINUTE_MS;
/** After this time, oscillator drift can reach seconds. */
const RELIABLE_MS = 24 * HOUR_MS;

/** The time of one place, shared by all clocks of a page that show it. */
export class TimeSource {
  readonly #config: ClockConfig;
  readonly #stopwatch: Stopwatch;
  readonly #offset: LocalOffset;
  readonly #changed: () => void;
  /** The instant of the newest config, before which the current time cannot be. */
  #configMs: number;
  /** The instant minus the stopwatch. */
  #aheadMs = 0;
  /** Whether the time is the server's. */
  isSynchronised = true;
  /** When to fetch the time next, by the stopwatch. */
  #dueMs = Number.POSITIVE_INFINITY;
  /** The earliest time of the next request, by the stopwatch. */
  #allowedMs = 0;
  /** When the time was last confirmed, by the stopwatch. */
  #confirmedMs: number | undefined;
  #sleeps: number;
  #failures = 0;
  #request: AbortController | undefined;
  #moment: Moment | undefined;

  /** Calls `changed` after each request, successful or not. */
  constructor(config: ClockConfig, stopwatch: Stopwatch, changed: () => void) {
    this.#config = config;
    this.#stopwatch = stopwatch;
    this.#changed = changed;
    this.#offset = new LocalOffset(config);
    this.#sleeps = stopwatch.sleeps;
    this.#configMs = config.unix_ms;
    if (config.pinned) this.#aheadMs = config.unix_ms - stopwatch.read();
    else this.#begin();
  }

  /** Applies a newer config for the same place while the time is not the server's. */
  offer({ unix_ms }: ClockConfig): void {
    if (this.isSynchronised || unix_ms <= this.#configMs) return;
    this.#configMs = unix_ms;
    this.#begin();
  }

  /**
   * If the config's instant is just before that of the visitor's clock, the page is new and the clock is right. Otherwise the
   * page was cached or the clock is wrong, and the time is requested from the server.
   */
  #begin(): void {
    const readMs = this.#stopwatch.read();
    this.#followVisitor(readMs);
    const ageMs = Date.now() - this.#configMs;
    this.isSynchronised = Math.abs(ageMs) <= FRESH_MS;
    const isPlausible =
      this.isSynchronised && ageMs >= -SECOND_MS && ageMs <= Math.max(SECOND_MS, loadingMs());
    this.#dueMs = readMs + (isPlausible ? aboutAnHour() : 0);
    if (isPlausible) this.#confirmedMs = readMs;
  }

  /** Follows the visitor's clock, which is wrong if it is behind the config's instant. */
  #followVisitor(readMs: number): void {
    this.#aheadMs = Math.max(Date.now(), this.#configMs) - readMs;
  }

  /** The instant at a reading of the stopwatch, in milliseconds since the epoch. */
  epochMsAt(readMs: number): number {
    return readMs + this.#aheadMs;
  }

  momentAt(epochMs: number): Moment {
    if (this.#moment?.epochMs === epochMs) return this.#moment;
    const { offset_seconds, abbreviation } = this.#offset.at(epochMs);
    this.#moment = new Moment(epochMs, offset_seconds, abbreviation);
    return this.#moment;
  }

  /** When to fetch the time next, by the stopwatch; never while a request is pending. */
  get dueMs(): number {
    return this.#request === undefined ? this.#dueMs : Number.POSITIVE_INFINITY;
  }

  /** Fetches the time if it is due: after sleep, a change of the offset, or an hour. */
  refresh(readMs: number): void {
    if (this.#config.pinned || this.#request !== undefined) return;
    if (this.#stopwatch.sleeps !== this.#sleeps) this.#fetchAsAllowed(readMs);
    if (this.epochMsAt(readMs) >= this.#offset.knownUntilMs) this.#fetchSoon(readMs);
    if (readMs >= this.#dueMs) void this.#fetch();
  }

  /** The visitor is back: fetches the time again if it is old. */
  resume(readMs: number): void {
    if (this.#config.pinned) return;
    if (this.#confirmedMs === undefined || readMs - this.#confirmedMs > AWAY_MS) this.#fetchAsAllowed(readMs);
  }

  /** The network is back: retries after a failure. */
  retry(readMs: number): void {
    if (this.#failures === 0) return;
    this.#allowedMs = readMs;
    this.#dueMs = Math.min(this.#dueMs, readMs + Math.random() * SECOND_MS);
  }

  /** Called when no clock uses this source any more. */
  close(): void {
    this.#request?.abort();
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #fetchAsAllowed(readMs: number): void {
    this.#dueMs = Math.min(this.#dueMs, Math.max(readMs, this.#allowedMs));
  }

  /** Spreads requests, since clocks all over the world pass a change at the same time. */
  #fetchSoon(readMs: number): void {
    if (this.#allowedMs > readMs) return;
    const spreadMs = 10 * MINUTE_MS;
    if (this.#dueMs - readMs > spreadMs) this.#dueMs = readMs + Math.random() * spreadMs;
  }

  async #fetch(): Promise<void> {
    const request = new AbortController();
    this.#request = request;
    const withTransition = this.epochMsAt(this.#stopwatch.read()) >= this.#offset.knownUntilMs;
    const result = await fetchTime(this.#config.refresh, withTransition, this.#stopwatch, request.signal);
    if ('epochMs' in result) this.#update(result);
    else this.#backOff(result);
    this.#request = undefined;
    if (!request.signal.aborted) this.#changed();
  }

  #update({ epochMs, readMs, offset, transition }: ServerTime): void {
    this.#aheadMs = epochMs - readMs;
    this.#offset.update(offset, epochMs, transition);
    this.#moment = undefined;
    this.isSynchronised = true;
    this.#failures = 0;
    this.#allowedMs = readMs + MINUTE_MS;
    this.#confirmedMs = readMs;
    this.#sleeps = this.#stopwatch.sleeps;
    this.#dueMs = readMs + aboutAnHour();
  }

  /** Continues without the server, with increasing intervals between requests. */
  #backOff({ status, retryAfterMs }: Failure): void {
    const readMs = this.#stopwatch.read();
    const hasSlept = this.#sleeps !== this.#stopwatch.sleeps;
    this.#sleeps = this.#stopwatch.sleeps;
    if (this.#confirmedMs === undefined) this.#followVisitor(readMs);
    else if (hasSlept || readMs - this.#confirmedMs > RELIABLE_MS) this.isSynchronised = false;
    const isFinal = status >= 400 && status < 500 && status !== 429;
    const backOffMs = Math.min((isFinal ? HOUR_MS : MINUTE_MS / 4) * 2 ** this.#failures, 6 * HOUR_MS);
    this.#failures++;
    this.#allowedMs = readMs + Math.max(retryAfterMs, backOffMs * 0.75) + (backOffMs / 2) * Math.random();
    this.#dueMs = this.#allowedMs;
  }
}

/** How long the page has been loading, which is an upper bound for its config's age; 0 if it has loaded. */
function loadingMs(): number {
  return document.readyState === 'complete' ? 0 : performance.now();
}

function aboutAnHour(): number {
  return HOUR_MS * (0.9 + Math.random() / 5);
}

interface ServerTime {
  /** The instant at which the stopwatch showed `readMs`. */
  readonly epochMs: number;
  readonly readMs: number;
  readonly offset: Offset;
  /** The next change of the offset; undefined if it was not requested. */
  readonly transition: Change | null | undefined;
}

interface Failure {
  /** 0 without a response. */
  readonly status: number;
  readonly retryAfterMs: number;
}

const NO_RESPONSE: Failure = { status: 0, retryAfterMs: 0 };
const TIMEOUT_MS = 10_000;

/** Fetches the time and, with `withTransition`, the next change of the offset. */
async function fetchTime(
  refresh: ClockConfig['refresh'],
  withTransition: boolean,
  stopwatch: Stopwatch,
  signal: AbortSignal,
): Promise<ServerTime | Failure> {
  const sentMs = stopwatch.read();
  const response = await fetch(urlOf(refresh, withTransition), {
    credentials: 'omit',
    cache: 'no-store',
    // Browsers before 2024 lack AbortSignal.any, and use their own timeout.
    signal: AbortSignal.any?.([signal, AbortSignal.timeout(TIMEOUT_MS)]) ?? signal,
  }).catch(() => null);
  const readMs = stopwatch.read();
  if (response === null) return NO_RESPONSE;
  const { ok, status, headers } = response;
  if (!ok) return { status, retryAfterMs: Number(headers.get('Retry-After')) * 1000 || 0 };
  const roundTripMs = readMs - sentMs;
  // After such a long time, or after sleep, the round trip is too loose a bound for the error.
  if (roundTripMs > TIMEOUT_MS) return NO_RESPONSE;
  const time = parseTime(await response.json().catch(() => null));
  if (time === undefined) return { status, retryAfterMs: 0 };
  const { epochMs, offset, transition } = time;
  // The server read its clock about half a round trip ago.
  const shared = { epochMs: epochMs + roundTripMs / 2, readMs, offset };
  return { ...shared, transition: withTransition ? transition : undefined };
}

function urlOf({ path, selector }: ClockConfig['refresh'], withTransition: boolean): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(selector)) if (name !== 'kind') query.set(name, String(value));
  query.set('format', '%Z');
  if (withTransition) query.set('details', 'true');
  return `${path}?${query}`;
}

/** Parses a response; undefined for anything else, such as the sign-in page of a network. */
function parseTime(json: unknown): Omit<ServerTime, 'readMs'> | undefined {
  if (!isObject(json)) return undefined;
  const { unix_ms: epochMs, iso_local: local, formatted: abbreviation, details } = json;
  if (!Number.isSafeInteger(epochMs) || typeof abbreviation !== 'string') return undefined;
  const offset_seconds = local === null ? 0 : offsetIn(String(local), epochMs as number);
  if (offset_seconds === undefined) return undefined;
  const offset = { offset_seconds, abbreviation };
  return { epochMs: epochMs as number, offset, transition: parseTransition(details) };
}

/** The offset at the end of a local time; undefined unless it is the local time of the instant. */
function offsetIn(local: string, epochMs: number): number | undefined {
  const match = /^(.+T\d\d:\d\d:\d\d)(.+)$/.exec(local);
  const offsetSeconds = parseOffset(match?.[2] ?? '');
  if (offsetSeconds === undefined) return undefined;
  const isConsistent = Date.parse(`${match![1]}Z`) / 1000 - offsetSeconds === Math.floor(epochMs / 1000);
  return isConsistent ? offsetSeconds : undefined;
}

/** The transition in `details.zone.next_transition`. */
function parseTransition(details: unknown): Change | null {
  const zone = isObject(details) ? details['zone'] : undefined;
  const json = isObject(zone) ? zone['next_transition'] : undefined;
  if (!isObject(json)) return null;
  const { unix, offset_after: minutes } = json;
  if (typeof unix !== 'number' || typeof minutes !== 'number') return null;
  const abbreviation = String(json['abbreviation_after']);
  return { unix_ms: unix * 1000, offset_seconds: Math.round(minutes * 60), abbreviation };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A larger gap between wall clock and stopwatch means that the machine was asleep or the wall clock was set. */
const SLEEP_MS = 1000;
/** The rate at which a wall clock may be slewed (500 ppm). */
const SLEW = 0.0005;

/** The page's stopwatch. Unlike `performance.now()` it includes the time that the machine was asleep, according to the wall clock. */
export class Stopwatch {
  #readMs = performance.now();
  #wallMs = Date.now();
  #sleptMs = 0;
  /** How often the machine has slept; after that, the time is only as accurate as the wall clock. */
  sleeps = 0;

  /** Milliseconds since an arbitrary instant. */
  read(): number {
    const readMs = performance.now();
    const wallMs = Date.now();
    const gapMs = wallMs - this.#wallMs - (readMs - this.#readMs);
    if (gapMs > SLEEP_MS + SLEW * (readMs - this.#readMs)) {
      this.#sleptMs += gapMs;
      this.sleeps++;
    }
    this.#readMs = readMs;
    this.#wallMs = wallMs;
    return readMs + this.#sleptMs;
  }
}
