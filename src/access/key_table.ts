import type { AccessLists } from './access_files.ts';
import type { KnownKeys } from './authorise.ts';
import type { MarketplaceHeaders } from './credentials.ts';
import { keyDigest, keyId } from './key_format.ts';
import { type ApiKey, KeyIndex, type Sha256 } from './key_index.ts';
import type { ListedKey } from './key_list.ts';
import { type Limits, limitsOf, type WorkerShare } from './plan.ts';
import type { StoredToken } from './stored_token.ts';
import { type Account, newAccount } from './usage.ts';

export interface TableSettings {
  readonly marketplace: MarketplaceHeaders | null;
  readonly worker: WorkerShare;
  readonly sha256: Sha256 | undefined;
}

/** The keys in force with their limits and accounts: keys from lists, and stored keys, which can change individually. */
export class KeyTable implements KnownKeys {
  readonly direct: KeyIndex;
  readonly marketplace: KnownKeys['marketplace'];
  readonly #limits: ReadonlyMap<string, Limits>;
  readonly #accounts = new Map<string, Account>();
  readonly #stored = new Map<string, readonly ApiKey[]>();
  readonly #listedIds: ReadonlySet<string>;
  /** Undefined plans, by key id. */
  readonly #missingPlans = new Map<string, string>();

  /** Accounts continue from a previous table. */
  constructor(
    { plans, keys, marketplaceKeys }: AccessLists,
    tokens: Iterable<StoredToken>,
    { marketplace, worker, sha256 }: TableSettings,
    former: KeyTable | undefined,
  ) {
    this.#limits = new Map([...plans].map(([name, plan]) => [name, limitsOf(plan, worker)]));
    for (const token of tokens) this.#store(token, former);
    const listed = keys.map((key, index) => this.#listed(key, 'key', index, former));
    const subscriptions = marketplaceKeys.map((key, index) =>
      this.#listed(key, 'marketplace', index, former),
    );
    for (const key of listed) this.#notePlan(key);
    this.#listedIds = new Set([...listed, ...subscriptions].map(({ id }) => id));
    this.direct = new KeyIndex([...[...this.#stored.values()].flat(), ...listed], sha256);
    this.marketplace =
      marketplace === null ? undefined : { ...marketplace, keys: new KeyIndex(subscriptions, sha256) };
  }

  get accounts(): ReadonlyMap<string, Account> {
    return this.#accounts;
  }

  /** The ids of keys whose plan is not defined, with the plan's name. */
  get missingPlans(): ReadonlyMap<string, string> {
    return this.#missingPlans;
  }

  /** Adds, changes or removes (null) a stored key. */
  set(id: string, token: StoredToken | null): void {
    const former = this.#stored.get(id) ?? [];
    this.#stored.delete(id);
    this.#missingPlans.delete(id);
    this.direct.replace(former, token === null ? [] : this.#store(token, undefined));
    if (token === null && !this.#listedIds.has(id)) this.#accounts.delete(id);
  }

  /** The keys of a stored token: one, or two after a rotation. Both count for the same account. */
  #store(
    { id, digest, role, plan, suspendedMs, expiresMs, former }: StoredToken,
    table: KeyTable | undefined,
  ) {
    const endMs = expiresMs ?? Number.POSITIVE_INFINITY;
    const properties = { id, label: id, role, plan, isSuspended: suspendedMs !== null };
    const key = this.#apiKey({ ...properties, digest, expiresMs: endMs }, table);
    const keys = [key];
    if (former !== null)
      keys.push({ ...key, digest: former.digest, expiresMs: Math.min(endMs, former.expiresMs) });
    this.#stored.set(id, keys);
    this.#notePlan(key);
    return keys;
  }

  #listed(
    { key, role = 'client', plan }: ListedKey,
    kind: string,
    index: number,
    table: KeyTable | undefined,
  ): ApiKey {
    const digest = keyDigest(key);
    const id = keyId(key) ?? `${kind}-${digest.toString('hex', 0, 8)}`;
    const label = `${kind}-${index + 1}`;
    const expiresMs = Number.POSITIVE_INFINITY;
    return this.#apiKey({ id, label, digest, role, plan, isSuspended: false, expiresMs }, table);
  }

  #apiKey(key: Omit<ApiKey, 'limits' | 'account'>, table: KeyTable | undefined): ApiKey {
    const account = this.#accounts.get(key.id) ?? table?.accounts.get(key.id) ?? newAccount(key.id);
    this.#accounts.set(key.id, account);
    return { ...key, limits: this.#limits.get(key.plan), account };
  }

  #notePlan({ id, plan, limits }: ApiKey): void {
    if (limits === undefined) this.#missingPlans.set(id, plan);
  }
}
