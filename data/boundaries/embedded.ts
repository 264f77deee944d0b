import type { DataSetManifest } from '../manifest.ts';
import manifest from './build/boundaries.manifest.json' with { type: 'json' };
import path from './build/boundaries.pack' with { type: 'file' };

/** What the embedded boundaries are. */
export const boundariesManifest: DataSetManifest = manifest;

/** Where they are, in the executable or this folder. */
export const boundariesPath: string = path;
