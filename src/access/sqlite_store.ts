import type { Database } from 'bun:sqlite';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import type {
  ListPart,
  NewToken,
  RemovedToken,
  StoreContents,
  StoredToken,
  TokenChanges,
  TokenPosition,
  TokenStore,
  UsagePart,
} from './key_store.ts';
import { monthAt, monthLabelled } from './month.ts';
import type { WorkerShare } from './plan.ts';
import { type OpenOptions, openSqliteFile } from './sqlite_file.ts';
import type { MonthlyCount, UsageBatch, UsageEntry, UsageLedger, UsageTotal } from './usage.ts';

/** Counts per batch: moving them takes about a millisecond. */
const BATCH = 250;

/** Earlier versions create the same table for a migration, and ignore it otherwise. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS moving_usage (
    receipt TEXT NOT NULL,
    id TEXT NOT NULL,
    month TEXT NOT NULL,
    used INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS moving_usage_by_receipt ON moving_usage (receipt);
`;

interface MovingRow {
  readonly receipt: string;
  readonly id: string;
  readonly month: string;
  readonly count: number;
}

/**
 * Usage in transit from the token store to another store, which may be interrupted at any time: a batch is stored here with its
 * receipt before it is sent, and remains until the other store has confirmed it.
 */
class UsageOutbox {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The first batch; null if there is none. */
  first(): UsageBatch | null {
    return this.#changed(() => this.#first());
  }

  /** The first batch; if there is none, some of the usage becomes one. Null if there is no usage either. */
  take(): UsageBatch | null {
    return this.#changed(() => this.#first() ?? this.#moved());
  }

  /** Adds a batch, even one that has been sent before. */
  put({ receipt, counts }: UsageBatch): void {
    this.#changed(() => {
      for (const { id, month, count } of counts)
        this.#database
          .query('INSERT INTO moving_usage (receipt, id, month, used) VALUES (?1, ?2, ?3, ?4)')
          .run(receipt, id, monthAt(month).label, count);
    });
  }

  /** Removes a batch that the other store has. */
  settle(receipt: string): void {
    this.#changed(() => {
      this.#database.query('DELETE FROM moving_usage WHERE receipt = ?1').run(receipt);
    });
  }

  #first(): UsageBatch | null {
    const rows = this.#database
      .query<MovingRow, []>(
        `SELECT receipt, id, month, used AS count FROM moving_usage
           WHERE receipt = (SELECT receipt FROM moving_usage ORDER BY rowid LIMIT 1)`,
      )
      .all();
    const [first] = rows;
    if (first === undefined) return null;
    const counts = rows.map(({ id, month, count }) => ({ id, month: monthLabelled(month), count }));
    return { receipt: first.receipt, counts };
  }

  #moved(): UsageBatch | null {
    const receipt = randomUUID();
    this.#database
      .query(
        `INSERT INTO moving_usage (receipt, id, month, used)
           SELECT ?1, id, month, used FROM usage ORDER BY id, month LIMIT ?2`,
      )
      .run(receipt, BATCH);
    this.#database
      .query(`DELETE FROM usage WHERE (id, month) IN (SELECT id, month FROM moving_usage WHERE receipt = ?1)`)
      .run(receipt);
    return this.#first();
  }

  /** Applies a change atomically. */
  #changed<Value>(change: () => Value): Value {
    const transaction = this.#database.transaction(() => {
      this.#database.run(TABLE);
      return change();
    });
    return transaction.immediate();
  }
}

type TokenRow = Omit<StoredToken, 'former'> & {
  readonly formerDigest: Uint8Array | null;
  readonly formerExpiresMs: number | null;
};

/** The columns of properties that can be changed. */
const COLUMNS: Readonly<Record<keyof TokenChanges, string>> = {
  name: 'name',
  role: 'role',
  plan: 'plan',
  suspendedMs: 'suspended_ms',
  expiresMs: 'expires_ms',
};

