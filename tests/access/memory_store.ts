import {
  compareCounts,
  compareTokens,
  type ListPart,
  type NewToken,
  type PlanStore,
  type RemovedToken,
  type StoreContents,
  type StoredKeySource,
  type StoredToken,
  type TokenChanges,
  type TokenPosition,
  type TokenStore,
  type UsagePart,
} from '../../src/access/key_store.ts';
import { definedPlans, type Plan, type PlanEntry } from '../../src/access/plan.ts';
import type { MonthlyCount } from '../../src/access/usage.ts';

/** An engine of the contract in `key_store.ts` that keeps everything in memory. */
export class MemoryStore implements TokenStore, StoredKeySource {
  readonly #tokens = new Map<string, StoredToken>();
  readonly #removed = new Map<string, RemovedToken>();
  readonly #usage: MonthlyCount[] = [];
  /** The ids of the keys that were changed, in order. */
  readonly #changes: string[] = [];

  tokens({ after, limit }: ListPart<TokenPosition> = {}): StoredToken[] {
    const sorted = [...this.#tokens.values()].sort(compareTokens);
    return sorted.filter(token => !after || compareTokens(token, after) > 0).slice(0, limit);
  }

  find(ids: readonly string[]): ReadonlyMap<string, StoredToken | RemovedToken> {
    const keys = ids.flatMap(id => this.#tokens.get(id) ?? this.#removed.get(id) ?? []);
    return new Map(keys.map(key => [key.id, key]));
  }

  removed(): RemovedToken[] {
    return [...this.#removed.values()];
  }

  add(token: NewToken): void {
    const initial = { lastUsedMs: null, suspendedMs: null, former: null };
    this.#set({ role: 'client', expiresMs: null, ...token, ...initial });
  }

  change(id: string, changes: TokenChanges): boolean {
    const token = this.#tokens.get(id);
    if (token !== undefined) this.#set({ ...token, ...changes });
    return token !== undefined;
  }

  rotate(id: string, digest: Uint8Array, expiresMs: number): boolean {
    const token = this.#tokens.get(id);
    if (token !== undefined) this.#set({ ...token, digest, former: { digest: token.digest, expiresMs } });
    return token !== undefined;
  }

  remove(id: string, removedMs: number): boolean {
    const token = this.#tokens.get(id);
    if (token !== undefined) this.#drop({ id, name: token.name, plan: token.plan, removedMs });
    return token !== undefined;
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

  put({ tokens, removed, usage }: StoreContents): void {
    for (const token of tokens) this.#set(token);
    for (const key of removed) this.#drop(key);
    for (const count of usage) {
      const present = this.#countOf(count);
      if (present !== undefined && present.count >= count.count) continue;
      if (present !== undefined) this.#usage.splice(this.#usage.indexOf(present), 1);
      this.#usage.push(count);
    }
  }

  stamp(): string {
    return String(this.#changes.length);
  }

  read() {
    return { tokens: this.tokens(), hasEverHeld: this.#changes.length > 0 };
  }

  changesSince(stamp: string): ReadonlyMap<string, StoredToken | null> {
    return new Map(this.#changes.slice(Number(stamp)).map(id => [id, this.#tokens.get(id) ?? null]));
  }

  #set(token: StoredToken): void {
    this.#tokens.set(token.id, token);
    this.#removed.delete(token.id);
    this.#changes.push(token.id);
  }

  #drop(key: RemovedToken): void {
    this.#removed.set(key.id, key);
    if (this.#tokens.delete(key.id)) this.#changes.push(key.id);
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
    this.#plans.set(name, definedPlans({ plans: { [name]: entry } }).get(name)!);
  }

  remove(name: string): boolean {
    return this.#plans.delete(name);
  }
}
