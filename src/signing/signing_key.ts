import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { KeyRecord } from './key_record.ts';

/** A key that was proved fit for use; one with a private half can sign. */
export interface SigningKey extends Omit<KeyRecord, 'd'> {
  readonly privateKey: KeyObject | undefined;
}

// A window of 1: the usual table of multiples costs more to make than the few proofs that would use it.
ed25519.Point.BASE.precompute(1);

const PROOF = Buffer.from('meridian: does this key sign what it is published to sign?');

/**
 * Proves a key before it is used or published, once, with a second implementation: the public half is the one
 * that @noble/curves derives, and @noble/curves accepts what `node:crypto` signs with the private half. A key
 * without private half must at least be a point that signatures can be checked with (RFC 8032 §5.1.3).
 *
 * @throws {Error} saying what is wrong with the key, in words that follow its file's name
 */
export function proveKey({ d, ...key }: KeyRecord): SigningKey {
  if (d === undefined) {
    if (!isUsablePublicKey(key.x)) throw new Error("'x' is not an Ed25519 public key");
    return { ...key, privateKey: undefined };
  }
  if (publicHalfOf(Buffer.from(d, 'base64url')) !== key.x) {
    throw new Error("'x' is not the public half of 'd'");
  }
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.x, d };
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign(null, PROOF, privateKey);
  if (!ed25519.verify(signature, PROOF, Buffer.from(key.x, 'base64url'), { zip215: false })) {
    throw new Error('a signature made with it does not verify');
  }
  return { ...key, privateKey };
}

/** The public half of a 32-byte Ed25519 seed (RFC 8032 §5.1.5), in Base64URL. */
export function publicHalfOf(seed: Uint8Array): string {
  return Buffer.from(ed25519.getPublicKey(seed)).toString('base64url');
}

/** The key that signs: the youngest that has a private half. `keys` are ordered youngest first. */
export function activeKey(keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.find(key => key.privateKey !== undefined);
}

function isUsablePublicKey(x: string): boolean {
  try {
    return !ed25519.Point.fromBytes(Buffer.from(x, 'base64url')).isSmallOrder();
  } catch {
    return false;
  }
}
