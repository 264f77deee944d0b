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
  readonly #exited = Promise.withResolvers<{ exitCode: number | null; signal: string | null }>();
  readonly exited = this.#exited.promise;
  readonly #collecting: Pending<readonly MetricFamily[]> = [];
  readonly #reloading: Pending<ReloadResult> = [];
  /** The last known metrics. */
  metrics: readonly MetricFamily[] = [];
  readonly #startedMs = performance.now();
  #readyMs: number | null = null;
  #lastMessageMs = this.#startedMs;
  #heartbeat: Timer | undefined;
  /** The channel of a killed worker closes before its exit is reported. */
  #isConnected = true;

  constructor(assignment: WorkerAssignment, requests: WorkerRequests) {
    this.#requests = requests;
    this.#child = Bun.spawn(ownCommand(process.argv.slice(2)), {
      env: { ...process.env, NOTIFY_SOCKET: undefined, [WORKER_PLACE]: JSON.stringify(assignment) },
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
      ipc: (message: FromWorker) => this.#receive(message),
      onDisconnect: () => {
        this.#isConnected = false;
      },
      onExit: (child, exitCode, signal) => {
        clearInterval(this.#heartbeat);
        for (const resolve of [...this.#collecting, ...this.#reloading]) resolve();
        this.#ready.resolve(null);
        const signalName = signal === null ? null : String(child.signalCode ?? signal);
        this.#exited.resolve({ exitCode, signal: signalName });
      },
    });
    this.identity = { worker: workerNumber(assignment), pid: this.#child.pid };
  }

  /** Milliseconds since its start; 0 once it is ready. */
  get startingMs(): number {
    return this.#readyMs === null ? performance.now() - this.#startedMs : 0;
  }

  /** Milliseconds since it became ready; 0 before. */
  get servingMs(): number {
    return this.#readyMs === null ? 0 : performance.now() - this.#readyMs;
  }

  /** Milliseconds since its last message; 0 until it is ready, as nothing is requested of it before. */
  get silenceMs(): number {
    return this.#readyMs === null ? 0 : performance.now() - this.#lastMessageMs;
  }

  /** Requests the worker's current metrics; after a second returns the last known ones. */
  async collect(): Promise<readonly MetricFamily[]> {
    const reply = this.#request({ kind: 'collect' }, this.#collecting);
    return (await Promise.race([reply, Bun.sleep(COLLECT_MS)])) ?? this.metrics;
  }

  reload(): Promise<ReloadResult | undefined> {
    return this.#request({ kind: 'reload' }, this.#reloading);
  }

  stop(hasSuccessor: boolean): void {
    this.#send({ kind: 'stop', hasSuccessor });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(message: FromWorker): void {
    this.#lastMessageMs = performance.now();
    if (message.kind === 'ready') {
      this.#readyMs = this.#lastMessageMs;
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
    this.#send(message);
    if (!this.#isRunning) resolve(undefined);
    return promise;
  }

  #send(message: ToWorker): void {
    if (this.#isConnected && this.#isRunning) this.#child.send(message);
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}
