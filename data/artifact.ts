import { mkdir, rename } from 'node:fs/promises';
import type { DataSetManifest } from './manifest.ts';

/**
 * Writes a compiled artifact, and beside it its manifest under the same name with the ending `.manifest.json`; the
 * manifest last and each whole or not at all, so that whoever sees a manifest finds the artifact that it describes.
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
  await writeWhole(new URL(fileName, folder), bytes);
  await writeWhole(
    new URL(fileName.replace(/\.\w+$/, '.manifest.json'), folder),
    `${JSON.stringify(manifest, null, 2)}\n`,
  );
  return manifest;
}

async function writeWhole(file: URL, content: Uint8Array | string): Promise<void> {
  const temporary = new URL(`${file.href}.new`);
  await Bun.write(temporary, content);
  await rename(temporary, file);
}
