import type { Count, Meter } from './meter.ts';
import { monthAt } from './month.ts';
import type { SharedStore } from './redis_store.ts';
import type { SharedMeter } from './shared_meter.ts';
import type { StoredUsage } from './sqlite_store.ts';
import type { UsageLedger } from './usage_ledger.ts';

/** How many counts are written at once: a transaction of so many takes about 2 ms. */
const AT_ONCE = 250;

/** A ledger in a file, or none yet. */
export interface FileLedger extends UsageLedger {
  /** Whether what is written outlives the process. */
  readonly isOpen: boolean;
  /** Takes all usage out, to be kept elsewhere. */
  takeUsage(): StoredUsage[];
}

/** A store that machines share, and what knows whether it answers. */
export interface Sharing {
  readonly store: SharedStore;
  readonly meter: SharedMeter;
}

/**
 * Brings a meter's counts to where they are kept. With a shared store the file holds only what that store has not been told yet:
 * what was granted while it was away.
 */
export class UsageWriter {
  readonly #meter: Meter;
  readonly #file: FileLedger;
  readonly #sharing: Sharing | undefined;

  constructor(meter: Meter, file: FileLedger, sharing: Sharing | undefined) {
    this.#meter = meter;
    this.#file = file;
    this.#sharing = sharing;
  }

  /** Writes everything; rejects with what went wrong, the counts kept. Between the parts of a long list requests are served. */
  async write(): Promise<void> {
    if (!this.#sharing) this.#settle(this.#meter.drainIdle());
    for (;;) {
      const isAway = this.#sharing !== undefined && !this.#sharing.meter.up;
      if (isAway && !this.#file.isOpen) return; // then the counts wait in memory
      const counts = this.#meter.drain(AT_ONCE);
      if (!this.#sharing) this.#settle(counts);
      else if (isAway) this.#owe(counts);
      else await this.#charge(counts, this.#sharing);
      if (counts.length < AT_ONCE) return;
      await new Promise(setImmediate);
    }
  }

  /** Tells the shared store what was granted while it was away; rejects where what it does not take cannot be written down again. */
  async deliverOwed({ store, meter }: Sharing): Promise<void> {
    const { connection } = meter;
    const owed = this.#file.takeUsage();
    for (const [i, { id, month, used }] of owed.entries()) {
      try {
        await store.charge({ id, month, count: used });
      } catch (error) {
        meter.away(error, connection);
        this.#owe(owed.slice(i).map(asCount));
        return;
      }
    }
  }

  #settle(counts: readonly Count[]): void {
    if (counts.length === 0) return;
    try {
      this.#meter.learn(counts, this.#file.settle(counts.map(({ entry }) => entry)));
    } catch (error) {
      this.#meter.restore(counts);
      throw error;
    }
  }

  async #charge(counts: readonly Count[], { store, meter }: Sharing): Promise<void> {
    const { connection } = meter;
    const outcomes = await Promise.allSettled(
      counts.map(async count => {
        const { id, month, count: requests } = count.entry;
        if (requests === 0) return;
        const used = await store.charge({ id, month: monthAt(month).label, count: requests });
        this.#meter.learn([count], [{ used, allowance: Number.POSITIVE_INFINITY }]);
      }),
    );
    const failed = outcomes.findIndex(({ status }) => status === 'rejected');
    if (failed !== -1) {
      this.#meter.restore(counts.filter((_, i) => outcomes[i]!.status === 'rejected'));
      meter.away((outcomes[failed] as PromiseRejectedResult).reason, connection);
    }
    if (this.#file.isOpen) this.#file.settle(counts.map(({ entry }) => ({ ...entry, count: 0 })));
  }

  /** Writes to the file what the shared store will be told when it is back; where that fails the counts wait in memory. */
  #owe(counts: readonly Count[]): void {
    try {
      this.#file.settle(counts.map(({ entry }) => entry));
    } catch (error) {
      this.#meter.restore(counts);
      throw error;
    }
  }
}

function asCount({ id, month: label, used: count }: StoredUsage): Count {
  const [year, number] = label.split('-').map(Number);
  const month = year! * 12 + number! - 1;
  return { entry: { id, month, count, lastUsedMs: 0, quota: undefined, active: false }, account: undefined };
}
