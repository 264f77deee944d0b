import { ROLES } from '../key_index.ts';
import type { StoredKeySource, StoredToken } from '../stored_token.ts';
import { parseValue, type SharedValue, type SharedValues } from './shared_value.ts';
import type { ValueCache, ValueKind } from './value_cache.ts';

/** The contents of a key's value; the last-used time is part of its usage. */
export interface SharedKey extends Omit<StoredToken, 'lastUsedMs'> {
  /** Null unless removed. */
  readonly removedMs: number | null;
  /** Set if it was removed by moving it to a machine's file, where it is valid. */
  readonly isMoved?: true;
}

/** The API keys in Redis. */
export interface SharedStoredKeys {
  /** Those that are not removed, by id. */
  readonly tokens: Map<string, StoredToken>;
  /** The ids of all keys, including removed ones, except for those that were moved. */
  readonly ids: Set<string>;
}

/** The cache of the API keys in Redis. */
export type SharedKeys = ValueCache<SharedStoredKeys>;

/** The values of `meridian:keys`: API keys by id, with digests instead of the keys themselves. */
export const SHARED_KEYS: ValueKind<SharedStoredKeys> = {
  what: 'API keys',
  parse: values => withValues({ tokens: new Map(), ids: new Set() }, values),
  update: withValues,
};

/** The keys after a change of some values. */
function withValues(known: SharedStoredKeys, changed: SharedValues): SharedStoredKeys {
  const keys = [...changed.values()].map(readSharedKey); // before any change, since it may throw
  for (const { removedMs, isMoved, ...token } of keys) {
    if (removedMs === null) known.tokens.set(token.id, { ...token, lastUsedMs: null });
    else known.tokens.delete(token.id);
    if (isMoved) known.ids.delete(token.id);
    else known.ids.add(token.id);
  }
  return known;
}

/** The value of a key without its revision, which the script adds. */
export function writeSharedKey({ digest, former, ...rest }: SharedKey): string {
  const formerText = former && { ...former, digest: hexOf(former.digest) };
  return JSON.stringify({ ...rest, digest: hexOf(digest), former: formerText });
}

/** @throws {Error} for a value that is not in our format */
export function readSharedKey(value: SharedValue): SharedKey {
  const key = parseValue(value) as SharedKey & { digest: string };
  const former = key.former as { digest: string; expiresMs: number } | null;
  if (!ROLES.includes(key.role)) throw new Error(`The key '${key.id}' has an unknown role`);
  return {
    ...key,
    digest: digestOf(key.digest),
    former: former && { ...former, digest: digestOf(former.digest) },
  };
}

/** Combines two sources of keys; keys known to the shared one, even removed ones, are not taken from the file. */
export function withSharedKeys(file: StoredKeySource, shared: SharedKeys): StoredKeySource {
  return {
    stamp: () => `${shared.stamp()} ${file.stamp()}`,
    read() {
      const [own, { tokens, ids }] = [file.read(), shared.read()];
      return {
        tokens: [...tokens.values(), ...own.tokens.filter(({ id }) => !ids.has(id))],
        hasEverHeld: own.hasEverHeld || shared.values.size > 0,
      };
    },
    changesSince(stamp) {
      const [sharedStamp = '', fileStamp = ''] = stamp.split(' ');
      const [changed, own] = [shared.changedSince(sharedStamp), file.changesSince(fileStamp)];
      const { tokens, ids } = shared.read();
      // A moved key may be in the file.
      if (own === undefined || changed.some(id => !ids.has(id))) return undefined;
      const changes = new Map([...own].filter(([id]) => !ids.has(id)));
      for (const id of changed) changes.set(id, tokens.get(id) ?? null);
      return changes;
    },
  };
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}

function digestOf(hex: string): Uint8Array {
  const digest = new Uint8Array(Buffer.from(hex, 'hex'));
  if (digest.length !== 32) throw new Error('A key digest does not have 32 bytes');
  return digest;
}
