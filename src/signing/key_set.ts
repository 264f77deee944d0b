import { type Static, Type } from '@sinclair/typebox';
import { objectSchema } from '../common/json.ts';
import { type ActiveKey, activeKey, ED25519_JWK, type PublicKey, type SigningKey } from './signing_key.ts';

/** An immutable set of keys, so that signing and publishing always agree. */
export interface KeySet {
  /** All keys of the store. */
  readonly all: readonly SigningKey[];
  readonly active: ActiveKey | undefined;
  readonly published: readonly SigningKey[];
}

/** The active and the published keys of a store, in its order: those that a machine signs with, and `retain` retired ones. */
export function keySetOf(all: readonly SigningKey[], retain: number): KeySet {
  const active = activeKey(all);
  const isSigning = (key: SigningKey) => key === active || key.elsewhere === 'active';
  const retired = all.filter(key => !isSigning(key)).slice(0, retain);
  return { all, active, published: [...all.filter(isSigning), ...retired] };
}

export interface SigningKeys {
  readonly current: KeySet;
  /** Why the last read or change of the store failed, one line; undefined if it succeeded. */
  readonly problem: string | undefined;
  /** A published key by its `kid`; a promise if the store must be read for it. */
  find(kid: string): SigningKey | undefined | Promise<SigningKey | undefined>;
}

/** Signing keys that never change; `problem`: the reason if the store could not be read. */
export function fixedKeys(keys: readonly SigningKey[], problem?: string): SigningKeys {
  const current = keySetOf(keys, Number.POSITIVE_INFINITY);
  return { current, problem, find: kid => publishedKey(current, kid) };
}

export function publishedKey({ published }: KeySet, kid: string): SigningKey | undefined {
  return published.find(key => key.kid === kid);
}

const PublicKeyJwk = objectSchema(
  'PublicKey',
  'A key to verify signatures with: a JWK of RFC 7517 and RFC 8037.',
  {
    kty: Type.Literal('OKP', { description: 'Key type.' }),
    crv: Type.Literal('Ed25519', { description: 'Curve.' }),
    alg: Type.Literal('EdDSA', { description: 'Algorithm.' }),
    use: Type.Literal('sig', { description: 'What it is for: signatures.' }),
    key_ops: Type.Array(Type.Literal('verify'), { description: 'What it can do.' }),
    ext: Type.Literal(true, { description: 'Whether a browser may hand it out again.' }),
    kid: Type.String({ description: 'Identifier of the key, `ed25519-<YYYY-MM-DD>`.' }),
    x: Type.String({ description: 'The public key, 32 bytes in Base64URL.' }),
  },
);

export const PublicKeySet = objectSchema('PublicKeySet', 'The public key set.', {
  keys: Type.Array(PublicKeyJwk, { description: 'The active key first.' }),
});
export type PublicKeySet = Static<typeof PublicKeySet>;

export function publicKeySet(keys: readonly Pick<PublicKey, 'kid' | 'x'>[]): PublicKeySet {
  return { keys: keys.map(({ kid, x }) => ({ ...ED25519_JWK, key_ops: ['verify'], ext: true, kid, x })) };
}
