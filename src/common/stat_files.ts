import { statSync } from 'node:fs';

/** Errors of a path that does not exist. */
const ABSENT = ['ENOENT', 'ENOTDIR'];

/**
 * Whether a file exists. Throws the system's error if that is unknown, as in a directory without access: treating that as
 * absence would ignore an existing file.
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
