import { messageOf } from '../common/message_of.ts';
import { coalesced } from '../common/once.ts';
import { stampOfFiles } from '../common/stat_files.ts';
import type { MetricFamily } from '../http/metrics.ts';
import {
  type ControlPaths,
  readControlFile,
  type ServerReport,
  type UpgradeRequest,
  writeControlFile,
} from './control_files.ts';
import type { EventLog } from './event_log.ts';
import { type Reloader, type ReloadResult, reloadSummary } from './reload.ts';
import type { Environment } from './state_directory.ts';
import { ownCommand, reportSuccession, startSuccessor } from './succession.ts';
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
  /** The addresses that it serves, in the syntax of `--listen`, with actual ports. */
  readonly addresses: readonly string[];
}

/** What controls a serving process: the operating system, or the supervisor of workers. */
export interface Lifecycle {
  /** The metrics of the whole server, including this process. */
  readonly gatherMetrics: () => Promise<readonly MetricFamily[]>;
  /** Reports that requests require API keys from now on. */
  readonly onKeyed: () => void;
  /** Reports readiness; resolves when the process must stop, with whether another has taken over. */
  readonly untilStop: (readiness: Readiness) => Promise<boolean>;
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
  paths: ControlPaths,
  log: EventLog,
): Lifecycle {
  const { untilStop } = systemControl(context, { reload: () => reloader.run(), files, paths, log });
  return {
    gatherMetrics: async () => ownMetrics(),
    onKeyed() {},
    untilStop: readiness => untilStop(readiness, 'accepting connections'),
  };
}

/** What the main process of a server is controlled with. */
interface Control {
  readonly reload: () => Promise<ReloadResult>;
  /** The files that a reload reads. */
  readonly files: readonly string[];
  readonly paths: ControlPaths;
  readonly log: EventLog;
}

/**
 * Control of the main process by signals, with its state reported to systemd, stdout and the {@link ServerReport}. Reloads on
 * each SIGHUP; on Windows, which has none, when one of the files changes. On SIGUSR2 hands over to another program and stops.
 */
export function systemControl(
  { environment, print }: ProcessContext,
  { reload, files, paths, log }: Control,
) {
  const systemd = systemdNotifier(environment);
  const stop = Promise.withResolvers<void>();
  let isStopping = false;
  let isSucceeded = false;
  function requestStop(): void {
    isStopping = true;
    stop.resolve();
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, requestStop);
  let report: ServerReport = {
    pid: process.pid,
    started: 0,
    finished: 0,
    failures: [],
    pending: [],
    failedUpgrades: 0,
    upgradeError: '',
  };
  function publish(changes: Partial<ServerReport>): void {
    report = { ...report, ...changes };
    if (isSucceeded) return;
    try {
      writeControlFile(paths.report, report);
    } catch {
      // Only the commands that wait for it miss it, and say so.
    }
  }
  const onReload = coalesced(async () => {
    systemd.reloading();
    publish({ started: report.started + 1 });
    const { failures, pending } = await reload();
    publish({ finished: report.started, failures, pending });
    systemd.ready(reloadSummary(failures));
  });
  if (process.platform === 'win32') watchFiles(files, onReload);
  else process.on('SIGHUP', onReload);

  async function handOver(addresses: readonly string[]): Promise<void> {
    if (isSucceeded) return;
    const request = readControlFile<UpgradeRequest>(paths.upgrade);
    if (request === undefined) return;
    const program = request.program ?? process.execPath;
    log.info('upgrade started', { program });
    try {
      const command = request.program === null ? ownCommand([]) : [request.program];
      const pid = await startSuccessor(command, addresses, stop.promise);
      isSucceeded = true;
      systemd.succeeded(pid);
      log.info('handed over', { program, pid });
      requestStop();
    } catch (error) {
      log.error('upgrade failed; this process goes on', { program, error: messageOf(error) });
      publish({ failedUpgrades: report.failedUpgrades + 1, upgradeError: messageOf(error) });
    }
  }

  return {
    /** Resolves on SIGTERM or SIGINT, and when another process has taken over. */
    stopped: stop.promise,
    /**
     * Reports readiness; resolves when the process must stop, with whether another has taken over. A process that was stopped
     * while it started reports nothing: its predecessor, if there is one, then keeps serving.
     */
    async untilStop({ lines, problems, addresses }: Readiness, status: string): Promise<boolean> {
      if (isStopping) return false;
      publish({});
      try {
        print(lines.join('\n'));
      } catch (error) {
        // The pipe is closed or the disk is full; the server can still serve requests.
        log.warn('cannot write to stdout', { text: lines.join('; '), error: messageOf(error) });
      }
      systemd.ready([status, ...problems].join('; '));
      systemd.startWatchdog();
      // Only now would a predecessor stop, which systemd still takes for the service.
      reportSuccession(environment);
      if (process.platform === 'linux')
        process.on(
          'SIGUSR2',
          coalesced(() => handOver(addresses)),
        );
      await stop.promise;
      if (!isSucceeded) systemd.stopping();
      return isSucceeded;
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
