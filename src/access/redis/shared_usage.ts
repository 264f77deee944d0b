import { randomUUID } from 'node:crypto';
import { messageOf } from '../../common/errors.ts';
import { nextTurn } from '../../common/promises.ts';
import { ConnectionFailure } from '../../redis/redis_failures.ts';
import type { KeyStoreFile } from '../key_store_file.ts';
import type { Account, Limiter } from '../limiter.ts';
import type { Problems } from '../problems.ts';
import { isBusy } from '../sqlite_errors.ts';
import type { MonthlyCount, UsageBatch, UsageEntry } from '../usage.ts';
import type { SharedLimiter } from './shared_limiter.ts';
import type { WatchedStore } from './watched_store.ts';

/** Counts per batch, which the file takes about 2 ms for. */
const BATCH = 250;

/** What a {@link SharedUsage} writes, and where. */
interface UsageParts {
  readonly store: WatchedStore;
  readonly limiter: SharedLimiter;
  /** Has refunds, and the requests that it counted while the store could not. */
  readonly local: Limiter;
  /** Has last-used times, and usage granted during an outage of the store until it is replayed. */
  readonly file: KeyStoreFile;
  /** The accounts whose usage the store may lose, by id. */
  readonly accounts: () => ReadonlyMap<string, Account>;
  readonly problems: Problems;
}

/** Sends usage to a shared store, or during an outage to the file, from which it is replayed. */
export class SharedUsage {
  readonly #parts: UsageParts;
  /** Batches that the shared store may have added, and that are not in the file. */
  #unsure: readonly UsageBatch[] = [];
  #replaying: Promise<void> | undefined;
  /** The latest error with which the store has rejected a batch during a `write`. */
  #rejection: unknown;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  /** Whether batches may be lost if the process ends. */
  get hasUnsure(): boolean {
    return this.#unsure.length > 0;
  }

  /** Replays usage recorded during an outage. If that fails, the next `write` replays it, or rejects. */
  async recover(): Promise<void> {
    await this.#replay().catch(() => {});
  }

  /** The totals that the store has reported. */
  reported(): MonthlyCount[] {
    return [...this.#parts.accounts().values()]
      .flatMap(({ tally, former }) => [tally, former])
      .map(({ id, month, sharedUsed: count }) => ({ id, month, count }))
      .filter(({ count }) => count > 0);
  }

  /**
   * Writes all counts. They stay in memory if the file fails, or while the store is slow, unless `isLast`. Rejects if the file
   * fails, or at the end if the store has rejected any.
   */
  async write(isLast: boolean): Promise<void> {
    this.#rejection = undefined;
    if (isLast || !this.#parts.limiter.isLate) {
      if (this.#isReachable) await this.#resendUnsure();
      await this.#writePending();
      if (isLast || !this.#isReachable || this.#rejection !== undefined) this.#saveUnsure();
    }
    await this.#replay();
    if (this.#rejection !== undefined) throw this.#rejection;
  }

  /** Whether the store is up and replies in time. */
  get #isReachable(): boolean {
    return this.#parts.store.isUp && !this.#parts.limiter.isLate;
  }

  async #writePending(): Promise<void> {
    const { local, file } = this.#parts;
    for (;;) {
      const isReachable = this.#isReachable;
      if (!isReachable && !file.isOpen) return; // the counts stay in memory
      const counts = local.takePending(BATCH);
      if (isReachable) {
        const entries = counts.map(({ entry }) => entry);
        await this.#send({ receipt: randomUUID(), counts: entries.filter(({ count }) => count !== 0) });
        if (file.isOpen) this.#recordUses(entries);
      } else local.writeTo(file, counts);
      if (counts.length < BATCH) return;
      await nextTurn();
    }
  }

  /** Records only when keys were last used: counts that the store has do not wait for the file. */
  #recordUses(entries: readonly UsageEntry[]): void {
    const { file, problems } = this.#parts;
    try {
      file.record(entries.map(entry => ({ ...entry, count: 0 })));
      problems.solve('last_use', 'Last uses of API keys can be written again');
    } catch (error) {
      if (!isBusy(error))
        problems.fail('last_use', `Last uses of API keys cannot be written: ${messageOf(error)}`);
    }
  }

  async #send(batch: UsageBatch): Promise<void> {
    if (batch.counts.length === 0) return;
    if (await this.#add(batch)) await this.#settle(batch);
    else this.#unsure = [...this.#unsure, batch];
  }

  async #resendUnsure(): Promise<void> {
    const unsure = this.#unsure;
    this.#unsure = [];
    for (const batch of unsure) await this.#send(batch);
  }

  /** Adds a batch, and applies the new totals; false if it was rejected, or if it is unknown whether it was added. */
  async #add(batch: UsageBatch): Promise<boolean> {
    const { store, local, accounts } = this.#parts;
    try {
      const totals = await store.run(each => each.addUsage(batch));
      for (const [i, { id, month, count }] of batch.counts.entries()) {
        const account = accounts().get(id);
        if (account !== undefined) local.learn(account, month, totals[i]!, count);
      }
      return true;
    } catch (error) {
      if (!(error instanceof ConnectionFailure)) this.#rejection = error;
      return false;
    }
  }

  /** Best effort: if it fails, the store only keeps the receipt longer than necessary. */
  async #settle(batch: UsageBatch): Promise<void> {
    await this.#parts.store.run(store => store.settleUsage(batch)).catch(() => {});
  }

  /** Saves batches that the shared store may have added, or rejected, to the file with their receipts. */
  #saveUnsure(): void {
    const { file } = this.#parts;
    for (const batch of file.isOpen ? this.#unsure : []) {
      file.putBatch(batch);
      this.#unsure = this.#unsure.filter(other => other !== batch);
    }
  }

  /** Replays usage in the file unless the store is unavailable, once for all callers in the meantime. */
  async #replay(): Promise<void> {
    if (!this.#isReachable) return;
    this.#replaying ??= this.#replayFile().finally(() => {
      this.#replaying = undefined;
    });
    await this.#replaying;
  }

  /**
   * Sends usage in the file to the shared store. A batch remains in the file until the store has confirmed it; after an
   * interruption it is sent again with the same receipt, possibly by another process.
   */
  async #replayFile(): Promise<void> {
    const { file } = this.#parts;
    for (let batch = file.takeBatch(); batch !== null; batch = file.takeBatch()) {
      if (!(await this.#add(batch))) return;
      file.settleBatch(batch);
      await this.#settle(batch);
    }
  }
}
