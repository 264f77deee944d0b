import { coalesced } from '../common/once.ts';
import { stampOfFiles } from '../common/stat_files.ts';
import type { MetricFamily } from '../http/metrics.ts';
import { type Reloader, type ReloadFailure, reloadSummary } from './reload.ts';
import { type ReloadReport, writeReloadReport } from './reload_report.ts';
import type { Environment } from './state_directory.ts';
import { systemdNotifier } from './systemd_notify.ts';

/** The process's environment variables and its standard output. */
export interface ProcessContext {
  readonly environment: Environment;
  /** Prints one or more lines to stdout. */
  readonly print: (text: string) => void;
}

/** What a server reports when it accepts connections. */
export interface Readiness {
  /** The lines for stdout. */
  readonly lines: readonly string[];
  /** What is wrong although it serves: a line each. */
  readonly problems: readonly string[];
}

/** What controls a serving process: the operating system, or the supervisor of workers. */
export interface Lifecycle {
  /** The metrics of the whole server, including this process. */
  readonly gatherMetrics: () => Promise<readonly MetricFamily[]>;
  /** Reports that requests require API keys from now on. */
  readonly onKeyed: () => void;
  /** Reports readiness; resolves when the process must stop. */
  readonly untilStop: (readiness: Readiness) => Promise<void>;
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
  reportPath: string,
): Lifecycle {
  const reload = async () => (await reloader.run()).failures;
  const { untilStop } = systemControl(context, reload, files, reportPath);
  return {
    gatherMetrics: async () => ownMetrics(),
    onKeyed() {},
    untilStop: readiness => untilStop(readiness, 'accepting connections'),
  };
}

/**
 * Control of the main process by signals, with its state reported to systemd, stdout and the file of `meridian reload`.
 * Reloads on each SIGHUP; on Windows, which has none, when one of the files changes.
 */
export function systemControl(
  { environment, print }: ProcessContext,
  reload: () => Promise<readonly ReloadFailure[]>,
  files: readonly string[],
  reportPath: string,
) {
  const systemd = systemdNotifier(environment);
  const stopped = new Promise<void>(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  let report: ReloadReport = { pid: process.pid, started: 0, finished: 0, failures: [] };
  function publish(changes: Partial<ReloadReport>): void {
    report = { ...report, ...changes };
    try {
      writeReloadReport(reportPath, report);
    } catch {
      // Only `meridian reload` misses it, and says so.
    }
  }
  const onReload = coalesced(async () => {
    systemd.reloading();
    publish({ started: report.started + 1 });
    const failures = await reload();
    publish({ finished: report.started, failures });
    systemd.ready(reloadSummary(failures));
  });
  if (process.platform === 'win32') watchFiles(files, onReload);
  else process.on('SIGHUP', onReload);
  return {
    /** Resolves on SIGTERM or SIGINT. */
    stopped,
    /** Reports readiness, and resolves when the process must stop. */
    async untilStop({ lines, problems }: Readiness, status: string): Promise<void> {
      publish({});
      print(lines.join('\n'));
      systemd.ready([status, ...problems].join('; '));
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
