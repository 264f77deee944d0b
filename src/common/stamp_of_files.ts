import { statSync } from 'node:fs';

/** Changes when one of the files does, as their times, sizes and inodes tell. What cannot be looked at counts as gone. */
export function stampOfFiles(paths: readonly string[]): string {
  return paths.map(stampOf).join(' ');
}

function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}:${size}:${ino}`;
  } catch {
    return 'none'; // Reading it tells why.
  }
}
