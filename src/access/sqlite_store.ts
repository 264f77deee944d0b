import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import {
  isRemoved,
  type KeyChanges,
  type KeyPosition,
  type KeyStore,
  type ListPart,
  type LogEntry,
  type LogPart,
  type LogPosition,
  type NewKey,
  oldestLogMs,
  type RemovedKey,
  type StoreContents,
  type StoredKey,
  type UsagePart,
} from './key_store.ts';
import { type OpenOptions, openSqliteFile } from './sqlite_file.ts';
import { readLogEntry } from './stored_json.ts';
import { ALONE, type WorkerShare } from './token_bucket.ts';
import {
  type MonthlyCount,
  monthAt,
  monthIndexOf,
  type UsageBatch,
  type UsageEntry,
  type UsageLedger,
  type UsageTotal,
} from './usage.ts';

type KeyRow = Omit<StoredKey, 'former'> & {
  readonly formerDigest: Uint8Array | null;
  readonly formerExpiresMs: number | null;
};

type UsageRow = Omit<MonthlyCount, 'month'> & { readonly month: string };

/** The columns of properties that can be changed. */
const COLUMNS: Readonly<Record<keyof KeyChanges, string>> = {
  name: 'name',
  role: 'role',
  plan: 'plan',
  suspendedMs: 'suspended_ms',
  expiresMs: 'expires_ms',
};

const KEY = `SELECT id, name, role, plan, digest, created_ms AS createdMs, last_used_ms AS lastUsedMs,
  suspended_ms AS suspendedMs, expires_ms AS expiresMs, former_digest AS formerDigest,
  former_expires_ms AS formerExpiresMs FROM token`;
const REMOVED_KEY = 'SELECT id, name, plan, removed_ms AS removedMs FROM removed_token';

/** The table of the outbox. Earlier versions create it for a migration, and ignore it otherwise. */
const OUTBOX = `
  CREATE TABLE IF NOT EXISTS moving_usage (
    receipt TEXT NOT NULL, id TEXT NOT NULL, month TEXT NOT NULL, used INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS moving_usage_by_receipt ON moving_usage (receipt);
`;
/** The table of the log, with entries as JSON. Other versions ignore it. */
const LOG = `
  CREATE TABLE IF NOT EXISTS token_log (
    time_ms INTEGER NOT NULL, serial TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (time_ms, serial)
  ) STRICT, WITHOUT ROWID;
`;
/** Counts per batch in the outbox: moving them takes about a millisecond. */
const BATCH = 250;

const FIRST_KEY: KeyPosition = { createdMs: Number.MIN_SAFE_INTEGER, id: '' };
/** SQLite's limit for all rows. */
const NO_LIMIT = -1;
/** Greater than the labels of all months. */
const LAST_MONTH = '9999-99';

/** The minimum lease that a worker requests if several share a quota. */
const MIN_LEASE = 32;

/**
 * API keys and their usage in one SQLite file. Methods block for microseconds and throw SQLite's errors, opening a StoreError.
 *
 * It also has an outbox of usage in transit to another store, which may be interrupted at any time: a batch is stored there
 * with its receipt before it is sent, and remains until the other store has confirmed it.
 */
export class SqliteStore implements UsageLedger, KeyStore {
  readonly isShared: boolean;
  readonly #path: string;
  readonly #file: ReturnType<typeof openSqliteFile>;
  readonly #identity: string;
  readonly #share: WorkerShare;

  constructor(path: string, options: OpenOptions, share: WorkerShare = ALONE) {
    this.#path = path;
    this.#share = share;
    this.isShared = share.count > 1;
    this.#file = openSqliteFile(path, options);
    this.#identity = identityOf(path, this.#file.isImmutable);
  }

  /** Releases leases of a previous process with this worker's index, and of workers that no longer exist. */
  releaseLeases(): void {
    this.#run('DELETE FROM lease WHERE worker = ?1 OR worker >= ?2', this.#share.index, this.#share.count);
  }

  /** Increases with every change of the keys; 0 for a store that has never had one. */
  revision(): number {
    return this.#all<{ value: number }>('SELECT value FROM revision')[0]!.value;
  }

