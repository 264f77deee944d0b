import { messageOf, ServiceError } from '../../common/errors.ts';
import type { Limiter, LimitStatus } from '../limiter.ts';
import type { Limits } from '../plan.ts';
import type { Account, UsageBatch } from '../usage.ts';
import type { SharedStore } from './redis_store.ts';
import { ConnectionFailure, UnsupportedStore, within } from './reply_timer.ts';

/** What happens while the shared store is down: requests are served and counted locally, or rejected. */
export type FailMode = 'open' | 'closed';

/** How long a request waits for the store before it is counted locally; its response is then sent within 50 ms. */
const REPLY_TIMEOUT_MS = 30;
/** How many consecutive commands may fail over a working connection. */
const MAX_FAILURES = 3;
/** The minimum interval between connection attempts by requests that are rejected without the store. */
const RETRY_MS = 20;
/** How long these wait for the connection, since the store may accept it without replying. */
const RETRY_TIMEOUT_MS = 100;

/** Called when the connection changes. */
export interface ConnectionEvents {
  readonly onUp: () => void;
  readonly onDown: (reason: string) => void;
}

/**
 * Limits in a store shared by several machines. A lost connection or several consecutive failures mark the store as down until
 * `connect` succeeds. Meanwhile requests are counted locally, or try to connect before they are rejected.
 */
export class SharedLimiter {
  readonly #store: SharedStore;
  readonly #local: Limiter;
  readonly #failMode: FailMode;
  readonly #events: ConnectionEvents;
  #isUp = false;
  /** The number of the current connection, to ignore late failures of earlier ones. */
  #connection = 0;
  #failures = 0;
  /**
   * Replies that requests no longer wait for. Until they arrive, further requests are counted locally without asking the store: a
   * suspended store would count them when it resumes, and nothing would refund them.
   */
  #lateReplies = 0;
  #unsupported: UnsupportedStore | undefined;
  #connecting: Promise<boolean> | undefined;
  #retrying: Promise<unknown> = Promise.resolve();
  #retriedMs = Number.NEGATIVE_INFINITY;

  constructor(store: SharedStore, local: Limiter, failMode: FailMode, events: ConnectionEvents) {
    this.#store = store;
    this.#local = local;
    this.#failMode = failMode;
    this.#events = events;
  }

  /** Set if the store is of a kind that cannot be used. */
  get unsupported(): UnsupportedStore | undefined {
    return this.#unsupported;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether a reply is overdue, so that the store might count requests later. */
  get isLate(): boolean {
    return this.#lateReplies > 0;
  }

  /** Counts requests or rejects all of them. Rejects with UPSTREAM_FAILURE if the store cannot be reached and the mode is `closed`. */
  consume(account: Account, limits: Limits, nowMs: number, requests = 1): LimitStatus | Promise<LimitStatus> {
    const mayServeLocally = this.#failMode === 'open';
    if (this.#isUp && !(mayServeLocally && this.isLate)) {
      return this.#consumeShared(account, limits, nowMs, requests);
    }
    if (mayServeLocally) return this.#local.consume(account, limits, nowMs, requests);
    return this.#consumeReconnected(account, limits, nowMs, requests);
  }

  /** Adds requests that were granted without the store, and resolves to its monthly totals. */
  addUsage(batch: UsageBatch): Promise<number[]> {
    return this.run(() => this.#store.addUsage(batch));
  }

  /** Releases the receipt of a batch that will not be sent again. */
  settleUsage(batch: UsageBatch): Promise<void> {
    return this.run(() => this.#store.settleUsage(batch));
  }

  /** Connects to the store, unless it is up; false if it cannot be reached. */
  async connect(): Promise<boolean> {
    if (this.#isUp) return true;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return await this.#connecting;
  }

  async #connect(): Promise<boolean> {
    try {
      await this.run(() => this.#store.connect());
      this.#isUp = true;
      this.#events.onUp();
    } catch (error) {
      // `run` has reported it.
      this.#unsupported = error instanceof UnsupportedStore ? error : undefined;
    }
    return this.#isUp;
  }

  async #consumeReconnected(
    account: Account,
    limits: Limits,
    nowMs: number,
    requests: number,
  ): Promise<LimitStatus> {
    if (Math.abs(nowMs - this.#retriedMs) >= RETRY_MS) {
      this.#retriedMs = nowMs;
      this.#retrying = within(RETRY_TIMEOUT_MS, this.connect()).catch(() => {});
    }
    await this.#retrying;
    if (!this.#isUp) throw unavailable();
    return await this.#consumeShared(account, limits, nowMs, requests);
  }

  async #consumeShared(
    account: Account,
    limits: Limits,
    nowMs: number,
    requests: number,
  ): Promise<LimitStatus> {
    const reply = this.run(() => this.#store.consume(account.tally.id, limits, nowMs, requests));
    try {
      // Rejecting a request requires more certainty than counting it locally.
      const status = await (this.#failMode === 'closed' ? reply : within(REPLY_TIMEOUT_MS, reply));
      return this.#local.observe(account, limits, status, requests);
    } catch {
      this.#lateReplies += 1;
      reply
        .then(
          late => this.#refundLate(account, late, requests),
          () => {},
        )
        .finally(() => {
          this.#lateReplies -= 1;
        });
      if (this.#failMode === 'closed') throw unavailable();
      return this.#local.consume(account, limits, nowMs, requests);
    }
  }

  /** Refunds requests that the store granted after they had been decided without it. */
  #refundLate(account: Account, { verdict, month }: LimitStatus, requests: number): void {
    if (verdict === 'granted') this.#local.refund(account, month.index, requests);
  }

  /** Runs a command. Marks the store as down if commands repeatedly fail on the current connection. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const connection = this.#connection;
    try {
      const value = await work();
      this.#failures = 0;
      return value;
    } catch (error) {
      if (connection !== this.#connection) throw error;
      this.#failures += 1;
      const isDown =
        error instanceof ConnectionFailure ||
        error instanceof UnsupportedStore ||
        this.#failures >= MAX_FAILURES;
      if (isDown) this.#markDown(messageOf(error));
      throw error;
    }
  }

  #markDown(reason: string): void {
    this.#connection += 1;
    this.#failures = 0;
    this.#isUp = false;
    this.#store.close();
    this.#events.onDown(reason);
  }
}

function unavailable(): ServiceError {
  return new ServiceError('UPSTREAM_FAILURE', 'The shared quota store is unavailable; try again shortly');
}
