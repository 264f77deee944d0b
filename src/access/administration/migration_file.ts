import type { Database } from 'bun:sqlite';
import { monthAt } from '../month.ts';
import { type Plan, type PlanEntry, planEntry } from '../plan.ts';
import type { PlanFile } from '../plan_file.ts';
import { openSqliteFile } from '../sqlite_file.ts';
import { SqliteStore } from '../sqlite_store.ts';
import { isRemoved } from '../stored_token.ts';
import type { UsageBatch } from '../usage.ts';
import { isSameOrRotated, type MigrationStore, type MovedKey } from './migration.ts';

/**
 * Tables for an unfinished migration; versions without migrations ignore them. `received_usage` has the receipts of received
 * usage.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS migration (id TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS received_usage (receipt TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

/** The API keys and usage in a state directory, and the plans in a plans file, as the source or target of a migration. */
export class MigrationFile implements MigrationStore {
  readonly name: string;
  readonly #store: SqliteStore;
  readonly #database: Database;
  readonly #plans: PlanFile | null;

  /** Creates the file if it is missing. Throws a StoreError. `plans` is null if there is no plans file. */
  constructor(path: string, busyMs: number, plans: PlanFile | null) {
    this.name = path;
    const options = { create: true, durable: true, busyMs };
    this.#store = new SqliteStore(path, options);
    this.#database = openSqliteFile(path, options).database;
    this.#database.run(TABLES);
    this.#plans = plans;
  }

  migration(): string | null {
    return this.#database.query<{ id: string }, []>('SELECT id FROM migration').get()?.id ?? null;
  }

  setMigration(id: string | null): void {
    this.#database.transaction(() => {
      this.#database.run('DELETE FROM migration');
      if (id === null) this.#database.run('DELETE FROM received_usage');
      else this.#database.query('INSERT INTO migration VALUES (?1)').run(id);
    })();
  }

  keys(): MovedKey[] {
    const tokens = this.#store.tokens().map(token => ({ id: token.id, token, removed: null }));
    const removed = this.#store.removed().map(removed => ({ id: removed.id, token: null, removed }));
    return [...tokens, ...removed];
  }

  key(id: string): MovedKey | null {
    const key = this.#store.find([id]).get(id);
    if (key === undefined) return null;
    return isRemoved(key) ? { id, token: null, removed: key } : { id, token: key, removed: null };
  }

  replaceKey(former: MovedKey, key: MovedKey): boolean {
    const replace = this.#database.transaction(() => {
      if (!this.dropKey(former)) return false;
      this.#insert(key);
      return true;
    });
    return replace.immediate();
  }

  putKey(key: MovedKey): boolean {
    const { id, token } = key;
    const present = this.key(id)?.token ?? null;
    if (present !== null) return token !== null && isSameOrRotated(present, token);
    this.#insert(key);
    return true;
  }

  dropKey({ id, token }: MovedKey): boolean {
    if (token === null) {
      this.#database.query('DELETE FROM removed_token WHERE id = ?1').run(id);
      return true;
    }
    const { name, role, plan, digest, suspendedMs, expiresMs } = token;
    const { changes } = this.#database
      .query(
        `DELETE FROM token WHERE id = ?1 AND name = ?2 AND role = ?3 AND plan = ?4 AND digest = ?5
           AND suspended_ms IS ?6 AND expires_ms IS ?7`,
      )
      .run(id, name, role, plan, digest, suspendedMs, expiresMs);
    return changes > 0;
  }

  plans(): ReadonlyMap<string, PlanEntry> {
    const plans = this.#plans?.exists ? this.#plans.plans() : new Map<string, Plan>();
    return new Map([...plans].map(([name, plan]) => [name, planEntry(plan)]));
  }

  putPlan(name: string, entry: PlanEntry): void {
    if (this.#plans === null) throw new Error(`Moving plan '${name}' to a file requires --plans FILE`);
    this.#plans.set(name, entry);
  }

  /** Does nothing, since the file is the operator's; the plans in Redis override those in it. */
  dropPlan(): void {}

  hasUsage(): boolean {
    return this.#store.usage().length > 0;
  }

  async *takeUsage(): AsyncGenerator<UsageBatch> {
    for (let batch = this.#store.outbox.take(); batch !== null; batch = this.#store.outbox.take())
      yield batch;
  }

  async *unsettledUsage(): AsyncGenerator<UsageBatch> {
    for (let batch = this.#store.outbox.first(); batch !== null; batch = this.#store.outbox.first())
      yield batch;
  }

  addUsage({ receipt, counts }: UsageBatch): void {
    this.#database.transaction(() => {
      const { changes } = this.#database
        .query('INSERT OR IGNORE INTO received_usage VALUES (?1)')
        .run(receipt);
      if (changes === 0) return;
      for (const { id, month, count } of counts) {
        this.#database
          .query(
            `INSERT INTO usage (id, month, used) VALUES (?1, ?2, ?3)
               ON CONFLICT DO UPDATE SET used = used + excluded.used`,
          )
          .run(id, monthAt(month).label, count);
      }
    })();
  }

  settleUsage({ receipt }: UsageBatch): void {
    this.#store.outbox.settle(receipt);
  }

  close(): void {
    this.#database.close();
    this.#store.close();
  }

  #insert({ id, token, removed }: MovedKey): void {
    if (removed !== null) {
      const { name, plan, removedMs } = removed;
      this.#database
        .query('INSERT OR IGNORE INTO removed_token (id, name, plan, removed_ms) VALUES (?1, ?2, ?3, ?4)')
        .run(id, name, plan, removedMs);
      return;
    }
    const { name, role, plan, digest, createdMs, lastUsedMs, suspendedMs, expiresMs, former } = token;
    this.#database
      .query(
        `INSERT INTO token (id, name, role, plan, digest, created_ms, last_used_ms, suspended_ms, expires_ms,
           former_digest, former_expires_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
      )
      .run(
        ...[id, name, role, plan, digest, createdMs, lastUsedMs, suspendedMs, expiresMs],
        former?.digest ?? null,
        former?.expiresMs ?? null,
      );
  }
}
