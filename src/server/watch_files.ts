import { stampOfFiles } from '../common/state_files.ts';

const POLL_MS = 5000;

/** Polls files and calls `onChange` when their {@link stampOfFiles} changes. Returns a function that stops polling. */
export function watchFiles(paths: readonly string[], onChange: () => void, pollMs = POLL_MS): () => void {
  let lastStamp = stampOfFiles(paths);
  const timer = setInterval(() => {
    const stamp = stampOfFiles(paths);
    if (stamp === lastStamp) return;
    lastStamp = stamp;
    onChange();
  }, pollMs);
  return () => clearInterval(timer);
}
