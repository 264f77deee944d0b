import { mappedEmbeddedFile } from './embedded_file.ts';

/** The bytes that are read and hashed at a stretch: about half a millisecond. */
const PIECE = 512 * 1024;

/**
 * The bytes of an embedded file, once their SHA-256 is known to be right. They are looked at, and read where they are not
 * in memory already, piece by piece, so that a server goes on serving meanwhile. They must not be written to.
 * @throws Error where the file is not the one that was built
 */
export async function readArtifact(path: string, sha256: string): Promise<Uint8Array> {
  const file = Bun.file(path);
  const mapped = await mappedEmbeddedFile(path);
  const bytes = mapped ?? new Uint8Array(file.size);
  const hasher = new Bun.CryptoHasher('sha256');
  for (let position = 0; position < bytes.length; position += PIECE) {
    const end = position + PIECE;
    if (mapped === null) bytes.set(await file.slice(position, end).bytes(), position);
    hasher.update(bytes.subarray(position, end));
    await new Promise(resolve => setImmediate(resolve));
  }
  if (mapped === null) Bun.gc(false); // the pieces are garbage as large as the file; this only asks for a collection soon
  if (hasher.digest('hex') !== sha256)
    throw new Error('it is damaged: its SHA-256 is not the one it was built with');
  return bytes;
}
