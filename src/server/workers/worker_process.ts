import type { MetricFamily } from '../../http/metrics.ts';
import type { Readiness } from '../lifecycle.ts';
import type { ReloadResult } from '../reload.ts';
import { ownCommand } from '../succession.ts';
import { type FromWorker, type ToWorker, WORKER_VARIABLE, type WorkerAssignment } from './worker_messages.ts';

/** The supervisor's handle for a worker. */
export type WorkerProcess = ReturnType<typeof startWorker>;

/** Interval and timeout for collecting a worker's metrics. */
const COLLECT_MS = 1000;

/** The reload result of a worker that exits before finishing. */
const NOTHING_RELOADED: ReloadResult = { failures: [], pending: [] };

/** The server-wide operations that a worker triggers. */
interface WholeServer {
  /** Returns the metrics of all workers, which a worker may request. */
  readonly gather: () => Promise<readonly MetricFamily[]>;
  /** Called when the worker begins to require API keys. */
  readonly onKeyed: () => void;
}

/** Starts a worker. */
export function startWorker(assignment: WorkerAssignment, server: WholeServer) {
  const ready = Promise.withResolvers<Readiness | null>();
  const exited = Promise.withResolvers<{ exitCode: number | null; signal: string | null }>();
  // Replies arrive in the order of the requests.
  const collecting: (() => void)[] = [];
  const reloading: (() => void)[] = [];
  let reloaded = NOTHING_RELOADED;
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
    } else if (message.kind === 'keyed') server.onKeyed();
    else if (message.kind === 'reloaded') {
      reloaded = message;
      reloading.shift()?.();
    } else if (message.kind === 'gather')
      void server.gather().then(families => send({ kind: 'gathered', families }));
    else {
      metrics = message.families;
      collecting.shift()?.();
    }
  }

  const child = Bun.spawn(ownCommand(process.argv.slice(2)), {
    env: { ...process.env, NOTIFY_SOCKET: undefined, [WORKER_VARIABLE]: JSON.stringify(assignment) },
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

  /** Sends a request; resolves on its reply, or when the worker exits. */
  function request(message: ToWorker, pending: (() => void)[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    pending.push(resolve);
    send(message);
    if (!isRunning()) resolve();
    return promise;
  }

  /** Requests the worker's current metrics; after a second returns the last known ones. */
  async function collect(): Promise<readonly MetricFamily[]> {
    await Promise.race([request({ kind: 'collect' }, collecting), Bun.sleep(COLLECT_MS)]);
    return metrics;
  }

  return {
    index: assignment.index,
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
    /** Resolves with the result when the worker has reloaded or exited. */
    async reload(): Promise<ReloadResult> {
      reloaded = NOTHING_RELOADED;
      await request({ kind: 'reload' }, reloading);
      return reloaded;
    },
    stop: (hasSuccessor: boolean) => send({ kind: 'stop', hasSuccessor }),
    kill: () => child.kill('SIGKILL'),
  };
}
