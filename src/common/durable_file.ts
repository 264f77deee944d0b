import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
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
  // What root has written the service must still be able to read.
  if (owner !== undefined && (await file.stat()).uid !== owner.uid) await file.chown(owner.uid, owner.gid);
  await file.writeFile(data);
  await file.sync();
}

/** Windows has no such flags, nor links that users without privileges can create. */
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** Creates a private folder (mode 0700) that has the owner of its parent. */
export async function createFolder(path: string): Promise<Owner> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const parent = await stat(dirname(path));
  if ((await lstat(path)).uid !== parent.uid) {
    // By descriptor: its name could lead to another one by now.
    await using folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await folder.chown(parent.uid, parent.gid);
  }
  await syncFolder(dirname(path));
  return parent;
}

/** Makes renames and new files in a folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there; renames are journaled
  await using folder = await open(path, 'r');
  await folder.sync();
}
