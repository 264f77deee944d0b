import { readFileSync } from 'node:fs';
import type { DataSetManifest } from '../manifest.ts';
import manifest from './zones.manifest.json' with { type: 'json' };
import packPath from './zones.pack' with { type: 'file' };

/** What the embedded zones are. */
export const zonesManifest: DataSetManifest = manifest;

/** The bytes of `zones.pack`, out of the executable or this folder. */
export function readZonePack(): Uint8Array {
  return readFileSync(packPath);
}
