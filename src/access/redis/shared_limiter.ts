import { messageOf, ServiceError } from '../../common/errors.ts';
import { ConnectionFailure, UnsupportedStore, within } from '../../redis/redis_connection.ts';
import type { ValueCache } from '../../redis/value_cache_file.ts';
import type { Account, Limiter, LimitStatus, Limits } from '../limiter.ts';
import type { Problems } from '../problems.ts';
import type { SharedAccessValues } from './redis_key_store.ts';
import type { RedisStore, SharedStore } from './redis_store.ts';

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
/** How long the store must stay up before its recovery is reported: a flapping one is reported once. */
const STEADY_MS = 1000;

/** Requests to count; see `Limiter.consume`. */
interface Charge {
  readonly account: Account;
  readonly limits: Limits;
  readonly nowMs: number;
  readonly requests: number;
}

/** What a {@link SharedLimiter} connects and notifies. */
interface SharedParts {
  readonly store: SharedStore;
  /** The keys and plans in the same store, to be polled. */
  readonly values: SharedAccessValues | undefined;
  /** Counts requests while the store cannot. */
  readonly local: Limiter;
  readonly failMode: FailMode;
  readonly problems: Problems;
  /** The accounts whose usage the store may lose. */
  readonly accounts: () => Iterable<Account>;
  /** Called after connecting; `restored` resolves to false if the store may still lack usage that it had before. */
  readonly onUp: (restored: Promise<boolean>) => void;
  /** Called after each poll. */
  readonly onPolled: () => void;
}

/**
 * Limits in a store shared by several machines. A lost connection or several consecutive failures mark the store as down until
 * it is connected again; meanwhile requests are counted locally, or try to connect before they are rejected. Usage that the store
 * has lost is then restored. Keys and plans are polled, which needs no second connection and misses nothing after an outage.
 */
export class SharedLimiter {
  readonly #parts: SharedParts;
  #isUp = false;
  #upSinceMs = 0;
  /** The number of the current connection, to ignore late failures of earlier ones. */
  #connection = 0;
  #failures = 0;
  #connecting: Promise<unknown> | undefined;
  #retrying: Promise<unknown> = Promise.resolve();
  #retriedMs = Number.NEGATIVE_INFINITY;
  /**
   * Replies that requests no longer wait for. Until they arrive, further requests are counted locally without asking the store: a
   * suspended store would count them when it resumes, and nothing would refund them.
   */
  #lateReplies = 0;
  #tickMs = 0;
  #restoredConnection = 0;
  #polling: Promise<void> | undefined;

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  /** `degraded` if requests are served without the store, `down` if they are rejected. */
  get state(): 'up' | 'degraded' | 'down' {
    if (this.#isUp) return 'up';
    return this.#parts.failMode === 'open' ? 'degraded' : 'down';
  }

  /** Whether a reply is overdue, so that the store might count requests later. */
  get isLate(): boolean {
    return this.#lateReplies > 0;
  }

  /** Whether the store is up and replies in time. */
  get isReachable(): boolean {
    return this.#isUp && !this.isLate;
  }

  /** Counts requests or rejects all of them. Rejects with UPSTREAM_FAILURE if the store cannot be reached and the mode is `closed`. */
  consume(account: Account, limits: Limits, nowMs: number, requests = 1): LimitStatus | Promise<LimitStatus> {
    const charge = { account, limits, nowMs, requests };
    const mayServeLocally = this.#parts.failMode === 'open';
    if (this.#isUp && !(mayServeLocally && this.isLate)) return this.#consumeShared(charge);
    return mayServeLocally ? this.#consumeLocally(charge) : this.#consumeReconnected(charge);
  }

  /** Connects for the first time; does not reject if that fails. @throws {UnsupportedStore} for a store that cannot be used */
  async start(): Promise<void> {
    const failure = await this.#connect();
    if (failure instanceof UnsupportedStore) throw failure;
  }

  /** Connects to a store that is down, and polls. */
  tick(nowMs: number): void {
    this.#tickMs = nowMs;
    if (this.#isUp && nowMs - this.#upSinceMs >= STEADY_MS)
      this.#parts.problems.solve('shared', 'The shared quota store is back');
    void this.#connect();
    this.#polling ??= this.poll().finally(() => {
      this.#polling = undefined;
    });
  }

  /** Applies changes to shared keys and plans. */
  async poll(): Promise<void> {
    const { values, onPolled } = this.#parts;
    if (!this.#isUp || values === undefined) return;
    await this.#restoreUsage();
    await Promise.all([
      this.#poll(values.store, 'keys', values.keys),
      this.#poll(values.store, 'plans', values.plans),
    ]);
    onPolled();
  }

  async polled(): Promise<void> {
    await this.#polling;
  }

  /** Runs a command on the store. Rejects with a {@link ConnectionFailure} while the store is down. */
  async run<Value>(command: (store: SharedStore) => Promise<Value>): Promise<Value> {
    if (!this.#isUp) throw new ConnectionFailure('Redis is unavailable');
    return await this.#watched(command);
  }

  #consumeLocally({ account, limits, nowMs, requests }: Charge): LimitStatus {
    return this.#parts.local.consume(account, limits, nowMs, requests);
  }

  async #consumeShared(charge: Charge): Promise<LimitStatus> {
    const { account, limits, nowMs, requests } = charge;
    const { local, failMode } = this.#parts;
    const reply = this.#watched(store => store.consume(account.id, limits, nowMs, requests));
    try {
      // Rejecting a request requires more certainty than counting it locally.
      const status = await (failMode === 'closed' ? reply : within(REPLY_TIMEOUT_MS, reply));
      return local.observe(account, limits, status, requests);
    } catch {
      this.#lateReplies += 1;
      void this.#refundLate(charge, reply);
      if (failMode === 'closed') throw unavailable();
      return this.#consumeLocally(charge);
    }
  }

  /** Refunds requests that the store grants after they have been decided without it. */
  async #refundLate({ account, requests }: Charge, reply: Promise<LimitStatus>): Promise<void> {
    try {
      const { verdict, month } = await reply;
      if (verdict === 'granted') this.#parts.local.refund(account, month.index, requests);
    } catch {
      // The store has not granted them, as far as anyone can know.
    } finally {
      this.#lateReplies -= 1;
    }
  }

