import { type MetricFamily, mergeMetrics } from '../http/traffic.ts';
import { claimAddress, inheritedAddress, type ListenSettings } from './address_claim.ts';
import type { ControlPaths, ReloadFailure, ReloadResult } from './control_files.ts';
import type { ProcessContext, Readiness } from './lifecycle.ts';
import type { ListenAddress } from './listen_address.ts';
import type { EventLog, ServerLog } from './log.ts';
import { MainProcess } from './main_process.ts';
import { metric } from './metrics.ts';
import { inheritedAddresses } from './succession.ts';
import { type WorkerAssignment, workerNumber } from './worker.ts';
import { WorkerProcess } from './worker_process.ts';

/** Runs a server with several workers that share its ports. Resolves with the exit code. */
export async function supervise(
  settings: ListenSettings & { readonly workers: number },
  context: ProcessContext,
  log: ServerLog,
  paths: ControlPaths,
): Promise<number> {
  const inherited = inheritedAddresses(context.environment);
  const claims = await Promise.all(
    settings.listen.map(address => claimAddress(address, inheritedAddress(address, settings, inherited))),
  );
  const workers = new Workers(log);
  // No files to watch: only Windows needs them, where workers are not supported.
  const main = new MainProcess(context, { reload: () => workers.reload(), files: [] }, paths, log);
  const addresses = claims.map(({ address }) => address);
  const started = workers.start(assignments(addresses, settings.workers));
  const outcome = await Promise.race([started, main.stopped.then(() => 'stopped' as const)]);
  for (const { release } of claims) release();
  const isServing = outcome !== null && outcome !== 'stopped';
  const hasSuccessor =
    isServing && (await main.untilStop(outcome, `${settings.workers} workers accept connections`));
  await workers.stop(hasSuccessor);
  await log.close();
  return outcome === null ? 1 : 0;
}

/** Every worker serves the TCP addresses; the first one also serves unix sockets, which cannot be shared. */
function assignments(addresses: readonly ListenAddress[], count: number): WorkerAssignment[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    count,
    requiresKeys: false,
    listen: addresses.filter(({ kind }) => kind === 'tcp' || index === 0),
  }));
}

/** A ready worker without a message for this long is considered stuck. */
const SILENCE_MS = 30_000;
const SILENCE_CHECK_MS = 5000;
/** Longer than a worker waits for its requests in flight. */
const STOP_TIMEOUT_MS = 12_000;
/** Restarts back off exponentially; a worker that ran for this long resets the delay. */
const STABLE_MS = 10_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/** The workers of a server. Those that exit are replaced once all have started: if one cannot start, the whole server exits. */
class Workers {
  readonly #log: EventLog;
  /** By {@link workerNumber}. */
  readonly #running = new Map<number, WorkerProcess>();
  readonly #allStarted = Promise.withResolvers<void>();
  #isStopping = false;
  #deaths = 0;
  #requiresKeys = false;
  /** The sums of the counters of exited workers: counters must not decrease. */
  #departed: readonly MetricFamily[] = [];

  constructor(log: EventLog) {
    this.#log = log;
  }

  /**
   * Starts all workers; returns the first one's readiness once all are serving, or null if one could not start. The first
   * starts before the others, to create shared state such as the first signing key.
   */
  async start([first, ...others]: readonly WorkerAssignment[]): Promise<Readiness | null> {
    const ready = await this.#launch(first!).ready;
    if (ready === null || this.#isStopping) return null;
    const started = await Promise.all(others.map(assignment => this.#launch(assignment).ready));
    if (started.includes(null) || this.#isStopping) return null;
    this.#allStarted.resolve();
    setInterval(() => this.#killSilent(), SILENCE_CHECK_MS).unref();
    return ready;
  }

  /** Reloads one after another, so that the others keep serving. Returns what failed or is pending in any of them. */
  async reload(): Promise<ReloadResult> {
    const failures = new Map<string, ReloadFailure>();
    const pending = new Set<string>();
    for (const worker of [...this.#running.values()]) {
      const result = (await worker.ready) && (await worker.reload()); // before it is ready, it has nothing to reload
      for (const failure of result?.failures ?? []) failures.set(failure.what, failure);
      for (const setting of result?.pending ?? []) pending.add(setting);
    }
    return { failures: [...failures.values()], pending: [...pending] };
  }

  /** Stops all workers gracefully; kills those that exceed the timeout. */
  async stop(hasSuccessor: boolean): Promise<void> {
    this.#isStopping = true;
    const stopping = [...this.#running.values()];
    for (const worker of stopping) worker.stop(hasSuccessor);
    await Promise.race([Promise.all(stopping.map(({ exited }) => exited)), Bun.sleep(STOP_TIMEOUT_MS)]);
    for (const worker of this.#running.values()) worker.kill();
  }

  #launch(assignment: WorkerAssignment, delayMs = FIRST_DELAY_MS): WorkerProcess {
    const startedMs = performance.now();
    const worker = new WorkerProcess(assignment, {
      gather: () => this.#gather(),
      onKeyed: () => {
        this.#requiresKeys = true;
      },
    });
    this.#running.set(workerNumber(assignment), worker);
    void worker.exited.then(({ exitCode, signal }) => {
      this.#remove(assignment, worker);
      if (this.#isStopping) return;
      this.#deaths++;
      const fields = { worker: workerNumber(assignment), pid: worker.pid, exit_code: exitCode, signal };
      this.#log.error('worker died', fields);
      const wasStable = performance.now() - startedMs >= STABLE_MS;
      void this.#replace(assignment, wasStable ? FIRST_DELAY_MS : delayMs);
    });
    return worker;
  }

  #remove(assignment: WorkerAssignment, { metrics }: WorkerProcess): void {
    this.#running.delete(workerNumber(assignment));
    const sums = metrics.filter(({ type, across }) => type !== 'gauge' && across === 'sum');
    this.#departed = mergeMetrics(new Map([this.#departed, sums].entries()));
  }

  async #replace(assignment: WorkerAssignment, delayMs: number): Promise<void> {
    await Promise.all([this.#allStarted.promise, Bun.sleep(delayMs)]);
    if (this.#isStopping) return;
    const nextDelayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
    const worker = this.#launch({ ...assignment, requiresKeys: this.#requiresKeys }, nextDelayMs);
    if ((await worker.ready) !== null)
      this.#log.info('worker replaced', { worker: workerNumber(assignment), pid: worker.pid });
  }

  #killSilent(): void {
    for (const [number, worker] of this.#running) {
      if (worker.silenceMs < SILENCE_MS) continue;
      this.#log.error('worker does not respond', { worker: number, pid: worker.pid });
      worker.kill();
    }
  }

  /** The metrics of all workers, including the counters of exited ones. */
  async #gather(): Promise<MetricFamily[]> {
    const parts = await Promise.all(
      [...this.#running].map(async ([number, worker]) => [number, await worker.collect()] as const),
    );
    const own = [
      metric('meridian_workers', this.#running.size),
      metric('meridian_worker_deaths_total', this.#deaths),
    ];
    return mergeMetrics(new Map([[0, [...own, ...this.#departed]], ...parts]));
  }
}
