import type { Limiter, PendingCount } from './limiter.ts';
import type { SharedLimiter } from './redis/shared_limiter.ts';
import type { TokenStoreFile } from './token_store_file.ts';
import { type MonthlyCount, newTally } from './usage.ts';

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

  constructor(limiter: Limiter, file: TokenStoreFile, shared: SharedLimiter | undefined) {
    this.#limiter = limiter;
    this.#file = file;
    this.#shared = shared;
  }

  /** Writes all counts; if it rejects, they stay in memory. Serves requests between batches. */
  async flush(): Promise<void> {
    if (!this.#shared) this.#record(this.#limiter.takeIdle());
    for (;;) {
      const isOutage = this.#shared !== undefined && !this.#shared.isUp;
      if (isOutage && !this.#file.isOpen) return; // the counts stay in memory
      const counts = this.#limiter.takePending(BATCH);
      if (!this.#shared || isOutage) this.#record(counts);
      else await this.#addToShared(counts, this.#shared);
      if (counts.length < BATCH) return;
      await new Promise(setImmediate);
    }
  }

  /** Replays usage recorded during an outage of the shared store; rejects if what it does not accept cannot be persisted. */
  async replay(shared: SharedLimiter): Promise<void> {
    const counts = this.#file.takeUsage();
    for (const [i, count] of counts.entries()) {
      try {
        await shared.addUsage(count);
      } catch {
        const left = counts.slice(mayRepeat(count) ? i : i + 1);
        return this.#record(left.map(entry => ({ entry, tally: newTally(entry.id, entry.month) })));
      }
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

  async #addToShared(counts: readonly PendingCount[], shared: SharedLimiter): Promise<void> {
    await Promise.all(
      counts.map(async count => {
        if (count.entry.count === 0) return;
        try {
          const used = await shared.addUsage(count.entry);
          this.#limiter.reconcile([count], [{ used, allowance: Number.POSITIVE_INFINITY }]);
        } catch {
          if (mayRepeat(count.entry)) this.#limiter.requeue([count]);
        }
      }),
    );
    // The file still gets the times of last use.
    if (this.#file.isOpen) this.#file.record(counts.map(({ entry }) => ({ ...entry, count: 0 })));
  }
}

/**
 * Whether to send a count again if the store may have processed it. Requests may be counted twice, but a refund given
 * twice would let more requests through than the quota.
 */
function mayRepeat({ count }: MonthlyCount): boolean {
  return count > 0;
}
