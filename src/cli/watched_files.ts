import { statSync } from 'node:fs';

/** How often files are looked at where no signal tells of their change. */
const LOOK_MS = 5000;

/**
 * Calls `onChange` whenever files have changed, which their times, sizes and inodes tell. What cannot be looked at, as
 * a file that is being replaced, counts as one that is not there. Yields a function that ends it.
 */
export function watchFiles(paths: readonly string[], onChange: () => void, everyMs = LOOK_MS): () => void {
  let known = stampOf(paths);
  const timer = setInterval(() => {
    const stamp = stampOf(paths);
    if (stamp === known) return;
    known = stamp;
    onChange();
  }, everyMs);
  return () => clearInterval(timer);
}

function stampOf(paths: readonly string[]): string {
  return paths
    .map(path => {
      try {
        const { mtimeMs, size, ino } = statSync(path);
        return `${mtimeMs} ${size} ${ino}`;
      } catch {
        return 'none';
      }
    })
    .join('\n');
}
