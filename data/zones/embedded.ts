import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './zones.manifest.json' with { type: 'json' };
import packPath from './zones.pack' with { type: 'file' };

/** Describes the embedded zones. */
export const zonesManifest: DataSetManifest = manifest;

/** The bytes of `zones.pack`, from the executable or this folder. Throws if they are damaged. */
export function readZonePack(): Uint8Array {
  return readEmbedded(packPath, zonesManifest);
}
