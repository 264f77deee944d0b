import { messageOf } from '../common/message_of.ts';
import type { ErrorCode } from '../common/service_error.ts';
import type { HeaderSource, MarketplaceHeaders } from './credentials.ts';
import { type Admission, authorise, identify } from './gate.ts';
import type { Holder } from './key_ring.ts';
import type { Limits } from './limits.ts';
import { type KeySettings, type KeySources, LiveKeys, type TokenSource } from './live_keys.ts';
import { Meter } from './meter.ts';
import { type AccessTopic, ProblemLog, type Report } from './problem_log.ts';
import type { SharedStore } from './redis_store.ts';
import { type FailMode, SharedMeter } from './shared_meter.ts';
import { StoreError } from './store_error.ts';
import { MemoryLedger } from './usage_ledger.ts';
import { type FileLedger, type Sharing, UsageWriter } from './usage_writer.ts';

/** How a server guards itself. */
export interface AccessSettings extends Omit<KeySettings, 'divided'> {
  /** Serve everybody, whatever keys there are. */
  readonly open: boolean;
  readonly failMode: FailMode;
}

/** What it has of the world. */
export interface AccessEdges extends KeySources {
  readonly tokens: TokenSource & FileLedger & { create(): void; close(): void };
  /** Limits and usage that machines share; null where this one is alone. */
  readonly shared: SharedStore | null;
  readonly report: Report;
  /** Lets another process that has the file locked go on for a moment, at the stop. */
  readonly pause: () => Promise<unknown>;
}

/** How often usage is written: what a crash can lose at most. */
const WRITE_EVERY_MS = 1000;
/** How long a shared store must have answered to be called back: one that comes and goes is told of once. */
const STEADY_MS = 1000;
/** How many writes in a row may find the file locked before it is worth a line in the log, or given up at the stop. */
const BUSY_PATIENCE = 5;

/**
 * Who may ask, and how much. `tick` is to be called a few times a second, `stop` at the end. Making one reads keys
 * and plans, and throws an Error of one line for what cannot be read or does not fit: a server must not start then.
 */
export class AccessControl {
  readonly #edges: AccessEdges;
  readonly #isOpenToAll: boolean;
  readonly #failMode: FailMode;
  readonly #problems: ProblemLog;
  readonly #keys: LiveKeys;
  readonly #meter: Meter;
  readonly #sharing: Sharing | undefined;
  readonly #writer: UsageWriter;
  readonly #refused = new Map<ErrorCode, number>();
  #granted = 0;
  #writtenMs = 0;
  #busyWrites = 0;
  #tickMs = 0;
  #isFileProvided = false;
  #backMs = 0;
  #writing: Promise<void> | undefined;
  #searching: Promise<void> | undefined;

  constructor(settings: AccessSettings, edges: AccessEdges) {
    this.#edges = edges;
    this.#isOpenToAll = settings.open;
    this.#failMode = settings.failMode;
    this.#problems = new ProblemLog(edges.report);
    this.#keys = new LiveKeys({ ...settings, divided: edges.shared === null }, edges, this.#problems);
    this.#meter = new Meter(edges.shared === null ? edges.tokens : new MemoryLedger());
    this.#sharing = edges.shared === null ? undefined : this.#share(edges.shared, settings.failMode);
    this.#writer = new UsageWriter(this.#meter, edges.tokens, this.#sharing);
    this.#provideFile();
  }

  /** Whether everybody is served. A server that has had a key stays closed: removing the last one opens nothing. */
  get isOpen(): boolean {
    return this.#isOpenToAll || !this.#keys.hasHadKeys;
  }

  /** The headers of a marketplace's credentials, where one is set up. */
  get marketplace(): MarketplaceHeaders | undefined {
    return this.#keys.keys.marketplace;
  }

  /** How many requests were let through. */
  get granted(): number {
    return this.#granted;
  }

  /** How many were refused, by the code of the refusal. */
  get refused(): ReadonlyMap<ErrorCode, number> {
    return this.#refused;
  }

  /** Whether there are, or have been, keys: an open server does not ask for them. */
  get hasKeys(): boolean {
    return this.#keys.hasHadKeys;
  }

