import { mkdir, rename } from 'node:fs/promises';
import type { DataSetManifest } from './manifest.ts';

/**
 * Writes a compiled artifact, and its manifest under the same name with the extension `.manifest.json`. Both are written
 * atomically and the manifest last, so that a manifest always describes its artifact.
 */
export async function writeArtifact(
  folder: URL,
  fileName: string,
  bytes: Uint8Array,
  description: Omit<DataSetManifest, 'sha256' | 'bytes'>,
): Promise<DataSetManifest> {
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const manifest = { ...description, sha256, bytes: bytes.length };
  await mkdir(folder, { recursive: true });
  await writeAtomically(new URL(fileName, folder), bytes);
  await writeAtomically(
    new URL(fileName.replace(/\.\w+$/, '.manifest.json'), folder),
    `${JSON.stringify(manifest, null, 2)}\n`,
  );
  return manifest;
}

/** Writes a file under another name first, and renames it, so that no reader sees half of it. */
export async function writeAtomically(file: URL, content: Uint8Array | string): Promise<void> {
  const temporary = new URL(`${file.href}.new`);
  await Bun.write(temporary, content);
  await rename(temporary, file);
}
