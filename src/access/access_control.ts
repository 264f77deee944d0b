import { messageOf } from '../common/message_of.ts';
import { AccessKeys, type KeySettings, type KeySources } from './access_keys.ts';
import { type AccessDecision, authenticateOperator, authorise, charge } from './authorise.ts';
import { type HeaderSource, isAnonymous, type MarketplaceHeaders } from './credentials.ts';
import { DecisionCounts } from './decision_counts.ts';
import type { ApiKey } from './key_index.ts';
import { Limiter } from './limiter.ts';
import { type AccessTopic, ProblemLog, type Report } from './problem_log.ts';
import type { SharedStore } from './redis/redis_store.ts';
import { type FailMode, SharedLimiter } from './redis/shared_limiter.ts';
import type { SharedHash, SharedValueStore } from './redis/shared_value.ts';
import { ConnectionFailure, storeIsAway } from './redis/store_errors.ts';
import type { ValueCache } from './redis/value_cache.ts';
import { StoreError } from './sqlite_file.ts';
import { oversizedError } from './token_bucket.ts';
import type { TokenStoreFile } from './token_store_file.ts';
import { MemoryLedger } from './usage.ts';
import { UsageFlusher } from './usage_flusher.ts';

export interface AccessSettings extends KeySettings {
  /** Serve everyone, whether there are keys or not. */
  readonly open: boolean;
  readonly failMode: FailMode;
}

/** API keys and plans in a store that several machines share. */
export interface SharedAccessValues {
  readonly keys: ValueCache<unknown>;
  readonly plans: ValueCache<unknown>;
  readonly store: SharedValueStore;
  /** The keys and plans of this machine together with the shared ones. */
  readonly over: (own: KeySources) => KeySources;
}

/** The outside world; tests replace it. */
export interface AccessEdges extends KeySources {
  readonly tokens: TokenStoreFile;
  /** Limits and usage shared with other machines, if any. */
  readonly shared: SharedStore | null;
  /** API keys and plans in the same store. */
  readonly sharedValues?: SharedAccessValues | undefined;
  readonly report: Report;
  /** Called once: when there is a key, or a configured source of keys. */
  readonly onKeyed: () => void;
  /** A pause before another attempt to write to a locked file when the server stops. */
  readonly pause: () => Promise<unknown>;
}

/** How often usage is written: the most that a crash can lose. */
const FLUSH_INTERVAL_MS = 1000;
/** How long a shared store must stay up before its recovery is reported: a flapping one is reported once. */
const STEADY_MS = 1000;
/** How many flushes in a row may find the file locked before it is reported, or given up at the stop. */
const MAX_BUSY_FLUSHES = 5;

const NO_KEYS =
  "There are no API keys, so every request is rejected with 401: create one with 'meridian tokens add --name NAME', or allow requests without a key with --open";

/**
 * Authenticates, limits and counts requests. Call `tick` a few times a second and `stop` at the end. The constructor
 * throws a one-line Error for invalid or unreadable keys and plans: a server must not start then.
 */
export class AccessControl {
  readonly #edges: AccessEdges;
  readonly #isOpenToAll: boolean;
  readonly #failMode: FailMode;
  readonly #problems: ProblemLog;
  readonly #keys: AccessKeys;
  readonly #limiter: Limiter;
  readonly #shared: SharedLimiter | undefined;
  readonly #flusher: UsageFlusher;
  /** The decisions on requests so far. */
  readonly counts: DecisionCounts;
  #flushedMs = 0;
  #busyFlushes = 0;
  #restoredConnection = 0;
  #tickMs = 0;
  #wasKeyed = false;
  #connectedMs = 0;
  #flushing: Promise<void> | undefined;
  #replaying: Promise<void> | undefined;
  #polling: Promise<void> | undefined;

  constructor(settings: AccessSettings, edges: AccessEdges) {
    this.#edges = edges;
    this.#isOpenToAll = settings.open;
    this.#failMode = settings.failMode;
    this.#problems = new ProblemLog(edges.report);
    this.counts = new DecisionCounts(edges.report);
    this.#keys = new AccessKeys(settings, edges.sharedValues?.over(edges) ?? edges, this.#problems);
    this.#limiter = new Limiter(edges.shared === null ? edges.tokens : new MemoryLedger());
    this.#shared = edges.shared === null ? undefined : this.#sharedLimiter(edges.shared);
    this.#flusher = new UsageFlusher(this.#limiter, edges.tokens, this.#shared);
    this.#followKeys();
  }

  /** Whether requests need no key. */
  get isOpen(): boolean {
    return this.#isOpenToAll || !this.isKeyed;
  }

  /** Whether a source of keys is configured, or there has ever been a key; a server that is open to all ignores them. */
  get isKeyed(): boolean {
    return this.#keys.current.isKeyed;
  }

