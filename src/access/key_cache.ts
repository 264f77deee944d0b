import { messageOf } from '../common/errors.ts';
import type { AccessLists, ListedKey } from './access_files.ts';
import { keyDigest, keyId } from './key_format.ts';
import { type ApiKey, KeyIndex } from './key_index.ts';
import type { KeySource, Source, StoredKey, StoredKeys } from './key_store.ts';
import { type Account, type Limits, limitsOf, newAccount } from './limiter.ts';
import type { AccessTopic, Problems } from './problems.ts';
import type { WorkerShare } from './token_bucket.ts';

/** The pair of headers by which a marketplace proxy identifies its subscriber. */
export interface MarketplaceHeaders {
  readonly keyHeader: string;
  readonly hostHeader: string;
  /** The required value of the host header. */
  readonly host: string;
}

/** The keys that requests are authenticated with. */
export interface KnownKeys {
  readonly direct: KeyIndex;
  /** A marketplace's subscription keys, and the headers that carry them. */
  readonly marketplace: (MarketplaceHeaders & { readonly keys: KeyIndex }) | undefined;
  /** Whether `direct` may lack keys, since a shared store was never read. */
  readonly mayLackKeys: boolean;
}

export interface KeySettings {
  readonly marketplace: MarketplaceHeaders | null;
  readonly worker: WorkerShare;
  /** Whether a key source is configured, even an empty one: the server then never serves without a key. */
  readonly hasKeySource: boolean;
}

/** The keys in force with their limits and accounts: keys from lists, and stored keys, which can change individually. */
class KeyTable implements KnownKeys {
  readonly direct: KeyIndex;
  readonly marketplace: KnownKeys['marketplace'];
  readonly mayLackKeys: boolean;
  readonly accounts: Map<string, Account>;
  /** The plans that are not defined, by the id of the key that has one. */
  readonly missingPlans = new Map<string, string>();
  readonly #limits: ReadonlyMap<string, Limits>;
  readonly #stored = new Map<string, readonly ApiKey[]>();
  readonly #listedIds: ReadonlySet<string>;

