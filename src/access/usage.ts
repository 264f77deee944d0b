import { type Bucket, fullBucket } from './token_bucket.ts';

/** The usage of a key, as far as this process knows. Survives reloads of keys and plans. */
export interface Account {
  readonly bucket: Bucket;
  /** The month of the last request, and the one before it: a refund may be late, and the clock may be set back. */
  tally: Tally;
  former: Tally;
}

/** The requests of a key in one month. */
export interface Tally {
  readonly id: string;
  /** `Month.index`; −1 before the first request. */
  readonly month: number;
  /** The ledger's last known total and what this process has added since. */
  used: number;
  /** The highest total that a shared store has reported; 0 if none. */
  sharedUsed: number;
  /** The part of `used` that is not in the ledger yet; negative after refunds. */
  pending: number;
  /** The monthly quota at the last request, if any. */
  quota: number | undefined;
  /** Requests that this process may still grant before it needs another lease; infinite if it does not share the quota. */
  allowance: number;
  /** When it may request the next lease from the ledger, epoch milliseconds. */
  nextLeaseMs: number;
  /** The last granted request, epoch milliseconds; 0 before the first. */
  lastUsedMs: number;
}

/** A tally without requests. */
export function newTally(id: string, month: number, used = 0, allowance = 0): Tally {
  return {
    id,
    month,
    used,
    sharedUsed: 0,
    pending: 0,
    quota: undefined,
    allowance,
    nextLeaseMs: 0,
    lastUsedMs: 0,
  };
}

/** An account before its first request. */
export function newAccount(id: string): Account {
  const none = newTally(id, -1);
  return { bucket: fullBucket(), tally: none, former: none };
}

/** Requests of one key in one month. */
export interface MonthlyCount {
  readonly id: string;
  /** `Month.index` */
  readonly month: number;
  /** Negative if there are more refunds than requests. */
  readonly count: number;
}

/** Counts that a store adds atomically and only once: if they are sent again, it recognises their receipt. */
export interface UsageBatch {
  readonly receipt: string;
  readonly counts: readonly MonthlyCount[];
}

/** A count to add to the ledger. */
export interface UsageEntry extends MonthlyCount {
  /** Epoch milliseconds of the last granted request, 0 for none. */
  readonly lastUsedMs?: number;
  /** The monthly quota, if any. */
  readonly quota?: number | undefined;
  /** The minimum number of requests that the next lease must cover, if more than the ledger would lease anyway. */
  readonly wanted?: number;
  /** Whether the key is in use: an idle one returns its lease. */
  readonly isActive?: boolean;
}

/** The ledger's state after an entry. */
export interface UsageTotal {
  /** Requests of the month, of all processes. */
  readonly used: number;
  /** The lease: requests that this process may grant before it needs another; infinite if it does not share the quota. */
  readonly allowance: number;
}

/** Persistent usage. Every method may throw: a full disk, a locked file. */
export interface UsageLedger {
  /** Whether other processes grant against the same quotas, so that this one needs leases. */
  readonly isShared: boolean;
  /** Requests of a month so far, of all processes. */
  used(id: string, month: number): number;
  /** Adds all entries or none; returns one total per entry, in order. */
  record(entries: readonly UsageEntry[]): UsageTotal[];
}

/** A ledger for a server without a state directory, with the latest month of each key. */
export class MemoryLedger implements UsageLedger {
  readonly isShared = false;
  readonly #totals = new Map<string, { month: number; used: number }>();

  used(id: string, month: number): number {
    const total = this.#totals.get(id);
    return total?.month === month ? total.used : 0;
  }

  record(entries: readonly UsageEntry[]): UsageTotal[] {
    return entries.map(({ id, month, count }) => {
      const used = this.used(id, month) + count;
      if (month >= (this.#totals.get(id)?.month ?? month)) this.#totals.set(id, { month, used });
      return { used, allowance: Number.POSITIVE_INFINITY };
    });
  }
}
