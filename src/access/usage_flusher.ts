import { messageOf } from '../common/errors.ts';
import type { Report } from '../common/problem_log.ts';
import { nextTurn } from '../common/promises.ts';
import type { KeyStoreFile } from './key_store_file.ts';
import type { Limiter, PendingCount } from './limiter.ts';
import type { Problems } from './problems.ts';
import type { SharedUsage } from './redis/shared_usage.ts';
import { isBusy } from './sqlite_errors.ts';

/** Counts per transaction, which then takes about 2 ms. */
const BATCH = 250;
/** The interval at which usage is written, and thus the most that a crash can lose. */
const FLUSH_INTERVAL_MS = 1000;
/** The number of consecutive flushes that may find the file locked before that is reported, or, at shutdown, usage is lost. */
const MAX_BUSY_FLUSHES = 5;

/** The file that a {@link UsageFlusher} creates, and how it reports. */
export interface UsageEdges {
  readonly stored: KeyStoreFile;
  readonly report: Report;
  /** A pause before another attempt to write to a locked file at shutdown. */
  readonly pause: () => Promise<unknown>;
}

/** Flushes a limiter's counts once a second and at shutdown, to the file or to a shared store, and reports failures. */
export class UsageFlusher {
  readonly #limiter: Limiter;
  readonly #shared: SharedUsage | undefined;
  readonly #edges: UsageEdges;
  readonly #problems: Problems;
  #flushedMs = 0;
  #busyFlushes = 0;
  #flushing: Promise<void> | undefined;

  constructor(limiter: Limiter, shared: SharedUsage | undefined, edges: UsageEdges, problems: Problems) {
    this.#limiter = limiter;
    this.#shared = shared;
    this.#edges = edges;
    this.#problems = problems;
  }

  createFile(): void {
    try {
      if (!this.#edges.stored.isOpen) this.#edges.stored.create();
    } catch (error) {
      this.#problems.fail('usage', `Usage is counted in memory only: ${messageOf(error)}`);
    }
  }

  /** Flushes usage if a second has passed. */
  tick(nowMs: number): void {
    if (nowMs >= this.#flushedMs && nowMs < this.#flushedMs + FLUSH_INTERVAL_MS) return;
    this.#flushedMs = nowMs;
    this.#flushing ??= this.#flush(false).finally(() => {
      this.#flushing = undefined;
    });
  }

  /** Flushes all usage, and reports if some is lost. */
  async stop(): Promise<void> {
    await this.#flushing;
    this.#busyFlushes = 0;
    await this.#flush(true);
    for (let attempts = 1; this.#busyFlushes > 0 && attempts < MAX_BUSY_FLUSHES; attempts++) {
      await this.#edges.pause();
      await this.#flush(true);
    }
    const pending = this.#limiter.takePending(Number.POSITIVE_INFINITY);
    if (this.#shared?.hasUnsure || pending.some(({ entry }) => entry.count !== 0))
      this.#edges.report('error', 'Usage that could not be written is lost');
  }

  /** Reports a failure to write usage, unless the file is merely locked and has not been for long. */
  async #flush(isLast: boolean): Promise<void> {
    try {
      await (this.#shared?.write(isLast) ?? this.#writeToFile());
      this.#busyFlushes = 0;
      if (this.#edges.stored.isOpen) this.#problems.solve('usage', 'Usage can be written again');
    } catch (error) {
      if (isBusy(error) && ++this.#busyFlushes < MAX_BUSY_FLUSHES) return;
      this.#problems.fail('usage', `Usage cannot be written and is kept in memory: ${messageOf(error)}`);
    }
  }

  /** Writes to the file, which is the ledger without a shared store. */
  async #writeToFile(): Promise<void> {
    this.#record(this.#limiter.takeIdle());
    for (;;) {
      const counts = this.#limiter.takePending(BATCH);
      this.#record(counts);
      if (counts.length < BATCH) return;
      await nextTurn();
    }
  }

  #record(counts: readonly PendingCount[]): void {
    this.#limiter.reconcile(counts, this.#limiter.writeTo(this.#edges.stored, counts));
  }
}
