import { stampOfFiles } from '../common/stamp_of_files.ts';

/** How often files are looked at where no signal tells of their change. */
const LOOK_MS = 5000;

/** Calls `onChange` whenever files have changed: see `stampOfFiles`. Yields a function that ends it. */
export function watchFiles(paths: readonly string[], onChange: () => void, everyMs = LOOK_MS): () => void {
  let known = stampOfFiles(paths);
  const timer = setInterval(() => {
    const stamp = stampOfFiles(paths);
    if (stamp === known) return;
    known = stamp;
    onChange();
  }, everyMs);
  return () => clearInterval(timer);
}
