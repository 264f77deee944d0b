/**
 * Timeouts for replies from other processes, and the errors of commands without one. Timeouts are unaffected by this process's own
 * stalls: each is divided among several event loop turns, between which readable sockets are processed. A reply that has
 * arrived is therefore never late.
 */

/** A starved process needs up to three turns to send a command and to process its reply. */
const TURNS = 10;

/** Calls `onExpiry` after `timeoutMs`, but not before {@link TURNS} turns of the event loop. */
export class StallFreeTimer {
  #turns = 0;
  readonly #timer: Timer;

  constructor(timeoutMs: number, onExpiry: () => void) {
    this.#timer = setInterval(() => {
      this.#turns += 1;
      if (this.#turns < TURNS) return;
      this.cancel();
      onExpiry();
    }, timeoutMs / TURNS);
  }

  restart(): void {
    this.#turns = 0;
  }

  cancel(): void {
    clearInterval(this.#timer);
  }
}

/** A promise did not settle in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** Rejects with a {@link TimeoutError} if the promise does not settle within `timeoutMs`. */
export function within<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = new StallFreeTimer(timeoutMs, () => {
      reject(new TimeoutError(`No reply within ${timeoutMs} ms`));
    });
    promise.finally(() => timer.cancel()).then(resolve, reject);
  });
}

/** There is no connection to the shared store any more; whether it has processed the command is unknown. */
export class ConnectionFailure extends Error {
  override readonly name: string = 'ConnectionFailure';
}

/** A {@link ConnectionFailure} due to a missing reply, as opposed to a connection that the store closed or rejected. */
export class Silence extends ConnectionFailure {}

/** A Redis that this program cannot use, now or later. */
export class UnsupportedStore extends Error {
  override readonly name = 'UnsupportedStore';
}
