import { randomUUID } from 'node:crypto';
import { messageOf } from '../common/errors.ts';
import type { Report } from '../common/problem_log.ts';
import type { KeyStoreFile } from './key_store_file.ts';
import type { Limiter, PendingCount } from './limiter.ts';
import type { Problems } from './problems.ts';
import type { SharedLimiter } from './redis/shared_limiter.ts';
import { isBusy } from './sqlite_file.ts';
import type { UsageBatch } from './usage.ts';

/** Counts per transaction, which then takes about 2 ms. */
const BATCH = 250;
/** The interval at which usage is written, and thus the most that a crash can lose. */
const FLUSH_INTERVAL_MS = 1000;
/** The number of consecutive flushes that may find the file locked before that is reported, or, at shutdown, usage is lost. */
const MAX_BUSY_FLUSHES = 5;

/** Counts on their way to the shared store. */
interface PendingBatch extends UsageBatch {
  readonly pending: readonly PendingCount[];
}

/** What a {@link UsageFlusher} writes to and reports with. */
export interface UsageEdges {
  readonly stored: KeyStoreFile;
  readonly report: Report;
  /** A pause before another attempt to write to a locked file at shutdown. */
  readonly pause: () => Promise<unknown>;
}

/**
 * Flushes a limiter's counts to the ledger once a second and at shutdown, and reports failures. A shared store, if any, is the
 * ledger; the file then only contains usage granted during an outage of the store, until it is replayed.
 */
export class UsageFlusher {
  readonly #limiter: Limiter;
  readonly #shared: SharedLimiter | undefined;
  readonly #edges: UsageEdges;
  readonly #problems: Problems;
  /** Counts that the shared store may have added, and that are not in the file. */
  #unsure: readonly PendingBatch[] = [];
  #flushedMs = 0;
  #busyFlushes = 0;
  #flushing: Promise<void> | undefined;
  #replaying: Promise<void> | undefined;

  constructor(limiter: Limiter, shared: SharedLimiter | undefined, edges: UsageEdges, problems: Problems) {
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
      if (await restored) await this.#replay();
    });
  }

  async replayed(): Promise<void> {
    await this.#replaying;
  }

  /** Flushes all usage, and reports if some is lost. */
  async stop(): Promise<void> {
    await Promise.all([this.#replaying, this.#flushing]);
    this.#busyFlushes = 0;
    await this.#flush(true);
    for (let attempts = 1; this.#busyFlushes > 0 && attempts < MAX_BUSY_FLUSHES; attempts++) {
      await this.#edges.pause();
      await this.#flush(true);
    }
    const pending = this.#limiter.takePending(Number.POSITIVE_INFINITY);
    if (this.#unsure.length > 0 || pending.some(({ entry }) => entry.count !== 0))
      this.#edges.report('error', 'Usage that could not be written is lost');
  }

  #flush(isLast = false): Promise<void> {
    return this.#guard(async () => {
      await this.#writeAll(isLast);
      await this.#replaying;
      await this.#replay();
      if (this.#edges.stored.isOpen) this.#problems.solve('usage', 'Usage can be written again');
    });
  }

  /** Reports a failure to write usage, unless the file is merely locked and has not been for long. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#busyFlushes = 0;
    } catch (error) {
      if (isBusy(error) && ++this.#busyFlushes < MAX_BUSY_FLUSHES) return;
      this.#problems.fail('usage', `Usage cannot be written and is kept in memory: ${messageOf(error)}`);
    }
  }

  /** Writes all counts. They stay in memory if that fails or, but for the last flush, while the shared store is slow. */
  async #writeAll(isLast: boolean): Promise<void> {
    const shared = this.#shared;
    if (shared?.isLate && !isLast) return;
    if (shared === undefined) this.#record(this.#limiter.takeIdle());
    else if (shared.isReachable) {
      const unsure = this.#unsure;
      this.#unsure = [];
      for (const batch of unsure) await this.#send(batch, shared);
    }
    await this.#writePending();
    if (shared !== undefined && (isLast || !shared.isReachable)) this.#saveUnsure();
  }

  async #writePending(): Promise<void> {
    const { stored } = this.#edges;
    for (;;) {
      const shared = this.#shared?.isReachable ? this.#shared : undefined;
      const isOutage = this.#shared !== undefined && shared === undefined;
      if (isOutage && !stored.isOpen) return; // the counts stay in memory
      const counts = this.#limiter.takePending(BATCH);
      if (shared === undefined) this.#record(counts);
      else {
        const pending = counts.filter(({ entry }) => entry.count !== 0);
        await this.#send(
          { receipt: randomUUID(), counts: pending.map(({ entry }) => entry), pending },
          shared,
        );
        // The last-used times still go to the file.
        if (stored.isOpen) stored.record(counts.map(({ entry }) => ({ ...entry, count: 0 })));
      }
      if (counts.length < BATCH) return;
      await new Promise(setImmediate);
    }
  }

  /** Writes counts to the file. */
  #record(counts: readonly PendingCount[]): void {
    if (counts.length === 0) return;
    try {
      const totals = this.#edges.stored.record(counts.map(({ entry }) => entry));
      if (!this.#shared) this.#limiter.reconcile(counts, totals);
    } catch (error) {
      this.#limiter.requeue(counts);
      throw error;
    }
  }

  async #send(batch: PendingBatch, shared: SharedLimiter): Promise<void> {
    if (batch.counts.length === 0) return;
    try {
      const totals = await shared.run(store => store.addUsage(batch));
      const known = totals.map(used => ({ used, allowance: Number.POSITIVE_INFINITY }));
      this.#limiter.reconcile(batch.pending, known);
    } catch {
      this.#unsure = [...this.#unsure, batch];
      return;
    }
    await settle(batch, shared);
  }

  /** Saves counts that the shared store may have added to the file, with their receipts. */
  #saveUnsure(): void {
    for (const batch of this.#edges.stored.isOpen ? this.#unsure : []) {
      this.#edges.stored.putBatch(batch);
      this.#unsure = this.#unsure.filter(other => other !== batch);
    }
  }

  /**
   * Sends usage in the file to the shared store, unless the store is unavailable. A batch remains in the file until the store has
   * confirmed it; after an interruption it is sent again with the same receipt, possibly by another process.
   */
  async #replay(): Promise<void> {
    const [shared, { stored }] = [this.#shared, this.#edges];
    if (!shared?.isReachable) return;
    for (let batch = stored.takeBatch(); batch !== null; batch = stored.takeBatch()) {
      const totals = await shared.run(store => store.addUsage(batch)).catch(() => null);
      if (totals === null) return;
      stored.settleBatch(batch);
      await settle(batch, shared);
    }
  }
}

/** Best effort: if it fails, the store only keeps the receipt longer than necessary. */
async function settle(batch: UsageBatch, shared: SharedLimiter): Promise<void> {
  await shared.run(store => store.settleUsage(batch)).catch(() => {});
}
