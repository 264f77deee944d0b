import { type FileBytes, mappedEmbeddedFile } from './embedded_file.ts';

/** The bytes that are read or hashed at a stretch: about half a millisecond. */
const PIECE = 512 * 1024;

/**
 * The bytes of an embedded file, once their SHA-256 is known to be right: those that are in memory already, or else a
 * copy. They are read and hashed piece by piece, so that a server goes on serving meanwhile. They must not be written to.
 * @throws Error where the file is not the one that was built
 */
export async function readArtifact(path: string, sha256: string): Promise<FileBytes> {
  const mapped = await mappedEmbeddedFile(path);
  if (mapped !== null && (await sha256Of(mapped)) === sha256) return mapped;
  const copy = await copyOf(Bun.file(path));
  if ((await sha256Of(copy)) === sha256) return copy;
  throw new Error('it is damaged: its SHA-256 is not the one it was built with');
}

async function sha256Of(bytes: FileBytes): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (let position = 0; position < bytes.length; position += PIECE) {
    hasher.update(bytes.subarray(position, position + PIECE));
    await letOthersRun();
  }
  return hasher.digest('hex');
}

async function copyOf(file: Blob): Promise<Uint8Array> {
  const bytes = new Uint8Array(file.size);
  for (let position = 0; position < bytes.length; position += PIECE) {
    bytes.set(await file.slice(position, position + PIECE).bytes(), position);
    await letOthersRun();
  }
  Bun.gc(false); // the pieces are garbage as large as the file; this only asks for a collection soon
  return bytes;
}

function letOthersRun(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
