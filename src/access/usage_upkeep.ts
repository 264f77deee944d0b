import { randomUUID } from 'node:crypto';
import { messageOf } from '../common/errors.ts';
import type { Limiter, PendingCount } from './limiter.ts';
import type { SharedLimiter } from './redis/shared_limiter.ts';
import type { ProblemLog, Report } from './reports.ts';
import { StoreError } from './sqlite_file.ts';
import type { TokenStoreFile } from './token_store_file.ts';
import type { UsageBatch } from './usage.ts';

/** Counts per transaction, which then takes about 2 ms. */
const BATCH = 250;

/** Counts on their way to the shared store. */
interface PendingBatch extends UsageBatch {
  readonly pending: readonly PendingCount[];
}

/**
 * Flushes a limiter's counts to the ledger. A shared store, if any, is the ledger; the file then only contains usage granted
 * during an outage of the store, until it is replayed.
 */
class UsageFlusher {
  readonly #limiter: Limiter;
  readonly #file: TokenStoreFile;
  readonly #shared: SharedLimiter | undefined;
  /** Counts that the shared store may have added, and that are not in the file. */
  #unsure: readonly PendingBatch[] = [];

  constructor(limiter: Limiter, file: TokenStoreFile, shared: SharedLimiter | undefined) {
    this.#limiter = limiter;
    this.#file = file;
    this.#shared = shared;
  }

  /** Whether there are counts in memory that the shared store may lack. */
  get isUnsure(): boolean {
    return this.#unsure.length > 0;
  }

  /**
   * Writes all counts. If that fails, they remain in memory, as they do while the shared store is slow, unless this is the last
   * flush. Requests are served between batches.
   */
  async flush(isLast = false): Promise<void> {
    const shared = this.#shared;
    if (shared?.isLate && !isLast) return;
    if (shared === undefined) this.#record(this.#limiter.takeIdle());
    else if (isReachable(shared)) await this.#sendUnsure(shared);
    await this.#flushPending();
    if (shared !== undefined && (isLast || !isReachable(shared))) this.#saveUnsure();
  }

  /**
   * Sends usage in the file to the shared store, unless the store is unavailable. A batch remains in the file until the store has
   * confirmed it; after an interruption it is sent again with the same receipt, possibly by another process.
   */
  async replay(): Promise<void> {
    const shared = this.#shared;
    if (shared === undefined || !isReachable(shared)) return;
    for (let batch = this.#file.takeBatch(); batch !== null; batch = this.#file.takeBatch()) {
      const totals = await shared.addUsage(batch).catch(() => null);
      if (totals === null) return;
      this.#file.settleBatch(batch);
      await settle(batch, shared);
    }
  }

  async #flushPending(): Promise<void> {
    for (;;) {
      const isOutage = this.#shared !== undefined && !isReachable(this.#shared);
      if (isOutage && !this.#file.isOpen) return; // the counts stay in memory
      const counts = this.#limiter.takePending(BATCH);
      if (!this.#shared || isOutage) this.#record(counts);
      else {
        await this.#send(withReceipt(counts), this.#shared);
        // The last-used times still go to the file.
        if (this.#file.isOpen) this.#file.record(counts.map(({ entry }) => ({ ...entry, count: 0 })));
      }
      if (counts.length < BATCH) return;
      await new Promise(setImmediate);
    }
  }

  #record(counts: readonly PendingCount[]): void {
    if (counts.length === 0) return;
    try {
      const totals = this.#file.record(counts.map(({ entry }) => entry));
      if (!this.#shared) this.#limiter.reconcile(counts, totals);
    } catch (error) {
      this.#limiter.requeue(counts);
      throw error;
    }
  }

  async #sendUnsure(shared: SharedLimiter): Promise<void> {
    const unsure = this.#unsure;
    this.#unsure = [];
    for (const batch of unsure) await this.#send(batch, shared);
  }

  async #send(batch: PendingBatch, shared: SharedLimiter): Promise<void> {
    if (batch.counts.length === 0) return;
    try {
      const totals = await shared.addUsage(batch);
      const allowance = Number.POSITIVE_INFINITY;
      this.#limiter.reconcile(
        batch.pending,
        totals.map(used => ({ used, allowance })),
      );
    } catch {
      this.#unsure = [...this.#unsure, batch];
      return;
    }
    await settle(batch, shared);
  }

  /** Saves counts that the shared store may have added to the file, with their receipts. */
  #saveUnsure(): void {
    for (const batch of this.#file.isOpen ? this.#unsure : []) {
      this.#file.putBatch(batch);
      this.#unsure = this.#unsure.filter(other => other !== batch);
    }
  }
}

function isReachable(shared: SharedLimiter): boolean {
  return shared.isUp && !shared.isLate;
}

/** Best effort: if it fails, the store only keeps the receipt longer than necessary. */
async function settle(batch: UsageBatch, shared: SharedLimiter): Promise<void> {
  await shared.settleUsage(batch).catch(() => {});
}

function withReceipt(counts: readonly PendingCount[]): PendingBatch {
  const pending = counts.filter(({ entry }) => entry.count !== 0);
  return { receipt: randomUUID(), counts: pending.map(({ entry }) => entry), pending };
}

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
