import { randomUUID } from 'node:crypto';
import type { Limiter, PendingCount } from './limiter.ts';
import type { SharedLimiter } from './redis/shared_limiter.ts';
import type { TokenStoreFile } from './token_store_file.ts';
import { newTally } from './usage.ts';

/** Counts per transaction, which then takes about 2 ms. */
const BATCH = 250;

/**
 * Flushes a limiter's counts to the ledger. With a shared store, that is the ledger, and the file only holds what was
 * granted during an outage of the store, until it is replayed.
 */
export class UsageFlusher {
  readonly #limiter: Limiter;
  readonly #file: TokenStoreFile;
  readonly #shared: SharedLimiter | undefined;
  /** Counts that the shared store may have added; they are sent again with the same receipts. */
  #unsure: readonly PendingCount[] = [];

  constructor(limiter: Limiter, file: TokenStoreFile, shared: SharedLimiter | undefined) {
    this.#limiter = limiter;
    this.#file = file;
    this.#shared = shared;
  }

  /**
   * Writes all counts; if it rejects, they stay in memory, as they do while the shared store is late, unless this is the last
   * flush. Serves requests between batches.
   */
  async flush(isLast = false): Promise<void> {
    if (this.#shared?.isLate && !isLast) return;
    if (!this.#shared) this.#record(this.#limiter.takeIdle());
    if (this.#shared) await this.#settle(this.#shared, isLast);
    for (;;) {
      const isOutage = this.#shared !== undefined && (!this.#shared.isUp || this.#shared.isLate);
      if (isOutage && !this.#file.isOpen) return; // the counts stay in memory
      const counts = this.#limiter.takePending(BATCH);
      if (!this.#shared || isOutage) this.#record(counts);
      else await this.#addToShared(counts.map(withReceipt), this.#shared);
      if (counts.length < BATCH) return;
      await new Promise(setImmediate);
    }
  }

  /** Replays usage recorded during an outage of the shared store. */
  async replay(shared: SharedLimiter): Promise<void> {
    const counts = this.#file.takeUsage();
    const replayed = counts.map(entry => withReceipt({ entry, tally: newTally(entry.id, entry.month) }));
    for (let start = 0; start < replayed.length; start += BATCH) {
      await this.#addToShared(replayed.slice(start, start + BATCH), shared);
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

  /** Sends unsure counts again; those of the last flush without the store go to the file with the others. */
  async #settle(shared: SharedLimiter, isLast: boolean): Promise<void> {
    const isReachable = shared.isUp && !shared.isLate;
    if (!isReachable && !isLast) return;
    const unsure = this.#unsure;
    this.#unsure = [];
    if (isReachable) await this.#addToShared(unsure, shared);
    else this.#limiter.requeue(unsure);
  }

  async #addToShared(counts: readonly PendingCount[], shared: SharedLimiter): Promise<void> {
    await Promise.all(
      counts.map(async count => {
        if (count.entry.count === 0) return;
        try {
          const used = await shared.addUsage(count.entry);
          this.#limiter.reconcile([count], [{ used, allowance: Number.POSITIVE_INFINITY }]);
        } catch {
          this.#unsure = [...this.#unsure, count];
        }
      }),
    );
    // The file still gets the times of last use.
    if (this.#file.isOpen) this.#file.record(counts.map(({ entry }) => ({ ...entry, count: 0 })));
  }
}

function withReceipt({ entry, tally }: PendingCount): PendingCount {
  return { entry: { ...entry, receipt: randomUUID() }, tally };
}
