import type { WorkerShare } from './limits.ts';
import { asStoreError, hasTokenStore } from './sqlite_file.ts';
import { SqliteStore, type StoredToken, type StoredUsage } from './sqlite_store.ts';
import { StoreError } from './store_error.ts';
import { MemoryLedger, type UsageEntry, type UsageLedger, type UsageTotal } from './usage_ledger.ts';

/** How long a server waits for another process that writes; requests wait with it. */
const BUSY_MS = 20;

/**
 * The token store of a running server: the file may come later, be put back from a copy, or disappear. While there has never been
 * one, there are no stored keys, and usage is counted in memory alone.
 */
export class TokenStoreFile implements UsageLedger {
  readonly shared: boolean;
  readonly #path: string;
  readonly #worker: WorkerShare;
  readonly #memory = new MemoryLedger();
  #store: SqliteStore | undefined;
  #revision = -1;
  #existed = false;

  constructor(path: string, worker: WorkerShare) {
    this.#path = path;
    this.#worker = worker;
    this.shared = worker.count > 1;
  }

  /** Whether usage outlives the process. */
  get isOpen(): boolean {
    return this.#store !== undefined;
  }

  /** Makes the file where there is none. Throws a StoreError. */
  create(): void {
    this.#open(true);
  }

  /** Whether the keys may have changed since the last time. Throws what keeps the file from being read; `tokens` stays as it was. */
  refresh(): boolean {
    if (this.#translated(() => this.#store?.isReplaced())) this.close();
    if (this.#store === undefined) {
      if (!hasTokenStore(this.#path)) {
        if (this.#existed) throw new StoreError(`Cannot use '${this.#path}': the file is gone`);
        return false;
      }
      this.#open(false);
    }
    const revision = this.#translated(() => this.#store?.revision() ?? -1);
    const isNew = revision !== this.#revision;
    this.#revision = revision;
    return isNew;
  }

  tokens(): StoredToken[] {
    return this.#translated(() => this.#store?.tokens() ?? []);
  }

  used(id: string, month: number): number {
    return this.#translated(() => this.#ledger().used(id, month));
  }

  settle(entries: readonly UsageEntry[]): UsageTotal[] {
    return this.#translated(() => this.#ledger().settle(entries));
  }

  /** Takes all usage out, to be kept elsewhere. */
  takeUsage(): StoredUsage[] {
    return this.#translated(() => this.#store?.takeUsage() ?? []);
  }

  close(): void {
    this.#store?.close();
    this.#store = undefined;
    this.#revision = -1;
  }

  /** What SQLite throws, said in words. */
  #translated<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw asStoreError(`Cannot use '${this.#path}'`, error);
    }
  }

  #ledger(): UsageLedger {
    if (this.#store !== undefined) return this.#store;
    if (this.#existed) throw new StoreError(`Cannot use '${this.#path}': the file is gone`);
    return this.#memory;
  }

  #open(create: boolean): void {
    const store = new SqliteStore(this.#path, { create, durable: false, busyMs: BUSY_MS }, this.#worker);
    if (this.shared) store.forgetLeases();
    this.#store = store;
    this.#existed = true;
  }
}
