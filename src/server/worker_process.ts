import type { MetricFamily } from '../http/traffic.ts';
import type { ReloadResult } from './control_files.ts';
import type { Readiness } from './lifecycle.ts';
import { ownCommand, WORKER_PLACE } from './programs.ts';
import { type FromWorker, type ToWorker, type WorkerAssignment, workerNumber } from './worker.ts';

/** Interval and timeout for collecting a worker's metrics. */
const COLLECT_MS = 1000;

/** The replies that are awaited, in the order of the requests. Each is undefined if the worker exits first. */
type Pending<Reply> = ((reply?: Reply) => void)[];

/** What the supervisor does for a worker. */
interface WorkerRequests {
  /** The metrics of all workers. */
  gather(): Promise<readonly MetricFamily[]>;
  /** Called when the worker begins to require API keys. */
  onKeyed(): void;
}

/** A worker as seen by its supervisor. The constructor starts it. */
export class WorkerProcess {
  /** For the log. */
  readonly identity: { readonly worker: number; readonly pid: number };
  readonly #requests: WorkerRequests;
  readonly #child: Bun.Subprocess<'ignore', 'inherit', 'inherit'>;
  readonly #ready = Promise.withResolvers<Readiness | null>();
  /** Resolves once the worker serves, or with null if it exits first. */
  readonly ready = this.#ready.promise;
  readonly exited: Promise<{ exit_code: number | null; signal: string | number | null }>;
  readonly #collecting: Pending<readonly MetricFamily[]> = [];
  readonly #reloading: Pending<ReloadResult> = [];
  /** The last known metrics. */
  metrics: readonly MetricFamily[] = [];
  isReady = false;
  /** When it was started or, once it is ready, became so. */
  #sinceMs = performance.now();
  #lastMessageMs = this.#sinceMs;
  #heartbeat: Timer | undefined;
  /** The channel of a killed worker closes before its exit is reported. */
  #isConnected = true;

  constructor(assignment: WorkerAssignment, requests: WorkerRequests) {
    this.#requests = requests;
    this.#child = Bun.spawn(ownCommand(process.argv.slice(2)), {
      env: { ...process.env, NOTIFY_SOCKET: undefined, [WORKER_PLACE]: JSON.stringify(assignment) },
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message: FromWorker) => this.#receive(message),
      onDisconnect: () => {
        this.#isConnected = false;
      },
    });
    this.exited = this.#child.exited.then(() => {
      clearInterval(this.#heartbeat);
      for (const resolve of [...this.#collecting, ...this.#reloading]) resolve();
      this.#ready.resolve(null);
      return { exit_code: this.#child.exitCode, signal: this.#child.signalCode };
    });
    this.identity = { worker: workerNumber(assignment), pid: this.#child.pid };
  }

  /** Milliseconds since its start or, once it is ready, since then. */
  get ageMs(): number {
    return performance.now() - this.#sinceMs;
  }

  /** Milliseconds since its last message; 0 until it is ready, as nothing is requested of it before. */
  get silenceMs(): number {
    return this.isReady ? performance.now() - this.#lastMessageMs : 0;
  }

  /** Requests the worker's current metrics; after a second returns the last known ones. */
  async collect(): Promise<readonly MetricFamily[]> {
    const reply = this.#request({ kind: 'collect' }, this.#collecting);
    return (await Promise.race([reply, Bun.sleep(COLLECT_MS)])) ?? this.metrics;
  }

  reload(): Promise<ReloadResult | undefined> {
    return this.#request({ kind: 'reload' }, this.#reloading);
  }

  stop(successorWorkers: number | null): void {
    this.#send({ kind: 'stop', successorWorkers });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(message: FromWorker): void {
    this.#lastMessageMs = performance.now();
    if (message.kind === 'ready') {
      this.isReady = true;
      this.#sinceMs = this.#lastMessageMs;
      this.#ready.resolve(message);
      this.#heartbeat = setInterval(() => void this.collect(), COLLECT_MS);
    } else if (message.kind === 'keyed') this.#requests.onKeyed();
    else if (message.kind === 'reloaded') this.#reloading.shift()?.(message);
    else if (message.kind === 'gather')
      void this.#requests.gather().then(families => this.#send({ kind: 'gathered', families }));
    else {
      this.metrics = message.families;
      this.#collecting.shift()?.(message.families);
    }
  }

  #request<Reply>(message: ToWorker, pending: Pending<Reply>): Promise<Reply | undefined> {
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    pending.push(resolve);
    if (!this.#send(message)) resolve(undefined);
    return promise;
  }

  /** Returns whether the worker is running, so that it may reply. */
  #send(message: ToWorker): boolean {
    const isRunning = this.#child.exitCode === null && this.#child.signalCode === null;
    if (isRunning && this.#isConnected) this.#child.send(message);
    return isRunning;
  }
}
