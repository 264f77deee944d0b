import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { WorkerShare } from './limits.ts';
import { monthAt } from './month.ts';
import { type OpenOptions, openSqliteFile } from './sqlite_file.ts';
import type { UsageEntry, UsageLedger, UsageTotal } from './usage_ledger.ts';

/** An API key as it is stored: never the key itself. */
export interface StoredToken {
  /** The public part of the key. */
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** The key's SHA-256. */
  readonly digest: Uint8Array;
  readonly createdMs: number;
  /** Null for a key that was never used. */
  readonly lastUsedMs: number | null;
  /** Null for a key that works. */
  readonly suspendedMs: number | null;
}

/** Usage of a month that was written down. */
export interface StoredUsage {
  readonly id: string;
  /** `2026-11` */
  readonly month: string;
  readonly used: number;
}

/** The least that a worker asks for at once, where several share a quota. */
const LEAST_ALLOWANCE = 32;

const ALONE: WorkerShare = { index: 0, count: 1 };

/**
 * API keys and their usage in one SQLite file. Everything blocks for the microseconds that SQLite takes, and throws what SQLite
 * throws; opening throws a StoreError.
 */
export class SqliteStore implements UsageLedger {
  readonly shared: boolean;
  readonly #path: string;
  readonly #database: Database;
  readonly #isImmutable: boolean;
  readonly #identity: string;
  readonly #share: WorkerShare;

  constructor(path: string, options: OpenOptions, share: WorkerShare = ALONE) {
    this.#path = path;
    this.#share = share;
    this.shared = share.count > 1;
    const { database, isImmutable } = openSqliteFile(path, options);
    this.#database = database;
    this.#isImmutable = isImmutable;
    this.#identity = identityOf(path, isImmutable);
  }

  /** Gives back what a former process of this number had been allowed and can no longer use. */
  forgetLeases(): void {
    const { index, count } = this.#share;
    this.#database.query('DELETE FROM lease WHERE worker = ?1 OR worker >= ?2').run(index, count);
  }

  /** Goes up with every change of the keys. */
  revision(): number {
    return this.#database.query<{ value: number }, []>('SELECT value FROM revision').get()!.value;
  }

  /** Whether another file lies at the path now (or none): what is open here is nobody's any more. */
  isReplaced(): boolean {
    return identityOf(this.#path, this.#isImmutable) !== this.#identity;
  }

  /** All keys, the oldest first. */
  tokens(): StoredToken[] {
    return this.#database
      .query<StoredToken, []>(
        `SELECT id, name, plan, digest, created_ms AS createdMs, last_used_ms AS lastUsedMs,
           suspended_ms AS suspendedMs FROM token ORDER BY created_ms, id`,
      )
      .all();
  }

  add({ id, name, plan, digest, createdMs }: Omit<StoredToken, 'lastUsedMs' | 'suspendedMs'>): void {
    this.#database
      .query('INSERT INTO token (id, name, plan, digest, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)')
      .run(id, name, plan, digest, createdMs);
    this.#settleLog();
  }

  /** Suspends a key from an instant on, or lets it work again (null). False where there is no such key. */
  suspend(id: string, sinceMs: number | null): boolean {
    return this.#changes('UPDATE token SET suspended_ms = ?2 WHERE id = ?1', id, sinceMs);
  }

  /** Removes a key for good; its usage stays written down. False where there is no such key. */
  remove(id: string): boolean {
    return this.#changes('DELETE FROM token WHERE id = ?1', id);
  }

  used(id: string, month: number): number {
    const row = this.#database
      .query<{ used: number }, [string, string]>('SELECT used FROM usage WHERE id = ?1 AND month = ?2')
      .get(id, monthAt(month).label);
    return row?.used ?? 0;
  }

  settle(entries: readonly UsageEntry[]): UsageTotal[] {
    return this.#database.transaction(() => entries.map(entry => this.#settleOne(entry))).immediate();
  }

  /** Takes all usage out, to be kept elsewhere. */
  takeUsage(): StoredUsage[] {
    return this.#database.query<StoredUsage, []>('DELETE FROM usage RETURNING id, month, used').all();
  }

  close(): void {
    this.#database.close();
  }

  #settleOne(entry: UsageEntry): UsageTotal {
    const month = monthAt(entry.month).label;
    if (entry.lastUsedMs > 0) {
      this.#database
        .query('UPDATE token SET last_used_ms = ?2 WHERE id = ?1 AND coalesce(last_used_ms, 0) < ?2')
        .run(entry.id, entry.lastUsedMs);
    }
    if (entry.count !== 0) {
      this.#database
        .query(
          `INSERT INTO usage (id, month, used) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET used = used + excluded.used`,
        )
        .run(entry.id, month, entry.count);
    }
    const used = this.used(entry.id, entry.month);
    return { used, allowance: this.shared ? this.#lease(entry, month, used) : Number.POSITIVE_INFINITY };
  }

  /**
   * Sets part of the quota aside for this worker: about what it will need in the next second, never more than its part of what
   * nobody has used or set aside. What all workers may grant together so never goes beyond the quota.
   */
  #lease({ id, count, quota, active }: UsageEntry, month: string, used: number): number {
    if (quota === undefined) return Number.POSITIVE_INFINITY;
    const { index, count: workers } = this.#share;
    const others = this.#database
      .query<{ sum: number }, [string, string, number]>(
        `SELECT coalesce(sum(allowance), 0) AS sum FROM lease WHERE id = ?1 AND month = ?2 AND worker <> ?3`,
      )
      .get(id, month, index)!.sum;
    const free = Math.max(0, quota - used - others);
    const wanted = active ? Math.max(LEAST_ALLOWANCE, 2 * count) : 0;
    const allowance = Math.min(wanted, Math.ceil(free / workers));
    this.#database
      .query('INSERT OR REPLACE INTO lease (id, month, worker, allowance) VALUES (?1, ?2, ?3, ?4)')
      .run(id, month, index, allowance);
    return allowance;
  }

  #changes(sql: string, id: string, ...more: (number | null)[]): boolean {
    const { changes } = this.#database.query(sql).run(id, ...more);
    this.#settleLog();
    return changes > 0;
  }

  /** Brings a changed key from the log into the file itself, so that a plain copy of the one file has every key. */
  #settleLog(): void {
    try {
      this.#database.run('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The change itself is safe in the log, and SQLite will try this again.
    }
  }
}

/** Tells one file at a path from the next; of one that SQLite does not watch, one state from the next too. */
function identityOf(path: string, isImmutable: boolean): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'none';
  return `${stat.dev}:${stat.ino}${isImmutable ? `:${stat.mtimeMs}:${stat.size}` : ''}`;
}
