/** Takes about half a millisecond to hash. */
const SLICE_BYTES = 512 * 1024;

/** Hashes in slices, so that the server can serve meanwhile: an IP database has 70 MB, which WebCrypto would also copy. */
export async function sha256Of(...parts: readonly Uint8Array[]): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += SLICE_BYTES) {
      hash.update(part.subarray(at, at + SLICE_BYTES));
      await new Promise(resolve => setImmediate(resolve));
    }
  }
  return hash.digest('hex');
}
