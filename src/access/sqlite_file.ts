import { constants, Database, SQLiteError } from 'bun:sqlite';
import {
  accessSync,
  chownSync,
  closeSync,
  constants as fileModes,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileExists } from '../common/existing_file.ts';
import { systemReason } from '../common/system_reason.ts';
import { MIGRATIONS } from './sqlite_schema.ts';
import { StoreError } from './store_error.ts';

/** How a store is opened. */
export interface OpenOptions {
  /** Make the file where there is none. */
  readonly create: boolean;
  /** Whether a commit must outlive a power failure; without, it outlives a crash of the process. */
  readonly durable: boolean;
  /** How long to wait for another process, milliseconds; this blocks. */
  readonly busyMs: number;
}

/** An open store. */
export interface OpenFile {
  readonly database: Database;
  /** Whether it is read as a file that nobody changes; a change is seen only by opening it again. */
  readonly isImmutable: boolean;
}

/** Whether there is a token store at a path. Throws a StoreError where that cannot be told. */
export function hasTokenStore(path: string): boolean {
  try {
    return fileExists(path);
  } catch (error) {
    throw asStoreError(subject(path), error);
  }
}

/**
 * Opens the SQLite file of the token store: checked, in WAL mode, at the newest schema. Throws a StoreError for a file that is
 * damaged, cut off, newer than this program or out of reach; such a file is left as it is. One in a folder that cannot be written
 * is opened for reading.
 */
export function openSqliteFile(path: string, options: OpenOptions): OpenFile {
  if (options.create && !hasTokenStore(path)) createFile(path);
  try {
    if (statSync(path).size === 0) throw new StoreError(`${subject(path)}: the file is empty. ${ADVICE}`);
    return { database: prepared(new Database(path, { readwrite: true }), path, options), isImmutable: false };
  } catch (error) {
    if (isReadOnlyFolder(error, dirname(path)) && !hasUnmergedLog(path)) {
      return { database: openImmutable(path, options), isImmutable: true };
    }
    throw asStoreError(subject(path), refusalOf(path) ?? error);
  }
}

/** Why the system lets this user not read a file, if it does not: SQLite says only that it is unable to open it. */
function refusalOf(path: string): unknown {
  try {
    accessSync(path, fileModes.R_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What was thrown while a store was used, as a StoreError that begins with `what`. */
export function asStoreError(what: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const isBusy = error instanceof SQLiteError && (error.code ?? '').startsWith('SQLITE_BUSY');
  return new StoreError(`${what}: ${describeFailure(error)}`, isBusy);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof SQLiteError)) return systemReason(error);
  const code = (error.code ?? '').replace(/^(SQLITE_[A-Z]+)_.*/, '$1');
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
    return `the file is damaged (${error.message}). ${ADVICE}`;
  }
  if (['SQLITE_READONLY', 'SQLITE_READONLY_DIRECTORY'].includes(error.code ?? '')) {
    return `it may not be written to, at least not by this user (${error.code})`;
  }
  return `${error.message} (${error.code})`;
}

const ADVICE =
  "Nothing was changed; put a copy back in its place, or save what is left with 'sqlite3 FILE .recover'";

function subject(path: string): string {
  return `Cannot use the API keys in '${path}'`;
}

function prepared(database: Database, path: string, options: OpenOptions): Database {
  try {
    database.run(`PRAGMA busy_timeout = ${options.busyMs}`);
    checkVersion(database, path);
    const checked = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()?.quick_check;
    if (checked !== 'ok')
      throw new StoreError(`${subject(path)}: the file is damaged (${checked}). ${ADVICE}`);
    database.run('PRAGMA journal_mode = WAL');
    database.run(`PRAGMA synchronous = ${options.durable ? 'FULL' : 'NORMAL'}`);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function checkVersion(database: Database, path: string): void {
  const version = versionOf(database);
  if (version <= MIGRATIONS.length) return;
  throw new StoreError(
    `${subject(path)}: a newer meridian wrote it (schema ${version}, this one knows ${MIGRATIONS.length}). Nothing was changed`,
  );
}

/** Whether SQLite failed because a folder cannot be written. Of one that is mounted read-only it says that it cannot open the file. */
function isReadOnlyFolder(error: unknown, folder: string): boolean {
  if (!(error instanceof SQLiteError)) return false;
  if (error.code === 'SQLITE_READONLY_DIRECTORY') return true;
  return error.code === 'SQLITE_CANTOPEN' && isMountedReadOnly(folder);
}

function isMountedReadOnly(folder: string): boolean {
  try {
    accessSync(folder, fileModes.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Whether a write-ahead log holds changes that the file itself lacks. */
function hasUnmergedLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** SQLite needs side files even to read, unless told that nobody writes: true as far as this folder's mount goes. */
function openImmutable(path: string, options: OpenOptions): Database {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  return prepared(new Database(`${Bun.pathToFileURL(path)}?immutable=1`, flags), path, options);
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>('PRAGMA user_version').get()!.user_version;
}

function migrate(database: Database): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  // Another process may be at it too: the version counts only under the lock.
  const steps = database.transaction(() => {
    for (let version = versionOf(database); version < MIGRATIONS.length; version++) {
      database.run(MIGRATIONS[version]!);
      database.run(`PRAGMA user_version = ${version + 1}`);
    }
  });
  steps.immediate();
}

/**
 * Makes the file aside and links it into place whole, so that nobody ever sees half of one, and never over another. It belongs to
 * the folder's owner: one made by root stays readable to the service. (SQLite gives its side files the same owner.)
 */
function createFile(path: string): void {
  const aside = `${path}.${process.pid}.new`;
  try {
    const folder = dirname(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(aside, 'wx', 0o600));
    const { uid, gid } = statSync(folder);
    if (process.getuid?.() === 0) chownSync(aside, uid, gid);
    const database = new Database(aside, { readwrite: true });
    migrate(database);
    database.close();
    linkIntoPlace(aside, path);
    syncFolder(folder);
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === 'EACCES';
    throw asStoreError(`Cannot make '${path}'${isRefused ? ': this user may not write there' : ''}`, error);
  } finally {
    rmSync(aside, { force: true });
    rmSync(`${aside}-journal`, { force: true });
  }
}

function linkIntoPlace(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return; // another process was first
    renameSync(aside, path); // a file system without hard links
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
