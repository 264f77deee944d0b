import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The suffix of a temporary file; a crash may leave one behind. */
export const TEMPORARY = '.tmp';

/**
 * Writes a private file (mode 0600) atomically and durably: temporary file, fsync, rename, fsync of the folder. Supports only one
 * writer per path at a time.
 */
export async function writeDurably(path: string, data: string | Uint8Array): Promise<void> {
  const temporary = path + TEMPORARY;
  await rm(temporary, { force: true });
  try {
    await createFile(temporary, data);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Creates and syncs a private file (mode 0600). Rejects with `EEXIST`, without opening the file, if it exists. */
export async function createFile(path: string, data: string | Uint8Array): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(data);
  await file.sync();
}

/** Windows has no such flags, and its unprivileged users cannot create links. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a file for reading. Rejects with `ELOOP` for a symbolic link, and for a pipe, which would otherwise block.
 */
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
