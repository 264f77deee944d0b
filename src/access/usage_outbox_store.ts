import type { Database } from 'bun:sqlite';
import { randomUUID } from 'node:crypto';
import { monthAt, monthLabelled } from './month.ts';
import type { UsageBatch } from './usage.ts';

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
export class UsageOutbox {
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
