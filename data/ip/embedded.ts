import type { DataSetManifest } from '../manifest.ts';
import manifest from './build/ip_zones.manifest.json' with { type: 'json' };
import path from './build/ip_zones.mmdb' with { type: 'file' };

/** What the embedded database of IP addresses is. */
export const ipZonesManifest: DataSetManifest = manifest;

/** Where it is, in the executable or this folder. */
export const ipZonesPath: string = path;
