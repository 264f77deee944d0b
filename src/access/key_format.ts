/**
 * API keys as `meridian tokens add` makes them: `mrd_<id>_<secret>`.
 *
 *     mrd_ 0Kc3pTq9d _ 0fG…(33)… 1a2B3c
 *          id          secret    checksum
 *          48 bits     192 bits  CRC-32 of everything before it
 *
 * All three are base62, so that a double click takes a key whole. The id is public: it names the key in lists and logs.
 * The checksum tells a mistyped key from a wrong one; it protects nothing and says nothing about the secret.
 */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_BYTES = 6;
const SECRET_BYTES = 24;
/** The fewest base62 digits that hold every value of so many bytes. */
const ID_DIGITS = 9;
const SECRET_DIGITS = 33;
const CHECKSUM_DIGITS = 6;
const PATTERN = /^mrd_[0-9A-Za-z]{9}_[0-9A-Za-z]{39}$/;

/** A new key and the public id within it. */
export interface NewKey {
  readonly id: string;
  readonly key: string;
}

/** How many random bytes a key is made of. */
export const KEY_RANDOM_BYTES = ID_BYTES + SECRET_BYTES;

/** Makes a key of `KEY_RANDOM_BYTES` random bytes; every byte string gives another key. */
export function makeKey(random: Uint8Array): NewKey {
  if (random.length !== KEY_RANDOM_BYTES)
    throw new RangeError(`A key takes ${KEY_RANDOM_BYTES} random bytes`);
  const id = base62(bigEndian(random.subarray(0, ID_BYTES)), ID_DIGITS);
  const body = `mrd_${id}_${base62(bigEndian(random.subarray(ID_BYTES)), SECRET_DIGITS)}`;
  return { id, key: body + checksum(body) };
}

/** The public id of a well-formed key, undefined for anything else (a mistyped key too). */
export function keyId(key: string): string | undefined {
  return PATTERN.test(key) && hasChecksum(key) ? key.slice(4, 4 + ID_DIGITS) : undefined;
}

/** Whether a text was meant as a key of ours but is none: a character is wrong, missing or too many. */
export function isMistyped(key: string): boolean {
  return key.startsWith('mrd_') && keyId(key) === undefined;
}

function hasChecksum(key: string): boolean {
  const body = key.slice(0, -CHECKSUM_DIGITS);
  return key.slice(-CHECKSUM_DIGITS) === checksum(body);
}

function checksum(body: string): string {
  // Loaded here: a start without keys of ours, which take 2 ms more, is the most common one.
  const { crc32 } = require('node:zlib') as typeof import('node:zlib');
  return base62(BigInt(crc32(body)), CHECKSUM_DIGITS);
}

function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
