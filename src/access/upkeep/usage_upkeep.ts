import { messageOf } from '../../common/errors.ts';
import type { Limiter } from '../limiter.ts';
import type { ProblemLog, Report } from '../problem_log.ts';
import type { SharedLimiter } from '../redis/shared_limiter.ts';
import { StoreError } from '../sqlite_file.ts';
import type { TokenStoreFile } from '../token_store_file.ts';
import { UsageFlusher } from './usage_flusher.ts';

/** What {@link UsageUpkeep} writes to and reports with. */
export interface UsageEdges {
  readonly tokens: TokenStoreFile;
  readonly report: Report;
  /** A pause before another attempt to write to a locked file at shutdown. */
  readonly pause: () => Promise<unknown>;
}

/** The interval at which usage is written, and thus the most that a crash can lose. */
const FLUSH_INTERVAL_MS = 1000;
/** The number of consecutive flushes that may find the file locked before that is reported, or, at shutdown, usage is lost. */
const MAX_BUSY_FLUSHES = 5;

/** Flushes usage once a second and at shutdown, replays usage recorded during an outage, and reports write failures. */
export class UsageUpkeep {
  readonly #limiter: Limiter;
  readonly #edges: UsageEdges;
  readonly #problems: ProblemLog;
  readonly #flusher: UsageFlusher;
  #flushedMs = 0;
  #busyFlushes = 0;
  #flushing: Promise<void> | undefined;
  #replaying: Promise<void> | undefined;

  constructor(limiter: Limiter, shared: SharedLimiter | undefined, edges: UsageEdges, problems: ProblemLog) {
    this.#limiter = limiter;
    this.#edges = edges;
    this.#problems = problems;
    this.#flusher = new UsageFlusher(limiter, edges.tokens, shared);
  }

  /** Creates the file for usage. */
  createFile(): void {
    try {
      if (!this.#edges.tokens.isOpen) this.#edges.tokens.create();
    } catch (error) {
      this.#problems.fail('usage', `Usage is counted in memory only: ${messageOf(error)}`);
    }
  }

  /** Flushes usage if a second has passed. */
  tick(nowMs: number): void {
    if (nowMs >= this.#flushedMs && nowMs < this.#flushedMs + FLUSH_INTERVAL_MS) return;
    this.#flushedMs = nowMs;
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
  }

  /**
   * Replays usage recorded during an outage once the totals in the store have been restored: raising a total later would absorb
   * what was added before. If that fails, a flush replays it.
   */
  replayAfter(restored: Promise<boolean>): void {
    this.#replaying = this.#guard(async () => {
      if (await restored) await this.#flusher.replay();
    });
  }

  /** Waits for a running replay. */
  async replayed(): Promise<void> {
    await this.#replaying;
  }

  /** Flushes all usage, and reports if some is lost. */
  async stop(): Promise<void> {
    await Promise.all([this.#replaying, this.#flushing]);
    await this.#flushAtStop();
    const pending = this.#limiter.takePending(Number.POSITIVE_INFINITY);
    if (this.#flusher.isUnsure || pending.some(({ entry }) => entry.count !== 0)) {
      this.#edges.report('error', 'Usage that could not be written is lost');
    }
  }

  #flush(isLast = false): Promise<void> {
    return this.#guard(async () => {
      await this.#flusher.flush(isLast);
      await this.#replaying;
      await this.#flusher.replay();
      if (this.#edges.tokens.isOpen) this.#problems.solve('usage', 'Usage can be written again');
    });
  }

  async #flushAtStop(): Promise<void> {
    this.#busyFlushes = 0;
    await this.#flush(true);
    for (let attempts = 1; this.#busyFlushes > 0 && attempts < MAX_BUSY_FLUSHES; attempts++) {
      await this.#edges.pause();
      await this.#flush(true);
    }
  }

  /** Reports a failure to write usage, unless the file is merely locked and has not been for long. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#busyFlushes = 0;
    } catch (error) {
      if (error instanceof StoreError && error.isBusy && ++this.#busyFlushes < MAX_BUSY_FLUSHES) return;
      this.#problems.fail('usage', `Usage cannot be written and is kept in memory: ${messageOf(error)}`);
    }
  }
}
