import type { DataSetManifest } from '../../data/manifest.ts';
import type { EmbeddedBytes } from '../places/embedded_file.ts';

/** The compiled bytes of a data set, in the executable or in a bundle. */
export interface Pack {
  readonly manifest: DataSetManifest;
  /** The sequence number of the bundle that it is from; null for the executable. */
  readonly sequence: number | null;
  /** The bytes, after a check of their SHA-256. Rejects with an `Error` if they are damaged. */
  load(): Promise<EmbeddedBytes>;
}

/** A pack of the executable. */
export function embeddedPack(
  manifest: DataSetManifest,
  read: () => EmbeddedBytes | Promise<EmbeddedBytes>,
): Pack {
  return { manifest, sequence: null, load: async () => read() };
}

/** Where a pack is: `embedded` or `bundle 42`. */
export function packName(pack: Pick<Pack, 'sequence'> | undefined): string {
  return pack?.sequence == null ? 'embedded' : `bundle ${pack.sequence}`;
}

/** All bytes of a pack. */
export async function bytesOf(pack: Pack): Promise<Uint8Array> {
  const bytes = await pack.load();
  return bytes.subarray(0, bytes.length);
}

/** The packs that replace those of the executable: of an installed bundle. */
export interface PackSource {
  /** The pack of a data set by the name in its manifest; undefined if there is none. */
  pack(name: string): Pack | undefined;
}
