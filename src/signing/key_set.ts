import type { KeyObject } from 'node:crypto';
import { activeKey, type SigningKey } from './signing_key.ts';

/** An immutable set of keys, so that signing and publishing always agree. */
export interface KeySet {
  /** All keys of the store, youngest first. */
  readonly all: readonly SigningKey[];
  readonly active: (SigningKey & { readonly privateKey: KeyObject }) | undefined;
  /** The active key first, then other machines' active keys and the retained ones, in the order of the store. */
  readonly published: readonly SigningKey[];
}

/** Selects the active and the published keys; `all` are ordered youngest first, of which `retain` retired ones are published. */
export function keySetOf(all: readonly SigningKey[], retain: number): KeySet {
  const active = activeKey(all);
  const signing = all.filter(key => key !== active && key.elsewhere === 'active');
  const retired = all.filter(key => key !== active && key.elsewhere !== 'active').slice(0, retain);
  const others = [...signing, ...retired];
  return {
    all,
    active: active?.privateKey && { ...active, privateKey: active.privateKey },
    published: active === undefined ? others : [active, ...others],
  };
}

export interface SigningKeys {
  readonly current: KeySet;
  /** Why the last read or change of the store failed, one line; undefined if it succeeded. */
  readonly problem: string | undefined;
  /** The keys to publish, reread if the last read is too old. */
  published(): Promise<readonly SigningKey[]>;
  /** A published key by its `kid`. */
  find(kid: string): Promise<SigningKey | undefined>;
}

/** Signing keys that never change; `problem`: the reason if the store could not be read. */
export function fixedKeys(keys: readonly SigningKey[], problem?: string): SigningKeys {
  const current = keySetOf(keys, Number.POSITIVE_INFINITY);
  return {
    current,
    problem,
    published: async () => current.published,
    find: async kid => current.published.find(key => key.kid === kid),
  };
}
