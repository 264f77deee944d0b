import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A numeric user and group. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** What a writer that was stopped half-way leaves beside the file it meant to write. */
export const UNFINISHED = '.tmp';

/**
 * Writes a private file (mode 0600) whole or not at all, and so that it is still there after a power cut:
 * a temporary file beside it, fsync, rename, fsync of the folder. One writer at a time a path.
 */
export async function writeDurably(path: string, text: string, owner: Owner): Promise<void> {
  const unfinished = path + UNFINISHED;
  await rm(unfinished, { force: true });
  try {
    await writeAndSync(unfinished, text, owner);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeAndSync(path: string, text: string, owner: Owner): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    // Only root makes files for others: a rotation as root must not lock the service out of its keys.
    if ((await file.stat()).uid !== owner.uid) await file.chown(owner.uid, owner.gid);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes renames and new entries of a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there, renames are journaled
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
