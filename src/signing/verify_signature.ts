import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * Whether `signature` (Base64) is the Ed25519 signature of the bytes of `input` (Base64URL) under the public key
 * `x` (Base64URL), by the strict rules of RFC 8032 §5.1.7: @noble/curves would by default follow ZIP 215, which
 * lets encodings pass that OpenSSL and others refuse.
 */
export function verifySignature(input: string, signature: string, x: string): boolean {
  const message = decodeStrictly(input, 'base64url');
  const signatureBytes = decodeStrictly(signature, 'base64');
  const publicKey = decodeStrictly(x, 'base64url');
  if (message === undefined || signatureBytes?.length !== 64 || publicKey?.length !== 32) return false;
  try {
    return ed25519.verify(signatureBytes, message, publicKey, { zip215: false });
  } catch {
    return false; // not a point of the curve
  }
}

/** The bytes of a text in its one canonical spelling; `Buffer.from` alone skips what it does not know. */
export function decodeStrictly(text: string, encoding: 'base64' | 'base64url'): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
