import { watchFiles } from './watched_files.ts';

/** Resolves when the process is asked to stop, by SIGTERM or SIGINT. */
export function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

/** Calls `reload` at each SIGHUP; on Windows, which has none, when one of the files changes. */
export function onReloadSignal(reload: () => void, files: readonly string[]): void {
  if (process.platform === 'win32') watchFiles(files, reload);
  else process.on('SIGHUP', reload);
}
