/** Resolves when the process is asked to stop, by SIGTERM or SIGINT. */
export function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

/** Calls `reload` at each SIGHUP, which Windows does not have. */
export function onReloadSignal(reload: () => void): void {
  if (process.platform !== 'win32') process.on('SIGHUP', reload);
}