  /** The names of the plans that keys can have. */
  get planNames(): readonly string[] {
    return [...this.#keys.current.lists.value.plans.keys()];
  }

  /** The headers of marketplace credentials, if configured. */
  get marketplace(): MarketplaceHeaders | undefined {
    return this.#keys.current.marketplace;
  }

  /** The state of the shared store: `degraded` if requests are served without it, `down` if they are rejected. */
  get sharedStore(): 'none' | 'up' | 'degraded' | 'down' {
    if (this.#shared === undefined) return 'none';
    if (this.#shared.isUp) return 'up';
    return this.#failMode === 'open' ? 'degraded' : 'down';
  }

  /** The current problem of a topic, if any. */
  problem(topic: AccessTopic): string | undefined {
    return this.#problems.get(topic);
  }

  /** Whether a request carries no credential at all. */
  isAnonymous(headers: HeaderSource): boolean {
    return isAnonymous(headers, this.marketplace);
  }

  /** See `authorise`; not for an open server. */
  authorise(headers: HeaderSource, nowMs: number): AccessDecision | Promise<AccessDecision> {
    const decision = authorise(headers, this.#keys.current, this.#shared ?? this.#limiter, nowMs);
    return this.#counted(decision, 1);
  }

  /** Charges further requests, all or none, to the limits of one that was granted; undefined if it has none. */
  chargeMore(
    { key, limits, error }: AccessDecision,
    requests: number,
    nowMs: number,
  ): AccessDecision | Promise<AccessDecision> | undefined {
    if (key === undefined || limits === undefined || error !== undefined) return undefined;
    const rule = this.#shared === undefined ? limits.share : limits.rule;
    const oversized = rule && oversizedError(requests + 1, rule, `A client of plan '${limits.plan.name}'`);
    const decision =
      oversized === undefined
        ? charge(key, limits, this.#shared ?? this.#limiter, nowMs, requests)
        : { error: oversized, key, limits: undefined, status: undefined };
    return this.#counted(decision, requests);
  }

  #counted(
    decision: AccessDecision | Promise<AccessDecision>,
    requests: number,
  ): AccessDecision | Promise<AccessDecision> {
    return decision instanceof Promise
      ? decision.then(decided => this.counts.count(decided, requests))
      : this.counts.count(decision, requests);
  }

  /** Refunds granted requests whose responses do not count. */
  refund({ key, status, error }: AccessDecision, requests = 1): void {
    if (key && status && !error) this.#limiter.refund(key.account, status.month.index, requests);
  }

  /** The operator's key of a request, whether the server is open or not; see `authenticateOperator`. */
  operator(headers: HeaderSource, nowMs: number): ApiKey {
    return authenticateOperator(headers, this.#keys.current, nowMs);
  }

  /** Whether a request carries an operator's key that is neither suspended nor expired nor without a plan. */
  isOperator(headers: HeaderSource, nowMs: number): boolean {
    try {
      this.operator(headers, nowMs);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Connects to the shared store before the first request; a failure does not prevent the start.
   * @throws {UnsupportedStore} for a store that cannot be used
   */
  async start(): Promise<void> {
    await this.#shared?.connect();
    if (this.#shared?.unsupported) throw this.#shared.unsupported;
    await this.#replaying;
    await this.#pollValues();
  }

  /** Applies changed keys and plans, reconnects to a shared store that is down, and flushes usage once a second. */
  tick(nowMs: number): void {
    this.#tickMs = nowMs;
    this.#keys.refresh();
    this.#followKeys();
    if (this.#shared?.isUp && nowMs - this.#connectedMs >= STEADY_MS) {
      this.#problems.solve('shared', 'The shared quota store is back');
    }
    void this.#shared?.connect();
    this.#polling ??= this.#pollValues().finally(() => {
      this.#polling = undefined;
    });
    if (nowMs >= this.#flushedMs && nowMs < this.#flushedMs + FLUSH_INTERVAL_MS) return;
    this.#flushedMs = nowMs;
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
  }

  /** Runs a command on the shared store that is no request's. Rejects with a {@link ConnectionFailure} while it is away. */
  async runShared<Value>(command: () => Promise<Value>): Promise<Value> {
    if (!this.#shared?.isUp) throw storeIsAway();
    return await this.#shared.run(command);
  }

  /** Rereads keys and plans, and returns what is now in force; throws a one-line Error for what could not be read. */
  reload(): string {
    this.#keys.refresh(true);
    this.#followKeys();
    const problem = this.problem('files') ?? this.problem('tokens');
    if (problem !== undefined) throw new Error(problem);
    return this.#keys.summary;
  }

  /** Flushes usage and closes the stores. */
  async stop(): Promise<void> {
    await Promise.all([this.#replaying, this.#flushing, this.#polling]);
    await this.#flushAtStop();
    const pending = this.#limiter.takePending(Number.POSITIVE_INFINITY);
    if (this.#flusher.isUnsure || pending.some(({ entry }) => entry.count !== 0)) {
      this.#edges.report('error', 'Usage that could not be written is lost');
    }
    this.#edges.tokens.close();
    this.#edges.shared?.close();
  }

  /** Takes over changes of shared keys and plans. Polling needs no second connection, and misses nothing after a lost one. */
  async #pollValues(): Promise<void> {
    const values = this.#edges.sharedValues;
    if (!this.#shared?.isUp || values === undefined) return;
    await this.#restoreUsage();
    await Promise.all([
      this.#poll('shared_keys', values.store.hash('keys'), values.keys),
      this.#poll('shared_plans', values.store.hash('plans'), values.plans),
    ]);
    this.#keys.refresh();
    this.#followKeys();
  }

  async #poll(topic: AccessTopic, hash: SharedHash, cache: ValueCache<unknown>): Promise<void> {
    try {
      await cache.poll({
        newerThan: revision => this.runShared(() => hash.newerThan(revision)),
        restore: values => this.runShared(() => hash.restore(values)),
      });
      if (cache.copyError !== undefined) throw new Error(cache.copyError);
      this.#problems.solve(topic, `The ${cache.what} in Redis can be read and copied again`);
    } catch (error) {
      // A lost connection is reported as such.
      if (error instanceof ConnectionFailure) return;
      this.#problems.fail(topic, `${capitalized(cache.what)} in Redis: ${messageOf(error)}`);
    }
  }

  /**
   * Raises the usage in the store to what it has reported before, if it may have been restarted or replaced since; false if
   * that fails, and the next poll tries it again.
   */
  async #restoreUsage(): Promise<boolean> {
    const store = this.#edges.sharedValues?.store;
    if (store === undefined || store.connections === this.#restoredConnection) return true;
    const { connections } = store;
    const tallies = [...this.#keys.current.accounts.values()].map(({ tally }) => tally);
    const totals = tallies.map(({ id, month, sharedUsed: count }) => ({ id, month, count }));
    try {
      await this.#shared?.run(() => store.raiseUsage(totals.filter(({ count }) => count > 0)));
    } catch {
      return false; // a lost connection is reported as such
    }
    this.#restoredConnection = connections;
    return true;
  }

  #sharedLimiter(store: SharedStore): SharedLimiter {
    const consequence = this.#failMode === 'open' ? 'counting limits locally' : 'rejecting requests with 502';
    return new SharedLimiter(store, this.#limiter, this.#failMode, {
      onUp: () => {
        this.#connectedMs = this.#tickMs;
        this.#replaying = this.#guard(async () => {
          // Usage that is replayed before would be part of what the restoring raises the total to; a flush replays it later.
          if (await this.#restoreUsage()) await this.#flusher.replay();
        });
      },
      onDown: reason =>
        this.#problems.fail(
          'shared',
          `The shared quota store is unavailable (${reason}); ${consequence} until it is back`,
        ),
    });
  }

  #flush(isLast = false): Promise<void> {
    return this.#guard(async () => {
      await this.#flusher.flush(isLast);
      await this.#replaying;
      await this.#flusher.replay();
      if (this.#edges.tokens.isOpen) this.#problems.solve('usage', 'Usage can be written again');
    });
  }

  async #flushAtStop(): Promise<void> {
    this.#busyFlushes = 0;
    await this.#flush(true);
    for (let attempts = 1; this.#busyFlushes > 0 && attempts < MAX_BUSY_FLUSHES; attempts++) {
      await this.#edges.pause();
      await this.#flush(true);
    }
  }

  /** Reports a failure to write usage, unless the file is merely locked and has not been for long. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#busyFlushes = 0;
    } catch (error) {
      if (error instanceof StoreError && error.isBusy && ++this.#busyFlushes < MAX_BUSY_FLUSHES) return;
      this.#problems.fail('usage', `Usage cannot be written and is kept in memory: ${messageOf(error)}`);
    }
  }

  /** Follows up on the keys that are now in force. */
  #followKeys(): void {
    if (this.isKeyed && !this.#wasKeyed) {
      this.#wasKeyed = true;
      this.#createFile();
      this.#edges.onKeyed();
    }
    if (this.isOpen) return;
    if (this.#keys.hasKeys) this.#problems.solve('keys', 'There are API keys again');
    else this.#problems.fail('keys', NO_KEYS);
  }

  /** Creates the file for usage. */
  #createFile(): void {
    try {
      if (!this.#edges.tokens.isOpen) this.#edges.tokens.create();
    } catch (error) {
      this.#problems.fail('usage', `Usage is counted in memory only: ${messageOf(error)}`);
    }
  }
}

function capitalized(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
