import { messageOf } from '../common/message_of.ts';
import { ServiceError } from '../common/service_error.ts';
import type { Limiter, LimitStatus } from './limiter.ts';
import type { Limits } from './plan.ts';
import type { SharedStore } from './redis_store.ts';
import type { Account, MonthlyCount } from './usage.ts';

/** What happens while the shared store is down: requests are served and counted locally, or rejected. */
export type FailMode = 'open' | 'closed';

/**
 * Limits in a store that several machines share. The first failure marks the store as down; from then on no request
 * waits for it, until `connect` succeeds.
 */
export class SharedLimiter {
  readonly #store: SharedStore;
  readonly #local: Limiter;
  readonly #failMode: FailMode;
  readonly #onDown: (reason: string) => void;
  #isUp = false;
  /** The number of the current connection: a late failure of an earlier one says nothing about it. */
  #connection = 0;

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
    try {
      const status = await this.#attempt(() => this.#store.consume(account.tally.id, limits, nowMs));
      this.#local.observe(account, status);
      return status;
    } catch {
      return this.#consumeLocally(account, limits, nowMs);
    }
  }

  #consumeLocally(account: Account, limits: Limits, nowMs: number): LimitStatus {
    if (this.#failMode === 'open') return this.#local.consume(account, limits, nowMs);
    throw new ServiceError('UPSTREAM_FAILURE', 'The shared quota store is unavailable; try again shortly');
  }

  /** Marks the store as down if `work` fails on the connection that is still the current one. */
  async #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    const connection = this.#connection;
    try {
      return await work();
    } catch (error) {
      if (connection === this.#connection) this.#markDown(messageOf(error));
      throw error;
    }
  }

  #markDown(reason: string): void {
    this.#connection += 1;
    this.#isUp = false;
    this.#store.close();
    this.#onDown(reason);
  }
}
