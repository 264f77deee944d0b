/** Resolves when the process is asked to stop, by SIGTERM or SIGINT. */
export function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