  /**
   * Whether machines share limits; then whether their store answers, and where not, whether requests are served all
   * the same.
   */
  get sharedStore(): 'none' | 'up' | 'away' | 'away and closed' {
    if (this.#sharing === undefined) return 'none';
    if (this.#sharing.meter.up) return 'up';
    return this.#failMode === 'open' ? 'away' : 'away and closed';
  }

  /** What is wrong with a topic at the moment, if anything. */
  problem(topic: AccessTopic): string | undefined {
    return this.#problems.get(topic);
  }

  /** Decides on a request, as `authorise` does. An open server does not ask. */
  authorise(headers: HeaderSource, nowMs: number): Admission | Promise<Admission> {
    const admission = authorise(headers, this.#keys.keys, this.#take, nowMs);
    return admission instanceof Promise ? admission.then(this.#noted) : this.#noted(admission);
  }

  /** Gives back an admitted request whose answer does not count. */
  refund({ holder, standing, refusal }: Admission): void {
    if (holder && standing && !refusal) this.#meter.refund(holder.account, standing.month.index);
  }

  /** Whether a request carries a key that works. */
  recognises(headers: HeaderSource): boolean {
    try {
      const { suspended, limits } = identify(headers, this.#keys.keys);
      return !suspended && limits !== undefined;
    } catch {
      return false;
    }
  }

  /** Looks for the shared store, so that the first request finds it. A server starts without it, too. */
  async start(): Promise<void> {
    await this.#search();
  }

  /** Notices changed keys and plans, looks for a shared store that is away, writes usage once a second. */
  tick(nowMs: number): void {
    this.#tickMs = nowMs;
    this.#keys.notice();
    this.#provideFile();
    if (this.#sharing?.meter.up && nowMs - this.#backMs >= STEADY_MS) {
      this.#problems.solve('shared', 'The shared quota store is back');
    }
    this.#searching ??= this.#search().finally(() => {
      this.#searching = undefined;
    });
    if (nowMs >= this.#writtenMs && nowMs < this.#writtenMs + WRITE_EVERY_MS) return;
    this.#writtenMs = nowMs;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /**
   * Reads keys and plans again, and says what is now in force; throws an Error of one line for what stays as it was.
   */
  reload(): string {
    this.#keys.reload();
    this.#provideFile();
    const problem = this.problem('files') ?? this.problem('tokens');
    if (problem !== undefined) throw new Error(problem);
    return this.#keys.summary;
  }

  /** Writes what is still unwritten and lets go of everything. */
  async stop(): Promise<void> {
    await Promise.all([this.#searching, this.#writing]);
    await this.#writeAtLast();
    if (this.#meter.drain(Number.POSITIVE_INFINITY).some(({ entry }) => entry.count !== 0)) {
      this.#edges.report('error', 'Usage that could not be written is lost');
    }
    this.#edges.tokens.close();
    this.#edges.shared?.close();
  }

  readonly #take = ({ account }: Holder, limits: Limits, nowMs: number) =>
    (this.#sharing?.meter ?? this.#meter).take(account, limits, nowMs);

  readonly #noted = (admission: Admission): Admission => {
    const { refusal } = admission;
    if (refusal === undefined) this.#granted += 1;
    else this.#refused.set(refusal.code, (this.#refused.get(refusal.code) ?? 0) + 1);
    return admission;
  };

  #share(store: SharedStore, failMode: FailMode): Sharing {
    const meanwhile =
      failMode === 'open' ? 'limits are counted here until it is back' : 'requests get 502 until it is back';
    const meter = new SharedMeter(store, this.#meter, failMode, reason =>
      this.#problems.fail('shared', `The shared quota store is away (${reason}); ${meanwhile}`),
    );
    return { store, meter };
  }

  async #search(): Promise<void> {
    if (this.#sharing === undefined || this.#sharing.meter.up) return;
    if (!(await this.#sharing.meter.tryAgain())) return;
    this.#backMs = this.#tickMs;
    await this.#guarded(() => this.#writer.deliverOwed(this.#sharing!));
  }

  #write(): Promise<void> {
    return this.#guarded(async () => {
      await this.#writer.write();
      if (this.#edges.tokens.isOpen) this.#problems.solve('usage', 'Usage can be written again');
    });
  }

  /** Writes for the last time. A file that is locked just now is tried again, a few times. */
  async #writeAtLast(): Promise<void> {
    this.#busyWrites = 0;
    await this.#write();
    for (let tries = 1; this.#busyWrites > 0 && tries < BUSY_PATIENCE; tries++) {
      await this.#edges.pause();
      await this.#write();
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#busyWrites = 0;
    } catch (error) {
      if (error instanceof StoreError && error.isBusy && ++this.#busyWrites < BUSY_PATIENCE) return;
      this.#problems.fail('usage', `Usage cannot be written and is kept in memory: ${messageOf(error)}`);
    }
  }

  /** Makes the file of usage with the first key, at the start or later; until then there is nothing to write. */
  #provideFile(): void {
    if (this.#isFileProvided || !this.#keys.hasHadKeys) return;
    this.#isFileProvided = true;
    try {
      if (!this.#edges.tokens.isOpen) this.#edges.tokens.create();
    } catch (error) {
      this.#problems.fail('usage', `Usage is counted in memory alone: ${messageOf(error)}`);
    }
  }
}
