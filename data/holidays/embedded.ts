import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './holidays.manifest.json' with { type: 'json' };
import packPath from './holidays.pack' with { type: 'file' };

/** Describes the embedded holidays. */
export const holidaysManifest: DataSetManifest = manifest;

/** The bytes of `holidays.pack`, from the executable or this folder. Throws if they are damaged. */
export function readHolidayPack(): Uint8Array {
  return readEmbedded(packPath, holidaysManifest);
}
