import type { DataSetManifest } from '../manifest.ts';
import manifest from './build/ip_zones.manifest.json' with { type: 'json' };
import path from './build/ip_zones.mmdb' with { type: 'file' };

/** Describes the embedded database of IP addresses. */
export const ipZonesManifest: DataSetManifest = manifest;

/** The path of the database, in the executable or this folder. */
export const ipZonesPath: string = path;
