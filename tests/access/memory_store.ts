import {
  compareCounts,
  compareEntries,
  compareKeys,
  type KeyChanges,
  type KeyPosition,
  type KeySource,
  type KeyStore,
  type ListPart,
  type LogEntry,
  type LogPart,
  type NewKey,
  type PlanStore,
  type RemovedKey,
  type StoreContents,
  type StoredKey,
  type UsagePart,
} from '../../src/access/key_store.ts';
import { type Plan, type PlanEntry, planOf } from '../../src/access/plan.ts';
import { type MonthlyCount, monthAt } from '../../src/access/usage.ts';

/** An engine of the contract in `key_store.ts` that keeps everything in memory. */
export class MemoryStore implements KeyStore, KeySource {
  readonly #keys = new Map<string, StoredKey>();
  readonly #removed = new Map<string, RemovedKey>();
  readonly #usage: MonthlyCount[] = [];
  readonly #log: LogEntry[] = [];
  /** The ids of the keys that were changed, in order. */
  readonly #changes: string[] = [];

  keys({ after, limit }: ListPart<KeyPosition> = {}): StoredKey[] {
    const sorted = [...this.#keys.values()].sort(compareKeys);
    return sorted.filter(key => !after || compareKeys(key, after) > 0).slice(0, limit);
  }

  find(ids: readonly string[]): ReadonlyMap<string, StoredKey | RemovedKey> {
    const keys = ids.flatMap(id => this.#keys.get(id) ?? this.#removed.get(id) ?? []);
    return new Map(keys.map(key => [key.id, key]));
  }

  removed(): RemovedKey[] {
    return [...this.#removed.values()];
  }

  add(key: NewKey, entry?: LogEntry): void {
    if (this.#keys.has(key.id)) throw new Error(`There is another key '${key.id}'`);
    const initial = { lastUsedMs: null, suspendedMs: null, former: null };
    this.#set({ role: 'client', expiresMs: null, ...key, ...initial });
    this.#logged(true, entry);
  }

  change(id: string, changes: KeyChanges, entry?: LogEntry): boolean {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#set({ ...key, ...changes });
    return this.#logged(key !== undefined, entry);
  }

  rotate(id: string, digest: Uint8Array, expiresMs: number, entry?: LogEntry): boolean {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#set({ ...key, digest, former: { digest: key.digest, expiresMs } });
    return this.#logged(key !== undefined, entry);
  }

  remove(id: string, removedMs: number, entry?: LogEntry): boolean {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#drop({ id, name: key.name, plan: key.plan, removedMs });
    return this.#logged(key !== undefined, entry);
  }

  requests(ids: readonly string[], month: number): ReadonlyMap<string, number> {
    return new Map(ids.map(id => [id, this.#countOf({ id, month })?.count ?? 0]));
  }

  usage({ after, limit, month = null }: UsagePart = {}): MonthlyCount[] {
    return this.#usage
      .filter(
        count => (month === null || count.month === month) && (!after || compareCounts(count, after) > 0),
      )
      .sort(compareCounts)
      .slice(0, limit);
  }

  put({ keys, removed, usage }: StoreContents, entries: readonly LogEntry[] = []): void {
    this.#log.push(...entries);
    for (const key of keys) this.#set(key);
    for (const key of removed) this.#drop(key);
    for (const count of usage) {
      const present = this.#countOf(count);
      if (present !== undefined && present.count >= count.count) continue;
      if (present !== undefined) this.#usage.splice(this.#usage.indexOf(present), 1);
      this.#usage.push(count);
    }
  }

  log({ after, limit, lastMonth }: LogPart): LogEntry[] {
    const { endMs } = monthAt(lastMonth);
    const sorted = this.#log.filter(({ timeMs }) => timeMs < endMs).sort(compareEntries);
    return sorted.filter(entry => compareEntries(entry, after) > 0).slice(0, limit);
  }

  #logged(isChanged: boolean, entry: LogEntry | undefined): boolean {
    if (isChanged && entry !== undefined) this.#log.push(entry);
    return isChanged;
  }

  stamp(): string {
    return String(this.#changes.length);
  }

  read() {
    return { keys: this.keys(), hasEverHeld: this.#changes.length > 0 };
  }

  changesSince(stamp: string): ReadonlyMap<string, StoredKey | null> {
    return new Map(this.#changes.slice(Number(stamp)).map(id => [id, this.#keys.get(id) ?? null]));
  }

  #set(key: StoredKey): void {
    this.#keys.set(key.id, key);
    this.#removed.delete(key.id);
    this.#changes.push(key.id);
  }

  #drop(key: RemovedKey): void {
    this.#removed.set(key.id, key);
    if (this.#keys.delete(key.id)) this.#changes.push(key.id);
  }

  #countOf({ id, month }: Omit<MonthlyCount, 'count'>): MonthlyCount | undefined {
    return this.#usage.find(count => count.id === id && count.month === month);
  }
}

/** Plans in memory. */
export class MemoryPlans implements PlanStore {
  readonly #plans = new Map<string, Plan>();

  plans(): ReadonlyMap<string, Plan> {
    return new Map(this.#plans);
  }

  set(name: string, entry: PlanEntry): void {
    this.#plans.set(name, planOf(name, entry));
  }

  remove(name: string): boolean {
    return this.#plans.delete(name);
  }
}
