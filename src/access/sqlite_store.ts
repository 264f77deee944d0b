import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { monthAt, monthLabelled } from './month.ts';
import type { WorkerShare } from './plan.ts';
import { type OpenOptions, openSqliteFile } from './sqlite_file.ts';
import type { NewToken, RemovedToken, StoredToken, TokenChanges, TokenStore } from './stored_token.ts';
import type { MonthlyCount, UsageEntry, UsageLedger, UsageTotal } from './usage.ts';

type TokenRow = Omit<StoredToken, 'former'> & {
  readonly formerDigest: Uint8Array | null;
  readonly formerExpiresMs: number | null;
};

/** The columns of what can be changed. */
const COLUMNS: Readonly<Record<keyof TokenChanges, string>> = {
  name: 'name',
  role: 'role',
  plan: 'plan',
  suspendedMs: 'suspended_ms',
  expiresMs: 'expires_ms',
};

/** The minimum that a worker tries to lease if several share a quota. */
const MIN_LEASE = 32;

/**
 * API keys and their usage in one SQLite file. All methods block for microseconds and throw SQLite's errors; opening
 * throws a StoreError.
 */
export class SqliteStore implements UsageLedger, TokenStore {
  readonly isShared: boolean;
  readonly #path: string;
  readonly #database: Database;
  readonly #isImmutable: boolean;
  readonly #identity: string;
  readonly #share: WorkerShare;

  constructor(path: string, options: OpenOptions, share: WorkerShare = { index: 0, count: 1 }) {
    this.#path = path;
    this.#share = share;
    this.isShared = share.count > 1;
    const { database, isImmutable } = openSqliteFile(path, options);
    this.#database = database;
    this.#isImmutable = isImmutable;
    this.#identity = identityOf(path, isImmutable);
  }

  /** Releases leases of a former process with this worker's index, and of workers that no longer exist. */
  releaseLeases(): void {
    const { index, count } = this.#share;
    this.#database.query('DELETE FROM lease WHERE worker = ?1 OR worker >= ?2').run(index, count);
  }

  /** Increases with every change of the keys from 0, that of a store without any so far. */
  revision(): number {
    return this.#database.query<{ value: number }, []>('SELECT value FROM revision').get()!.value;
  }

