import { type Month, monthOf } from './month.ts';
import type { Limits } from './plan.ts';
import { consume, msToNext, refill, requestsLeft } from './token_bucket.ts';
import { type Account, type UsageEntry, type UsageLedger, type UsageTotal, usageEntry } from './usage.ts';

/** The outcome of a request against its limits, and the state after it. */
export interface LimitStatus {
  /** `rate` and `quota` name the limit that rejected the request. */
  readonly verdict: 'granted' | 'rate' | 'quota';
  /** The time of the request, epoch milliseconds. */
  readonly nowMs: number;
  readonly month: Month;
  /** Requests of the month, including this one if granted. */
  readonly used: number;
  /** Requests that the bucket would grant at once; 0 without a rate limit. */
  readonly rateLeft: number;
  /** Milliseconds until the bucket grants one more; 0 without a rate limit. */
  readonly rateWaitMs: number;
}

/** A count on its way to the ledger, and its account; undefined once the account has moved on to another month. */
export interface PendingCount {
  readonly entry: UsageEntry;
  readonly account: Account | undefined;
}

/** Requests granted without a lease while a shared ledger cannot be written. */
const UNLEASED_ALLOWANCE = 8;
/** The interval between attempts to get a lease while the ledger grants none. */
const LEASE_RETRY_MS = 250;

/**
 * Checks and counts requests in memory; counts are flushed to the ledger in batches. A request only accesses the ledger
 * when its key's month changes and, if workers share a quota, when the lease of this one is used up.
 */
export class Limiter {
  readonly #ledger: UsageLedger;
  readonly #dirty = new Set<Account>();
  readonly #leased = new Set<Account>();
  /** Counts of other months than their account's, by id and month. */
  readonly #backlog = new Map<string, UsageEntry>();
  #month: Month = monthOf(0);

  constructor(ledger: UsageLedger) {
    this.#ledger = ledger;
  }

  /** Counts a request or rejects it. One that exceeds the quota costs no rate tokens; one that exceeds the rate, no quota. */
  consume(account: Account, limits: Limits, nowMs: number): LimitStatus {
    this.#month = monthAround(nowMs, this.#month);
    this.#enterMonth(account, this.#month.index);
    const rule = limits.share;
    account.quota = limits.plan.monthlyQuota;
    if (rule) refill(account.bucket, rule, nowMs);
    let verdict: LimitStatus['verdict'] = 'granted';
    if (!this.#fitsQuota(account, nowMs)) verdict = 'quota';
    else if (rule && !consume(account.bucket, rule)) verdict = 'rate';
    else this.#count(account, nowMs);
    return {
      verdict,
      nowMs,
      month: this.#month,
      used: account.used,
      rateLeft: rule ? requestsLeft(account.bucket, rule) : 0,
      rateWaitMs: rule ? msToNext(account.bucket, rule) : 0,
    };
  }

  /** Refunds a granted request of a month, for a response that does not count. */
  refund(account: Account, month: number): void {
    if (account.month === month) {
      account.used -= 1;
      account.pending -= 1;
      account.allowance += 1;
      this.#dirty.add(account);
    } else {
      this.#defer(usageEntry({ id: account.id, month, count: -1 }));
    }
  }

  /** Takes over the status of a request that a shared store has counted itself. */
  observe(account: Account, status: LimitStatus): void {
    this.#enterMonth(account, status.month.index);
    account.used = status.used;
    account.lastUsedMs = status.nowMs;
    this.#dirty.add(account);
  }

  /** Removes up to `limit` counts for writing; pass them to `reconcile` or `requeue` afterwards. */
  takePending(limit: number): PendingCount[] {
    const counts: PendingCount[] = [];
    for (const account of this.#dirty) {
      if (counts.length >= limit) return counts;
      this.#dirty.delete(account);
      counts.push({ entry: entryOf(account, true), account });
      account.pending = 0;
    }
    for (const [key, entry] of this.#backlog) {
      if (counts.length >= limit) return counts;
      this.#backlog.delete(key);
      counts.push({ entry, account: undefined });
    }
    return counts;
  }

  /** Entries that return the leases of accounts without requests since the last flush; handle them likewise. */
  takeIdle(): PendingCount[] {
    const idle = [...this.#leased].filter(account => !this.#dirty.has(account));
    for (const account of idle) this.#leased.delete(account);
    return idle.map(account => ({ entry: entryOf(account, false), account }));
  }

  /** Takes over the ledger's totals after the counts were written, in the same order. */
  reconcile(counts: readonly PendingCount[], totals: readonly UsageTotal[]): void {
    for (const [i, { entry, account }] of counts.entries()) {
      if (account?.month !== entry.month) continue;
      account.used = totals[i]!.used + account.pending;
      this.#allow(account, totals[i]!.allowance);
    }
  }

  /** Puts back counts that could not be written, for the next flush. */
  requeue(counts: readonly PendingCount[]): void {
    for (const { entry, account } of counts) {
      if (account?.month === entry.month) {
        account.pending += entry.count;
        this.#dirty.add(account);
      } else {
        this.#defer(entry);
      }
    }
  }

  #fitsQuota(account: Account, nowMs: number): boolean {
    if (account.quota === undefined) return true;
    if (account.allowance <= 0 && account.used < account.quota && mayLease(account, nowMs)) {
      this.#lease(account, nowMs);
    }
    return account.used < account.quota && account.allowance > 0;
  }

  #count(account: Account, nowMs: number): void {
    account.used += 1;
    account.pending += 1;
    account.allowance -= 1;
    account.lastUsedMs = nowMs;
    this.#dirty.add(account);
  }

