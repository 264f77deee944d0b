import { type MetricFamily, mergeMetrics } from '../http/traffic.ts';
import type { ControlPaths, ReloadFailure, ReloadResult } from './control_files.ts';
import {
  type ControlledProcess,
  controlMainProcess,
  type Lifecycle,
  type ProcessContext,
  type Readiness,
} from './lifecycle.ts';
import { formatListenAddress, type ListenAddress } from './listen_address.ts';
import { claimAddress } from './listener.ts';
import type { EventLog, ServerLog } from './log.ts';
import { metric } from './metrics.ts';
import { ownCommand, WORKER_PLACE } from './programs.ts';
import type { Environment } from './state_directory.ts';
import { inheritedAddresses } from './succession.ts';

/** Messages from the supervisor to a worker. */
type ToWorker =
  | { readonly kind: 'reload' }
  /** `hasSuccessor`: another server has taken over. */
  | { readonly kind: 'stop'; readonly hasSuccessor: boolean }
  /** Requests the worker's own metrics; the reply is also its heartbeat. */
  | { readonly kind: 'collect' }
  /** The metrics of all workers, in reply to `gather`. */
  | { readonly kind: 'gathered'; readonly families: readonly MetricFamily[] };

/** Messages from a worker to the supervisor. */
type FromWorker =
  | ({ readonly kind: 'ready' } & Readiness)
  /** Requests require API keys from now on, even if the worker is replaced. */
  | { readonly kind: 'keyed' }
  | ({ readonly kind: 'reloaded' } & ReloadResult)
  /** The worker's own metrics, in reply to `collect` and when it stops. */
  | { readonly kind: 'metrics'; readonly families: readonly MetricFamily[] }
  /** Requests the metrics of all workers. */
  | { readonly kind: 'gather' };

/** A worker's number and the number of workers. */
export interface WorkerPlace {
  /** From 1. Worker 1 also serves addresses that cannot be shared: unix sockets and the admin address. */
  readonly index: number;
  readonly count: number;
  /** Whether any worker has required API keys since the server started, regardless of which keys exist now. */
  readonly requiresKeys: boolean;
}

/** The place of a server without workers. */
export const SINGLE_PROCESS: WorkerPlace = { index: 1, count: 1, requiresKeys: false };

/** What the supervisor assigns to a worker. */
export interface WorkerAssignment extends WorkerPlace {
  /** The addresses to serve, in the syntax of `--listen`, with actual ports. */
  readonly listen: readonly string[];
}

/** The assignment of this process; null if it is not a worker. */
export function readAssignment(environment: Environment): WorkerAssignment | null {
  const text = environment[WORKER_PLACE];
  return text === undefined ? null : (JSON.parse(text) as WorkerAssignment);
}

/** The life cycle of a worker, controlled by its supervisor. The worker stops if the supervisor exits. */
export function workerLifecycle({ reloader, ownMetrics }: ControlledProcess): Lifecycle {
  const stopped = Promise.withResolvers<boolean>();
  const gathering: ((families: readonly MetricFamily[]) => void)[] = [];

  const sendMetrics = () => send({ kind: 'metrics', families: ownMetrics() });

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') stopped.resolve(message.hasSuccessor);
    else if (message.kind === 'reload')
      void reloader.run().then(({ failures, pending }) => send({ kind: 'reloaded', failures, pending }));
    else if (message.kind === 'collect') sendMetrics();
    else gathering.shift()?.(message.families);
  });
  process.on('disconnect', () => stopped.resolve(false));
  process.on('SIGTERM', () => stopped.resolve(false));
  // A terminal sends these to the whole process group; the supervisor handles them.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});

  return {
    gatherMetrics: () =>
      new Promise(resolve => {
        gathering.push(resolve);
        send({ kind: 'gather' });
      }),
    onKeyed: () => send({ kind: 'keyed' }),
    async untilStop(readiness) {
      send({ kind: 'ready', ...readiness });
      const hasSuccessor = await stopped.promise;
      sendMetrics(); // counts since the last collection
      return hasSuccessor;
    },
  };
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
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
/** Interval and timeout for collecting a worker's metrics. */
const COLLECT_MS = 1000;

