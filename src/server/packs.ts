import type { DataSetManifest } from '../../data/manifest.ts';
import type { EmbeddedBytes } from '../places/boundaries.ts';
import { readEmbeddedFile } from './embedded_file.ts';

/** The compiled bytes of a data set, in the executable or in a bundle. */
export interface Pack {
  readonly manifest: DataSetManifest;
  /** The sequence number of its bundle; null for the executable. */
  readonly sequence: number | null;
  /** The bytes, after a check of their SHA-256. Rejects with an `Error` if they are damaged. */
  load(): Promise<EmbeddedBytes>;
}

/** A pack in the executable. */
export function embeddedPack(
  manifest: DataSetManifest,
  read: () => EmbeddedBytes | Promise<EmbeddedBytes>,
): Pack {
  return { manifest, sequence: null, load: async () => read() };
}

/** A pack that is read in place from the mapped executable. */
export function largePack(manifest: DataSetManifest, path: string): Pack {
  return embeddedPack(manifest, () => readEmbeddedFile(path, manifest.sha256));
}

/** The source of a pack: `embedded` or `bundle 42`. */
export function packName(pack: Pick<Pack, 'sequence'> | undefined): string {
  return pack?.sequence == null ? 'embedded' : `bundle ${pack.sequence}`;
}

/** The bytes of a pack; those of a large one are views of the mapped executable. */
export async function bytesOf(pack: Pack): Promise<Uint8Array> {
  const bytes = await pack.load();
  return bytes.subarray(0, bytes.length);
}
