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
