import { MS_PER_DAY, type OpenTime } from './open_time.ts';

/** The local clock of a place, by periods with a constant offset. Implemented by zones. */
export interface LocalClock {
  periodAt(epochSeconds: number): {
    readonly fromEpochSeconds: number;
    readonly untilEpochSeconds: number;
    readonly offsetSeconds: number;
  };
}

/** Calendar and schedule repeat after 400 years; longer amounts of time are rejected. */
export const MAX_RANGE_MS = 146_097 * MS_PER_DAY;

/** More than the largest UTC offset, i.e. than the distance between an instant and its local time read as UTC. */
const REACH_MS = 2 * MS_PER_DAY;

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
    return workMs > 0 ? this.#advance(epochMs, workMs) : this.#retreat(epochMs, -workMs);
  }

  #advance(epochMs: number, workMs: number): number | null {
    const horizon = epochMs + MAX_RANGE_MS;
    let restMs = workMs;
    for (let at = epochMs; at < horizon; ) {
      const { offsetMs, untilMs } = this.#periodAt(at);
      const end = Math.min(untilMs, horizon);
      const local = this.#open.advance(at + offsetMs, restMs, end + offsetMs);
      if (local !== null) return local - offsetMs;
      restMs -= this.#open.msBetween(at + offsetMs, end + offsetMs);
      at = end;
    }
    return null;
  }

  #retreat(epochMs: number, workMs: number): number | null {
    const horizon = epochMs - MAX_RANGE_MS;
    let restMs = workMs;
    for (let at = epochMs; at > horizon; ) {
      const { offsetMs, fromMs } = this.#periodBefore(at);
      const start = Math.max(fromMs, horizon);
      const local = this.#open.retreat(at + offsetMs, restMs, start + offsetMs);
      if (local !== null) return local - offsetMs;
      restMs -= this.#open.msBetween(start + offsetMs, at + offsetMs);
      at = start;
    }
    return null;
  }

  /** The first instant from another on at which it is open or closed; null if not within 400 years. */
  next(epochMs: number, isOpen: boolean): number | null {
    for (let at = epochMs; ; ) {
      const { offsetMs, untilMs } = this.#periodAt(at);
      const local = this.#open.next(at + offsetMs, isOpen) ?? Number.POSITIVE_INFINITY;
      if (local - offsetMs < untilMs) return local - offsetMs;
      // A change within reach may repeat times before `at`; otherwise there is nothing before `local`.
      at = untilMs - at < REACH_MS ? untilMs : Math.max(untilMs, local - REACH_MS);
      if (at === Number.POSITIVE_INFINITY) return null;
    }
  }

  /** The end of the last span before an instant in which it is open or closed; null if not within 400 years. */
  previousEnd(epochMs: number, isOpen: boolean): number | null {
    for (let at = epochMs; ; ) {
      const { offsetMs, fromMs } = this.#periodBefore(at);
      const local = this.#open.previousEnd(at + offsetMs, isOpen) ?? Number.NEGATIVE_INFINITY;
      if (local - offsetMs > fromMs) return local - offsetMs;
      at = at - fromMs < REACH_MS ? fromMs : Math.min(fromMs, local + REACH_MS);
      if (at === Number.NEGATIVE_INFINITY) return null;
    }
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

  /** The period that contains the time before an instant. */
  #periodBefore(epochMs: number) {
    return this.#periodAt(epochMs - 1);
  }
}
