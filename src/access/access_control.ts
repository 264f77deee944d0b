import { ServiceError } from '../common/errors.ts';
import { ProblemLog } from '../common/problem_log.ts';
import { ConnectionFailure } from '../redis/redis_failures.ts';
import { runReported } from '../redis/redis_link.ts';
import {
  type AccessDecision,
  authenticateOperator,
  authorise,
  charge,
  type Decision,
  type HeaderSource,
  isAnonymous,
} from './authorise.ts';
import { DecisionCounts } from './decision_counts.ts';
import { KeyCache, type KeySettings, type KeySources, type MarketplaceHeaders } from './key_cache.ts';
import type { ApiKey } from './key_index.ts';
import { layeredKeys, layeredPlans } from './layers.ts';
import { Limiter } from './limiter.ts';
import type { AccessTopic, Problems } from './problems.ts';
import type { SharedAccess } from './redis/redis_key_store.ts';
import { SharedLimiter } from './redis/shared_limiter.ts';
import { pollShared } from './redis/shared_poll.ts';
import { SharedUsage } from './redis/shared_usage.ts';
import { type FailMode, WatchedStore } from './redis/watched_store.ts';
import { oversizedError } from './token_bucket.ts';
import { MemoryLedger } from './usage.ts';
import { type UsageEdges, UsageFlusher } from './usage_flusher.ts';

export interface ControlSettings extends KeySettings {
  readonly open: boolean;
  readonly failMode: FailMode;
}

/** The outside world; tests replace it. */
export interface AccessEdges extends Omit<KeySources, 'stored'>, UsageEdges {
  /** What is shared with other machines; null for nothing. */
  readonly shared: SharedAccess | null;
  /** Called once: when there is a key, or a configured source of keys. */
  readonly onKeyed: () => void;
}

/** What connects access control to a shared store. */
interface SharedParts {
  readonly store: WatchedStore;
  readonly limiter: SharedLimiter;
  readonly usage: SharedUsage;
  readonly poll: () => Promise<void>;
}

const KEYLESS =
  "There are no API keys, so every request is rejected with 401: create one with 'meridian tokens add --name NAME', or allow requests without a key with --open";

/**
 * Authenticates, limits and counts requests. Call `tick` a few times a second and `stop` at the end. The constructor
 * throws a one-line Error for invalid or unreadable keys and plans: a server must not start then.
 */
export class AccessControl {
  readonly #edges: AccessEdges;
  readonly #isOpenToAll: boolean;
  readonly #problems: Problems;
  readonly #keys: KeyCache;
  /** Counts requests without a shared store, or while it cannot, and refunds. */
  readonly #local: Limiter;
  readonly #shared: SharedParts | undefined;
  readonly #limiter: Limiter | SharedLimiter;
  readonly #usage: UsageFlusher;
  #polling: Promise<void> | undefined;
  readonly counts: DecisionCounts;
  /** Never reset: removing the last key does not open the server. */
  #wasKeyed = false;

  constructor(settings: ControlSettings, edges: AccessEdges) {
    this.#edges = edges;
    this.#isOpenToAll = settings.open;
    this.#problems = new ProblemLog(edges.report);
    this.counts = new DecisionCounts(edges.report);
    this.#keys = new KeyCache(settings, sourcesOf(edges), this.#problems);
    const { shared, stored } = edges;
    this.#local = new Limiter(shared === null ? stored : new MemoryLedger());
    this.#shared = shared === null ? undefined : this.#share(shared, settings.failMode);
    this.#limiter = this.#shared?.limiter ?? this.#local;
    this.#usage = new UsageFlusher(this.#local, this.#shared?.usage, edges, this.#problems);
    if (shared === null) this.#followKeys();
  }

  /** Connects limits, usage, keys and plans to a shared store. */
  #share(access: SharedAccess, failMode: FailMode): SharedParts {
    const [local, problems, file] = [this.#local, this.#problems, this.#edges.stored];
    const store = new WatchedStore(access.store, failMode, problems, () => void usage.recover());
    const limiter = new SharedLimiter(store, local);
    const accounts = () => this.#keys.current.accounts;
    const usage = new SharedUsage({ store, limiter, local, file, accounts, problems });
    access.store.reported = () => usage.reported();
    const restore = () => store.run(shared => shared.restore());
    const poll = async () => {
      if (store.isUp)
        await runReported(problems, 'restored', 'Usage', restore, 'Usage in Redis can be restored again');
      if (store.isConnected) await pollShared(access, store, problems);
      this.#refreshKeys();
    };
    return { store, limiter, usage, poll };
  }

  /** Whether requests need no key. */
  get isOpen(): boolean {
    return this.#isOpenToAll || !this.isKeyed;
  }

  /** Whether a key source is configured or there has ever been a key; irrelevant with `--open`. */
  get isKeyed(): boolean {
    return this.#keys.isKeyed || this.#wasKeyed;
  }

  /** Whether there may be more keys, since the shared store was never read. */
  get mayLackKeys(): boolean {
    return this.#keys.current.mayLackKeys;
  }

