import { messageOf } from '../common/message_of.ts';
import { ServiceError } from '../common/service_error.ts';
import type { Account } from './account.ts';
import type { Limits } from './limits.ts';
import type { Meter, Standing } from './meter.ts';
import type { SharedStore } from './redis_store.ts';

/** What happens to requests while the shared store is away: they are served and counted here, or refused. */
export type FailMode = 'open' | 'closed';

/**
 * Limits by a store that several machines share. The first request that it fails declares it away; from then on no request waits
 * for it, until `tryAgain` has found it back.
 */
export class SharedMeter {
  readonly #store: SharedStore;
  readonly #local: Meter;
  readonly #failMode: FailMode;
  readonly #onAway: (reason: string) => void;
  #up = false;
  #connection = 0;

  constructor(store: SharedStore, local: Meter, failMode: FailMode, onAway: (reason: string) => void) {
    this.#store = store;
    this.#local = local;
    this.#failMode = failMode;
    this.#onAway = onAway;
  }

  /** Whether the store answers. */
  get up(): boolean {
    return this.#up;
  }

  /** The number of the connection in use; what fails late on one that was given up says nothing of the next. */
  get connection(): number {
    return this.#connection;
  }

  /** Counts a request or refuses it; throws UPSTREAM_FAILURE, at once or later, where the store is away and the mode `closed`. */
  take(account: Account, limits: Limits, nowMs: number): Standing | Promise<Standing> {
    return this.#up ? this.#ask(account, limits, nowMs) : this.#without(account, limits, nowMs);
  }

  /** Looks for the store; true when it answers. Throws nothing: a failure leaves it away. */
  async tryAgain(): Promise<boolean> {
    try {
      await this.#store.connect();
      this.#up = true;
    } catch (error) {
      this.away(error, this.#connection);
    }
    return this.#up;
  }

  /** Declares the store away, as something failed on a connection that is still in use; reported the first time. */
  away(error: unknown, connection: number): void {
    if (connection !== this.#connection) return;
    this.#connection += 1;
    this.#store.close();
    this.#up = false;
    this.#onAway(messageOf(error));
  }

  async #ask(account: Account, limits: Limits, nowMs: number): Promise<Standing> {
    const connection = this.#connection;
    try {
      const standing = await this.#store.take(account.id, limits, nowMs);
      this.#local.note(account, standing);
      return standing;
    } catch (error) {
      this.away(error, connection);
      return this.#without(account, limits, nowMs);
    }
  }

  #without(account: Account, limits: Limits, nowMs: number): Standing {
    if (this.#failMode === 'open') return this.#local.take(account, limits, nowMs);
    throw new ServiceError('UPSTREAM_FAILURE', 'The shared quota store does not answer: try again shortly');
  }
}
