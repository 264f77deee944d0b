import { statSync } from 'node:fs';

/** What a path that leads to nothing fails with; with all else it cannot be told what is there. */
const ABSENT = ['ENOENT', 'ENOTDIR'];

/**
 * Whether something is at a path. Throws the system's error where that cannot be told, as in a folder that may not be
 * looked into: whoever took that for nothing would go on without what is there.
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
