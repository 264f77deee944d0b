import { messageOf } from '../common/message_of.ts';
import { ServiceError } from '../common/service_error.ts';
import type { Limiter, LimitStatus } from './limiter.ts';
import type { Limits } from './plan.ts';
import { ConnectionFailure, type SharedStore } from './redis_store.ts';
import { within } from './stall_free_timer.ts';
import type { Account, MonthlyCount } from './usage.ts';

/** What happens while the shared store is down: requests are served and counted locally, or rejected. */
export type FailMode = 'open' | 'closed';

/** How long a request waits for the store before it is counted locally; its response is then sent within 50 ms. */
const REPLY_TIMEOUT_MS = 30;
/** How many commands in a row may fail over a working connection. */
const MAX_FAILURES = 3;

/**
 * Limits in a store that several machines share. A lost connection or several failures in a row mark the store as down;
 * from then on no request waits for it, until `connect` succeeds.
 */
export class SharedLimiter {
  readonly #store: SharedStore;
  readonly #local: Limiter;
  readonly #failMode: FailMode;
  readonly #onDown: (reason: string) => void;
  #isUp = false;
  /** The number of the current connection: a late failure of an earlier one says nothing about it. */
  #connection = 0;
  #failures = 0;

  constructor(store: SharedStore, local: Limiter, failMode: FailMode, onDown: (reason: string) => void) {
    this.#store = store;
    this.#local = local;
    this.#failMode = failMode;
    this.#onDown = onDown;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Counts or rejects a request. While the store is down and the mode is `closed`: throws or rejects with UPSTREAM_FAILURE. */
  consume(account: Account, limits: Limits, nowMs: number): LimitStatus | Promise<LimitStatus> {
    return this.#isUp
      ? this.#consumeShared(account, limits, nowMs)
      : this.#consumeLocally(account, limits, nowMs);
  }

  /** Adds requests that were granted without the store, and resolves to its total of the month. */
  addUsage(count: MonthlyCount): Promise<number> {
    return this.#attempt(() => this.#store.addUsage(count));
  }

  /** Connects to the store; false if it cannot be reached. */
  async connect(): Promise<boolean> {
    try {
      await this.#attempt(() => this.#store.connect());
      this.#isUp = true;
    } catch {
      // `#attempt` has reported it.
    }
    return this.#isUp;
  }

  async #consumeShared(account: Account, limits: Limits, nowMs: number): Promise<LimitStatus> {
    const reply = this.#attempt(() => this.#store.consume(account.tally.id, limits, nowMs));
    try {
      // Rejecting a request takes more certainty than counting it locally.
      const status = await (this.#failMode === 'closed' ? reply : within(REPLY_TIMEOUT_MS, reply));
      this.#local.observe(account, status);
      return status;
    } catch {
      reply.then(
        late => this.#refundLate(account, late),
        () => {},
      );
      return this.#consumeLocally(account, limits, nowMs);
    }
  }

  /** Refunds what the store granted after the request had been decided without it. */
  #refundLate(account: Account, { verdict, month }: LimitStatus): void {
    if (verdict === 'granted') this.#local.refund(account, month.index);
  }

  #consumeLocally(account: Account, limits: Limits, nowMs: number): LimitStatus {
    if (this.#failMode === 'open') return this.#local.consume(account, limits, nowMs);
    throw new ServiceError('UPSTREAM_FAILURE', 'The shared quota store is unavailable; try again shortly');
  }

  /** Marks the store as down if `work` fails on the connection that is still the current one, and not only once. */
  async #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    const connection = this.#connection;
    try {
      const value = await work();
      this.#failures = 0;
      return value;
    } catch (error) {
      if (connection !== this.#connection) throw error;
      this.#failures += 1;
      const isDown = error instanceof ConnectionFailure || this.#failures >= MAX_FAILURES;
      if (isDown) this.#markDown(messageOf(error));
      throw error;
    }
  }

  #markDown(reason: string): void {
    this.#connection += 1;
    this.#failures = 0;
    this.#isUp = false;
    this.#store.close();
    this.#onDown(reason);
  }
}
