import { ed25519 } from '@noble/curves/ed25519.js';

/** Whether a public half (Base64URL) is a point of the curve that no forged signature passes (RFC 8032 §5.1.3, §8.4). */
export function isUsablePublicKey(x: string): boolean {
  try {
    return !ed25519.Point.fromBytes(Buffer.from(x, 'base64url')).isSmallOrder();
  } catch {
    return false;
  }
}
