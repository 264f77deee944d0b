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

/** The same for undecoded bytes, 64 and 32. */
export function holds(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
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
