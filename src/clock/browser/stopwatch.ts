/** A gap between wall clock and stopwatch of more than this is a sleep of the machine, or a wall clock that was set. */
const SLEEP_MS = 1000;
/** What a wall clock that is being corrected gains on the stopwatch. */
const SLEW = 0.0005;

/**
 * The stopwatch of the page. Unlike `performance.now()`, which stands still while the machine sleeps, it goes on then, by
 * as much as the wall clock has gone on.
 */
export class Stopwatch {
  #readMs = performance.now();
  #wallMs = Date.now();
  #sleptMs = 0;
  /** How many times it slept: what was known of the time before is then only as good as the wall clock. */
  sleeps = 0;

  /** Milliseconds, from a beginning of its own. */
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