/** Runs a server with several workers that share its ports. Resolves with the exit code. */
export async function supervise(
  settings: { readonly listen: readonly ListenAddress[]; readonly workers: number },
  context: ProcessContext,
  log: ServerLog,
  paths: ControlPaths,
): Promise<number> {
  const inherited = inheritedAddresses(context.environment);
  const claims = await Promise.all(settings.listen.map(address => claimAddress(address, inherited)));
  const workers = workersOf(log);
  // No files to watch: only Windows needs them, where workers are not supported.
  const control = controlMainProcess(context, { reload: workers.reload, files: [] }, paths, log);
  const addresses = claims.map(({ address }) => address);
  const started = workers.start(assignments(addresses, settings.workers));
  const outcome = await Promise.race([started, control.stopped.then(() => 'stopped' as const)]);
  for (const { release } of claims) release();
  const isServing = outcome !== null && outcome !== 'stopped';
  const hasSuccessor =
    isServing && (await control.untilStop(outcome, `${settings.workers} workers accept connections`));
  await workers.stop(hasSuccessor);
  await log.close();
  return outcome === null ? 1 : 0;
}

/** Every worker serves the TCP addresses; the first one also serves unix sockets, which cannot be shared. */
function assignments(addresses: readonly ListenAddress[], count: number): WorkerAssignment[] {
  return Array.from({ length: count }, (_, index) => ({
    index: index + 1,
    count,
    requiresKeys: false,
    listen: addresses.filter(({ kind }) => kind === 'tcp' || index === 0).map(formatListenAddress),
  }));
}

/** The workers of a server. Those that exit are replaced once all have started: if one cannot start, the whole server exits. */
function workersOf(log: EventLog) {
  const workers = new Map<number, WorkerProcess>();
  const allStarted = Promise.withResolvers<void>();
  let isStopping = false;
  let deaths = 0;
  let requiresKeys = false;
  /** The sums of the counters of exited workers: counters must not decrease. */
  let departed: readonly MetricFamily[] = [];

  /** The metrics of all workers, including the counters of exited ones. */
  async function gather(): Promise<MetricFamily[]> {
    const parts = await Promise.all(
      [...workers].map(async ([index, worker]) => [index, await worker.collect()] as const),
    );
    const own = [metric('meridian_workers', workers.size), metric('meridian_worker_deaths_total', deaths)];
    return mergeMetrics(new Map([[0, [...own, ...departed]], ...parts]));
  }

  function launch(assignment: WorkerAssignment, delayMs = FIRST_DELAY_MS): WorkerProcess {
    const { index } = assignment;
    const startedMs = performance.now();
    const onKeyed = () => {
      requiresKeys = true;
    };
    const worker = startWorker(assignment, { gather, onKeyed });
    workers.set(index, worker);
    void worker.exited.then(({ exitCode, signal }) => {
      workers.delete(index);
      const sums = worker.metrics.filter(({ type, across }) => type !== 'gauge' && across === 'sum');
      departed = mergeMetrics(new Map([departed, sums].entries()));
      if (isStopping) return;
      deaths++;
      log.error('worker died', { worker: index, pid: worker.pid, exit_code: exitCode, signal });
      const wasStable = performance.now() - startedMs >= STABLE_MS;
      void replace(assignment, wasStable ? FIRST_DELAY_MS : delayMs);
    });
    return worker;
  }

  async function replace(assignment: WorkerAssignment, delayMs: number): Promise<void> {
    await Promise.all([allStarted.promise, Bun.sleep(delayMs)]);
    if (isStopping) return;
    const worker = launch({ ...assignment, requiresKeys }, Math.min(delayMs * 2, MAX_DELAY_MS));
    if ((await worker.ready) !== null)
      log.info('worker replaced', { worker: assignment.index, pid: worker.pid });
  }

  function killSilent(): void {
    for (const [index, worker] of workers) {
      if (worker.silenceMs < SILENCE_MS) continue;
      log.error('worker does not respond', { worker: index, pid: worker.pid });
      worker.kill();
    }
  }

  return {
    /**
     * Starts all workers; returns the first one's readiness once all are serving, or null if one could not start. The first
     * starts before the others, to create shared state such as the first signing key.
     */
    async start([first, ...others]: readonly WorkerAssignment[]): Promise<Readiness | null> {
      const ready = await launch(first!).ready;
      if (ready === null) return null;
      const started = await Promise.all(others.map(assignment => launch(assignment).ready));
      if (started.includes(null) || isStopping) return null;
      allStarted.resolve();
      setInterval(killSilent, SILENCE_CHECK_MS).unref();
      return ready;
    },
    /** Reloads one after another, so that the others keep serving. Returns what failed or is pending in any of them. */
    async reload(): Promise<ReloadResult> {
      const failures = new Map<string, ReloadFailure>();
      const pending = new Set<string>();
      for (const worker of [...workers.values()]) {
        const result = await worker.reload();
        for (const failure of result?.failures ?? []) failures.set(failure.what, failure);
        for (const setting of result?.pending ?? []) pending.add(setting);
      }
      return { failures: [...failures.values()], pending: [...pending] };
    },
    /** Stops all workers gracefully; kills those that exceed the timeout. */
    async stop(hasSuccessor: boolean): Promise<void> {
      isStopping = true;
      const stopping = [...workers.values()];
      for (const worker of stopping) worker.stop(hasSuccessor);
      await Promise.race([Promise.all(stopping.map(({ exited }) => exited)), Bun.sleep(STOP_TIMEOUT_MS)]);
      for (const worker of workers.values()) worker.kill();
    },
  };
}