  async #consumeReconnected(charge: Charge): Promise<LimitStatus> {
    if (Math.abs(charge.nowMs - this.#retriedMs) >= RETRY_MS) {
      this.#retriedMs = charge.nowMs;
      this.#retrying = within(RETRY_TIMEOUT_MS, this.#connect()).catch(() => {});
    }
    await this.#retrying;
    if (!this.#isUp) throw unavailable();
    return await this.#consumeShared(charge);
  }

  /** Connects to the store unless it is up; resolves to the error if that fails, which is reported. */
  async #connect(): Promise<unknown> {
    if (this.#isUp) return undefined;
    this.#connecting ??= this.#watched(store => store.connect())
      .then(
        () => this.#markUp(),
        error => error,
      )
      .finally(() => {
        this.#connecting = undefined;
      });
    return await this.#connecting;
  }

  #markUp(): void {
    this.#isUp = true;
    this.#upSinceMs = this.#tickMs;
    this.#parts.onUp(this.#restoreUsage());
  }

  /** Runs a command. Marks the store as down if commands repeatedly fail on the current connection. */
  async #watched<Value>(command: (store: SharedStore) => Promise<Value>): Promise<Value> {
    const connection = this.#connection;
    try {
      const value = await command(this.#parts.store);
      this.#failures = 0;
      return value;
    } catch (error) {
      if (connection !== this.#connection) throw error;
      this.#failures += 1;
      const isLost = error instanceof ConnectionFailure || error instanceof UnsupportedStore;
      if (isLost || this.#failures >= MAX_FAILURES) this.#markDown(messageOf(error));
      throw error;
    }
  }

  #markDown(reason: string): void {
    const { store, failMode, problems } = this.#parts;
    this.#connection += 1;
    this.#failures = 0;
    this.#isUp = false;
    store.close();
    const consequence = failMode === 'open' ? 'counting limits locally' : 'rejecting requests with 502';
    problems.fail(
      'shared',
      `The shared quota store is unavailable (${reason}); ${consequence} until it is back`,
    );
  }

  async #poll(store: RedisStore, name: 'keys' | 'plans', cache: ValueCache<unknown>): Promise<void> {
    const { problems } = this.#parts;
    const topic = `shared_${name}` as const;
    try {
      await cache.poll(store.hash(name, command => this.run(command)));
      if (cache.copyError !== undefined) throw new Error(cache.copyError);
      problems.solve(topic, `The ${cache.what} in Redis can be read and copied again`);
    } catch (error) {
      // A lost connection is reported elsewhere.
      if (error instanceof ConnectionFailure) return;
      const what = cache.what[0]!.toUpperCase() + cache.what.slice(1);
      problems.fail(topic, `${what} in Redis: ${messageOf(error)}`);
    }
  }

  /** Raises usage that the store may have lost to what it reported before. False if that fails; the next poll then retries. */
  async #restoreUsage(): Promise<boolean> {
    const store = this.#parts.values?.store;
    if (store === undefined || store.connections === this.#restoredConnection) return true;
    const { connections } = store;
    const totals = [...this.#parts.accounts()]
      .map(({ tally: { id, month, sharedUsed: count } }) => ({ id, month, count }))
      .filter(({ count }) => count > 0);
    try {
      await this.run(() => store.raiseUsage(totals));
    } catch {
      return false; // a lost connection is reported elsewhere
    }
    this.#restoredConnection = connections;
    return true;
  }
}

function unavailable(): ServiceError {
  return new ServiceError('UPSTREAM_FAILURE', 'The shared quota store is unavailable; try again shortly');
}
