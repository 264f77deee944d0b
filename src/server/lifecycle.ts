import { stampOfFiles } from '../common/stat_files.ts';
import type { MetricFamily } from '../http/metrics.ts';
import type { Reloader } from './reload.ts';
import type { Environment } from './state_directory.ts';
import { systemdNotifier } from './systemd_notify.ts';

/** The process's environment variables and its standard output. */
export interface ProcessContext {
  readonly environment: Environment;
  /** Prints one or more lines to stdout. */
  readonly print: (text: string) => void;
}

/** What controls a serving process: the operating system, or the supervisor of workers. */
export interface Lifecycle {
  /** The metrics of the whole server, including this process. */
  readonly gatherMetrics: () => Promise<readonly MetricFamily[]>;
  /** Reports that requests require API keys from now on. */
  readonly onKeyed: () => void;
  /** Reports readiness, with the lines for stdout; resolves when the process must stop. */
  readonly untilStop: (lines: readonly string[]) => Promise<void>;
}

/** What a {@link Lifecycle} needs from the process that it controls. */
export interface ControlledProcess {
  readonly reloader: Reloader;
  readonly ownMetrics: () => MetricFamily[];
  /** The files that a reload reads. */
  readonly files: readonly string[];
}

/** The life cycle of a single-process server. */
export function standaloneLifecycle(
  context: ProcessContext,
  { reloader, ownMetrics, files }: ControlledProcess,
): Lifecycle {
  const { untilStop } = systemControl(context, () => reloader.run(), files);
  return {
    gatherMetrics: async () => ownMetrics(),
    onKeyed() {},
    untilStop: lines => untilStop(lines, 'accepting connections'),
  };
}

/**
 * Control of the main process by signals, with its state reported to systemd and stdout. Reloads on each SIGHUP; on
 * Windows, which has none, when one of the files changes.
 */
export function systemControl(
  { environment, print }: ProcessContext,
  reload: () => Promise<unknown>,
  files: readonly string[],
) {
  const systemd = systemdNotifier(environment);
  const stopped = new Promise<void>(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  async function onReload(): Promise<void> {
    systemd.reloading();
    await reload();
    systemd.ready('reloaded');
  }
  if (process.platform === 'win32') watchFiles(files, onReload);
  else process.on('SIGHUP', onReload);
  return {
    /** Resolves on SIGTERM or SIGINT. */
    stopped,
    /** Reports readiness, and resolves when the process must stop. */
    async untilStop(lines: readonly string[], status: string): Promise<void> {
      print(lines.join('\n'));
      systemd.ready(status);
      systemd.startWatchdog();
      await stopped;
      systemd.stopping();
    },
  };
}

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
