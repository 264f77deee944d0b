import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * Whether `signature` (Base64) is the Ed25519 signature of the bytes of `input` (Base64URL) under the public key
 * `x` (Base64URL), by the strict rules of RFC 8032 §5.1.7: by default @noble/curves follows ZIP 215, which accepts
 * encodings that OpenSSL and others reject.
 */
export function verifySignature(input: string, signature: string, x: string): boolean {
  const message = decodeStrictly(input, 'base64url');
  return message !== undefined && verifyBytes(message, signature, x);
}

/** The same for the bytes themselves. */
export function verifyBytes(message: Uint8Array, signature: string, x: string): boolean {
  const signatureBytes = decodeStrictly(signature, 'base64');
  const publicKey = decodeStrictly(x, 'base64url');
  return (
    signatureBytes?.length === 64 && publicKey?.length === 32 && holds(signatureBytes, message, publicKey)
  );
}

function holds(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false; // not a point of the curve
  }
}

/** Decodes a canonical encoding; undefined otherwise. `Buffer.from` by itself would skip invalid characters. */
export function decodeStrictly(text: string, encoding: 'base64' | 'base64url'): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}

/** Whether a public key (Base64URL) is a point on the curve and not of small order (RFC 8032 §5.1.3, §8.4). */
export function isUsablePublicKey(x: string): boolean {
  try {
    return !ed25519.Point.fromBytes(Buffer.from(x, 'base64url')).isSmallOrder();
  } catch {
    return false;
  }
}

/** A minisign public key: the key id that signatures refer to, and the 32 bytes of the Ed25519 key. */
export interface MinisignKey {
  readonly id: Uint8Array;
  readonly publicKey: Uint8Array;
}

/**
 * Parses a file written by `minisign -G`: an untrusted comment, then Base64 of `Ed`, the key id (8 bytes) and the key (32 bytes).
 * @throws {Error} for anything else
 */
export function parseMinisignKey(file: string): MinisignKey {
  const bytes = decodeStrictly(file.trim().split(/\r?\n/).at(-1)!, 'base64');
  if (bytes?.length !== 42 || !startsWith(bytes, 'Ed'))
    throw new Error('expected a minisign public key: a comment and 56 characters of Base64');
  return { id: bytes.subarray(2, 10), publicKey: bytes.subarray(10) };
}

/**
 * Verifies a prehashed minisign signature (the default since minisign 0.10) and returns its trusted comment. The file has
 * four lines: an untrusted comment; Base64 of `ED`, the key id and the signature of the BLAKE2b-512 digest of the message; the
 * trusted comment; the signature of that signature and that comment.
 * @throws {Error} with the failed check
 */
export function verifyMinisign(message: Uint8Array, file: string, key: MinisignKey): string {
  const [untrusted, signatureLine = '', trusted, globalLine = ''] = file.trimEnd().split(/\r?\n/);
  const signature = decodeStrictly(signatureLine, 'base64');
  const global = decodeStrictly(globalLine, 'base64');
  const comment = /^trusted comment: (.*)$/.exec(trusted ?? '')?.[1];
  const isWellFormed = untrusted?.startsWith('untrusted comment:') && signature?.length === 74;
  if (!isWellFormed || global?.length !== 64 || comment === undefined || !startsWith(signature, 'ED'))
    throw new Error('expected the four lines of a prehashed minisign signature');
  if (Buffer.compare(signature.subarray(2, 10), key.id) !== 0)
    throw new Error('the signature was made with another key');
  const digest = createHash('blake2b512').update(message).digest();
  const signed = Buffer.concat([signature.subarray(10), Buffer.from(comment)]);
  if (!holds(signature.subarray(10), digest, key.publicKey))
    throw new Error('the signature does not match the file');
  if (!holds(global, signed, key.publicKey))
    throw new Error('the signature does not match its trusted comment');
  return comment;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.subarray(0, text.length)).toString('latin1') === text;
}
