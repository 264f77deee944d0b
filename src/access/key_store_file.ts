import type { KeySource, KeyStore, StoredKey, StoredKeys } from './key_store.ts';
import { asStoreError, StoreError } from './sqlite_errors.ts';
import { hasKeyStore } from './sqlite_file.ts';
import { SqliteStore } from './sqlite_store.ts';
import type { WorkerShare } from './token_bucket.ts';
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
 * The store of a running server, whose file may be created, replaced or removed at any time. Until it first exists there are
 * no stored keys, and usage is counted in memory. Methods throw StoreErrors.
 */
export class KeyStoreFile implements UsageLedger, KeySource {
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

  /** Creates the file if it is missing. */
  create(): void {
    this.#open(true);
  }

  /** Opens or reopens the file if necessary. Throws for one that exists, or existed, and cannot be read. */
  stamp(): string {
    return this.#explained(() => {
      if (this.#store?.isReplaced()) this.close();
      if (this.#store === undefined && hasKeyStore(this.#path)) this.#open(false);
      const ledger = this.#ledger();
      // Not the inode, since a new file may reuse that of the previous one.
      return ledger instanceof SqliteStore ? `${this.#timesOpened}:${ledger.revision()}` : 'none';
    });
  }

  read(): StoredKeys {
    return this.#explained(() => ({
      keys: this.#store?.keys() ?? [],
      hasEverHeld: (this.#store?.revision() ?? 0) > 0,
    }));
  }

  changesSince(stamp: string): ReadonlyMap<string, StoredKey | null> | undefined {
    if (stamp === this.stamp()) return new Map();
    const [timesOpened, revision] = stamp.split(':').map(Number);
    if (timesOpened !== this.#timesOpened) return undefined;
    return this.#explained(() => this.#store?.changesSince(revision!));
  }

  used(id: string, month: number): number {
    return this.#explained(() => this.#ledger().used(id, month));
  }

  record(entries: readonly UsageEntry[]): UsageTotal[] {
    return this.#explained(() => this.#ledger().record(entries));
  }

  /** The stored keys, for changing them; null if there is no file and `create` is not set. */
  store(create: boolean): KeyStore | null {
    this.stamp(); // opens it if it exists
    if (create && this.#store === undefined) this.create();
    return this.#store ?? null;
  }

  /** Null if there is no file. */
  takeBatch(): UsageBatch | null {
    return this.#explained(() => this.#store?.takeBatch() ?? null);
  }

  putBatch(batch: UsageBatch): void {
    this.#explained(() => this.#store?.putBatch(batch));
  }

  settleBatch(batch: UsageBatch): void {
    this.#explained(() => this.#store?.settleBatch(batch));
  }

  close(): void {
    this.#store?.close();
    this.#store = undefined;
  }

  #explained<Value>(work: () => Value): Value {
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