  get planNames(): readonly string[] {
    return this.#keys.planNames;
  }

  /** Changes with the stored keys. */
  get keyStamp(): string {
    return this.#keys.stamp;
  }

  get marketplace(): MarketplaceHeaders | undefined {
    return this.#keys.current.marketplace;
  }

  /** The state of the shared store: `degraded` if requests are served without it, `down` if they are rejected. */
  get sharedStore(): 'none' | 'up' | 'degraded' | 'down' {
    return this.#shared?.store.state ?? 'none';
  }

  /** Why the shared store is `degraded` or `down`. */
  get sharedFailure(): string | undefined {
    return this.#shared?.store.failure;
  }

  problem(topic: AccessTopic): string | undefined {
    return this.#problems.get(topic);
  }

  /** Whether a request carries no credential at all. */
  isAnonymous(headers: HeaderSource): boolean {
    return isAnonymous(headers, this.marketplace);
  }

  /** See `authorise`; not for an open server. */
  authorise(headers: HeaderSource, nowMs: number): Decision {
    return this.#counted(authorise(headers, this.#keys.current, this.#limiter, nowMs), 1);
  }

  /** Charges additional requests, all or none, to the limits of a granted one; undefined if it has none. */
  chargeMore(granted: AccessDecision, requests: number, nowMs: number): Decision | undefined {
    const { key, limits, error } = granted;
    if (key === undefined || limits === undefined || error !== undefined) return undefined;
    const rule = ['none', 'degraded'].includes(this.sharedStore) ? limits.share : limits.rule;
    const oversized = rule && oversizedError(requests + 1, rule, `A client of plan '${limits.plan.name}'`);
    const decision =
      oversized === undefined
        ? charge(key, this.#limiter, nowMs, requests)
        : { error: oversized, key, limits: undefined, status: undefined };
    return this.#counted(decision, requests);
  }

  #counted(decision: Decision, requests: number): Decision {
    if (!(decision instanceof Promise)) return this.counts.count(decision, requests);
    return decision.then(decided => this.counts.count(decided, requests));
  }

  /** Refunds granted requests whose responses do not count. */
  refund({ key, status, error }: AccessDecision, requests = 1): void {
    if (key && status && !error) this.#local.refund(key.account, status.month.index, requests);
  }

  /** The operator's key in a request, even on an open server; see `authenticateOperator`. */
  operator(headers: HeaderSource, nowMs: number): ApiKey {
    return authenticateOperator(headers, this.#keys.current, nowMs);
  }

  /** Whether a request carries an operator's key that is not suspended, not expired and has a plan. */
  isOperator(headers: HeaderSource, nowMs: number): boolean {
    try {
      this.operator(headers, nowMs);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  }

  /**
   * Connects to the shared store, if possible. Otherwise requests need a key from then on, unless its keys were read before.
   * @throws {UnsupportedStore} for a store that cannot be used
   */
  async start(): Promise<void> {
    if (this.#shared === undefined) return;
    const { store, usage, poll } = this.#shared;
    await store.start();
    await usage.recover();
    await poll();
  }

  /** Applies changed keys and plans, checks the shared store or reconnects to it, and flushes usage if a second has passed. */
  tick(nowMs: number): void {
    this.#refreshKeys();
    this.#shared?.store.tick(nowMs);
    this.#polling ??= this.#shared?.poll().finally(() => {
      this.#polling = undefined;
    });
    this.#usage.tick(nowMs);
  }

  /** Runs a command on the shared store that is no request's. Rejects with a `ConnectionFailure` while it is away. */
  async runShared<Value>(command: () => Promise<Value>): Promise<Value> {
    if (this.#shared === undefined) throw new ConnectionFailure('Redis is unavailable');
    return await this.#shared.store.run(command);
  }

  /** Rereads keys and plans, and describes those now in force; throws a one-line Error if something could not be read. */
  reload(): string {
    this.#refreshKeys('all');
    const problem = this.problem('files') ?? this.problem('tokens');
    if (problem !== undefined) throw new Error(problem);
    return this.#keys.summary;
  }

  async stop(): Promise<void> {
    await this.#polling;
    await this.#usage.stop();
    this.#edges.stored.close();
    this.#edges.shared?.store.close();
  }

  #refreshKeys(rereads: 'changes' | 'all' = 'changes'): void {
    this.#keys.refresh(rereads);
    this.#followKeys();
  }

  #followKeys(): void {
    if (this.isKeyed && !this.#wasKeyed) {
      this.#wasKeyed = true;
      this.#usage.createFile();
      this.#edges.onKeyed();
    }
    if (this.isOpen) return;
    if (this.#keys.hasKeys) this.#problems.solve('keys', 'There are API keys again');
    else if (!this.mayLackKeys) this.#problems.fail('keys', KEYLESS);
  }
}

/** The sources of this machine's keys and plans, beneath the shared ones if there are any. */
function sourcesOf({ lists, stored, shared }: AccessEdges): KeySources {
  if (shared === null) return { lists, stored };
  return { lists: layeredPlans(shared.plans, lists), stored: layeredKeys(shared.keys, stored) };
}
