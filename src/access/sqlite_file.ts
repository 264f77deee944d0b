import { constants, Database } from 'bun:sqlite';
import {
  accessSync,
  closeSync,
  constants as fileModes,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileExists, pathWithoutLinks } from '../common/state_files.ts';
import { ADVICE, asStoreError, StoreError, sqliteCode, subject } from './sqlite_errors.ts';
import { ADDITIONS, MIGRATIONS } from './sqlite_schema.ts';

export interface OpenOptions {
  /** Create the file if it is missing. */
  readonly create: boolean;
  /** Whether a commit must survive a power failure, not only a crash of the process. */
  readonly durable: boolean;
  /** How long to block on a lock of another process, milliseconds. */
  readonly busyMs: number;
}

/** Whether a key store exists. Throws a StoreError if that cannot be determined. */
export function hasKeyStore(path: string): boolean {
  try {
    return fileExists(path);
  } catch (error) {
    throw asStoreError(subject(path), error);
  }
}

/** Symbolic links are not followed. SQLite never follows links in place of its side files, but only reports that it cannot open them. */
const WRITABLE = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_NOFOLLOW;
const READ_ONLY = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI | constants.SQLITE_OPEN_NOFOLLOW;
const SIDE_FILES = ['-wal', '-shm', '-journal'];

/**
 * Opens the SQLite file of the key store: checked, in WAL mode, with the latest schema. Throws a StoreError for a file
 * that is damaged, truncated, newer than this program, inaccessible or a symbolic link, and leaves it unchanged. A file in
 * a read-only folder is opened as immutable: changes are visible only after reopening it.
 */
export function openSqliteFile(path: string, options: OpenOptions) {
  if (options.create && !hasKeyStore(path)) createFile(path);
  try {
    for (const suffix of SIDE_FILES) pathWithoutLinks(path + suffix);
    return openResolved(pathWithoutLinks(path), path, options);
  } catch (error) {
    // SQLite only reports that it is unable to open the file if this user lacks permission.
    const denied = sqliteCode(error) && accessErrorOf(path, fileModes.R_OK);
    throw asStoreError(subject(path), denied || error);
  }
}

function openResolved(resolved: string, path: string, options: OpenOptions) {
  try {
    if (statSync(path).size === 0) throw new StoreError(`${subject(path)}: the file is empty. ${ADVICE}`);
    const database = prepared(new Database(resolved, WRITABLE), path, options, migrate);
    return { database, isImmutable: false, recordsChanges: hasAdditions(database) };
  } catch (error) {
    if (!isReadOnlyFolder(error, dirname(path)) || hasUnmergedLog(path)) throw error;
    // SQLite needs to create side files even to read, except for an immutable file, which it is on a read-only mount.
    const immutable = new Database(`${Bun.pathToFileURL(resolved)}?immutable=1`, READ_ONLY);
    const database = prepared(immutable, path, options, presentAsLatest);
    return { database, isImmutable: true, recordsChanges: false };
  }
}

/** The system's error if this user lacks permission. */
function accessErrorOf(path: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** Whether SQLite failed because a folder is not writable. On a read-only mount it reports that it cannot open the file. */
function isReadOnlyFolder(error: unknown, folder: string): boolean {
  const code = sqliteCode(error);
  if (code === 'SQLITE_READONLY_DIRECTORY') return true;
  return code === 'SQLITE_CANTOPEN' && accessErrorOf(folder, fileModes.W_OK)?.code === 'EROFS';
}

/** A database that has been checked and configured; `adapt` brings it to the latest schema. */
function prepared(
  database: Database,
  path: string,
  options: OpenOptions,
  adapt: (database: Database) => void,
): Database {
  try {
    database.run(`PRAGMA busy_timeout = ${options.busyMs}`);
    const problem = problemOf(database, path);
    if (problem !== undefined) throw new StoreError(`${subject(path)}: ${problem}`);
    database.run('PRAGMA journal_mode = WAL');
    database.run(`PRAGMA synchronous = ${options.durable ? 'FULL' : 'NORMAL'}`);
    adapt(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function problemOf(database: Database, path: string): string | undefined {
  const [version, known] = [versionOf(database), MIGRATIONS.length];
  if (version > known)
    return `a newer meridian wrote it (schema ${version}, this one knows ${known}). Nothing was changed`;
  const checked = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()?.quick_check;
  if (checked !== 'ok') return `the file is damaged (${checked}). ${ADVICE}`;
  return isTruncated(path) ? `the file is truncated. ${ADVICE}` : undefined;
}

/** Whether the write-ahead log has changes that are not in the file yet. */
function hasUnmergedLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Whether the file is shorter than its header says, which SQLite does not notice if the end of the last page is unused. */
function isTruncated(path: string): boolean {
  if (hasUnmergedLog(path)) return false; // the header may be ahead of the other pages
  const header = Buffer.alloc(32);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
    const pageBytes = header.readUInt16BE(16); // SQLite's default is 4096
    return fstatSync(file).size < header.readUInt32BE(28) * pageBytes;
  } finally {
    closeSync(file);
  }
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>('PRAGMA user_version').get()!.user_version;
}

/** Applies missing steps under the lock, where the state is read again, as another process may be migrating, too. */
function migrate(database: Database): void {
  const steps = database.transaction(() => {
    for (let version = versionOf(database); version < MIGRATIONS.length; version++) {
      database.run(MIGRATIONS[version]!);
      database.run(`PRAGMA user_version = ${version + 1}`);
    }
  });
  const additions = database.transaction(() => {
    if (!hasAdditions(database)) database.run(ADDITIONS);
  });
  if (versionOf(database) !== MIGRATIONS.length) steps.immediate();
  if (hasAdditions(database)) return;
  try {
    additions.immediate();
  } catch (error) {
    // The file is locked, not writable or on a full disk: lists and key changes then take longer.
    if (sqliteCode(error) === undefined) throw error;
  }
}

function hasAdditions(database: Database): boolean {
  return database.query("SELECT 1 FROM sqlite_schema WHERE name = 'token_change'").get() !== null;
}

/** Presents the tables of a file that cannot be migrated in the form of the latest schema. */
function presentAsLatest(database: Database): void {
  const version = versionOf(database);
  if (version >= 3) return;
  const role = version < 2 ? ", 'client' AS role" : '';
  const later = 'NULL AS expires_ms, NULL AS former_digest, NULL AS former_expires_ms';
  database.run(`CREATE TEMP VIEW token AS SELECT *${role}, ${later} FROM main.token`);
  database.run(
    'CREATE TEMP VIEW removed_token AS SELECT id, name, plan, 0 AS removed_ms FROM main.token WHERE 0',
  );
}

/** Creates the file under a temporary name and links it into place, so that it replaces no other; a file system without links may. SQLite syncs the folder. */
function createFile(path: string): void {
  const temporary = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, '', { flag: 'wx', mode: 0o600 });
    const database = new Database(pathWithoutLinks(temporary), WRITABLE);
    migrate(database);
    database.close();
    linkIntoPlace(temporary, path);
  } catch (error) {
    const isDenied = (error as NodeJS.ErrnoException).code === 'EACCES';
    throw asStoreError(`Cannot create '${path}'${isDenied ? ': this user may not write there' : ''}`, error);
  } finally {
    rmSync(temporary, { force: true });
    rmSync(`${temporary}-journal`, { force: true });
  }
}

function linkIntoPlace(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return; // another process was first
    renameSync(temporary, path); // a file system without hard links
  }
}
