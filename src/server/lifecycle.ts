import { messageOf } from '../common/errors.ts';
import { coalesced } from '../common/promises.ts';
import { stampOfFiles } from '../common/state_files.ts';
import type { MetricFamily } from '../http/traffic.ts';
import {
  type ControlPaths,
  type ReloadResult,
  readUpgradeRequest,
  type ServerReport,
  writeControlFile,
} from './control_files.ts';
import type { EventLog } from './log.ts';
import { ownCommand } from './programs.ts';
import { type Reloader, reloadSummary } from './reload.ts';
import type { Environment } from './state_directory.ts';
import { reportSuccession, startSuccessor } from './succession.ts';
import { systemdNotifier } from './systemd.ts';

export interface ProcessContext {
  readonly environment: Environment;
  /** Prints one or more lines to stdout. */
  readonly print: (text: string) => void;
}

/** The report of a server that accepts connections. */
export interface Readiness {
  /** The lines for stdout. */
  readonly lines: readonly string[];
  /** Problems that do not prevent serving, one line each. */
  readonly problems: readonly string[];
  /** The addresses that it serves, in the syntax of `--listen`, with actual ports. */
  readonly addresses: readonly string[];
}

/** Controls a serving process, on behalf of the operating system or the supervisor of workers. */
export interface Lifecycle {
  /** The metrics of the whole server, including this process. */
  readonly gatherMetrics: () => Promise<readonly MetricFamily[]>;
  /** Reports that requests require API keys from now on. */
  readonly onKeyed: () => void;
  /** Reports readiness; resolves when the process must stop, with whether another has taken over. */
  readonly untilStop: (readiness: Readiness) => Promise<boolean>;
}

/** The parts of a process that its {@link Lifecycle} uses. */
export interface ControlledProcess {
  readonly reloader: Reloader;
  readonly ownMetrics: () => MetricFamily[];
  /** The files that a reload rereads. */
  readonly files: readonly string[];
}

/** The life cycle of a single-process server. */
export function standaloneLifecycle(
  context: ProcessContext,
  { reloader, ownMetrics, files }: ControlledProcess,
  paths: ControlPaths,
  log: EventLog,
): Lifecycle {
  const control = controlMainProcess(context, { reload: reloader.run, files }, paths, log);
  return {
    gatherMetrics: async () => ownMetrics(),
    onKeyed() {},
    untilStop: readiness => control.untilStop(readiness, 'accepting connections'),
  };
}

/**
 * Controls the main process by signals, and reports its state to systemd, stdout and the {@link ServerReport}. Reloads on
 * SIGHUP or, on Windows, which has none, when one of the files changes. On SIGUSR2 hands over to another program and stops.
 */
export function controlMainProcess(
  { environment, print }: ProcessContext,
  { reload, files }: Pick<ControlledProcess, 'files'> & { readonly reload: () => Promise<ReloadResult> },
  paths: ControlPaths,
  log: EventLog,
) {
  const systemd = systemdNotifier(environment);
  const serving = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let isStopping = false;
  let hasSuccessor = false;
  const none = { started: 0, finished: 0, failures: [], pending: [], failedUpgrades: 0, upgradeError: '' };
  let report: ServerReport = { pid: process.pid, ...none };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  const onReload = coalesced(reloadAndReport);
  if (process.platform === 'win32') watchFiles(files, onReload);
  else process.on('SIGHUP', onReload);

  function stop(): void {
    isStopping = true;
    stopped.resolve();
  }

  /** Waits until the process serves: otherwise systemd and the report would mistake the reload for readiness. */
  async function reloadAndReport(): Promise<void> {
    await serving.promise;
    systemd.reloading();
    publish({ started: report.started + 1 });
    const { failures, pending } = await reload();
    publish({ finished: report.started, failures, pending });
    systemd.ready(reloadSummary(failures));
  }

  async function handOver(addresses: readonly string[]): Promise<void> {
    if (hasSuccessor) return;
    let program = process.execPath;
    try {
      const request = readUpgradeRequest(paths.upgrade);
      if (request === undefined) return;
      program = request.program ?? program;
      log.info('upgrade started', { program });
      const command = request.program === null ? ownCommand([]) : [request.program];
      const pid = await startSuccessor(command, addresses, stopped.promise);
      systemd.succeeded(pid);
      log.info('handed over', { program, pid });
      hasSuccessor = true;
      stop();
    } catch (error) {
      log.error('upgrade failed; this process goes on', { program, error: messageOf(error) });
      publish({ failedUpgrades: report.failedUpgrades + 1, upgradeError: messageOf(error) });
    }
  }

  function publish(changes: Partial<ServerReport>): void {
    report = { ...report, ...changes };
    if (hasSuccessor) return; // it has its own
    try {
      writeControlFile(paths.report, report);
    } catch {
      // This only affects the commands that wait for the report, and they say so.
    }
  }

  return {
    /** Resolves on SIGTERM or SIGINT, and when another process has taken over. */
    stopped: stopped.promise,
    /** As in {@link Lifecycle}. A process stopped while it started reports nothing: its predecessor then keeps serving. */
    async untilStop({ lines, problems, addresses }: Readiness, status: string): Promise<boolean> {
      if (isStopping) return false;
      // Before the report, to which `meridian upgrade` may respond at once: the signal would end the process.
      const onUpgrade = coalesced(() => handOver(addresses));
      if (process.platform === 'linux') process.on('SIGUSR2', onUpgrade);
      publish({});
      try {
        print(lines.join('\n'));
      } catch (error) {
        // The pipe is closed or the disk is full; the server can still serve requests.
        log.warn('cannot write to stdout', { text: lines.join('; '), error: messageOf(error) });
      }
      systemd.ready([status, ...problems].join('; '));
      systemd.startWatchdog();
      // Last, because a predecessor, which systemd still regards as the service, then stops.
      reportSuccession(environment);
      serving.resolve();
      await stopped.promise;
      if (!hasSuccessor) systemd.stopping();
      return hasSuccessor;
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
