import { type Static, Type } from '@sinclair/typebox';

/** A published key: a JWK of RFC 7517 and RFC 8037. */
export const PublicKey = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  alg: Type.Literal('EdDSA'),
  use: Type.Literal('sig'),
  key_ops: Type.Array(Type.Literal('verify')),
  ext: Type.Literal(true),
  kid: Type.String({ description: 'identifier of the key, `ed25519-<YYYY-MM-DD>`' }),
  x: Type.String({ description: 'the public key, 32 bytes in Base64URL' }),
});

/** The public key set (JWKS), the active key first. */
export const PublicKeySet = Type.Object({ keys: Type.Array(PublicKey) });

export type PublicKeySet = Static<typeof PublicKeySet>;

/** The key set that publishes these keys, in their order. */
export function publicKeySet(keys: readonly { readonly kid: string; readonly x: string }[]): PublicKeySet {
  return {
    keys: keys.map(({ kid, x }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      key_ops: ['verify'],
      ext: true,
      kid,
      x,
    })),
  };
}
