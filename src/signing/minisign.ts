import { createHash } from 'node:crypto';
import { decodeStrictly, holds } from './verify_signature.ts';

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
