import { ServiceError } from '../../common/errors.ts';
import { within } from '../../redis/redis_connection.ts';
import type { Account, Limiter, LimitStatus, Limits } from '../limiter.ts';
import type { WatchedStore } from './watched_store.ts';

/** How long a request waits for the store before it is counted locally; its response is then sent within 50 ms. */
const REPLY_TIMEOUT_MS = 30;
/** The minimum interval between connection attempts by requests that are rejected without the store. */
const RETRY_MS = 20;
/** How long these wait for the connection, since the store may accept it without replying. */
const RETRY_TIMEOUT_MS = 100;

/** Requests to count; see `Limiter.consume`. */
interface Charge {
  readonly account: Account;
  readonly limits: Limits;
  readonly nowMs: number;
  readonly requests: number;
}

/**
 * Limits in a store shared by several machines. While it is down, or in the mode `open` only slow, requests are counted locally;
 * in the mode `closed`, they try to connect before they are rejected.
 */
export class SharedLimiter {
  readonly #store: WatchedStore;
  readonly #local: Limiter;
  #retrying: Promise<unknown> = Promise.resolve();
  #retriedMs = Number.NEGATIVE_INFINITY;
  /**
   * Replies that requests no longer wait for. Until they arrive, further requests are counted locally without asking the store: a
   * suspended store would count them when it resumes, and nothing would refund them.
   */
  #lateReplies = 0;

  /** `local` counts requests while the store cannot. */
  constructor(store: WatchedStore, local: Limiter) {
    this.#store = store;
    this.#local = local;
  }

  /** Whether a reply is overdue, so that the store might count requests later. */
  get isLate(): boolean {
    return this.#lateReplies > 0;
  }

  /** Counts requests or rejects all of them. Rejects with UPSTREAM_FAILURE if the store cannot be reached and the mode is `closed`. */
  consume(account: Account, limits: Limits, nowMs: number, requests = 1): LimitStatus | Promise<LimitStatus> {
    const charge = { account, limits, nowMs, requests };
    const mayServeLocally = this.#store.failMode === 'open';
    if (this.#store.isUp && !(mayServeLocally && this.isLate)) return this.#consumeShared(charge);
    if (!mayServeLocally) return this.#consumeReconnected(charge);
    return this.#local.consume(account, limits, nowMs, requests);
  }

  async #consumeShared(charge: Charge): Promise<LimitStatus> {
    const { account, limits, nowMs, requests } = charge;
    const { failMode } = this.#store;
    const reply = this.#store.run(store => store.consume(account.id, limits, nowMs, requests));
    let status: LimitStatus;
    try {
      // Rejecting a request requires more certainty than counting it locally.
      status = await (failMode === 'closed' ? reply : within(REPLY_TIMEOUT_MS, reply));
    } catch {
      this.#lateReplies += 1;
      void this.#refundLate(charge, reply);
      if (failMode === 'closed') throw unavailable();
      return this.#local.consume(account, limits, nowMs, requests);
    }
    return this.#local.observe(account, limits, status, requests);
  }

  /** Refunds requests that the store grants after they have been decided without it. */
  async #refundLate({ account, requests }: Charge, reply: Promise<LimitStatus>): Promise<void> {
    try {
      const { verdict, month, used } = await reply;
      this.#local.learn(account, month.index, used);
      if (verdict === 'granted') this.#local.refund(account, month.index, requests);
    } catch {
      // The store has not granted them, as far as anyone can know.
    } finally {
      this.#lateReplies -= 1;
    }
  }

  async #consumeReconnected(charge: Charge): Promise<LimitStatus> {
    if (Math.abs(charge.nowMs - this.#retriedMs) >= RETRY_MS) {
      this.#retriedMs = charge.nowMs;
      this.#retrying = within(RETRY_TIMEOUT_MS, this.#store.connect()).catch(() => {});
    }
    await this.#retrying;
    if (!this.#store.isUp) throw unavailable();
    return await this.#consumeShared(charge);
  }
}

function unavailable(): ServiceError {
  return new ServiceError('UPSTREAM_FAILURE', 'The shared quota store is unavailable; try again shortly');
}
