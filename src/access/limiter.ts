import { throwAll } from '../common/errors.ts';
import { EntryFault } from '../common/settings_text.ts';
import type { Plan } from './plan.ts';
import {
  type Bucket,
  type BucketRule,
  bucketRule,
  consume,
  fullBucket,
  msToNext,
  refill,
  requestsLeft,
  type WorkerShare,
} from './token_bucket.ts';
import { type Month, monthOf, type UsageEntry, type UsageLedger, type UsageTotal } from './usage.ts';

/** A plan with its token bucket rules. */
export interface Limits {
  readonly plan: Plan;
  /** The plan's rate; undefined without a rate limit. */
  readonly rule: BucketRule | undefined;
  /** This worker's share of it. */
  readonly share: BucketRule | undefined;
}

export function limitsOf(plan: Plan, worker: WorkerShare): Limits {
  if (plan.rate === undefined) return { plan, rule: undefined, share: undefined };
  const { perSecond, burst } = plan.rate;
  return { plan, rule: bucketRule(perSecond, burst), share: bucketRule(perSecond, burst, worker) };
}

/** Throws an {@link EntryFault} for each plan whose burst is less than one request per worker: together they would exceed it. */
export function checkShares(plans: Iterable<Plan>, workers: number): void {
  const faults = [...plans].flatMap(({ name, rate }) => {
    if (rate === undefined || rate.burst >= workers) return [];
    const reason = `'plans.${name}.burst': ${rate.burst} cannot be divided among ${workers} workers: use at least ${workers}, or share limits with --redis`;
    return new EntryFault(['plans', name, 'burst'], reason);
  });
  if (faults.length > 0) throwAll(faults);
}

/** The usage of a key, as far as this process knows. Survives reloads of keys and plans. */
export interface Account {
  readonly id: string;
  readonly bucket: Bucket;
  /** The month of the last request, and the one before it: a refund may be late, and the clock may be set back. */
  tally: Tally;
  former: Tally;
}

/** The requests of a key in one month. */
interface Tally {
  readonly id: string;
  /** `Month.index`; −1 before the first request. */
  readonly month: number;
  /** The ledger's last known total and what this process has added since. */
  used: number;
  /** The highest total that a shared store has reported, which it may lose; 0 if none. */
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

function newTally(id: string, month: number, used: number, allowance: number): Tally {
  const none = { sharedUsed: 0, pending: 0, quota: undefined, nextLeaseMs: 0, lastUsedMs: 0 };
  return { id, month, used, allowance, ...none };
}

/** An account before its first request. */
export function newAccount(id: string): Account {
  const none = newTally(id, -1, 0, 0);
  return { id, bucket: fullBucket(), tally: none, former: none };
}

/** The outcome of a request against its limits, and the state after it. */
export interface LimitStatus {
  /** `rate` and `quota` name the limit that rejected the request. */
  readonly verdict: 'granted' | 'rate' | 'quota';
  /** The time of the request, epoch milliseconds. */
  readonly nowMs: number;
  readonly month: Month;
  /** Requests of the month, including this one if granted. */
  readonly used: number;
  /** Requests that the bucket would grant immediately; 0 without a rate limit. */
  readonly rateLeft: number;
  /** Milliseconds until the bucket grants one more; 0 without a rate limit. */
  readonly rateWaitMs: number;
}

/** A count on its way to the ledger, and the tally that it was taken from. */
export interface PendingCount {
  readonly entry: UsageEntry;
  readonly tally: Tally;
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
  readonly #dirty = new Set<Tally>();
  readonly #leased = new Set<Tally>();
  #month: Month = monthOf(0);

  constructor(ledger: UsageLedger) {
    this.#ledger = ledger;
  }

