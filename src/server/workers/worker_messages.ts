import type { MetricFamily } from '../../http/metrics.ts';

/** What the supervisor of workers tells one of them. */
export type ToWorker =
  | { readonly kind: 'reload' }
  | { readonly kind: 'stop' }
  /** Asks for the worker's own metrics. */
  | { readonly kind: 'collect'; readonly id: number }
  /** Answers the worker's `gather`: the metrics of all. */
  | { readonly kind: 'gathered'; readonly id: number; readonly families: readonly MetricFamily[] };

/** What a worker tells its supervisor. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly lines: readonly string[] }
  | { readonly kind: 'reloaded' }
  /** The worker's own metrics: as a sign of life without an id, else as the answer to `collect`. */
  | { readonly kind: 'metrics'; readonly id: number | null; readonly families: readonly MetricFamily[] }
  /** Asks for the metrics of all workers. */
  | { readonly kind: 'gather'; readonly id: number };

/** A worker shows a sign of life so often. */
export const SIGN_OF_LIFE_MS = 1000;

/** Which of how many workers a process is; a server of one process is the first of one. */
export interface WorkerPlace {
  /** From 1 on. The first does what must be done once: unix sockets, the address for administrators. */
  readonly index: number;
  readonly count: number;
}

/** The environment variable in which a worker finds its place and addresses. Not for users. */
export const WORKER_VARIABLE = 'MERIDIAN_WORKER_PLACE';
