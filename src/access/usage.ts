import { civilDateOf, dayNumberOf, MS_PER_DAY } from '../common/civil.ts';

/** A calendar month in UTC. */
export interface Month {
  /** Months since year 0: `year × 12 + month − 1`. */
  readonly index: number;
  /** `2026-11` */
  readonly label: string;
  readonly startMs: number;
  /** The first instant of the next month. */
  readonly endMs: number;
}

export function monthAt(index: number): Month {
  const year = Math.floor(index / 12);
  const number = index - year * 12 + 1;
  return {
    index,
    label: `${String(year).padStart(4, '0')}-${String(number).padStart(2, '0')}`,
    startMs: dayNumberOf(year, number, 1) * MS_PER_DAY,
    endMs: dayNumberOf(year, number + 1, 1) * MS_PER_DAY,
  };
}

/** The pattern of a month's label. */
export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The index of a month's label: `2026-11`. */
export function monthIndexOf(label: string): number {
  const [year, month] = label.split('-').map(Number);
  return year! * 12 + month! - 1;
}

export function monthOf(epochMs: number): Month {
  const { year, month } = civilDateOf(Math.floor(epochMs / MS_PER_DAY));
  return monthAt(year * 12 + month - 1);
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
