import type { DataSetManifest } from '../manifest.ts';
import manifest from './build/boundaries.manifest.json' with { type: 'json' };
import path from './build/boundaries.pack' with { type: 'file' };

/** Describes the embedded boundaries. */
export const boundariesManifest: DataSetManifest = manifest;

/** The path of the boundaries, in the executable or this folder. */
export const boundariesPath: string = path;
