import type { Account } from './account.ts';
import type { Limits } from './limits.ts';
import { type Month, monthOf } from './month.ts';
import { msToNext, refill, requestsLeft, take } from './token_bucket.ts';
import type { UsageEntry, UsageLedger, UsageTotal } from './usage_ledger.ts';

/** How a request stands with its limits. */
export interface Standing {
  /** `rate` and `quota` are refusals, for the reason they name. */
  readonly verdict: 'granted' | 'rate' | 'quota';
  /** When it was asked, epoch milliseconds. */
  readonly nowMs: number;
  readonly month: Month;
  /** Requests of the month, this one included when granted. */
  readonly used: number;
  /** Requests that the bucket still lets through at once; 0 without a rate limit. */
  readonly rateLeft: number;
  /** Milliseconds until the bucket lets one more through; 0 without a rate limit. */
  readonly rateWaitMs: number;
}

/** A count on its way to where it is kept, and whose it is; undefined where that is no matter, as after the month's end. */
export interface Count {
  readonly entry: UsageEntry;
  readonly account: Account | undefined;
}

/** What a worker grants on its own while the ledger that it shares with others cannot be written. */
const UNSUPERVISED_ALLOWANCE = 8;
/** How long a worker that was given nothing waits before it asks the ledger again. */
const ASK_AGAIN_MS = 250;

/**
 * Decides in memory whether a request fits its holder's limits, and keeps count until a batch hands the counts over. The ledger
 * is asked only when a holder's month turns, and, where workers share a quota, when what was set aside for this one is used up.
 */
export class Meter {
  readonly #ledger: UsageLedger;
  readonly #dirty = new Set<Account>();
  readonly #setAside = new Set<Account>();
  /** Counts of months that have ended, by id and month. */
  readonly #backlog = new Map<string, UsageEntry>();
  #month: Month = monthOf(0);

  constructor(ledger: UsageLedger) {
    this.#ledger = ledger;
  }

  /** Counts a request, or refuses it. A request beyond the quota takes nothing from the bucket, one beyond the rate nothing of the quota. */
  take(account: Account, limits: Limits, nowMs: number): Standing {
    this.#month = monthAround(nowMs, this.#month);
    this.#turnTo(account, this.#month.index);
    const rule = limits.share;
    account.quota = limits.plan.monthlyQuota;
    if (rule) refill(account.bucket, rule, nowMs);
    let verdict: Standing['verdict'] = 'granted';
    if (!this.#fitsQuota(account, nowMs)) verdict = 'quota';
    else if (rule && !take(account.bucket, rule)) verdict = 'rate';
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

  /** Takes back a granted request of a month: its answer is of a kind that does not count. */
  refund(account: Account, month: number): void {
    if (account.month === month) {
      account.used -= 1;
      account.pending -= 1;
      account.allowance += 1;
      this.#dirty.add(account);
    } else {
      this.#defer({ id: account.id, month, count: -1, lastUsedMs: 0, quota: undefined, active: false });
    }
  }

  /** Notes what a shared store said of a request that it counted itself. */
  note(account: Account, standing: Standing): void {
    this.#turnTo(account, standing.month.index);
    account.used = standing.used;
    account.lastUsedMs = standing.nowMs;
    this.#dirty.add(account);
  }

  /** Takes up to `most` counts out, to be written. Give them to `learn` or `restore` afterwards. */
  drain(most: number): Count[] {
    const counts: Count[] = [];
    for (const account of this.#dirty) {
      if (counts.length >= most) return counts;
      this.#dirty.delete(account);
      counts.push({ entry: entryOf(account, true), account });
      account.pending = 0;
    }
    for (const [key, entry] of this.#backlog) {
      if (counts.length >= most) return counts;
      this.#backlog.delete(key);
      counts.push({ entry, account: undefined });
    }
    return counts;
  }

  /** Takes out what was set aside for holders that have not asked since the last `drain`, to be given back; likewise. */
  drainIdle(): Count[] {
    const idle = [...this.#setAside].filter(account => !this.#dirty.has(account));
    for (const account of idle) this.#setAside.delete(account);
    return idle.map(account => ({ entry: entryOf(account, false), account }));
  }

  /** Counts were written: `totals` are the new ones, in the same order. */
  learn(counts: readonly Count[], totals: readonly UsageTotal[]): void {
    for (const [i, { entry, account }] of counts.entries()) {
      if (account?.month !== entry.month) continue;
      account.used = totals[i]!.used + account.pending;
      this.#allow(account, totals[i]!.allowance);
    }
  }

  /** Counts could not be written: they wait for the next time. */
  restore(counts: readonly Count[]): void {
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
    if (account.allowance <= 0 && account.used < account.quota && mayAsk(account, nowMs)) {
      this.#ask(account, nowMs);
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

  /** Asks the ledger how many more this process may grant. */
  #ask(account: Account, nowMs: number): void {
    const entry = entryOf(account, true);
    try {
      const totals = this.#ledger.settle([entry]);
      account.pending = 0;
      this.learn([{ entry, account }], totals);
      if (account.allowance <= 0) account.askAgainMs = nowMs + ASK_AGAIN_MS;
    } catch {
      // The next flush reports what is wrong with the ledger. Until it can be written again, requests are served.
      account.allowance = UNSUPERVISED_ALLOWANCE;
    }
  }

  #allow(account: Account, allowance: number): void {
    account.allowance = allowance;
    if (allowance !== Number.POSITIVE_INFINITY && allowance > 0) this.#setAside.add(account);
  }

  #turnTo(account: Account, month: number): void {
    if (account.month === month) return;
    if (account.pending !== 0) this.#defer(entryOf(account, false));
    const key = backlogKey(account.id, month);
    // A clock that was set back finds counts of this month waiting.
    account.pending = this.#backlog.get(key)?.count ?? 0;
    this.#backlog.delete(key);
    account.month = month;
    account.used = this.#usedIn(account.id, month) + account.pending;
    account.allowance = this.#ledger.shared ? 0 : Number.POSITIVE_INFINITY;
    account.askAgainMs = 0;
  }

  #usedIn(id: string, month: number): number {
    try {
      return this.#ledger.used(id, month);
    } catch {
      return 0; // The next write reports it, and learns the total when the ledger is back.
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

/** Whether a worker that was given nothing has waited long enough; one whose clock was set back need not. */
function mayAsk({ askAgainMs }: Account, nowMs: number): boolean {
  return nowMs >= askAgainMs || nowMs < askAgainMs - ASK_AGAIN_MS;
}

function entryOf(account: Account, active: boolean): UsageEntry {
  const { id, month, quota, lastUsedMs, pending: count } = account;
  return { id, month, count, lastUsedMs, quota, active };
}

function monthAround(nowMs: number, known: Month): Month {
  return nowMs >= known.startMs && nowMs < known.endMs ? known : monthOf(nowMs);
}
