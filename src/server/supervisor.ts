import { type MetricFamily, mergeMetrics } from '../http/traffic.ts';
import { claimAddress, inheritedAddress, type ListenSettings } from './address_claim.ts';
import type { ReloadFailure, ReloadResult } from './control_files.ts';
import type { ProcessContext, Readiness } from './lifecycle.ts';
import type { ListenAddress } from './listen_address.ts';
import type { EventLog, ServerLog } from './log.ts';
import { MainProcess } from './main_process.ts';
import { metric } from './metrics.ts';
import { inheritedAddresses } from './succession.ts';
import type { WorkerAssignment } from './worker.ts';
import { WorkerProcess } from './worker_process.ts';

/** Runs a server with several workers that share its ports. Resolves with the exit code. */
export async function supervise(
  settings: ListenSettings & { readonly workers: number },
  context: ProcessContext,
  log: ServerLog,
  stateDirectory: string,
): Promise<number> {
  const inherited = inheritedAddresses(context.environment);
  const claims = await Promise.all(
    settings.listen.map(address => claimAddress(address, inheritedAddress(address, settings, inherited))),
  );
  const workers = new Workers(log);
  // No files to watch: only Windows needs them, where workers are not supported.
  const main = new MainProcess(context, { reload: () => workers.reload(), files: [] }, stateDirectory, log);
  const addresses = claims.map(({ address }) => address);
  const started = workers.start(assignments(addresses, settings.workers));
  const outcome = await Promise.race([started, main.stopped.then(() => 'stopped' as const)]);
  for (const { release } of claims) release();
  const isServing = outcome !== null && outcome !== 'stopped';
  await workers.stop(isServing ? await main.untilStop(outcome, settings.workers) : null);
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

const LIMITS = {
  /** A worker that is not ready by then is killed. With a check, less than the 60 s that `meridian reload` waits. */
  startingMs: 50_000,
  /** A ready worker without a message for this long is killed. */
  silenceMs: 30_000,
  checkMs: 5000,
  /** Longer than a worker waits for its requests in flight. */
  stopMs: 12_000,
  /** Restarts back off exponentially; a worker that served for this long resets the delay. */
  stableMs: 10_000,
  firstDelayMs: 100,
  maxDelayMs: 5000,
};

/** The workers of a server. Those that exit are replaced once all have started: if one cannot start, the whole server exits. */
export class Workers {
  readonly #log: EventLog;
  readonly #limits: typeof LIMITS;
  readonly #running = new Set<WorkerProcess>();
  readonly #allStarted = Promise.withResolvers<void>();
  #isStopping = false;
  #deaths = 0;
  #requiresKeys = false;
  /** The sums of the counters of exited workers: counters must not decrease. */
  #departed: readonly MetricFamily[] = [];

  constructor(log: EventLog, limits: Partial<typeof LIMITS> = {}) {
    this.#log = log;
    this.#limits = { ...LIMITS, ...limits };
    setInterval(() => this.#killStuck(), this.#limits.checkMs).unref();
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
    return ready;
  }

  /** Reloads one after another, so that the others keep serving. Returns what failed or is pending in any of them. */
  async reload(): Promise<ReloadResult> {
    const failures = new Map<string, ReloadFailure>();
    const pending = new Set<string>();
    for (const worker of [...this.#running]) {
      const result = (await worker.ready) && (await worker.reload()); // before it is ready, it has nothing to reload
      for (const failure of result?.failures ?? []) failures.set(failure.what, failure);
      for (const setting of result?.pending ?? []) pending.add(setting);
    }
    return { failures: [...failures.values()], pending: [...pending] };
  }

  /** Stops all workers gracefully; kills those that exceed the timeout. */
  async stop(successorWorkers: number | null): Promise<void> {
    this.#isStopping = true;
    const stopping = [...this.#running];
    for (const worker of stopping) worker.stop(successorWorkers);
    await Promise.race([Promise.all(stopping.map(({ exited }) => exited)), Bun.sleep(this.#limits.stopMs)]);
    for (const worker of this.#running) worker.kill();
  }

  #launch(assignment: WorkerAssignment, delayMs = this.#limits.firstDelayMs): WorkerProcess {
    const worker = new WorkerProcess(assignment, {
      gather: () => this.#gather(),
      onKeyed: () => {
        this.#requiresKeys = true;
      },
    });
    this.#running.add(worker);
    void worker.exited.then(ending => {
      this.#running.delete(worker);
      const sums = worker.metrics.filter(({ type, across }) => type !== 'gauge' && across === 'sum');
      this.#departed = mergeMetrics(new Map([this.#departed, sums].entries()));
      if (this.#isStopping) return;
      this.#deaths++;
      this.#log.error('worker died', { ...worker.identity, ...ending });
      const wasStable = worker.isReady && worker.ageMs >= this.#limits.stableMs;
      void this.#replace(assignment, wasStable ? this.#limits.firstDelayMs : delayMs);
    });
    return worker;
  }

  async #replace(assignment: WorkerAssignment, delayMs: number): Promise<void> {
    await Promise.all([this.#allStarted.promise, Bun.sleep(delayMs)]);
    if (this.#isStopping) return;
    const nextDelayMs = Math.min(delayMs * 2, this.#limits.maxDelayMs);
    const worker = this.#launch({ ...assignment, requiresKeys: this.#requiresKeys }, nextDelayMs);
    if ((await worker.ready) !== null) this.#log.info('worker replaced', worker.identity);
  }

  #killStuck(): void {
    for (const worker of this.#running) {
      const isLate = !worker.isReady && worker.ageMs >= this.#limits.startingMs;
      if (!isLate && worker.silenceMs < this.#limits.silenceMs) continue;
      this.#log.error(isLate ? 'worker does not become ready' : 'worker does not respond', worker.identity);
      worker.kill();
    }
  }

  /** The metrics of all workers, including the counters of exited ones. */
  async #gather(): Promise<MetricFamily[]> {
    const own = [
      metric('meridian_workers', this.#running.size),
      metric('meridian_worker_deaths_total', this.#deaths),
      ...this.#departed, // without those that exit meanwhile, which respond with their last metrics
    ];
    const parts = await Promise.all(
      [...this.#running].map(async worker => [worker.identity.worker, await worker.collect()] as const),
    );
    return mergeMetrics(new Map([[0, own], ...parts]));
  }
}
