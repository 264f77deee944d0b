import type { WorkerShare } from '../access/token_bucket.ts';
import type { MetricFamily } from '../http/traffic.ts';
import type { ReloadResult } from './control_files.ts';
import type { ControlledProcess, Lifecycle, Readiness } from './lifecycle.ts';
import type { ListenAddress } from './listen_address.ts';
import { WORKER_PLACE } from './programs.ts';
import type { Environment } from './state_directory.ts';

/** Messages from the supervisor to a worker. */
export type ToWorker =
  | { readonly kind: 'reload' }
  /** `successorWorkers` is as in {@link Lifecycle.untilStop}. */
  | { readonly kind: 'stop'; readonly successorWorkers: number | null }
  /** Requests the worker's own metrics; the reply is also its heartbeat. */
  | { readonly kind: 'collect' }
  /** The metrics of all workers, in reply to `gather`. */
  | { readonly kind: 'gathered'; readonly families: readonly MetricFamily[] };

/** Messages from a worker to the supervisor. */
export type FromWorker =
  | ({ readonly kind: 'ready' } & Readiness)
  /** Requests require API keys from now on, even if the worker is replaced. */
  | { readonly kind: 'keyed' }
  | ({ readonly kind: 'reloaded' } & ReloadResult)
  /** The worker's own metrics, in reply to `collect` and when it stops. */
  | { readonly kind: 'metrics'; readonly families: readonly MetricFamily[] }
  /** Requests the metrics of all workers. */
  | { readonly kind: 'gather' };

/** A worker among all of a server. Worker 0 also serves addresses that cannot be shared: unix sockets and the admin address. */
export interface WorkerPlace extends WorkerShare {
  /** Whether any worker has required API keys since the server started, regardless of which keys exist now. */
  readonly requiresKeys: boolean;
}

/** The place of a server without workers. */
export const SINGLE_PROCESS: WorkerPlace = { index: 0, count: 1, requiresKeys: false };

/** What the supervisor assigns to a worker. */
export interface WorkerAssignment extends WorkerPlace {
  /** The addresses to serve, with actual ports. */
  readonly listen: readonly ListenAddress[];
}

/** The assignment of this process; null if it is not a worker. */
export function readAssignment(environment: Environment): WorkerAssignment | null {
  const text = environment[WORKER_PLACE];
  return text === undefined ? null : (JSON.parse(text) as WorkerAssignment);
}

/** The name of a worker in logs and metrics, from 1. */
export function workerNumber({ index }: WorkerPlace): number {
  return index + 1;
}

/** The life cycle of a worker, controlled by its supervisor. The worker stops if the supervisor exits. */
export function workerLifecycle({ reloader, ownMetrics }: ControlledProcess): Lifecycle {
  const stopped = Promise.withResolvers<number | null>();
  const gathering: ((families: readonly MetricFamily[]) => void)[] = [];

  const sendMetrics = () => send({ kind: 'metrics', families: ownMetrics() });

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') stopped.resolve(message.successorWorkers);
    else if (message.kind === 'reload')
      void reloader.run().then(({ failures, pending }) => send({ kind: 'reloaded', failures, pending }));
    else if (message.kind === 'collect') sendMetrics();
    else gathering.shift()?.(message.families);
  });
  process.on('disconnect', () => stopped.resolve(null));
  process.on('SIGTERM', () => stopped.resolve(null));
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
      const successorWorkers = await stopped.promise;
      sendMetrics(); // counts since the last collection
      return successorWorkers;
    },
  };
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