const TOKEN = `SELECT id, name, role, plan, digest, created_ms AS createdMs, last_used_ms AS lastUsedMs,
  suspended_ms AS suspendedMs, expires_ms AS expiresMs, former_digest AS formerDigest,
  former_expires_ms AS formerExpiresMs FROM token`;
const REMOVED_TOKEN = 'SELECT id, name, plan, removed_ms AS removedMs FROM removed_token';

/** The beginning of a list of keys. */
const FIRST_TOKEN: TokenPosition = { createdMs: Number.MIN_SAFE_INTEGER, id: '' };
/** SQLite's limit for all rows. */
const NO_LIMIT = -1;
/** Greater than the labels of all months. */
const LAST_MONTH = '9999-99';

/** The minimum lease that a worker requests if several share a quota. */
const MIN_LEASE = 32;

/**
 * API keys and their usage in one SQLite file. All methods block for microseconds and throw SQLite's errors; opening
 * throws a StoreError.
 */
export class SqliteStore implements UsageLedger, TokenStore {
  readonly isShared: boolean;
  /** Usage on its way to another store. */
  readonly outbox: UsageOutbox;
  readonly #path: string;
  readonly #database: Database;
  readonly #isImmutable: boolean;
  readonly #recordsChanges: boolean;
  readonly #identity: string;
  readonly #share: WorkerShare;

  constructor(path: string, options: OpenOptions, share: WorkerShare = { index: 0, count: 1 }) {
    this.#path = path;
    this.#share = share;
    this.isShared = share.count > 1;
    const { database, isImmutable, recordsChanges } = openSqliteFile(path, options);
    this.#database = database;
    this.outbox = new UsageOutbox(database);
    this.#isImmutable = isImmutable;
    this.#recordsChanges = recordsChanges;
    this.#identity = identityOf(path, isImmutable);
  }

  /** Releases leases of a previous process with this worker's index, and of workers that no longer exist. */
  releaseLeases(): void {
    const { index, count } = this.#share;
    this.#database.query('DELETE FROM lease WHERE worker = ?1 OR worker >= ?2').run(index, count);
  }

  /** Increases with every change of the keys; 0 for a store that has never had one. */
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

  /** Keys, oldest first. */
  tokens({ after, limit = NO_LIMIT }: ListPart<TokenPosition> = {}): StoredToken[] {
    const { createdMs, id } = after ?? FIRST_TOKEN;
    return this.#database
      .query<TokenRow, [number, string, number]>(
        `${TOKEN} WHERE (created_ms, id) > (?1, ?2) ORDER BY created_ms, id LIMIT ?3`,
      )
      .all(createdMs, id, limit)
      .map(storedToken);
  }

  /** Keys by id, removed ones too. */
  find(ids: readonly string[]): ReadonlyMap<string, StoredToken | RemovedToken> {
    const removed = this.#keysWith<RemovedToken>(REMOVED_TOKEN, ids);
    const tokens = this.#keysWith<TokenRow>(TOKEN, ids).map(storedToken);
    const found = [...removed, ...tokens];
    return new Map(found.map(key => [key.id, key]));
  }