  /** Gets a lease from the ledger. */
  #lease(account: Account, nowMs: number): void {
    const entry = entryOf(account, true);
    try {
      const totals = this.#ledger.record([entry]);
      account.pending = 0;
      this.reconcile([{ entry, account }], totals);
      if (account.allowance <= 0) account.nextLeaseMs = nowMs + LEASE_RETRY_MS;
    } catch {
      // Requests are served even while the ledger fails; the next flush reports it.
      account.allowance = UNLEASED_ALLOWANCE;
    }
  }

  #allow(account: Account, allowance: number): void {
    account.allowance = allowance;
    if (allowance !== Number.POSITIVE_INFINITY && allowance > 0) this.#leased.add(account);
  }

  #enterMonth(account: Account, month: number): void {
    if (account.month === month) return;
    if (account.pending !== 0) this.#defer(entryOf(account, false));
    const key = backlogKey(account.id, month);
    // After the clock was set back the backlog may have counts of this month.
    account.pending = this.#backlog.get(key)?.count ?? 0;
    this.#backlog.delete(key);
    account.month = month;
    account.used = this.#usedIn(account.id, month) + account.pending;
    account.allowance = this.#ledger.isShared ? 0 : Number.POSITIVE_INFINITY;
    account.nextLeaseMs = 0;
  }

  #usedIn(id: string, month: number): number {
    try {
      return this.#ledger.used(id, month);
    } catch {
      return 0; // the next successful flush brings the total
    }
  }

  #defer(entry: UsageEntry): void {
    const key = backlogKey(entry.id, entry.month);
    const waiting = this.#backlog.get(key);
    this.#backlog.set(key, { ...entry, count: entry.count + (waiting?.count ?? 0) });
  }
}

function backlogKey(id: string, month: number): string {
  return `${id} ${month}`;
}

/** Whether the retry interval has passed, or the clock was set back. */
function mayLease({ nextLeaseMs }: Account, nowMs: number): boolean {
  return nowMs >= nextLeaseMs || nowMs < nextLeaseMs - LEASE_RETRY_MS;
}

function entryOf(account: Account, isActive: boolean): UsageEntry {
  const { id, month, quota, lastUsedMs, pending: count } = account;
  return { id, month, count, lastUsedMs, quota, isActive };
}

function monthAround(nowMs: number, known: Month): Month {
  return nowMs >= known.startMs && nowMs < known.endMs ? known : monthOf(nowMs);
}