  /** Whether the path now leads to another file, or to none. */
  isReplaced(): boolean {
    return identityOf(this.#path, this.#file.isImmutable) !== this.#identity;
  }

  keys({ after, limit = NO_LIMIT }: ListPart<KeyPosition> = {}): StoredKey[] {
    const { createdMs, id } = after ?? FIRST_KEY;
    const sql = `${KEY} WHERE (created_ms, id) > (?1, ?2) ORDER BY created_ms, id LIMIT ?3`;
    return this.#all<KeyRow>(sql, createdMs, id, limit).map(storedKey);
  }

  find(ids: readonly string[]): ReadonlyMap<string, StoredKey | RemovedKey> {
    const isListed = 'WHERE id IN (SELECT value FROM json_each(?1))';
    const list = JSON.stringify(ids);
    const removed = this.#all<RemovedKey>(`${REMOVED_KEY} ${isListed}`, list);
    const keys = this.#all<KeyRow>(`${KEY} ${isListed}`, list).map(storedKey);
    return new Map([...removed, ...keys].map(key => [key.id, key]));
  }

  /** The keys changed or removed (null) after a revision, by id; undefined if that is too long ago, or the file has no record. */
  changesSince(revision: number): ReadonlyMap<string, StoredKey | null> | undefined {
    if (!this.#file.recordsChanges) return undefined;
    const changes = this.#all<{ id: string }>('SELECT id FROM token_change WHERE revision > ?1', revision);
    if (changes.length !== this.revision() - revision) return undefined;
    const found = this.find(changes.map(({ id }) => id));
    const present = (id: string) => {
      const key = found.get(id);
      return key === undefined || isRemoved(key) ? null : key;
    };
    return new Map(changes.map(({ id }) => [id, present(id)]));
  }

  add(
    { id, name, role = 'client', plan, digest, createdMs, expiresMs = null }: NewKey,
    entry?: LogEntry,
  ): void {
    const sql = `INSERT INTO token (id, name, role, plan, digest, created_ms, expires_ms)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`;
    this.#changed([entry], () => this.#run(sql, id, name, role, plan, digest, createdMs, expiresMs));
  }

  change(id: string, changes: KeyChanges, entry?: LogEntry): boolean {
    const names = Object.keys(changes) as (keyof KeyChanges)[];
    const assignments = names.map((name, i) => `${COLUMNS[name]} = ?${i + 2}`);
    const values = names.map(name => changes[name] ?? null);
    const sql = `UPDATE token SET ${assignments.join(', ')} WHERE id = ?1`;
    return this.#changed([entry], () => this.#run(sql, id, ...values));
  }

  rotate(id: string, digest: Uint8Array, overlapEndMs: number, entry?: LogEntry): boolean {
    const sql = 'UPDATE token SET former_digest = digest, former_expires_ms = ?3, digest = ?2 WHERE id = ?1';
    return this.#changed([entry], () => this.#run(sql, id, digest, overlapEndMs));
  }

  remove(id: string, nowMs: number, entry?: LogEntry): boolean {
    const sql = `INSERT OR REPLACE INTO removed_token (id, name, plan, removed_ms)
      SELECT id, name, plan, ?2 FROM token WHERE id = ?1`;
    return this.#changed([entry], () => {
      this.#run(sql, id, nowMs);
      return this.#run('DELETE FROM token WHERE id = ?1', id);
    });
  }

  removed(): RemovedKey[] {
    return this.#all<RemovedKey>(REMOVED_KEY);
  }