  /** Whether the path now leads to another file, or to none. */
  isReplaced(): boolean {
    return identityOf(this.#path, this.#isImmutable) !== this.#identity;
  }

  /** Whether there is, or has been, a key. */
  hasEverHeldKeys(): boolean {
    return this.revision() > 0;
  }

  /** All keys, oldest first. */
  tokens(): StoredToken[] {
    return this.#database
      .query<TokenRow, []>(
        `SELECT id, name, role, plan, digest, created_ms AS createdMs, last_used_ms AS lastUsedMs,
           suspended_ms AS suspendedMs, expires_ms AS expiresMs, former_digest AS formerDigest,
           former_expires_ms AS formerExpiresMs FROM token ORDER BY created_ms, id`,
      )
      .all()
      .map(({ formerDigest, formerExpiresMs, ...token }) => ({
        ...token,
        former: formerDigest && { digest: formerDigest, expiresMs: formerExpiresMs ?? 0 },
      }));
  }

  add(token: NewToken): void {
    const { id, name, role = 'client', plan, digest, createdMs, expiresMs = null } = token;
    this.#database
      .query(
        `INSERT INTO token (id, name, role, plan, digest, created_ms, expires_ms)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
      )
      .run(id, name, role, plan, digest, createdMs, expiresMs);
    this.#checkpoint();
  }

  /** Changes a key. False if there is no such key. */
  change(id: string, changes: TokenChanges): boolean {
    const names = Object.keys(changes) as (keyof TokenChanges)[];
    const assignments = names.map((name, i) => `${COLUMNS[name]} = ?${i + 2}`);
    const values = names.map(name => changes[name] ?? null);
    return this.#changes(`UPDATE token SET ${assignments.join(', ')} WHERE id = ?1`, id, ...values);
  }

  /** Replaces a key; the former one is accepted until the end of the overlap. False if there is no such key. */
  rotate(id: string, digest: Uint8Array, overlapEndMs: number): boolean {
    return this.#changes(
      'UPDATE token SET former_digest = digest, former_expires_ms = ?3, digest = ?2 WHERE id = ?1',
      id,
      digest,
      overlapEndMs,
    );
  }

  /** Removes a key but not its usage. False if there is no such key. */
  remove(id: string, nowMs: number): boolean {
    return this.#database.transaction(() => {
      this.#database
        .query(
          `INSERT OR REPLACE INTO removed_token (id, name, plan, removed_ms)
             SELECT id, name, plan, ?2 FROM token WHERE id = ?1`,
        )
        .run(id, nowMs);
      return this.#changes('DELETE FROM token WHERE id = ?1', id);
    })();
  }

  /** The keys that were removed. */
  removed(): RemovedToken[] {
    return this.#database
      .query<RemovedToken, []>('SELECT id, name, plan, removed_ms AS removedMs FROM removed_token')
      .all();
  }

  /** The usage of all keys, removed ones and those of lists included; in one month, if that is given. */
  usage(month?: number): MonthlyCount[] {
    return this.#database
      .query<{ id: string; month: string; count: number }, [string | null]>(
        'SELECT id, month, used AS count FROM usage WHERE ?1 IS NULL OR month = ?1',
      )
      .all(month === undefined ? null : monthAt(month).label)
      .map(withMonthIndex);
  }

  used(id: string, month: number): number {
    const row = this.#database
      .query<{ used: number }, [string, string]>('SELECT used FROM usage WHERE id = ?1 AND month = ?2')
      .get(id, monthAt(month).label);
    return row?.used ?? 0;
  }

  record(entries: readonly UsageEntry[]): UsageTotal[] {
    return this.#database.transaction(() => entries.map(entry => this.#recordOne(entry))).immediate();
  }

  /** Deletes and returns all usage. */
  takeUsage(): MonthlyCount[] {
    return this.#database
      .query<{ id: string; month: string; count: number }, []>(
        'DELETE FROM usage RETURNING id, month, used AS count',
      )
      .all()
      .map(withMonthIndex);
  }

  close(): void {
    this.#database.close();
  }

  #recordOne(entry: UsageEntry): UsageTotal {
    const month = monthAt(entry.month).label;
    if (entry.lastUsedMs) {
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
    return { used, allowance: this.isShared ? this.#lease(entry, month, used) : Number.POSITIVE_INFINITY };
  }

  /**
   * Leases part of the quota to this worker: about what it will need in the next second, at most its share of what is
   * neither used nor leased. All workers together can therefore never grant more than the quota.
   */
  #lease({ id, count, quota, isActive, wanted = 0 }: UsageEntry, month: string, used: number): number {
    if (quota === undefined) return Number.POSITIVE_INFINITY;
    const { index, count: workers } = this.#share;
    const others = this.#database
      .query<{ sum: number }, [string, string, number]>(
        `SELECT coalesce(sum(allowance), 0) AS sum FROM lease WHERE id = ?1 AND month = ?2 AND worker <> ?3`,
      )
      .get(id, month, index)!.sum;
    const free = Math.max(0, quota - used - others);
    const soon = isActive ? Math.max(MIN_LEASE, 2 * count) : 0;
    const allowance = Math.min(free, Math.max(wanted, Math.min(soon, Math.ceil(free / workers))));
    this.#database
      .query('INSERT OR REPLACE INTO lease (id, month, worker, allowance) VALUES (?1, ?2, ?3, ?4)')
      .run(id, month, index, allowance);
    return allowance;
  }

  #changes(sql: string, id: string, ...more: (string | number | Uint8Array | null)[]): boolean {
    const { changes } = this.#database.query(sql).run(id, ...more);
    this.#checkpoint();
    return changes > 0;
  }

  /** Writes a changed key from the log to the file itself, so that a plain copy of the file has every key. */
  #checkpoint(): void {
    try {
      this.#database.run('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The change is safe in the log; SQLite will retry.
    }
  }
}

function withMonthIndex({ id, month, count }: { id: string; month: string; count: number }): MonthlyCount {
  return { id, month: monthLabelled(month), count };
}

/** Identifies the file at a path; for an immutable one, which SQLite does not watch, its state too. */
function identityOf(path: string, isImmutable: boolean): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'none';
  return `${stat.dev}:${stat.ino}${isImmutable ? `:${stat.mtimeMs}:${stat.size}` : ''}`;
}
