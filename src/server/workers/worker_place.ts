import type { SettingSources } from '../../cli/settings.ts';
import { WORKER_VARIABLE, type WorkerPlace } from './worker_messages.ts';

/** What a supervisor assigns to a worker. */
export interface WorkerAssignment extends WorkerPlace {
  /** The addresses that the worker shall serve, as `--listen` takes them, with the ports that were found free. */
  readonly listen: readonly string[];
}

/** What the supervisor assigned to this process; null where none started it. */
export function readAssignment(environment: SettingSources['environment']): WorkerAssignment | null {
  const text = environment[WORKER_VARIABLE];
  return text === undefined ? null : (JSON.parse(text) as WorkerAssignment);
}
