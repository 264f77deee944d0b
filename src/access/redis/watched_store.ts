import { messageOf } from '../../common/errors.ts';
import { ConnectionFailure, UnsupportedStore } from '../../redis/redis_failures.ts';
import type { Problems } from '../problems.ts';
import type { SharedStore } from './redis_store.ts';

/** What happens while the shared store is down: requests are served and counted locally, or rejected. */
export type FailMode = 'open' | 'closed';

/** How long the store must stay up before its recovery is reported: a flapping one is reported once. */
const STEADY_MS = 1000;

/**
 * A shared store that is up or down. A lost connection or a probe that is refused marks it as down, which is reported, until it is
 * connected and accepts writes again.
 */
export class WatchedStore {
  readonly failMode: FailMode;
  readonly #store: SharedStore;
  readonly #problems: Problems;
  readonly #onUp: () => void;
  #isConnected = false;
  #failure: string | undefined = 'it was never connected';
  #upSinceMs = 0;
  /** The number of the current connection, to ignore late failures of earlier ones. */
  #connection = 0;
  #checking: Promise<unknown> | undefined;
  #tickMs = 0;

  /** `onUp` is called when the store is up. */
  constructor(store: SharedStore, failMode: FailMode, problems: Problems, onUp: () => void) {
    this.#store = store;
    this.failMode = failMode;
    this.#problems = problems;
    this.#onUp = onUp;
  }

  get isUp(): boolean {
    return this.#failure === undefined;
  }

  /** Whether it can be read; it may refuse writes. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Why it is down; undefined if it is up. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** `degraded` if requests are served without the store, `down` if they are rejected. */
  get state(): 'up' | 'degraded' | 'down' {
    if (this.isUp) return 'up';
    return this.failMode === 'open' ? 'degraded' : 'down';
  }

  /** Connects for the first time; does not reject if that fails. @throws {UnsupportedStore} for a store that cannot be used */
  async start(): Promise<void> {
    const failure = await this.connect();
    if (failure instanceof UnsupportedStore) throw failure;
  }

  /** Checks the store, connects to it if necessary, and reports that it is back. */
  tick(nowMs: number): void {
    this.#tickMs = nowMs;
    const isSteady = Math.abs(nowMs - this.#upSinceMs) >= STEADY_MS; // or the clock was set back
    if (this.isUp && isSteady) this.#problems.solve('shared', 'The shared quota store is back');
    void this.#check();
  }

  /** Brings the store up unless it is; resolves to the error if that fails, which is reported. */
  async connect(): Promise<unknown> {
    return this.isUp ? undefined : await this.#check();
  }

  /** Runs a command on the store. Rejects with a {@link ConnectionFailure} while it is not connected. */
  run<Value>(command: (store: SharedStore) => Promise<Value>): Promise<Value> {
    if (!this.#isConnected) return Promise.reject(new ConnectionFailure('Redis is unavailable'));
    return this.#watch(command);
  }

  async #check(): Promise<unknown> {
    this.#checking ??= this.#connectAndProbe()
      .catch(error => error)
      .finally(() => {
        this.#checking = undefined;
      });
    return await this.#checking;
  }

  async #connectAndProbe(): Promise<void> {
    if (!this.#isConnected) {
      await this.#watch(store => store.connect());
      this.#isConnected = true;
    }
    try {
      await this.#watch(store => store.probe());
    } catch (error) {
      if (this.#isConnected) this.#fail(messageOf(error));
      throw error;
    }
    if (this.isUp || !this.#isConnected) return;
    this.#failure = undefined;
    this.#upSinceMs = this.#tickMs;
    this.#onUp();
  }

  /** Runs a command; one that loses the current connection marks the store as down. */
  async #watch<Value>(command: (store: SharedStore) => Promise<Value>): Promise<Value> {
    const connection = this.#connection;
    try {
      return await command(this.#store);
    } catch (error) {
      const isLost = error instanceof ConnectionFailure || error instanceof UnsupportedStore;
      if (isLost && connection === this.#connection) {
        this.#connection += 1;
        this.#isConnected = false;
        this.#store.close();
        this.#fail(messageOf(error));
      }
      throw error;
    }
  }

  #fail(reason: string): void {
    this.#failure = reason;
    const consequence = this.failMode === 'open' ? 'counting limits locally' : 'rejecting requests with 502';
    this.#problems.fail(
      'shared',
      `The shared quota store is unavailable: ${reason}; ${consequence} until it is back`,
    );
  }
}
