import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { MS_PER_DAY } from '../common/civil.ts';

/** The public part of a signing key. */
export interface PublicKey {
  readonly kid: string;
  /** 1 for a store's first key, increasing: unlike the clock it never goes back. */
  readonly sequence: number;
  /** When the key was created, by the clock at that time. */
  readonly createdMs: number;
  /** The public key, 32 bytes in Base64URL. */
  readonly x: string;
}

/** A stored signing key. */
export interface KeyRecord extends PublicKey {
  /** The private key, 32 bytes in Base64URL (RFC 8037 §2); undefined once the key is retired. */
  readonly d: string | undefined;
}

/** A validated key; one with a private key can sign. */
export interface SigningKey extends PublicKey {
  readonly privateKey: KeyObject | undefined;
  /** Set for another machine's key: whether that machine signs with it. */
  readonly elsewhere?: 'active' | 'retired';
}

/** A key that can sign. */
export interface ActiveKey extends SigningKey {
  readonly privateKey: KeyObject;
}

// 32 bytes are 43 digits, the last with four bits: only the canonical encoding is accepted.
export const Bytes32 = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });

const KeyFile = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  kid: Type.String(),
  x: Bytes32,
  d: Type.Optional(Bytes32),
  created: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/** The first members of the JWK of any key here. */
export const ED25519_JWK = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' } as const;

/** Serialises a key file: a JWK (RFC 7517, RFC 8037) with two private members. */
export function writeKeyRecord({ kid, sequence, createdMs, x, d }: KeyRecord): string {
  const file: Static<typeof KeyFile> & Record<string, unknown> = {
    ...ED25519_JWK,
    key_ops: [d === undefined ? 'verify' : 'sign'],
    kid,
    x,
    ...(d !== undefined && { d }),
    created: new Date(createdMs).toISOString(),
    sequence,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Parses a key file. @throws {Error} with the reason, phrased to follow the name of the file */
export function readKeyRecord(text: string): KeyRecord {
  if (text.trim() === '') throw new Error('it is empty');
  const file = parseJson(text);
  if (!Value.Check(KeyFile, file)) {
    const member = Value.Errors(KeyFile, file).First()?.path.slice(1);
    throw new Error(member ? `its '${member}' is missing or malformed` : 'it is not a JSON object');
  }
  const { kid, sequence, created, x, d } = file;
  const createdMs = Date.parse(created);
  if (!KEY_ID.test(kid)) throw new Error("its 'kid' is malformed");
  if (Number.isNaN(createdMs)) throw new Error("its 'created' is not a date");
  return { kid, sequence, createdMs, x, d };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}

/** The form of a `kid`, which is safe as a file name. */
export const KEY_ID = /^ed25519-\d{4,6}-\d\d-\d\d$/;

/** The `kid` of a key created at an instant: `ed25519-` and the UTC date, plus `daysLater` days. */
export function keyIdOf(epochMs: number, daysLater = 0): string {
  const [date] = new Date(epochMs + daysLater * MS_PER_DAY).toISOString().split('T');
  return `ed25519-${date!.replace(/^\+0*/, '')}`; // a year after 9999 has neither a sign nor leading zeros
}

const TEST_MESSAGE = Buffer.from('meridian: does this key sign what it is published to sign?');

/** Precedes the 32 bytes of a seed in PKCS #8 (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Validates a key before its first use; without a private key it must at least be a valid point (RFC 8032 §5.1.3).
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
 * Validates that the public key belongs to the private one and verifies its signatures. `node:crypto` takes 0.3 ms;
 * @noble/curves, not yet compiled at startup, takes 20. Tests verify that both agree.
 * @throws {Error} like {@link validateKey}
 */
export function validateKeyPair({ d, ...key }: KeyRecord & { readonly d: string }): ActiveKey {
  const privateKey = privateKeyOf(Buffer.from(d, 'base64url'));
  if (publicKeyOfPrivate(privateKey) !== key.x) throw new Error("'x' is not the public key of 'd'");
  if (!verify(null, TEST_MESSAGE, createPublicKey(privateKey), sign(null, TEST_MESSAGE, privateKey)))
    throw new Error('a signature made with it does not verify');
  return { ...key, privateKey };
}

/** The public key of a 32-byte Ed25519 seed (RFC 8032 §5.1.5), in Base64URL. */
export function publicKeyOf(seed: Uint8Array): string {
  return publicKeyOfPrivate(privateKeyOf(seed));
}

/** The key that signs: the youngest with a private key. `keys` are ordered youngest first. */
export function activeKey(keys: readonly SigningKey[]): ActiveKey | undefined {
  return keys.find((key): key is ActiveKey => key.privateKey !== undefined);
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** The public key of an Ed25519 key, in Base64URL. */
export function publicKeyOfPrivate(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'jwk' }).x!; // every Ed25519 key has one
}
