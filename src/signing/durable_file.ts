import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The suffix of a temporary file; a crash may leave one behind. */
export const TEMPORARY = '.tmp';

/**
 * Writes a private file (mode 0600) atomically and durably: temporary file, fsync, rename, fsync of the folder. One
 * writer per path at a time.
 */
export async function writeDurably(path: string, data: string | Uint8Array, owner?: Owner): Promise<void> {
  const temporary = path + TEMPORARY;
  await rm(temporary, { force: true });
  try {
    await createFile(temporary, data, owner);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Creates and syncs a private file (mode 0600). Rejects with `EEXIST`, and does not open the file, if there is one. */
export async function createFile(path: string, data: string | Uint8Array, owner?: Owner): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  // After a rotation as root the service must still be able to read its keys.
  if (owner !== undefined && (await file.stat()).uid !== owner.uid) await file.chown(owner.uid, owner.gid);
  await file.writeFile(data);
  await file.sync();
}

/** Makes renames and new files in a folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there; renames are journaled
  await using folder = await open(path, 'r');
  await folder.sync();
}
