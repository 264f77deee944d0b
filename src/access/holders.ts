import { type Account, openAccount } from './account.ts';
import { keyDigest } from './key_digest.ts';
import { keyId } from './key_format.ts';
import type { FixedKey } from './key_list.ts';
import type { Holder } from './key_ring.ts';
import type { Limits } from './limits.ts';
import type { StoredToken } from './sqlite_store.ts';

/** What turns keys into holders: limits by plan name, and accounts that outlive reloads. */
export interface HolderContext {
  readonly limits: ReadonlyMap<string, Limits>;
  /** The account of an id; made where there is none yet. */
  readonly account: (id: string) => Account;
}

/** The holders of stored keys. */
export function holdersOfTokens(tokens: readonly StoredToken[], context: HolderContext): Holder[] {
  return tokens.map(({ id, plan, digest, suspendedMs }) => ({
    id,
    label: id,
    digest,
    plan,
    suspended: suspendedMs !== null,
    limits: context.limits.get(plan),
    account: context.account(id),
  }));
}

/** The holders of keys given at the start. `kind` begins their labels, and the ids of those that are not of our making. */
export function holdersOfKeys(keys: readonly FixedKey[], kind: string, context: HolderContext): Holder[] {
  return keys.map(({ key, plan }, index) => {
    const digest = keyDigest(key);
    const id = keyId(key) ?? `${kind}-${digest.toString('hex', 0, 8)}`;
    return {
      id,
      label: `${kind}-${index + 1}`,
      digest,
      plan,
      suspended: false,
      limits: context.limits.get(plan),
      account: context.account(id),
    };
  });
}

/** The accounts of all holders, by id: those of `former` where they are still wanted. */
export function accountBook(former: ReadonlyMap<string, Account>): {
  readonly accounts: Map<string, Account>;
  readonly account: (id: string) => Account;
} {
  const accounts = new Map<string, Account>();
  const account = (id: string): Account => {
    const known = accounts.get(id) ?? former.get(id) ?? openAccount(id);
    accounts.set(id, known);
    return known;
  };
  return { accounts, account };
}
