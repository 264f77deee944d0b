import { readFileSync } from 'node:fs';
import type { DataSetManifest } from '../manifest.ts';
import manifest from './holidays.manifest.json' with { type: 'json' };
import packPath from './holidays.pack' with { type: 'file' };

/** What the embedded holidays are. */
export const holidaysManifest: DataSetManifest = manifest;

/** The bytes of `holidays.pack`, out of the executable or this folder. */
export function readHolidayPack(): Uint8Array {
  return readFileSync(packPath);
}
