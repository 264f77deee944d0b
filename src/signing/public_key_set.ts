import { type Static, Type } from '@sinclair/typebox';

const PublicKey = Type.Object(
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
  { $id: 'PublicKey', description: 'A key to verify signatures with: a JWK of RFC 7517 and RFC 8037.' },
);

export const PublicKeySet = Type.Object(
  { keys: Type.Array(PublicKey, { description: 'The active key first.' }) },
  { $id: 'PublicKeySet', description: 'The public key set.' },
);

export type PublicKeySet = Static<typeof PublicKeySet>;

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