  /** Counts requests, or rejects all of them: those that exceed the quota cost no rate tokens, those that exceed the rate no quota. */
  consume(account: Account, limits: Limits, nowMs: number, requests = 1): LimitStatus {
    if (nowMs < this.#month.startMs || nowMs >= this.#month.endMs) this.#month = monthOf(nowMs);
    const tally = this.#enterMonth(account, this.#month.index);
    const rule = limits.share;
    tally.quota = limits.plan.monthlyQuota;
    if (rule) refill(account.bucket, rule, nowMs);
    let verdict: LimitStatus['verdict'] = 'granted';
    if (!this.#fitsQuota(tally, nowMs, requests)) verdict = 'quota';
    else if (rule && !consume(account.bucket, rule, requests)) verdict = 'rate';
    else {
      tally.lastUsedMs = nowMs;
      this.#add(tally, requests);
    }
    return {
      verdict,
      nowMs,
      month: this.#month,
      used: tally.used,
      rateLeft: rule ? requestsLeft(account.bucket, rule) : 0,
      rateWaitMs: rule ? msToNext(account.bucket, rule, verdict === 'granted' ? 1 : requests) : 0,
    };
  }

  /** Refunds granted requests of a month, for responses that do not count. */
  refund(account: Account, month: number, requests = 1): void {
    this.#add(this.#tallyOf(account, month), -requests);
  }

  /**
   * Applies the status of requests counted by a shared store. Until they are flushed, the store lacks requests that were counted
   * here while it was slow: requests that exceed the quota together with those are refunded and rejected.
   */
  observe(account: Account, { plan }: Limits, status: LimitStatus, requests: number): LimitStatus {
    const tally = this.#enterMonth(account, status.month.index);
    this.learn(account, tally.month, status.used);
    if (status.verdict !== 'granted') return status;
    this.#dirty.add(tally);
    if (tally.used <= (plan.monthlyQuota ?? Number.POSITIVE_INFINITY)) {
      tally.lastUsedMs = status.nowMs;
      return status;
    }
    this.#add(tally, -requests);
    return { ...status, verdict: 'quota', used: tally.used };
  }

  /** Applies the total of a month in a shared store after adding a count to it. The total lacks requests that were not flushed yet. */
  learn({ tally, former }: Account, month: number, used: number, added = 0): void {
    const known = [tally, former].find(each => each.month === month);
    if (known === undefined) return;
    known.used = used + known.pending;
    known.sharedUsed = Math.max(known.sharedUsed + Math.min(added, 0), used); // a refund may lower it
  }

  /** Removes up to `limit` counts for writing; pass them to `writeTo`, and to `reconcile` afterwards. */
  takePending(limit: number): PendingCount[] {
    const counts: PendingCount[] = [];
    for (const tally of this.#dirty) {
      if (counts.length >= limit) break;
      this.#dirty.delete(tally);
      counts.push({ entry: entryOf(tally, true), tally });
      tally.pending = 0;
    }
    return counts;
  }

  /** Entries that return the leases of keys without requests since the last flush; to be handled in the same way. */
  takeIdle(): PendingCount[] {
    const idle = [...this.#leased].filter(tally => !this.#dirty.has(tally));
    for (const tally of idle) this.#leased.delete(tally);
    return idle.map(tally => ({ entry: entryOf(tally, false), tally }));
  }

  /** Applies the ledger's totals after the counts were written, in the same order. */
  reconcile(counts: readonly PendingCount[], totals: readonly UsageTotal[]): void {
    for (const [i, { tally }] of counts.entries()) {
      const { used, allowance } = totals[i]!;
      tally.used = used + tally.pending;
      tally.allowance = allowance;
      if (allowance !== Number.POSITIVE_INFINITY && allowance > 0) this.#leased.add(tally);
    }
  }

  /** Writes counts to a ledger, and returns its totals. Throws the ledger's error; the counts are then left for the next flush. */
  writeTo(ledger: UsageLedger, counts: readonly PendingCount[]): readonly UsageTotal[] {
    if (counts.length === 0) return [];
    try {
      return ledger.record(counts.map(({ entry }) => entry));
    } catch (error) {
      for (const { entry, tally } of counts) {
        tally.pending += entry.count;
        this.#dirty.add(tally);
      }
      throw error;
    }
  }

  #fitsQuota(tally: Tally, nowMs: number, requests: number): boolean {
    if (tally.quota === undefined) return true;
    const fits = tally.used + requests <= tally.quota;
    // The retry interval has passed, or the clock was set back.
    const mayLease = nowMs >= tally.nextLeaseMs || nowMs < tally.nextLeaseMs - LEASE_RETRY_MS;
    if (tally.allowance < requests && fits && mayLease) this.#lease(tally, nowMs, requests);
    return tally.used + requests <= tally.quota && tally.allowance >= requests;
  }

  #add(tally: Tally, requests: number): void {
    tally.used += requests;
    tally.pending += requests;
    tally.allowance -= requests;
    this.#dirty.add(tally);
  }

  #lease(tally: Tally, nowMs: number, requests: number): void {
    const entry = { ...entryOf(tally, true), wanted: requests };
    try {
      const totals = this.#ledger.record([entry]);
      tally.pending = 0;
      this.reconcile([{ entry, tally }], totals);
      if (tally.allowance < requests) tally.nextLeaseMs = nowMs + LEASE_RETRY_MS;
    } catch {
      // Requests are served even while the ledger fails; the next flush reports it.
      tally.allowance = Math.max(UNLEASED_ALLOWANCE, requests);
    }
  }

  #enterMonth(account: Account, month: number): Tally {
    if (account.tally.month !== month) {
      const entered = this.#tallyOf(account, month);
      account.former = account.tally;
      account.tally = entered;
    }
    return account.tally;
  }

  #tallyOf({ id, tally, former }: Account, month: number): Tally {
    if (tally.month === month) return tally;
    if (former.month === month) return former;
    const allowance = this.#ledger.isShared ? 0 : Number.POSITIVE_INFINITY;
    return newTally(id, month, this.#usedIn(id, month), allowance);
  }

  #usedIn(id: string, month: number): number {
    try {
      return this.#ledger.used(id, month);
    } catch {
      return 0; // the next successful flush brings the total
    }
  }
}

function entryOf({ id, month, pending: count, lastUsedMs, quota }: Tally, isActive: boolean): UsageEntry {
  return { id, month, count, lastUsedMs, quota, isActive };
}
