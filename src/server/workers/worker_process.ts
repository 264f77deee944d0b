import type { MetricFamily } from '../../http/metrics.ts';
import type { FromWorker, ToWorker } from './worker_messages.ts';
import { WORKER_VARIABLE } from './worker_messages.ts';
import type { WorkerAssignment } from './worker_place.ts';

/** How a worker ended. */
export interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A worker as its supervisor sees it. */
export interface WorkerProcess {
  readonly index: number;
  readonly pid: number;
  /** Resolves with the lines for stdout once the worker serves; null where it ended before. */
  readonly ready: Promise<readonly string[] | null>;
  readonly ended: Promise<WorkerEnd>;
  /** The latest that is known of its metrics. */
  readonly metrics: readonly MetricFamily[];
  /** When it last told anything, on the clock of `performance.now`. */
  readonly heardMs: number;
  /** Asks for its metrics as they are now; after a second the latest known ones have to do. */
  collect(): Promise<readonly MetricFamily[]>;
  /** Lets it read everything anew; resolves when it has, or has ended. */
  reload(): Promise<void>;
  stop(): void;
  kill(): void;
}

const COLLECT_TIMEOUT_MS = 1000;

/** Starts a worker. `gather` answers its question for the metrics of all. */
export function startWorker(
  assignment: WorkerAssignment,
  gather: () => Promise<readonly MetricFamily[]>,
): WorkerProcess {
  const ready = Promise.withResolvers<readonly string[] | null>();
  const ended = Promise.withResolvers<WorkerEnd>();
  const collecting = new Map<number, () => void>();
  let metrics: readonly MetricFamily[] = [];
  let heardMs = performance.now();
  let lastId = 0;
  /** For each reload that was asked for and is not over, in their order, what is waited for. */
  const reloading: (() => void)[] = [];

  function onMessage(message: FromWorker): void {
    heardMs = performance.now();
    if (message.kind === 'ready') ready.resolve(message.lines);
    else if (message.kind === 'reloaded') reloading.shift()?.();
    else if (message.kind === 'gather') {
      void gather().then(families => tell({ kind: 'gathered', id: message.id, families }));
    } else {
      metrics = message.families;
      if (message.id !== null) collecting.get(message.id)?.();
    }
  }

  const child = Bun.spawn(ownCommand(), {
    env: { ...process.env, NOTIFY_SOCKET: undefined, [WORKER_VARIABLE]: JSON.stringify(assignment) },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: onMessage,
    onExit(_, exitCode, signal) {
      ready.resolve(null);
      for (const resolve of collecting.values()) resolve();
      ended.resolve({ exitCode, signal: signal === null ? null : String(child.signalCode ?? signal) });
    },
  });

  function tell(message: ToWorker): void {
    if (child.exitCode === null && child.signalCode === null) child.send(message);
  }

  return {
    index: assignment.index,
    pid: child.pid,
    ready: ready.promise,
    ended: ended.promise,
    get metrics() {
      return metrics;
    },
    get heardMs() {
      return heardMs;
    },
    async collect() {
      const id = ++lastId;
      const answered = new Promise<void>(resolve => collecting.set(id, resolve));
      tell({ kind: 'collect', id });
      await Promise.race([answered, Bun.sleep(COLLECT_TIMEOUT_MS), ended.promise]);
      collecting.delete(id);
      return metrics;
    },
    async reload() {
      const reloaded = new Promise<void>(resolve => reloading.push(resolve));
      tell({ kind: 'reload' });
      await Promise.race([reloaded, ended.promise]);
    },
    stop: () => tell({ kind: 'stop' }),
    kill: () => child.kill('SIGKILL'),
  };
}

/** The command line of this very process. `/proc/self/exe` is its binary even after an update has replaced the file. */
function ownCommand(): string[] {
  const isCompiled = Bun.main.startsWith('/$bunfs/');
  const args = process.argv.slice(2);
  return isCompiled ? ['/proc/self/exe', ...args] : [process.execPath, Bun.main, ...args];
}
