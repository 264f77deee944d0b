import { constants, Database, SQLiteError } from 'bun:sqlite';
import { access, constants as fileModes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFile, pathWithoutLinks } from './state_files.ts';

const RETRY_MS = 20;
const TIMEOUT_MS = 10_000;

/** A lock that another process has held for too long. */
export class LockTimeout extends Error {}

/**
 * Runs `work` while holding an exclusive lock on a folder. It is SQLite's lock on an empty database in it: the kernel releases
 * it however its process ends, so it is never stale. Rejects with `LockTimeout` if it is not released within ten seconds, with
 * the system's error if the folder is not writable, and with `ELOOP` if the database is a symbolic link.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, 'lock');
  await access(folder, fileModes.W_OK); // reports "read-only"; SQLite would report "unable to open"
  // Opening and closing an existing lock file would release this process's own lock.
  await createFile(path).catch(error => {
    if (error.code !== 'EEXIST') throw error;
  });
  const flags = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_NOFOLLOW;
  using database = new Database(pathWithoutLinks(path), flags);
  await acquire(database);
  return await work();
}

async function acquire(database: Database): Promise<void> {
  // SQLite's own wait would block the event loop.
  database.run('PRAGMA busy_timeout = 0');
  for (let waitedMs = 0; !tryToBegin(database); waitedMs += RETRY_MS) {
    if (waitedMs >= TIMEOUT_MS)
      throw new LockTimeout(`Another process has held '${database.filename}' for ten seconds`);
    await wait(RETRY_MS);
  }
}

function tryToBegin(database: Database): boolean {
  try {
    database.run('PRAGMA journal_mode = MEMORY'); // writes nothing, so that a full disk does not matter
    database.run('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
