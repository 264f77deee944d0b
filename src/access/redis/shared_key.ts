import { ROLES } from '../key_index.ts';
import type { StoredKeySource, StoredKeys, StoredToken } from '../stored_token.ts';
import { parseValue, type SharedValue, type SharedValues } from './shared_value.ts';
import type { ValueCache, ValueKind } from './value_cache.ts';

/** What a value says of a key; its usage has the time of its last use. */
export interface SharedKey extends Omit<StoredToken, 'lastUsedMs'> {
  /** Null unless removed. */
  readonly removedMs: number | null;
  /** Set for one that was removed by moving it to the file of a machine, where it is valid. */
  readonly isMoved?: true;
}

/** The API keys in Redis. */
export interface SharedStoredKeys extends StoredKeys {
  /** The ids of all keys, removed ones included, but for those that were moved. */
  readonly ids: ReadonlySet<string>;
}

/** The cache of the API keys in Redis. */
export type SharedKeys = ValueCache<SharedStoredKeys>;

/** The values of `meridian:keys`: API keys by id, digests but no keys. */
export const SHARED_KEYS: ValueKind<SharedStoredKeys> = {
  what: 'API keys',
  parse: values => ({
    tokens: tokensOf(values).map(token => ({ ...token, lastUsedMs: null })),
    hasEverHeld: values.size > 0,
    ids: idsOf(values),
  }),
};

/** The value of a key without its revision, which the script adds. */
export function writeSharedKey({ digest, former, ...rest }: SharedKey): string {
  const formerText = former && { ...former, digest: hexOf(former.digest) };
  return JSON.stringify({ ...rest, digest: hexOf(digest), former: formerText });
}

/** @throws {Error} for a value that is none of ours */
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

/** The keys among values that are not removed, oldest first. */
export function tokensOf(values: SharedValues): Omit<StoredToken, 'lastUsedMs'>[] {
  return [...values.values()]
    .map(readSharedKey)
    .filter(({ removedMs }) => removedMs === null)
    .sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
}

/** The ids of all keys that were not moved. */
export function idsOf(values: SharedValues): Set<string> {
  return new Set([...values].flatMap(([id, value]) => (readSharedKey(value).isMoved ? [] : [id])));
}

/** Two sources of keys as one; keys that the shared one knows, even removed ones, are not taken from the file. */
export function withSharedKeys(file: StoredKeySource, shared: SharedKeys): StoredKeySource {
  return {
    stamp: () => `${shared.stamp()} ${file.stamp()}`,
    changesSince: () => undefined,
    read() {
      const [own, others] = [file.read(), shared.read()];
      return {
        tokens: [...others.tokens, ...own.tokens.filter(({ id }) => !others.ids.has(id))],
        hasEverHeld: own.hasEverHeld || others.hasEverHeld,
      };
    },
  };
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}

function digestOf(hex: string): Uint8Array {
  const digest = new Uint8Array(Buffer.from(hex, 'hex'));
  if (digest.length !== 32) throw new Error('A digest of a key has not 32 bytes');
  return digest;
}
