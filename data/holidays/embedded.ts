import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './holidays.manifest.json' with { type: 'json' };
import packPath from './holidays.pack' with { type: 'file' };

/** What the embedded holidays are. */
export const holidaysManifest: DataSetManifest = manifest;

/** The bytes of `holidays.pack`, out of the executable or this folder. Throws where they are damaged. */
export function readHolidayPack(): Uint8Array {
  return readEmbedded(packPath, holidaysManifest);
}
