import { statSync } from 'node:fs';

/** How often files are looked at where no signal tells of their change. */
const LOOK_MS = 5000;

/**
 * Calls `onChange` whenever files have changed, which their times, sizes and inodes tell. What cannot be looked at
 * counts as a file too: it changes when it comes. Yields a function that ends it.
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
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? 'none' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    })
    .join('\n');
}
