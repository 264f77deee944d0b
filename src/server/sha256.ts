import { nextTurn } from '../common/promises.ts';
import type { EmbeddedBytes } from '../places/boundaries.ts';

/** Bytes read or hashed before yielding to other tasks: about half a millisecond. */
export const SLICE_BYTES = 512 * 1024;

/** The SHA-256 in hex. It does not block requests, whereas an IP database of 70 MB would; WebCrypto would copy that. */
export async function sha256Of(...parts: readonly EmbeddedBytes[]): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const part of parts) {
    for (let start = 0; start < part.length; start += SLICE_BYTES) {
      hasher.update(part.subarray(start, start + SLICE_BYTES));
      await nextTurn();
    }
  }
  return hasher.digest('hex');
}