  put({ keys, removed, usage }: StoreContents, entries: readonly LogEntry[] = []): void {
    const raise = `INSERT INTO usage (id, month, used) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET used = max(used, excluded.used)`;
    this.#changed(entries, () => {
      for (const key of keys) this.#putKey(key);
      for (const { id, name, plan, removedMs } of removed) {
        this.#run('DELETE FROM token WHERE id = ?1', id);
        this.#run('INSERT OR REPLACE INTO removed_token VALUES (?1, ?2, ?3, ?4)', id, name, plan, removedMs);
      }
      for (const { id, month, count } of usage) this.#run(raise, id, monthAt(month).label, count);
      return keys.length + removed.length;
    });
  }

  log({ after, limit, lastMonth }: LogPart): LogEntry[] {
    if (this.#all("SELECT 1 FROM sqlite_schema WHERE name = 'token_log'").length === 0) return [];
    const sql = `SELECT time_ms AS timeMs, serial, entry FROM token_log WHERE (time_ms, serial) > (?1, ?2)
      AND time_ms < ?3 ORDER BY time_ms, serial LIMIT ?4`;
    const { endMs } = monthAt(lastMonth);
    const rows = this.#all<LogPosition & { entry: string }>(sql, after.timeMs, after.serial, endMs, limit);
    return rows.map(({ entry, ...position }) => readLogEntry(position, entry));
  }

  #putKey(key: StoredKey): void {
    const { id, name, role, plan, digest, createdMs, lastUsedMs, suspendedMs, expiresMs, former } = key;
    const sql = `INSERT INTO token (id, name, role, plan, digest, created_ms, last_used_ms, suspended_ms,
        expires_ms, former_digest, former_expires_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      ON CONFLICT (id) DO UPDATE SET name = ?2, role = ?3, plan = ?4, digest = ?5, created_ms = ?6,
        last_used_ms = ?7, suspended_ms = ?8, expires_ms = ?9, former_digest = ?10, former_expires_ms = ?11`;
    const properties = [id, name, role, plan, digest, createdMs, lastUsedMs, suspendedMs, expiresMs];
    this.#run(sql, ...properties, former?.digest ?? null, former?.expiresMs ?? null);
    this.#run('DELETE FROM removed_token WHERE id = ?1', id);
  }

  /** Subtracts usage that another store has taken over. */
  dropUsage(counts: readonly MonthlyCount[]): void {
    const sql = 'UPDATE usage SET used = max(0, used - ?3) WHERE id = ?1 AND month = ?2';
    this.#atomically(() => {
      for (const { id, month, count } of counts) this.#run(sql, id, monthAt(month).label, count);
      this.#run('DELETE FROM usage WHERE used = 0');
    });
  }

  requests(ids: readonly string[], month: number): ReadonlyMap<string, number> {
    return new Map(ids.map(id => [id, this.used(id, month)]));
  }

  usage({ after, limit = NO_LIMIT, month }: UsagePart = {}): MonthlyCount[] {
    const label = month == null ? undefined : monthAt(month).label;
    const from = after ? monthAt(after.month).label : (label ?? '');
    const sql = `SELECT id, month, used AS count FROM usage WHERE (month, id) > (?1, ?2) AND month <= ?3
      ORDER BY month, id LIMIT ?4`;
    return this.#all<UsageRow>(sql, from, after?.id ?? '', label ?? LAST_MONTH, limit).map(monthlyCount);
  }

  used(id: string, month: number): number {
    const sql = 'SELECT used FROM usage WHERE id = ?1 AND month = ?2';
    return this.#all<{ used: number }>(sql, id, monthAt(month).label)[0]?.used ?? 0;
  }

  record(entries: readonly UsageEntry[]): UsageTotal[] {
    return this.#atomically(() => entries.map(entry => this.#recordOne(entry)));
  }

  #recordOne(entry: UsageEntry): UsageTotal {
    const { id, count, lastUsedMs } = entry;
    const month = monthAt(entry.month).label;
    if (lastUsedMs) {
      const sql = 'UPDATE token SET last_used_ms = ?2 WHERE id = ?1 AND coalesce(last_used_ms, 0) < ?2';
      this.#run(sql, id, lastUsedMs);
    }
    if (count !== 0) {
      const sql = `INSERT INTO usage (id, month, used) VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET used = used + excluded.used`;
      this.#run(sql, id, month, count);
    }
    const used = this.used(id, entry.month);
    return { used, allowance: this.isShared ? this.#lease(entry, month, used) : Number.POSITIVE_INFINITY };
  }

  /**
   * Leases part of the quota to this worker: about as much as it will need in the next second, but at most its share of the
   * part that is neither used nor leased. All workers together can therefore never grant more than the quota.
   */
  #lease({ id, count, quota, isActive, wanted = 0 }: UsageEntry, month: string, used: number): number {
    if (quota === undefined) return Number.POSITIVE_INFINITY;
    const { index, count: workers } = this.#share;
    const sum = `SELECT coalesce(sum(allowance), 0) AS leased FROM lease
      WHERE id = ?1 AND month = ?2 AND worker <> ?3`;
    const [others] = this.#all<{ leased: number }>(sum, id, month, index);
    const free = Math.max(0, quota - used - others!.leased);
    const soon = isActive ? Math.max(MIN_LEASE, 2 * count) : 0;
    const allowance = Math.min(free, Math.max(wanted, Math.min(soon, Math.ceil(free / workers))));
    const sql = 'INSERT OR REPLACE INTO lease (id, month, worker, allowance) VALUES (?1, ?2, ?3, ?4)';
    this.#run(sql, id, month, index, allowance);
    return allowance;
  }

  /** The first batch in the outbox; if there is none, some of the usage becomes one. Null if there is no usage either. */
  takeBatch(): UsageBatch | null {
    return this.#onOutbox(() => this.#firstBatch() ?? this.#movedBatch());
  }

  /** Adds a batch to the outbox, even one that has been sent before. */
  putBatch({ receipt, counts }: UsageBatch): void {
    const sql = 'INSERT INTO moving_usage (receipt, id, month, used) VALUES (?1, ?2, ?3, ?4)';
    this.#onOutbox(() => {
      for (const { id, month, count } of counts) this.#run(sql, receipt, id, monthAt(month).label, count);
    });
  }

  /** Removes a batch that the other store has from the outbox. */
  settleBatch({ receipt }: UsageBatch): void {
    this.#onOutbox(() => this.#run('DELETE FROM moving_usage WHERE receipt = ?1', receipt));
  }

  #firstBatch(): UsageBatch | null {
    const rows = this.#all<UsageRow & { readonly receipt: string }>(
      `SELECT receipt, id, month, used AS count FROM moving_usage
         WHERE receipt = (SELECT receipt FROM moving_usage ORDER BY rowid LIMIT 1)`,
    );
    const [first] = rows;
    return first === undefined ? null : { receipt: first.receipt, counts: rows.map(monthlyCount) };
  }

  #movedBatch(): UsageBatch | null {
    const receipt = randomUUID();
    const copy = `INSERT INTO moving_usage (receipt, id, month, used)
      SELECT ?1, id, month, used FROM usage ORDER BY id, month LIMIT ?2`;
    const drop = `DELETE FROM usage WHERE (id, month) IN
      (SELECT id, month FROM moving_usage WHERE receipt = ?1)`;
    this.#run(copy, receipt, BATCH);
    this.#run(drop, receipt);
    return this.#firstBatch();
  }

  close(): void {
    this.#file.database.close();
  }

  /** Runs a statement; returns the number of changed rows. */
  #run(sql: string, ...values: SqlValue[]): number {
    return this.#file.database.query(sql).run(...values).changes;
  }

  #all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#file.database.query<Row, SqlValue[]>(sql).all(...values);
  }

  #atomically<Result>(work: () => Result): Result {
    return this.#file.database.transaction(work).immediate();
  }

  #onOutbox<Result>(work: () => Result): Result {
    return this.#atomically(() => {
      this.#file.database.run(OUTBOX);
      return work();
    });
  }

  /** Changes keys, with the entries for the log; `work` returns how many. */
  #changed(entries: readonly (LogEntry | undefined)[], work: () => number): boolean {
    const isChanged = this.#atomically(() => {
      const count = work();
      if (count > 0) this.#addToLog(entries.filter(entry => entry !== undefined));
      return count > 0;
    });
    this.#checkpoint();
    return isChanged;
  }

  #addToLog(entries: readonly LogEntry[]): void {
    const [first] = entries;
    if (first === undefined) return;
    this.#file.database.run(LOG);
    this.#run('DELETE FROM token_log WHERE time_ms < ?1', oldestLogMs(first.timeMs));
    const sql = 'INSERT INTO token_log (time_ms, serial, entry) VALUES (?1, ?2, ?3)';
    for (const entry of entries) this.#run(sql, entry.timeMs, entry.serial, JSON.stringify(entry));
  }

  /** Writes a changed key from the log to the file itself, so that a plain copy of the file has every key. */
  #checkpoint(): void {
    try {
      this.#file.database.run('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The change is safe in the log; SQLite will retry.
    }
  }
}

type SqlValue = string | number | Uint8Array | null;

function storedKey({ formerDigest, formerExpiresMs, ...key }: KeyRow): StoredKey {
  return { ...key, former: formerDigest && { digest: formerDigest, expiresMs: formerExpiresMs ?? 0 } };
}

function monthlyCount({ id, month, count }: UsageRow): MonthlyCount {
  return { id, month: monthIndexOf(month), count };
}

/** Identifies the file at a path and, if it is immutable and thus not watched by SQLite, its state. */
function identityOf(path: string, isImmutable: boolean): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'none';
  return `${stat.dev}:${stat.ino}${isImmutable ? `:${stat.mtimeMs}:${stat.size}` : ''}`;
}
