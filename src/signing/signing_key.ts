import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { KeyRecord } from './key_record.ts';

/** A validated key; one with a private key can sign. */
export interface SigningKey extends Omit<KeyRecord, 'd'> {
  readonly privateKey: KeyObject | undefined;
  /** Set for another machine's key: whether that machine signs with it. */
  readonly elsewhere?: 'active' | 'retired';
}

const TEST_MESSAGE = Buffer.from('meridian: does this key sign what it is published to sign?');

/** Precedes the 32 bytes of a seed in PKCS #8 (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Validates a key before its first use: one with a private key by `validateKeyPair`; one without must at least be a
 * valid point (RFC 8032 §5.1.3).
 *
 * @throws {Error} with the reason, phrased to follow the name of the file
 */
export async function validateKey({ d, ...key }: KeyRecord): Promise<SigningKey> {
  if (d !== undefined) return validateKeyPair({ ...key, d });
  // Loaded on demand: @noble/curves takes 4 ms, a tenth of the start of a server without retired keys.
  const { isUsablePublicKey } = await import('./verify_signature.ts');
  if (!isUsablePublicKey(key.x)) throw new Error("'x' is not an Ed25519 public key");
  return { ...key, privateKey: undefined };
}

/**
 * Validates a key pair: the public key belongs to the private one and verifies its signatures. `node:crypto` takes 0.3 ms;
 * @noble/curves, not yet compiled at startup, takes 20. Tests verify that both agree.
 *
 * @throws {Error} with the reason, phrased to follow the name of the file
 */
export function validateKeyPair({ d, ...key }: KeyRecord & { readonly d: string }) {
  const privateKey = privateKeyOf(Buffer.from(d, 'base64url'));
  if (publicKeyOfPrivate(privateKey) !== key.x) throw new Error("'x' is not the public key of 'd'");
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
  if (!verify(null, TEST_MESSAGE, publicKey, sign(null, TEST_MESSAGE, privateKey))) {
    throw new Error('a signature made with it does not verify');
  }
  return { ...key, privateKey } satisfies SigningKey;
}

/** The public key of a 32-byte Ed25519 seed (RFC 8032 §5.1.5), in Base64URL. */
export function publicKeyOf(seed: Uint8Array): string {
  return publicKeyOfPrivate(privateKeyOf(seed));
}

/** The key that signs: the youngest with a private key. `keys` are ordered youngest first. */
export function activeKey(keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.find(key => key.privateKey !== undefined);
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

function publicKeyOfPrivate(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'jwk' }).x!; // every Ed25519 key has one
}
