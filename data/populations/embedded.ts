import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './populations.manifest.json' with { type: 'json' };
import packPath from './populations.pack' with { type: 'file' };

/** Describes the embedded populations of zones. */
export const populationsManifest: DataSetManifest = manifest;

/** The bytes of `populations.pack`. Throws if they are damaged. */
export function readPopulationPack(): Uint8Array {
  return readEmbedded(packPath, populationsManifest);
}
