/** What one holder used in one month since it was last written down. */
export interface UsageEntry {
  readonly id: string;
  /** `Month.index` */
  readonly month: number;
  /** Requests to add; negative where refunds outweigh. */
  readonly count: number;
  /** Epoch milliseconds of the last granted request, 0 for none. */
  readonly lastUsedMs: number;
  /** The monthly quota, where there is one. */
  readonly quota: number | undefined;
  /** Whether the holder still asks: an idle one gives back what was set aside for it. */
  readonly active: boolean;
}

/** What the ledger answers for an entry. */
export interface UsageTotal {
  /** Requests of the month, of all processes. */
  readonly used: number;
  /** How many more this process may grant before it asks again; infinite where it shares the quota with nobody. */
  readonly allowance: number;
}

/** Where usage is written down. Everything here may throw: a disk is full, a file is locked. */
export interface UsageLedger {
  /** Whether other processes grant against the same quotas, so that this one has to ask for allowances. */
  readonly shared: boolean;
  /** Requests of a month so far, of all processes. */
  used(id: string, month: number): number;
  /** Adds all entries or none, and answers one total for each, in order. */
  settle(entries: readonly UsageEntry[]): UsageTotal[];
}

/** A ledger that forgets at the end of the process, for a server without a state directory. It holds one month a holder. */
export class MemoryLedger implements UsageLedger {
  readonly shared = false;
  readonly #totals = new Map<string, { month: number; used: number }>();

  used(id: string, month: number): number {
    const total = this.#totals.get(id);
    return total?.month === month ? total.used : 0;
  }

  settle(entries: readonly UsageEntry[]): UsageTotal[] {
    return entries.map(({ id, month, count }) => {
      const used = this.used(id, month) + count;
      if (month >= (this.#totals.get(id)?.month ?? month)) this.#totals.set(id, { month, used });
      return { used, allowance: Number.POSITIVE_INFINITY };
    });
  }
}
