import type { DataSetManifest } from '../manifest.ts';
import { readEmbedded } from '../read_embedded.ts';
import manifest from './outlines.manifest.json' with { type: 'json' };
import path from './outlines.svg' with { type: 'file' };

/** Describes the embedded outlines of zones. */
export const outlinesManifest: DataSetManifest = manifest;

/** The bytes of `outlines.svg`. Throws if they are damaged. */
export function readOutlines(): Uint8Array {
  return readEmbedded(path, outlinesManifest);
}
