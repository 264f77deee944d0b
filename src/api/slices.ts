import { setImmediate as yieldToRequests } from 'node:timers/promises';

/** How long a slice lasts: with a last step of a millisecond it is below the two that a request may block others for. */
const SLICE_NS = 500_000;

/** Divides work of many steps into slices, between which other requests are served. */
export class Slices {
  #startNs = Bun.nanoseconds();

  /** Whether {@link next} is due. */
  get isOver(): boolean {
    return Bun.nanoseconds() - this.#startNs >= SLICE_NS;
  }

  /** Resolves when other requests had a turn. */
  async next(): Promise<void> {
    await yieldToRequests();
    this.#startNs = Bun.nanoseconds();
  }
}