  /** Accounts continue from a previous table. */
  constructor(
    { plans, keys, marketplaceKeys }: AccessLists,
    { keys: stored, mayLackKeys = false }: CachedKeys,
    { marketplace, worker }: KeySettings,
    accounts: Iterable<[string, Account]>,
  ) {
    this.mayLackKeys = mayLackKeys;
    this.accounts = new Map(accounts);
    this.#limits = new Map([...plans].map(([name, plan]) => [name, limitsOf(plan, worker)]));
    for (const key of stored.values()) this.#store(key);
    const listed = keys.map((key, index) => this.#listed(key, 'key', index));
    const subscriptions = marketplaceKeys.map((key, index) => this.#listed(key, 'marketplace', index));
    for (const key of [...listed, ...subscriptions]) this.#notePlan(key);
    this.#listedIds = new Set([...listed, ...subscriptions].map(({ id }) => id));
    for (const id of this.accounts.keys()) this.#dropUnusedAccount(id);
    this.direct = new KeyIndex([...[...this.#stored.values()].flat(), ...listed]);
    this.marketplace =
      marketplace === null ? undefined : { ...marketplace, keys: new KeyIndex(subscriptions) };
  }

  /** Adds, changes or removes (null) a stored key. */
  set(id: string, key: StoredKey | null): void {
    const former = this.#stored.get(id) ?? [];
    this.#stored.delete(id);
    this.missingPlans.delete(id);
    this.direct.replace(former, key === null ? [] : this.#store(key));
    this.#dropUnusedAccount(id);
  }

  /** Accepts a stored key: as one, or as two after a rotation. Both count for the same account. */
  #store({ id, digest, role, plan, suspendedMs, expiresMs, former }: StoredKey): readonly ApiKey[] {
    const endMs = expiresMs ?? Number.POSITIVE_INFINITY;
    const isSuspended = suspendedMs !== null;
    const key = this.#apiKey({ id, label: id, digest, role, plan, isSuspended, expiresMs: endMs });
    const old = former && { ...key, digest: former.digest, expiresMs: Math.min(endMs, former.expiresMs) };
    const keys = old === null ? [key] : [key, old];
    this.#stored.set(id, keys);
    this.#notePlan(key);
    return keys;
  }

  #listed({ key, role = 'client', plan }: ListedKey, kind: string, index: number): ApiKey {
    const digest = keyDigest(key);
    const id = keyId(key) ?? `${kind}-${digest.toString('hex', 0, 8)}`;
    const valid = { isSuspended: false, expiresMs: Number.POSITIVE_INFINITY };
    return this.#apiKey({ id, label: `${kind}-${index + 1}`, digest, role, plan, ...valid });
  }

  #apiKey(key: Omit<ApiKey, 'limits' | 'account'>): ApiKey {
    const account = this.accounts.get(key.id) ?? newAccount(key.id);
    this.accounts.set(key.id, account);
    return { ...key, limits: this.#limits.get(key.plan), account };
  }

  #notePlan({ id, plan, limits }: ApiKey): void {
    if (limits === undefined) this.missingPlans.set(id, plan);
  }

  #dropUnusedAccount(id: string): void {
    if (!this.#stored.has(id) && !this.#listedIds.has(id)) this.accounts.delete(id);
  }
}

export interface KeySources {
  readonly lists: Source<AccessLists>;
  readonly stored: KeySource;
}

/** Stored keys by id. */
interface CachedKeys extends Omit<StoredKeys, 'keys'> {
  readonly keys: Map<string, StoredKey>;
}

interface Loaded<Value> {
  readonly stamp: string;
  readonly value: Value;
}

/**
 * The keys and plans in force. Changes to stored keys are applied individually, any other change rebuilds the whole table;
 * accounts are preserved. A source that can no longer be read is reported, and its previous contents remain in force.
 */
export class KeyCache {
  readonly #settings: KeySettings;
  readonly #sources: KeySources;
  readonly #problems: Problems;
  #lists: Loaded<AccessLists>;
  #stored: Loaded<CachedKeys>;
  #table: KeyTable;

  /** Throws if a source cannot be read: a server must not start without its keys. */
  constructor(settings: KeySettings, sources: KeySources, problems: Problems) {
    this.#settings = settings;
    this.#sources = sources;
    this.#problems = problems;
    this.#lists = load(sources.lists);
    this.#stored = this.#loadStored();
    this.#table = this.#composed([]);
    this.#reportMissingPlans();
  }

  get current(): Pick<KeyTable, keyof KnownKeys | 'accounts'> {
    return this.#table;
  }

  /** Whether a key source is configured, or the present sources have, had or may have a key. */
  get isKeyed(): boolean {
    const { hasEverHeld, mayLackKeys = false } = this.#stored.value;
    return this.#settings.hasKeySource || hasEverHeld || mayLackKeys || !this.#table.direct.isEmpty;
  }

  get hasKeys(): boolean {
    const { direct, marketplace } = this.#table;
    return !direct.isEmpty || marketplace?.keys.isEmpty === false;
  }

  /** Changes with the stored keys. */
  get stamp(): string {
    return this.#stored.stamp;
  }

  get planNames(): readonly string[] {
    return [...this.#lists.value.plans.keys()];
  }

  get summary(): string {
    const { direct, marketplace } = this.#table;
    const subscriptions = marketplace === undefined ? '' : `, marketplace keys: ${marketplace.keys.size}`;
    return `API keys: ${direct.size}${subscriptions}, plans: ${this.#lists.value.plans.size}`;
  }

  /** Applies what has changed, which costs a few system calls if nothing has, or rereads everything. */
  refresh(rereads: 'changes' | 'all' = 'changes'): void {
    const { lists } = this.#sources;
    let isReread = false; // so that the table has to be rebuilt
    this.#attempt('files', () => {
      if (rereads === 'changes' && lists.stamp() === this.#lists.stamp) return;
      this.#lists = load(lists);
      isReread = true;
    });
    this.#attempt('tokens', () => {
      if (rereads === 'changes' && this.#applyKeyChanges()) return;
      this.#stored = this.#loadStored();
      isReread = true;
    });
    if (isReread) this.#table = this.#composed(this.#table.accounts);
    this.#reportMissingPlans();
  }

  /** Applies changes of stored keys, if any, to the present table; false if all keys must be reread instead. */
  #applyKeyChanges(): boolean {
    const { stored: source } = this.#sources;
    const stamp = source.stamp(); // before reading: a change in between is then read again
    if (stamp === this.#stored.stamp) return true;
    const changes = source.changesSince(this.#stored.stamp);
    if (changes === undefined) return false;
    const { keys } = this.#stored.value;
    for (const [id, key] of changes) {
      if (key === null) keys.delete(id);
      else keys.set(id, key);
      this.#table.set(id, key);
    }
    this.#stored = { stamp, value: { ...this.#stored.value, hasEverHeld: true } };
    return true;
  }

  #loadStored(): Loaded<CachedKeys> {
    const { stamp, value } = load(this.#sources.stored);
    return { stamp, value: { ...value, keys: new Map(value.keys.map(key => [key.id, key])) } };
  }

  /** Reads a source; if that fails, its previous contents remain. */
  #attempt(topic: AccessTopic, read: () => void): void {
    const subject = topic === 'files' ? 'Key and plan files' : 'Stored API keys';
    try {
      read();
      this.#problems.solve(topic, `${subject} can be read again`);
    } catch (error) {
      this.#problems.fail(topic, `${messageOf(error)}; the previous keys and plans stay in force`);
    }
  }

  #composed(accounts: Iterable<[string, Account]>): KeyTable {
    return new KeyTable(this.#lists.value, this.#stored.value, this.#settings, accounts);
  }

  #reportMissingPlans(): void {
    const [first] = this.#table.missingPlans;
    if (first === undefined) this.#problems.solve('plans', 'The plans of all API keys are defined again');
    else {
      const [[id, plan], size] = [first, this.#table.missingPlans.size];
      const others = size === 1 ? '' : ` (and ${size - 1} more)`;
      this.#problems.fail('plans', `API key ${id}${others} is rejected: its plan '${plan}' is not defined`);
    }
  }
}

function load<Value>(source: Source<Value>): Loaded<Value> {
  const stamp = source.stamp(); // before reading: a change in between is then read again
  return { stamp, value: source.read() };
}
