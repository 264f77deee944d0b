import { rmSync } from 'node:fs';
import { messageOf } from '../common/errors.ts';
import { coalesced } from '../common/promises.ts';
import { fileExists } from '../common/state_files.ts';
import {
  type ControlFiles,
  olderFiles,
  ownControlFiles,
  type ReloadResult,
  removeLeftovers,
  type ServerReport,
  takeUpgradeRequest,
  writeControlFile,
} from './control_files.ts';
import type { ControlledProcess, Lifecycle, ProcessContext, Readiness } from './lifecycle.ts';
import type { EventLog } from './log.ts';
import { ownCommand, SUCCESSION } from './programs.ts';
import { reloadSummary } from './reload.ts';
import { reportSuccession, type ServedAddresses, startSuccessor } from './succession.ts';
import { systemdNotifier } from './systemd.ts';
import { watchFiles } from './watch_files.ts';

/** The life cycle of a single-process server. */
export function standaloneLifecycle(
  context: ProcessContext,
  { reloader, ownMetrics, files }: ControlledProcess,
  stateDirectory: string,
  log: EventLog,
): Lifecycle {
  const main = new MainProcess(context, { reload: reloader.run, files }, stateDirectory, log);
  return {
    gatherMetrics: async () => ownMetrics(),
    onKeyed() {},
    untilStop: readiness => main.untilStop(readiness, 1),
  };
}

const NOTHING = { started: 0, finished: 0, failures: [], pending: [], failedUpgrades: 0, upgradeError: '' };

/**
 * Controls the main process by signals, and reports its state to systemd, stdout and the {@link ServerReport}. Reloads on
 * SIGHUP or, on Windows, which has none, when one of the files changes. On SIGUSR2 hands over to another program and stops.
 */
export class MainProcess {
  readonly #context: ProcessContext;
  readonly #reload: () => Promise<ReloadResult>;
  readonly #stateDirectory: string;
  /** Its control files; null on Windows. */
  readonly #files: ControlFiles | null;
  /** A second file for its report, in which `meridian upgrade` of an older version waits for it; null for none. */
  #olderReport: string | null = null;
  readonly #log: EventLog;
  readonly #systemd: ReturnType<typeof systemdNotifier>;
  readonly #serving = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  /** Resolves on SIGTERM or SIGINT, and when another process has taken over. */
  readonly stopped = this.#stopped.promise;
  #isStopping = false;
  /** The number of workers of the process that has taken over; null if none has. */
  #successorWorkers: number | null = null;
  #report: ServerReport = { pid: process.pid, ...NOTHING };

  /** Handles signals from now on. */
  constructor(
    context: ProcessContext,
    { reload, files }: Pick<ControlledProcess, 'files'> & { readonly reload: () => Promise<ReloadResult> },
    stateDirectory: string,
    log: EventLog,
  ) {
    this.#context = context;
    this.#reload = reload;
    this.#stateDirectory = stateDirectory;
    this.#files = ownControlFiles(stateDirectory);
    this.#log = log;
    this.#systemd = systemdNotifier(context.environment);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => this.#stop());
    const onReload = coalesced(() => this.#reloadAndReport());
    if (process.platform === 'win32') watchFiles(files, onReload);
    else process.on('SIGHUP', onReload);
  }

  /** As in {@link Lifecycle}. A process stopped while it started reports nothing: its predecessor then keeps serving. */
  async untilStop({ lines, problems, addresses, admin }: Readiness, workers: number): Promise<number | null> {
    if (this.#isStopping) return null;
    // Before the report, to which `meridian upgrade` may respond at once: the signal would end the process.
    const onUpgrade = coalesced(() => this.#handOver({ addresses, admin }));
    if (process.platform === 'linux') process.on('SIGUSR2', onUpgrade);
    this.#openReports();
    try {
      this.#context.print(lines.join('\n'));
    } catch (error) {
      // The pipe is closed or the disk is full; the server can still serve requests.
      this.#log.warn('cannot write to stdout', { text: lines.join('; '), error: messageOf(error) });
    }
    const status = workers === 1 ? 'accepting connections' : `${workers} workers accept connections`;
    this.#systemd.ready([status, ...problems].join('; '));
    this.#systemd.startWatchdog();
    // Last, because a predecessor, which systemd still regards as the service, then stops.
    reportSuccession(this.#context.environment, workers);
    this.#serving.resolve();
    await this.stopped;
    if (this.#successorWorkers === null) this.#systemd.stopping();
    return this.#successorWorkers;
  }

  #stop(): void {
    this.#isStopping = true;
    this.#stopped.resolve();
  }

  /** Waits until the process serves: otherwise systemd and the report would mistake the reload for readiness. */
  async #reloadAndReport(): Promise<void> {
    await this.#serving.promise;
    this.#systemd.reloading();
    this.#publish({ started: this.#report.started + 1 });
    const { failures, pending } = await this.#reload();
    this.#publish({ finished: this.#report.started, failures, pending });
    this.#systemd.ready(reloadSummary(failures));
  }

  async #handOver(served: ServedAddresses): Promise<void> {
    if (this.#successorWorkers !== null) return;
    let program = process.execPath;
    try {
      const path = this.#files?.upgrade ?? '';
      const request = takeUpgradeRequest(path);
      if (request === undefined) return this.#log.warn('SIGUSR2 ignored: no upgrade was requested', { path });
      program = request.program ?? program;
      this.#log.info('upgrade started', { program });
      const command = request.program === null ? ownCommand([]) : [request.program];
      const { pid, workers } = await startSuccessor(command, served, this.stopped);
      this.#systemd.succeeded(pid);
      this.#log.info('handed over', { program, pid });
      this.#olderReport = null; // it is the successor's
      this.#publish({ successor: pid });
      this.#successorWorkers = workers;
      this.#stop();
    } catch (error) {
      this.#log.error('upgrade failed; this process goes on', { program, error: messageOf(error) });
      const failedUpgrades = this.#report.failedUpgrades + 1;
      this.#publish({ failedUpgrades, upgradeError: messageOf(error) });
    }
  }

  /** The report is removed at exit, which after a hand-over is at least a second later, so that commands see the successor. */
  #openReports(): void {
    if (this.#files === null) return;
    try {
      removeLeftovers(this.#stateDirectory);
      const { report: older } = olderFiles(this.#stateDirectory);
      if (this.#context.environment[SUCCESSION] && fileExists(older)) this.#olderReport = older;
    } catch {
      // The state directory is unusable, which others report.
    }
    process.once('exit', () => {
      for (const path of this.#reportPaths()) rmSync(path, { force: true });
    });
    this.#publish({});
  }

  #reportPaths(): string[] {
    return [this.#files?.report, this.#olderReport].filter(path => typeof path === 'string');
  }

  #publish(changes: Partial<ServerReport>): void {
    this.#report = { ...this.#report, ...changes };
    try {
      for (const path of this.#reportPaths()) writeControlFile(path, this.#report);
    } catch {
      // This only affects the commands that wait for the report, and they say so.
    }
  }
}
