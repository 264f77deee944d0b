import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { KeyRecord } from './key_record.ts';

/** A key that was proved fit for use; one with a private half can sign. */
export interface SigningKey extends Omit<KeyRecord, 'd'> {
  readonly privateKey: KeyObject | undefined;
}

const PROOF = Buffer.from('meridian: does this key sign what it is published to sign?');

/** What stands before the 32 bytes of a seed in PKCS #8 (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Proves a key before it is used or published, once: one with a private half as `proveKeyPair` does, and one without
 * must at least be a point that signatures can be checked with (RFC 8032 §5.1.3).
 *
 * @throws {Error} saying what is wrong with the key, in words that follow its file's name
 */
export async function proveKey({ d, ...key }: KeyRecord): Promise<SigningKey> {
  if (d !== undefined) return proveKeyPair({ ...key, d });
  // Loaded here: the 4 ms that @noble/curves takes would be a tenth of the start of a server without retired keys.
  const { isUsablePublicKey } = await import('./usable_public_key.ts');
  if (!isUsablePublicKey(key.x)) throw new Error("'x' is not an Ed25519 public key");
  return { ...key, privateKey: undefined };
}

/**
 * Proves a key with a private half: the public half is the one that follows from it, and verifies by itself what the
 * private half signs. `node:crypto` takes 0.3 ms for it where @noble/curves takes 20, cold as it is at a start; that
 * both come to the same is for the tests to show.
 *
 * @throws {Error} saying what is wrong with the key, in words that follow its file's name
 */
export function proveKeyPair({ d, ...key }: KeyRecord & { readonly d: string }) {
  const privateKey = privateKeyOf(Buffer.from(d, 'base64url'));
  if (publicHalfOfKey(privateKey) !== key.x) throw new Error("'x' is not the public half of 'd'");
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
  if (!verify(null, PROOF, publicKey, sign(null, PROOF, privateKey))) {
    throw new Error('a signature made with it does not verify');
  }
  return { ...key, privateKey } satisfies SigningKey;
}

/** The public half of a 32-byte Ed25519 seed (RFC 8032 §5.1.5), in Base64URL. */
export function publicHalfOf(seed: Uint8Array): string {
  return publicHalfOfKey(privateKeyOf(seed));
}

/** The key that signs: the youngest that has a private half. `keys` are ordered youngest first. */
export function activeKey(keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.find(key => key.privateKey !== undefined);
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

function publicHalfOfKey(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'jwk' }).x!; // every Ed25519 key has one
}
