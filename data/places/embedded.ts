import type { DataSetManifest } from '../manifest.ts';
import manifest from './build/places.manifest.json' with { type: 'json' };
import path from './build/places.pack' with { type: 'file' };

/** Describes the embedded names of places. */
export const placesManifest: DataSetManifest = manifest;

/** The path of the names, in the executable or this folder. */
export const placesPath: string = path;
