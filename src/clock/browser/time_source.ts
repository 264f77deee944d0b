import { Moment } from '../../common/moment.ts';
import type { ClockConfig } from '../clock_config.ts';
import { askServer, Refusal, type ServerTime } from './ask_server.ts';
import { LocalOffset } from './local_offset.ts';
import type { Stopwatch } from './stopwatch.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A config whose instant is as far from the visitor's clock as this is not of now, or the visitor's clock is wrong. */
const FRESH_MS = 5 * SECOND_MS;
/** After an absence of this time the server is asked again. */
const AWAY_MS = 10 * MINUTE_MS;
/** An oscillator may be wrong by some seconds after this. */
const SURE_MS = 24 * HOUR_MS;

/** The time of one place, for all clocks of a page that show it. */
export class TimeSource {
  readonly #config: ClockConfig;
  readonly #stopwatch: Stopwatch;
  readonly #offset: LocalOffset;
  readonly #changed: () => void;
  /** The instant of the youngest config: the present is not before it. */
  #birthMs: number;
  /** The instant less the stopwatch. */
  #aheadMs = 0;
  /** Whether the time is the server's. */
  isSynchronised = true;
  /** When to ask, by the stopwatch. */
  #dueMs = Number.POSITIVE_INFINITY;
  /** When asking is allowed again after a refusal. */
  #allowedMs = 0;
  #learntMs: number | undefined;
  #sleeps: number;
  #refusals = 0;
  #asking: AbortController | undefined;
  #moment: Moment | undefined;

  /** `changed` is told when an answer came, or none did. */
  constructor(config: ClockConfig, stopwatch: Stopwatch, changed: () => void) {
    this.#config = config;
    this.#stopwatch = stopwatch;
    this.#changed = changed;
    this.#offset = new LocalOffset(config);
    this.#sleeps = stopwatch.sleeps;
    this.#birthMs = config.unix_ms;
    if (config.pinned) this.#aheadMs = config.unix_ms - stopwatch.read();
    else this.#begin();
  }

  /** Another config of the same place: a younger one may say what the server has not said yet. */
  offer({ unix_ms }: ClockConfig): void {
    if (this.isSynchronised || unix_ms <= this.#birthMs) return;
    this.#birthMs = unix_ms;
    this.#begin();
  }

  /**
   * An instant that lies a moment back by the visitor's clock is that of a page that has just been made, and of a clock
   * that is right. An older one was stored, or the clock is wrong: only the server knows.
   */
  #begin(): void {
    const readMs = this.#stopwatch.read();
    this.#followVisitor(readMs);
    const ageMs = Date.now() - this.#birthMs;
    this.isSynchronised = Math.abs(ageMs) <= FRESH_MS;
    const isPlausible =
      this.isSynchronised && ageMs >= -SECOND_MS && ageMs <= Math.max(SECOND_MS, loadingMs());
    this.#dueMs = readMs + (isPlausible ? aboutAnHour() : 0);
    if (isPlausible) this.#learntMs = readMs;
  }

  /** Goes by the visitor's clock, which is wrong where it is behind the instant at which the clock was made. */
  #followVisitor(readMs: number): void {
    this.#aheadMs = Math.max(Date.now(), this.#birthMs) - readMs;
  }

  /** The instant at a reading of the stopwatch, in milliseconds since the epoch. */
  epochMsAt(readMs: number): number {
    return readMs + this.#aheadMs;
  }

  /** What the clocks of the place show at an instant. */
  momentAt(epochMs: number): Moment {
    if (this.#moment?.epochMs !== epochMs) {
      const { offset_seconds, abbreviation } = this.#offset.at(epochMs);
      this.#moment = new Moment(epochMs, offset_seconds, abbreviation);
    }
    return this.#moment;
  }

  /** When the server is to be asked, by the stopwatch. */
  get dueMs(): number {
    return this.#asking === undefined ? this.#dueMs : Number.POSITIVE_INFINITY;
  }

  /** Looks after what has changed since the last look: a sleep, a change of the offset, an hour gone by. */
  attend(readMs: number): void {
    if (this.#config.pinned || this.#asking !== undefined) return;
    if (this.#stopwatch.sleeps !== this.#sleeps)
      this.#dueMs = Math.min(this.#dueMs, Math.max(readMs, this.#allowedMs));
    if (this.epochMsAt(readMs) >= this.#offset.knownUntilMs) this.#askInAWhile(readMs);
    if (readMs >= this.#dueMs) void this.#ask();
  }

  /** The visitor is back: an answer that is old is asked for anew. */
  welcome(readMs: number): void {
    if (this.#config.pinned) return;
    const isOld = this.#learntMs === undefined || readMs - this.#learntMs > AWAY_MS;
    if (isOld) this.#dueMs = Math.min(this.#dueMs, Math.max(readMs, this.#allowedMs));
  }

  /** The network is back. */
  retry(readMs: number): void {
    if (this.#refusals === 0) return;
    this.#allowedMs = readMs;
    this.#dueMs = Math.min(this.#dueMs, readMs + Math.random() * SECOND_MS);
  }

  /** Nobody wants it any more. */
  close(): void {
    this.#asking?.abort();
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** Clocks all over the world pass a change at once: they do not ask at once. */
  #askInAWhile(readMs: number): void {
    if (this.#allowedMs > readMs) return;
    const spreadMs = 10 * MINUTE_MS;
    if (this.#dueMs - readMs > spreadMs) this.#dueMs = readMs + Math.random() * spreadMs;
  }

  async #ask(): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const wantsChange = this.epochMsAt(this.#stopwatch.read()) >= this.#offset.knownUntilMs;
      this.#learn(await askServer(this.#config.refresh, wantsChange, this.#stopwatch, asking.signal));
    } catch (error) {
      this.#bear(error instanceof Refusal ? error : new Refusal(0));
    }
    this.#asking = undefined;
    if (!asking.signal.aborted) this.#changed();
  }

  #learn({ epochMs, readMs, offset, transition }: ServerTime): void {
    this.#aheadMs = epochMs - readMs;
    this.#offset.learn(offset, epochMs, transition);
    this.#moment = undefined;
    this.isSynchronised = true;
    this.#refusals = 0;
    this.#allowedMs = readMs + MINUTE_MS;
    this.#learntMs = readMs;
    this.#sleeps = this.#stopwatch.sleeps;
    this.#dueMs = readMs + aboutAnHour();
  }

  /** Goes on without an answer, and asks less and less often. */
  #bear({ status, retryAfterMs }: Refusal): void {
    const readMs = this.#stopwatch.read();
    const hasSlept = this.#sleeps !== this.#stopwatch.sleeps;
    this.#sleeps = this.#stopwatch.sleeps;
    if (this.#learntMs === undefined) this.#followVisitor(readMs);
    else if (hasSlept || readMs - this.#learntMs > SURE_MS) this.isSynchronised = false;
    const isFinal = status >= 400 && status < 500 && status !== 429;
    const backOffMs = Math.min((isFinal ? HOUR_MS : MINUTE_MS / 4) * 2 ** this.#refusals, 6 * HOUR_MS);
    this.#refusals++;
    this.#allowedMs =
      readMs + Math.max(retryAfterMs || 0, backOffMs * 0.75) + (backOffMs / 2) * Math.random();
    this.#dueMs = this.#allowedMs;
  }
}

/** How long the page has been loading, 0 where it no longer is: as old may the config of a page be that was made for it. */
function loadingMs(): number {
  return document.readyState === 'complete' ? 0 : performance.now();
}

function aboutAnHour(): number {
  return HOUR_MS * (0.9 + Math.random() / 5);
}
