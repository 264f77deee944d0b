import { timingSafeEqual } from 'node:crypto';
import type { AccessLists } from './access_files.ts';
import type { MarketplaceHeaders } from './credentials.ts';
import { keyDigest, keyId, MAX_KEY_LENGTH, type Role } from './key_format.ts';
import type { ListedKey } from './key_list.ts';
import type { StoredToken } from './key_store.ts';
import { type Limits, limitsOf, type WorkerShare } from './plan.ts';
import { type Account, newAccount } from './usage.ts';

/** A key that the server accepts. */
export interface ApiKey {
  /** Identifies its usage: the public part of a generated key, or a prefix of the digest of any other. */
  readonly id: string;
  /** Its name in logs: the id of a stored key, else its position in its list. */
  readonly label: string;
  readonly digest: Uint8Array;
  readonly isSuspended: boolean;
  /** When it expires, epoch milliseconds; infinite for never. */
  readonly expiresMs: number;
  readonly role: Role;
  /** The name of its plan. */
  readonly plan: string;
  /** Undefined if the plan is not defined. */
  readonly limits: Limits | undefined;
  readonly account: Account;
}

/** The SHA-256 of a text, 32 bytes, possibly in a buffer that the next call overwrites. */
export type Sha256 = (text: string) => Uint8Array;

/**
 * The known keys by their SHA-256. An attacker controls the key, but its digest reveals nothing about how much of it is
 * correct, so looking up a digest prefix leaks nothing; the full digest is then compared in constant time.
 */
export class KeyIndex {
  readonly #byTag: Map<number, readonly ApiKey[]>;
  /** The number of keys by id: during a rotation, the old and new keys have the same id. */
  readonly #countById = new Map<string, number>();
  readonly #sha256: Sha256;

  /** If a key occurs twice, the first one counts. */
  constructor(keys: readonly ApiKey[], sha256: Sha256 = keyDigest) {
    this.#sha256 = sha256;
    this.#byTag = Map.groupBy(keys, ({ digest }) => tagOf(digest));
    for (const { id } of keys) this.#count(id, 1);
  }

  /** The number of ids. */
  get size(): number {
    return this.#countById.size;
  }

  /** Replaces keys; the new ones take precedence over the remaining ones. */
  replace(former: readonly ApiKey[], keys: readonly ApiKey[]): void {
    for (const key of former) {
      const tag = tagOf(key.digest);
      const others = (this.#byTag.get(tag) ?? []).filter(other => other !== key);
      if (others.length > 0) this.#byTag.set(tag, others);
      else this.#byTag.delete(tag);
      this.#count(key.id, -1);
    }
    for (const key of keys.toReversed()) {
      const tag = tagOf(key.digest);
      this.#byTag.set(tag, [key, ...(this.#byTag.get(tag) ?? [])]);
      this.#count(key.id, 1);
    }
  }

  #count(id: string, change: number): void {
    const count = (this.#countById.get(id) ?? 0) + change;
    if (count === 0) this.#countById.delete(id);
    else this.#countById.set(id, count);
  }

  /** Takes the same time for wrong and correct keys of the same length. */
  find(key: string): ApiKey | undefined {
    if (key.length > MAX_KEY_LENGTH) return undefined;
    const digest = this.#sha256(key);
    const candidates = this.#byTag.get(tagOf(digest));
    return candidates?.find(candidate => timingSafeEqual(candidate.digest, digest));
  }
}

/** The first 48 bits of a digest: an exact number, and long enough to avoid collisions. */
function tagOf(digest: Uint8Array): number {
  let tag = 0;
  for (let i = 0; i < 6; i++) tag = tag * 256 + digest[i]!;
  return tag;
}

/** The keys that requests are authenticated with. */
export interface KnownKeys {
  readonly direct: KeyIndex;
  /** A marketplace's subscription keys, and the headers that carry them. */
  readonly marketplace: (MarketplaceHeaders & { readonly keys: KeyIndex }) | undefined;
}

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
