import { setImmediate as yieldToRequests } from 'node:timers/promises';

/** The length of a slice: even with a last step of a millisecond, it is below the 2 ms for which a request may block others. */
const SLICE_NS = 500_000;

/** Divides work with many steps into slices, between which other requests are served. */
export class Slices {
  #startNs = Bun.nanoseconds();

  /** Whether {@link next} is due. */
  get isOver(): boolean {
    return Bun.nanoseconds() - this.#startNs >= SLICE_NS;
  }

  /** Resolves when other requests have had a turn. */
  async next(): Promise<void> {
    await yieldToRequests();
    this.#startNs = Bun.nanoseconds();
  }
}