  /**
   * The ids of the keys that were added, changed or removed after a revision; undefined if that is too long ago, or if this
   * file has no record of changes.
   */
  changedSince(revision: number): ReadonlySet<string> | undefined {
    if (!this.#recordsChanges) return undefined;
    const changes = this.#database
      .query<{ id: string }, [number]>('SELECT id FROM token_change WHERE revision > ?1')
      .all(revision);
    return changes.length === this.revision() - revision ? new Set(changes.map(({ id }) => id)) : undefined;
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

  /** Replaces a key; the old one is accepted until the end of the overlap. False if there is no such key. */
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
    return this.#database.query<RemovedToken, []>(REMOVED_TOKEN).all();
  }

  /** Stores keys as they are, and raises usage to at least the given counts: all or nothing. */
  put({ tokens, removed, usage }: StoreContents): void {
    this.#database
      .transaction(() => {
        for (const token of tokens) this.#putToken(token);
        for (const { id, name, plan, removedMs } of removed) {
          this.#database.query('DELETE FROM token WHERE id = ?1').run(id);
          this.#database
            .query('INSERT OR REPLACE INTO removed_token VALUES (?1, ?2, ?3, ?4)')
            .run(id, name, plan, removedMs);
        }
        for (const { id, month, count } of usage) {
          this.#database
            .query(
              `INSERT INTO usage (id, month, used) VALUES (?1, ?2, ?3)
               ON CONFLICT DO UPDATE SET used = max(used, excluded.used)`,
            )
            .run(id, monthAt(month).label, count);
        }
      })
      .immediate();
    this.#checkpoint();
  }

  #putToken(token: StoredToken): void {
    const { id, name, role, plan, digest, createdMs, lastUsedMs, suspendedMs, expiresMs, former } = token;
    this.#database
      .query(
        `INSERT INTO token (id, name, role, plan, digest, created_ms, last_used_ms, suspended_ms, expires_ms,
             former_digest, former_expires_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
           ON CONFLICT (id) DO UPDATE SET name = ?2, role = ?3, plan = ?4, digest = ?5, created_ms = ?6,
             last_used_ms = ?7, suspended_ms = ?8, expires_ms = ?9, former_digest = ?10, former_expires_ms = ?11`,
      )
      .run(
        ...[id, name, role, plan, digest, createdMs, lastUsedMs, suspendedMs, expiresMs],
        former?.digest ?? null,
        former?.expiresMs ?? null,
      );
    this.#database.query('DELETE FROM removed_token WHERE id = ?1').run(id);
  }

  /** Subtracts usage that another store has taken over. */
  dropUsage(counts: readonly MonthlyCount[]): void {
    this.#database
      .transaction(() => {
        for (const { id, month, count } of counts)
          this.#database
            .query('UPDATE usage SET used = max(0, used - ?3) WHERE id = ?1 AND month = ?2')
            .run(id, monthAt(month).label, count);
        this.#database.run('DELETE FROM usage WHERE used = 0');
      })
      .immediate();
  }

  requests(ids: readonly string[], month: number): ReadonlyMap<string, number> {
    return new Map(ids.map(id => [id, this.used(id, month)]));
  }

  /** Usage by month and key id, including removed keys and keys from lists. */
  usage({ after, limit = NO_LIMIT, month }: UsagePart = {}): MonthlyCount[] {
    const label = month == null ? undefined : monthAt(month).label;
    const from = after ? monthAt(after.month).label : (label ?? '');
    return this.#database
      .query<{ id: string; month: string; count: number }, [string, string, string, number]>(
        `SELECT id, month, used AS count FROM usage WHERE (month, id) > (?1, ?2) AND month <= ?3
           ORDER BY month, id LIMIT ?4`,
      )
      .all(from, after?.id ?? '', label ?? LAST_MONTH, limit)
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

  close(): void {
    this.#database.close();
  }

  #keysWith<Row>(select: string, ids: readonly string[]): Row[] {
    return this.#database
      .query<Row, [string]>(`${select} WHERE id IN (SELECT value FROM json_each(?1))`)
      .all(JSON.stringify(ids));
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
   * Leases part of the quota to this worker: about as much as it will need in the next second, but at most its share of the
   * part that is neither used nor leased. All workers together can therefore never grant more than the quota.
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

function storedToken({ formerDigest, formerExpiresMs, ...token }: TokenRow): StoredToken {
  return { ...token, former: formerDigest && { digest: formerDigest, expiresMs: formerExpiresMs ?? 0 } };
}

function withMonthIndex({ id, month, count }: { id: string; month: string; count: number }): MonthlyCount {
  return { id, month: monthLabelled(month), count };
}

/** Identifies the file at a path and, if it is immutable and thus not watched by SQLite, its state. */
function identityOf(path: string, isImmutable: boolean): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'none';
  return `${stat.dev}:${stat.ino}${isImmutable ? `:${stat.mtimeMs}:${stat.size}` : ''}`;
}