/** The supervisor's handle for a worker. */
type WorkerProcess = ReturnType<typeof startWorker>;

/** The replies that are awaited, in the order of the requests. Each is undefined if the worker exits first. */
type Pending<Reply> = ((reply?: Reply) => void)[];

/** Starts a worker. `gather` returns the metrics of all workers; `onKeyed` is called when this one begins to require API keys. */
export function startWorker(
  assignment: WorkerAssignment,
  { gather, onKeyed }: { gather(): Promise<readonly MetricFamily[]>; onKeyed(): void },
) {
  const ready = Promise.withResolvers<Readiness | null>();
  const exited = Promise.withResolvers<{ exitCode: number | null; signal: string | null }>();
  const collecting: Pending<readonly MetricFamily[]> = [];
  const reloading: Pending<ReloadResult> = [];
  let metrics: readonly MetricFamily[] = [];
  let lastMessageMs = performance.now();
  let heartbeat: Timer | undefined;
  // The channel of a killed worker closes before its exit is reported.
  let isConnected = true;

  function onMessage(message: FromWorker): void {
    lastMessageMs = performance.now();
    if (message.kind === 'ready') {
      ready.resolve(message);
      heartbeat = setInterval(collect, COLLECT_MS);
    } else if (message.kind === 'keyed') onKeyed();
    else if (message.kind === 'reloaded') reloading.shift()?.(message);
    else if (message.kind === 'gather') void gather().then(families => send({ kind: 'gathered', families }));
    else {
      metrics = message.families;
      collecting.shift()?.(metrics);
    }
  }

  const child = Bun.spawn(ownCommand(process.argv.slice(2)), {
    env: { ...process.env, NOTIFY_SOCKET: undefined, [WORKER_PLACE]: JSON.stringify(assignment) },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: onMessage,
    onDisconnect() {
      isConnected = false;
    },
    onExit(_, exitCode, signal) {
      clearInterval(heartbeat);
      for (const resolve of [...collecting, ...reloading]) resolve();
      ready.resolve(null);
      exited.resolve({ exitCode, signal: signal === null ? null : String(child.signalCode ?? signal) });
    },
  });

  const isRunning = () => child.exitCode === null && child.signalCode === null;
  function send(message: ToWorker): void {
    if (isConnected && isRunning()) child.send(message);
  }

  function request<Reply>(message: ToWorker, pending: Pending<Reply>): Promise<Reply | undefined> {
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    pending.push(resolve);
    send(message);
    if (!isRunning()) resolve(undefined);
    return promise;
  }

  /** Requests the worker's current metrics; after a second returns the last known ones. */
  async function collect(): Promise<readonly MetricFamily[]> {
    const reply = request({ kind: 'collect' }, collecting);
    return (await Promise.race([reply, Bun.sleep(COLLECT_MS)])) ?? metrics;
  }

  return {
    pid: child.pid,
    /** Resolves once the worker serves, or with null if it exits first. */
    ready: ready.promise,
    exited: exited.promise,
    get metrics() {
      return metrics;
    },
    /** Milliseconds since its last message; 0 until it is ready, as nothing is requested of it before. */
    get silenceMs() {
      return heartbeat === undefined ? 0 : performance.now() - lastMessageMs;
    },
    collect,
    reload: () => request({ kind: 'reload' }, reloading),
    stop: (hasSuccessor: boolean) => send({ kind: 'stop', hasSuccessor }),
    kill: () => child.kill('SIGKILL'),
  };
}
