import { Database, SQLiteError } from 'bun:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { KeyStoreError } from './key_store.ts';

const RETRY_MS = 20;
const PATIENCE_MS = 10_000;

/**
 * Runs `work` while no other process runs anything under the same lock. The lock is SQLite's on the empty database
 * `path`: the kernel holds it, so it ends with its process however that ends, and is never stale.
 *
 * @throws {KeyStoreError} when the lock stays taken for ten seconds
 * @throws {SQLiteError} when `path` is not there or cannot be written
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const database = new Database(path, { readwrite: true, create: false });
  try {
    await acquire(database);
    return await work();
  } finally {
    database.close();
  }
}

async function acquire(database: Database): Promise<void> {
  // SQLite's own waiting would block the event loop.
  database.run('PRAGMA busy_timeout = 0');
  for (let waitedMs = 0; !tryToBegin(database); waitedMs += RETRY_MS) {
    if (waitedMs >= PATIENCE_MS) {
      throw new KeyStoreError(
        'unwritable',
        `Another process has held '${database.filename}' for ten seconds`,
      );
    }
    await wait(RETRY_MS);
  }
}

function tryToBegin(database: Database): boolean {
  try {
    database.run('PRAGMA journal_mode = MEMORY'); // the lock alone is wanted: nothing is written, full disk or not
    database.run('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
