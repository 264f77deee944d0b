import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './windows.manifest.json' with { type: 'json' };
import packPath from './windows.pack' with { type: 'file' };

/** Describes the embedded zones of Windows names. */
export const windowsManifest: DataSetManifest = manifest;

/** The bytes of `windows.pack`. Throws if they are damaged. */
export function readWindowsPack(): Uint8Array {
  return readEmbedded(packPath, windowsManifest);
}
