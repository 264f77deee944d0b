import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './languages.manifest.json' with { type: 'json' };
import packPath from './languages.pack' with { type: 'file' };

/** Describes the embedded names of weekdays, months and places. */
export const languagesManifest: DataSetManifest = manifest;

/** The bytes of `languages.pack`, from the executable or this folder. Throws if they are damaged. */
export function readLanguagePack(): Uint8Array {
  return readEmbedded(packPath, languagesManifest);
}
