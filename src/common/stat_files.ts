import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

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
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw Object.assign(new Error(linkRefusal(path)), { code: 'ELOOP' });
  }
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
