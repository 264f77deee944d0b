import {
  chmodSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The suffix of a temporary file; a crash may leave one behind. */
export const TEMPORARY = '.tmp';

type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/**
 * Replaces a file atomically and durably: temporary file, fsync, rename, fsync of the folder. Several processes may do so, but
 * each only once at a time per path.
 */
export async function replaceFile(path: string, chunks: Chunks, mode = 0o600): Promise<void> {
  const temporary = temporaryOf(path);
  await rm(temporary, { force: true });
  try {
    await createFile(temporary, chunks, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Replaces a file atomically, but not durably, regardless of the umask. */
export function replaceFileSync(path: string, text: string, mode = 0o600): void {
  const temporary = temporaryOf(path);
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

function temporaryOf(path: string): string {
  return `${path}.${process.pid}${TEMPORARY}`;
}

/** Creates and syncs a file. Rejects with `EEXIST`, without opening the file, if it exists. */
export async function createFile(path: string, chunks: Chunks = [], mode = 0o600): Promise<void> {
  await using file = await open(path, 'wx', mode);
  for await (const chunk of chunks) await file.writeFile(chunk); // `write` may write less
  await file.sync();
}

/** Windows has no such flags, and its unprivileged users cannot create links. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Opens a file for reading. Rejects with `ELOOP` for a symbolic link, and for a pipe, which would otherwise block. */
export async function openPrivateFile(path: string, maxBytes = Number.POSITIVE_INFINITY) {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error('it is not a file');
    if (status.size > maxBytes) throw new Error(`its ${status.size} bytes are more than ${maxBytes}`);
    return { file, status };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads a file and its mode. Rejects like {@link openPrivateFile}. */
export async function readPrivateFile(path: string, maxBytes?: number) {
  const opened = await openPrivateFile(path, maxBytes);
  await using file = opened.file;
  return { contents: await file.readFile(), mode: opened.status.mode };
}

/** Creates a private folder (mode 0700) durably. */
export async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await syncFolder(dirname(path));
}

/** Makes renames and new files in a folder survive a power failure. */
export async function syncFolder(path: string, platform: string = process.platform): Promise<void> {
  if (platform === 'win32') return; // folders cannot be synced (EPERM), but their changes are journaled
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** Error codes for a path that does not exist. */
const ABSENT = ['ENOENT', 'ENOTDIR'];

/**
 * Whether a file exists. Throws the system's error if that cannot be determined, as in an inaccessible directory: treating that
 * as absence would ignore an existing file.
 */
export function fileExists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * The path of a file, with its folder resolved. Throws `ELOOP` if the file itself is a symbolic link: any user who can write to
 * the folder could have created it, and a process with more privileges would write wherever it leads.
 */
export function pathWithoutLinks(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw Object.assign(new Error(linkRefusal(path)), { code: 'ELOOP' });
  return join(realpathSync(dirname(path)), basename(path));
}

/** The message for a symbolic link, which is not followed, with the remedy. */
export function linkRefusal(path: string): string {
  return `'${path}' is a symbolic link, which is not followed: remove it, or set --state-dir to the directory it leads to`;
}

/** A text that changes when one of the files does, by modification time, size and inode. Unreadable means absent. */
export function stampOfFiles(paths: readonly string[]): string {
  return paths.map(stampOf).join(' ');
}

function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}:${size}:${ino}`;
  } catch {
    return 'none'; // reading the file will report the error
  }
}
