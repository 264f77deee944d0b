import type { KeyObject } from 'node:crypto';
import { activeKey, type SigningKey } from './signing_key.ts';

/** The keys of one moment: answers are signed and keys published from the same set. */
export interface KeySet {
  readonly active: (SigningKey & { readonly privateKey: KeyObject }) | undefined;
  /** The active key first, then the retained ones, youngest first. */
  readonly published: readonly SigningKey[];
}

/** The keys of a store as a server uses them; `keys` are ordered youngest first. */
export function keySetOf(keys: readonly SigningKey[], retain: number): KeySet {
  const active = activeKey(keys);
  const retired = keys.filter(key => key !== active).slice(0, retain);
  return {
    active: active?.privateKey && { ...active, privateKey: active.privateKey },
    published: active === undefined ? retired : [active, ...retired],
  };
}

/** The signing keys as a server and its routes see them. */
export interface SigningKeys {
  /** The keys to sign and publish with now. */
  readonly current: KeySet;
  /** What stood in the way of the last reading or change of the store, one line; undefined when nothing did. */
  readonly problem: string | undefined;
  /** The keys to publish, as fresh as the store allows. */
  published(): Promise<readonly SigningKey[]>;
  /** A published key by its `kid`. */
  find(kid: string): Promise<SigningKey | undefined>;
}

/** Signing keys that never change; `problem` is why there are none, where a store could not be read. */
export function fixedKeys(keys: readonly SigningKey[], problem?: string): SigningKeys {
  const current = keySetOf(keys, Number.POSITIVE_INFINITY);
  return {
    current,
    problem,
    published: async () => current.published,
    find: async kid => current.published.find(key => key.kid === kid),
  };
}
