/**
 * Calls `work`, which must not reject, after each pause, in milliseconds, until the returned function is called. That resolves
 * when a call in progress has finished.
 */
export function repeatedly(pauseMs: () => number, work: () => Promise<void>): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  let timer: Timer;
  const schedule = () => {
    timer = setTimeout(() => {
      running = work().then(() => {
        if (!isStopped) schedule();
      });
    }, pauseMs());
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
