import { messageOf } from '../../common/errors.ts';
import { ConnectionFailure, UnsupportedStore } from '../../redis/redis_connection.ts';
import type { Problems } from '../problems.ts';
import type { SharedStore } from './redis_store.ts';

/** What happens while the shared store is down: requests are served and counted locally, or rejected. */
export type FailMode = 'open' | 'closed';

/** How many consecutive commands may fail over a working connection. */
const MAX_FAILURES = 3;
/** How long the store must stay up before its recovery is reported: a flapping one is reported once. */
const STEADY_MS = 1000;

/**
 * A shared store that is up or down. A lost connection or several consecutive failures mark it as down, which is reported, until
 * it is connected again.
 */
export class WatchedStore {
  readonly failMode: FailMode;
  readonly #store: SharedStore;
  readonly #problems: Problems;
  readonly #onUp: () => void;
  #isUp = false;
  #upSinceMs = 0;
  /** The number of the current connection, to ignore late failures of earlier ones. */
  #connection = 0;
  #failures = 0;
  #connecting: Promise<unknown> | undefined;
  #tickMs = 0;

  /** `onUp` is called after connecting. */
  constructor(store: SharedStore, failMode: FailMode, problems: Problems, onUp: () => void) {
    this.#store = store;
    this.failMode = failMode;
    this.#problems = problems;
    this.#onUp = onUp;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** `degraded` if requests are served without the store, `down` if they are rejected. */
  get state(): 'up' | 'degraded' | 'down' {
    if (this.#isUp) return 'up';
    return this.failMode === 'open' ? 'degraded' : 'down';
  }

  /** Connects for the first time; does not reject if that fails. @throws {UnsupportedStore} for a store that cannot be used */
  async start(): Promise<void> {
    const failure = await this.connect();
    if (failure instanceof UnsupportedStore) throw failure;
  }

  /** Connects to the store if it is down, and reports that it is back. */
  tick(nowMs: number): void {
    this.#tickMs = nowMs;
    const isSteady = Math.abs(nowMs - this.#upSinceMs) >= STEADY_MS; // or the clock was set back
    if (this.#isUp && isSteady) this.#problems.solve('shared', 'The shared quota store is back');
    void this.connect();
  }

  /** Connects to the store unless it is up; resolves to the error if that fails, which is reported. */
  async connect(): Promise<unknown> {
    if (this.#isUp) return undefined;
    this.#connecting ??= this.#watch(store => store.connect())
      .then(
        () => this.#markUp(),
        error => error,
      )
      .finally(() => {
        this.#connecting = undefined;
      });
    return await this.#connecting;
  }

  /** Runs a command on the store. Rejects with a {@link ConnectionFailure} while the store is down. */
  run<Value>(command: (store: SharedStore) => Promise<Value>): Promise<Value> {
    return this.#isUp ? this.#watch(command) : Promise.reject(new ConnectionFailure('Redis is unavailable'));
  }

  /** Runs a command. Marks the store as down if commands repeatedly fail on the current connection. */
  async #watch<Value>(command: (store: SharedStore) => Promise<Value>): Promise<Value> {
    const connection = this.#connection;
    try {
      const value = await command(this.#store);
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

  #markUp(): void {
    this.#isUp = true;
    this.#upSinceMs = this.#tickMs;
    this.#onUp();
  }

  #markDown(reason: string): void {
    this.#connection += 1;
    this.#failures = 0;
    this.#isUp = false;
    this.#store.close();
    const consequence = this.failMode === 'open' ? 'counting limits locally' : 'rejecting requests with 502';
    this.#problems.fail(
      'shared',
      `The shared quota store is unavailable (${reason}); ${consequence} until it is back`,
    );
  }
}
