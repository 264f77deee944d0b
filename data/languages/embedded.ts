import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './languages.manifest.json' with { type: 'json' };
import packPath from './languages.pack' with { type: 'file' };

/** What the embedded names of weekdays and months are. */
export const languagesManifest: DataSetManifest = manifest;

/** The bytes of `languages.pack`, out of the executable or this folder. Throws where they are damaged. */
export function readLanguagePack(): Uint8Array {
  return readEmbedded(packPath, languagesManifest);
}
