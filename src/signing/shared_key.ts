import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Bytes32, KEY_ID } from './key_record.ts';
import { type SigningKey, validateKey } from './signing_key.ts';

const SharedKeySchema = Type.Object({
  kid: Type.RegExp(KEY_ID),
  x: Bytes32,
  createdMs: Type.Integer(),
  sequence: Type.Integer({ minimum: 0 }),
  state: Type.Union([Type.Literal('active'), Type.Literal('retired'), Type.Literal('revoked')]),
  sealed: Type.Optional(Type.String()),
});

/**
 * A signing key as shared by several machines: public, except for the encrypted private key (`sealed`) of an active key that
 * all machines sign with.
 */
export type SharedKey = Static<typeof SharedKeySchema>;

/** A key in the shared store, and the revision for detecting concurrent changes. */
export interface SharedKeyAt {
  readonly key: SharedKey;
  readonly revision: number;
}

/** The keys by name, see {@link nameOf}. */
export type SharedKeys = ReadonlyMap<string, SharedKeyAt>;

/** A key to store in place of the one with a name and revision; 0 if there is none. */
export interface KeyChange {
  readonly name: string;
  readonly revision: number;
  readonly key: SharedKey;
}

/** The signing keys of all machines, in a store that they share. */
export interface SharedKeyStore {
  /** The current keys or, while the store is unavailable, the last known ones. */
  read(): Promise<SharedKeys>;
  /** Makes all changes, or none if one of the keys has been changed concurrently. */
  change(changes: readonly KeyChange[]): Promise<'done' | 'conflict' | 'away'>;
}

/** @throws {Error} for a value that is not a key in our format */
export function readSharedKey(value: unknown): SharedKey {
  if (!Value.Check(SharedKeySchema, value)) throw new Error('A signing key in Redis is malformed');
  return value;
}

/** The name of a key: its `kid`, or both `kid` and public key if an earlier key has the same `kid`. */
export function nameOf({ kid, x }: Pick<SharedKey, 'kid' | 'x'>, keys: SharedKeys): string {
  const first = keys.get(kid)?.key;
  return first === undefined || first.x === x ? kid : `${kid} ${x}`;
}

/** A key in the shared store, if it is there. */
export function sharedOf(key: Pick<SharedKey, 'kid' | 'x'>, keys: SharedKeys): SharedKeyAt | undefined {
  return keys.get(nameOf(key, keys));
}

/** Whether a key may no longer sign, because it was revoked or its `kid` belongs to another key. */
export function isUnusable(key: Pick<SharedKey, 'kid' | 'x'>, keys: SharedKeys): boolean {
  return nameOf(key, keys) !== key.kid || sharedOf(key, keys)?.key.state === 'revoked';
}

/** The number of attempts at a change while others change the same keys. */
const MAX_ATTEMPTS = 10;

/** Publishes those keys of a machine that the store lacks, and returns all keys. */
export async function publish(
  store: SharedKeyStore,
  own: readonly SharedKey[],
  revoked: readonly Pick<SharedKey, 'kid' | 'x'>[],
): Promise<SharedKeys> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const keys = await store.read();
    const changes = [...own.flatMap(key => publication(key, keys)), ...revocations(revoked, keys)];
    if (changes.length === 0 || (await store.change(changes)) === 'away') return keys;
  }
  return store.read();
}

/** The states of a key, which only advance: machines that share a copied directory may learn of them at different times. */
const STATES: readonly SharedKey['state'][] = ['active', 'retired', 'revoked'];

/** The change that publishes the state of a key. */
function publication(key: SharedKey, keys: SharedKeys): KeyChange[] {
  const name = nameOf(key, keys);
  const { key: present, revision = 0 } = keys.get(name) ?? {};
  const isKnown = present !== undefined && STATES.indexOf(present.state) >= STATES.indexOf(key.state);
  return isKnown ? [] : [{ name, revision, key }];
}

function revocations(revoked: readonly Pick<SharedKey, 'kid' | 'x'>[], keys: SharedKeys): KeyChange[] {
  return revoked.flatMap(given => {
    const present = sharedOf(given, keys);
    if (present === undefined || present.key.state === 'revoked') return [];
    return [revocation(nameOf(given, keys), present)];
  });
}

/** The change that revokes a key. */
export function revocation(name: string, { key, revision }: SharedKeyAt): KeyChange {
  const { sealed: _, ...rest } = key;
  return { name, revision, key: { ...rest, state: 'revoked' } };
}

/** The public keys of other machines that are not revoked. `known`: validated keys by `x`. Invalid keys are omitted. */
export async function keysElsewhere(
  keys: SharedKeys,
  own: readonly SigningKey[],
  known: Map<string, SigningKey>,
): Promise<SigningKey[]> {
  const elsewhere: SigningKey[] = [];
  for (const { key } of keys.values()) {
    const { kid, x, createdMs, sequence, state } = key;
    if (state === 'revoked' || own.some(mine => mine.x === x)) continue;
    const record = { kid, x, createdMs, sequence, d: undefined };
    const valid = known.get(x) ?? (await validateKey(record).catch(() => undefined));
    if (valid === undefined) continue;
    known.set(x, valid);
    elsewhere.push({ ...valid, elsewhere: state });
  }
  return elsewhere;
}

/** The keys in publication order: the active one, other machines' active keys, then retired ones, youngest first. */
export function inOrder(active: SigningKey | undefined, keys: readonly SigningKey[]): SigningKey[] {
  const rank = (key: SigningKey) => (key === active ? 0 : key.elsewhere === 'active' ? 1 : 2);
  return keys.toSorted(
    (a, b) =>
      rank(a) - rank(b) || b.createdMs - a.createdMs || b.sequence - a.sequence || (a.kid < b.kid ? 1 : -1),
  );
}
