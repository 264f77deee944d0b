import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './releases.manifest.json' with { type: 'json' };
import packPath from './releases.pack' with { type: 'file' };

export const releasesManifest: DataSetManifest = manifest;

/** The bytes of `releases.pack`. Throws an `Error` if they are damaged. */
export function readReleasePack(): Uint8Array {
  return readEmbedded(packPath, releasesManifest);
}
