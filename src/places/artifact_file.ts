/** The bytes that are read and hashed at a stretch: about half a millisecond. */
const PIECE = 512 * 1024;

/**
 * Reads an embedded file and checks its SHA-256, piece by piece, so that a server goes on serving meanwhile.
 * @throws Error where the file is not the one that was built
 */
export async function readArtifact(path: string, sha256: string): Promise<Uint8Array> {
  const file = Bun.file(path);
  const bytes = new Uint8Array(file.size);
  const hasher = new Bun.CryptoHasher('sha256');
  for (let position = 0; position < bytes.length; position += PIECE) {
    const piece = await file.slice(position, position + PIECE).bytes();
    bytes.set(piece, position);
    hasher.update(piece);
    await new Promise(resolve => setImmediate(resolve));
  }
  Bun.gc(false); // the pieces are garbage as large as the file; this only asks for a collection soon
  if (hasher.digest('hex') !== sha256)
    throw new Error('it is damaged: its SHA-256 is not the one it was built with');
  return bytes;
}
