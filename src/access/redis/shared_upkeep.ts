import { messageOf } from '../../common/errors.ts';
import type { AccessKeys } from '../access_keys.ts';
import type { Limiter } from '../limiter.ts';
import type { ProblemLog } from '../reports.ts';
import type { RedisStore, SharedStore } from './redis_store.ts';
import type { SharedAccessValues } from './redis_token_store.ts';
import { ConnectionFailure } from './reply_timer.ts';
import { type FailMode, SharedLimiter } from './shared_limiter.ts';
import type { ValueCache } from './value_cache_file.ts';

/** What {@link SharedUpkeep} connects and notifies. */
export interface SharedUpkeepParts {
  readonly store: SharedStore;
  readonly values: SharedAccessValues | undefined;
  readonly keys: AccessKeys;
  readonly limiter: Limiter;
  readonly failMode: FailMode;
  readonly problems: ProblemLog;
  /** Called after connecting; `restored` resolves to false if the store may still lack usage that it had before. */
  readonly onUp: (restored: Promise<boolean>) => void;
  /** Called after each poll. */
  readonly onPolled: () => void;
}

/** How long a shared store must stay up before its recovery is reported: a flapping one is reported once. */
const STEADY_MS = 1000;

/** Reconnects to a shared store after an outage, restores usage that it has lost, and polls its keys and plans. */
export class SharedUpkeep {
  /** The limits in the store. */
  readonly limiter: SharedLimiter;
  readonly #parts: SharedUpkeepParts;
  #tickMs = 0;
  #connectedMs = 0;
  #restoredConnection = 0;
  #polling: Promise<void> | undefined;

  constructor(parts: SharedUpkeepParts) {
    const { store, limiter, failMode, problems, onUp } = parts;
    const consequence = failMode === 'open' ? 'counting limits locally' : 'rejecting requests with 502';
    this.#parts = parts;
    this.limiter = new SharedLimiter(store, limiter, failMode, {
      onUp: () => {
        this.#connectedMs = this.#tickMs;
        onUp(this.#restoreUsage());
      },
      onDown: reason =>
        problems.fail(
          'shared',
          `The shared quota store is unavailable (${reason}); ${consequence} until it is back`,
        ),
    });
  }

  /** The state of the store: `degraded` if requests are served without it, `down` if they are rejected. */
  get state(): 'up' | 'degraded' | 'down' {
    if (this.limiter.isUp) return 'up';
    return this.#parts.failMode === 'open' ? 'degraded' : 'down';
  }

  /**
   * Connects; does not reject if that fails.
   * @throws {UnsupportedStore} for a store that cannot be used
   */
  async connect(): Promise<void> {
    await this.limiter.connect();
    if (this.limiter.unsupported) throw this.limiter.unsupported;
  }

  /** Connects to a store that is down, and polls. */
  tick(nowMs: number): void {
    this.#tickMs = nowMs;
    if (this.limiter.isUp && nowMs - this.#connectedMs >= STEADY_MS) {
      this.#parts.problems.solve('shared', 'The shared quota store is back');
    }
    void this.limiter.connect();
    this.#polling ??= this.poll().finally(() => {
      this.#polling = undefined;
    });
  }

  /** Runs a command on the store outside of any request. Rejects with a {@link ConnectionFailure} while the store is unavailable. */
  async run<Value>(command: () => Promise<Value>): Promise<Value> {
    if (!this.limiter.isUp) throw new ConnectionFailure('Redis is unavailable');
    return await this.limiter.run(command);
  }

  /** Applies changes to shared keys and plans. Polling needs no second connection, and misses nothing after a reconnection. */
  async poll(): Promise<void> {
    const { values, onPolled } = this.#parts;
    if (!this.limiter.isUp || values === undefined) return;
    await this.#restoreUsage();
    await Promise.all([
      this.#poll(values.store, 'keys', values.keys),
      this.#poll(values.store, 'plans', values.plans),
    ]);
    onPolled();
  }

  /** Waits for a running poll. */
  async polled(): Promise<void> {
    await this.#polling;
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
      problems.fail(topic, `${capitalized(cache.what)} in Redis: ${messageOf(error)}`);
    }
  }

  /**
   * Raises the usage in the store to what it reported before, if it may have been restarted or replaced since. Returns false if
   * that fails; the next poll then retries.
   */
  async #restoreUsage(): Promise<boolean> {
    const store = this.#parts.values?.store;
    if (store === undefined || store.connections === this.#restoredConnection) return true;
    const { connections } = store;
    const tallies = [...this.#parts.keys.current.accounts.values()].map(({ tally }) => tally);
    const totals = tallies.map(({ id, month, sharedUsed: count }) => ({ id, month, count }));
    try {
      await this.limiter.run(() => store.raiseUsage(totals.filter(({ count }) => count > 0)));
    } catch {
      return false; // a lost connection is reported elsewhere
    }
    this.#restoredConnection = connections;
    return true;
  }
}

function capitalized(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
