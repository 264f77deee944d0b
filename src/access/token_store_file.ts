import {
  isRemoved,
  type StoredKeySource,
  type StoredKeys,
  type StoredToken,
  type TokenStore,
} from './key_store.ts';
import type { WorkerShare } from './plan.ts';
import { asStoreError, hasTokenStore, StoreError } from './sqlite_file.ts';
import { SqliteStore } from './sqlite_store.ts';
import {
  MemoryLedger,
  type UsageBatch,
  type UsageEntry,
  type UsageLedger,
  type UsageTotal,
} from './usage.ts';

/** How long a server, and thus its requests, blocks on another process's lock. */
const BUSY_MS = 20;

/**
 * The token store of a running server, whose file may be created, replaced or removed at any time. Until it first exists
 * there are no stored keys, and usage is counted in memory.
 */
export class TokenStoreFile implements UsageLedger, StoredKeySource {
  readonly isShared: boolean;
  readonly #path: string;
  readonly #worker: WorkerShare;
  readonly #memory = new MemoryLedger();
  #store: SqliteStore | undefined;
  #timesOpened = 0;

  constructor(path: string, worker: WorkerShare) {
    this.#path = path;
    this.#worker = worker;
    this.isShared = worker.count > 1;
  }

  /** Whether the file exists and is open; without it usage is lost with the process. */
  get isOpen(): boolean {
    return this.#store !== undefined;
  }

  /** Creates the file if it is missing. Throws a StoreError. */
  create(): void {
    this.#open(true);
  }

  /** Opens or reopens the file if necessary. Throws a StoreError for one that exists, or existed, and cannot be read. */
  stamp(): string {
    return this.#translated(() => {
      if (this.#store?.isReplaced()) this.close();
      if (this.#store === undefined && hasTokenStore(this.#path)) this.#open(false);
      const ledger = this.#ledger();
      // Not the inode, since a new file may reuse that of the previous one.
      return ledger instanceof SqliteStore ? `${this.#timesOpened}:${ledger.revision()}` : 'none';
    });
  }

  read(): StoredKeys {
    return this.#translated(() => ({
      tokens: this.#store?.tokens() ?? [],
      hasEverHeld: this.#store?.hasEverHeldKeys() ?? false,
    }));
  }

  changesSince(stamp: string): ReadonlyMap<string, StoredToken | null> | undefined {
    if (stamp === this.stamp()) return new Map();
    const [timesOpened, revision] = stamp.split(':').map(Number);
    const store = this.#store;
    if (store === undefined || timesOpened !== this.#timesOpened) return undefined;
    return this.#translated(() => {
      const ids = store.changedSince(revision!);
      return ids && keysOf(store, ids);
    });
  }

  used(id: string, month: number): number {
    return this.#translated(() => this.#ledger().used(id, month));
  }

  record(entries: readonly UsageEntry[]): UsageTotal[] {
    return this.#translated(() => this.#ledger().record(entries));
  }

  /** The stored keys, for changing them; null if there is no file and `create` is not set. Throws a StoreError. */
  keys(create: boolean): TokenStore | null {
    this.stamp(); // opens it if it exists
    if (create && this.#store === undefined) this.create();
    return this.#store ?? null;
  }

  /** See {@link UsageOutbox.take}; null if there is no file. */
  takeBatch(): UsageBatch | null {
    return this.#translated(() => this.#store?.outbox.take() ?? null);
  }

  /** See {@link UsageOutbox.put}. */
  putBatch(batch: UsageBatch): void {
    this.#translated(() => this.#store?.outbox.put(batch));
  }

  /** See {@link UsageOutbox.settle}. */
  settleBatch({ receipt }: UsageBatch): void {
    this.#translated(() => this.#store?.outbox.settle(receipt));
  }

  close(): void {
    this.#store?.close();
    this.#store = undefined;
  }

  /** Turns SQLite's errors into StoreErrors. */
  #translated<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw asStoreError(`Cannot use '${this.#path}'`, error);
    }
  }

  #ledger(): SqliteStore | MemoryLedger {
    if (this.#store !== undefined) return this.#store;
    if (this.#timesOpened > 0) throw new StoreError(`Cannot use '${this.#path}': the file is gone`);
    return this.#memory;
  }

  #open(create: boolean): void {
    const store = new SqliteStore(this.#path, { create, durable: false, busyMs: BUSY_MS }, this.#worker);
    if (this.isShared) store.releaseLeases();
    this.#store = store;
    this.#timesOpened += 1;
  }
}

/** The current state of keys; null for removed ones. */
function keysOf(store: SqliteStore, ids: ReadonlySet<string>): ReadonlyMap<string, StoredToken | null> {
  const found = store.find([...ids]);
  const present = (id: string) => {
    const key = found.get(id);
    return key === undefined || isRemoved(key) ? null : key;
  };
  return new Map([...ids].map(id => [id, present(id)]));
}
