import { DAYS_PER_CYCLE, MS_PER_DAY } from '../common/civil.ts';
import { type LocalClock, REACH_SECONDS } from './local_clock.ts';
import type { OpenTime } from './open_time.ts';

/** Calendar and schedule repeat after 400 years: longer amounts of time are rejected, and what does not occur within never does. */
export const MAX_RANGE_MS = DAYS_PER_CYCLE * MS_PER_DAY;

/**
 * The working time of a schedule in a place. An instant belongs to it if its local time is open: a skipped hour is not worked,
 * and a repeated one is worked twice. Within a period of constant offset, amounts equal those of local time; a zone has at most
 * a few thousand such periods in 400 years.
 */
export class WorkingTime {
  readonly #open: OpenTime;
  readonly #clock: LocalClock;

  constructor(open: OpenTime, clock: LocalClock) {
    this.#open = open;
    this.#clock = clock;
  }

  isOpenAt(epochMs: number): boolean {
    return this.#open.isOpenAt(epochMs + this.#periodAt(epochMs).offsetMs);
  }

  /** The working milliseconds from an instant to a later one, at most {@link MAX_RANGE_MS} after it. */
  msBetween(fromMs: number, untilMs: number): number {
    let sumMs = 0;
    for (let at = fromMs; at < untilMs; ) {
      const period = this.#periodAt(at);
      const end = Math.min(period.untilMs, untilMs);
      sumMs += this.#open.msBetween(at + period.offsetMs, end + period.offsetMs);
      at = end;
    }
    return sumMs;
  }

  /**
   * The earliest instant at which an amount of working time has passed since another or, for a negative amount, the latest from
   * which it passes until then; null if that takes more than 400 years.
   */
  add(epochMs: number, workMs: number): number | null {
    if (workMs === 0) return epochMs;
    return workMs > 0 ? this.#advance(epochMs, workMs, true) : this.#retreat(epochMs, -workMs, true);
  }

  /** The first instant from another on at which it is open or closed; null if not within 400 years. */
  next(epochMs: number, isOpen: boolean): number | null {
    const end = this.#advance(epochMs, 1, isOpen);
    return end === null ? null : end - 1;
  }

  /** The end of the last span before an instant in which it is open or closed; null if not within 400 years. */
  previousEnd(epochMs: number, isOpen: boolean): number | null {
    const start = this.#retreat(epochMs, 1, isOpen);
    return start === null ? null : start + 1;
  }

  #advance(epochMs: number, ms: number, isOpen: boolean): number | null {
    const horizon = epochMs + MAX_RANGE_MS;
    let restMs = ms;
    for (let at = epochMs; at < horizon; ) {
      const { offsetMs, untilMs } = this.#periodAt(at);
      const end = Math.min(untilMs, horizon);
      const passedMs = this.#open.msBetween(at + offsetMs, end + offsetMs, isOpen);
      if (passedMs >= restMs) return this.#open.after(at + offsetMs, restMs, isOpen) - offsetMs;
      if (passedMs === 0 && this.#isNever(at, horizon, isOpen)) return null;
      restMs -= passedMs;
      at = end;
    }
    return null;
  }

  #retreat(epochMs: number, ms: number, isOpen: boolean): number | null {
    const horizon = epochMs - MAX_RANGE_MS;
    let restMs = ms;
    for (let at = epochMs; at > horizon; ) {
      const { offsetMs, fromMs } = this.#periodAt(at - 1);
      const start = Math.max(fromMs, horizon);
      const passedMs = this.#open.msBetween(start + offsetMs, at + offsetMs, isOpen);
      if (passedMs >= restMs) return this.#open.before(at + offsetMs, restMs, isOpen) - offsetMs;
      if (passedMs === 0 && this.#isNever(horizon, at, isOpen)) return null;
      restMs -= passedMs;
      at = start;
    }
    return null;
  }

  /** Whether it is never open, or never closed, around some instants; then no further period needs to be searched. */
  #isNever(fromMs: number, untilMs: number, isOpen: boolean): boolean {
    const reachMs = REACH_SECONDS * 1000;
    return this.#open.msBetween(fromMs - reachMs, untilMs + reachMs, isOpen) === 0;
  }

  /** The period that contains an instant. */
  #periodAt(epochMs: number) {
    const { fromEpochSeconds, untilEpochSeconds, offsetSeconds } = this.#clock.periodAt(
      Math.floor(epochMs / 1000),
    );
    return {
      fromMs: fromEpochSeconds * 1000,
      untilMs: untilEpochSeconds * 1000,
      offsetMs: offsetSeconds * 1000,
    };
  }
}
