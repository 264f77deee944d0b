import { readFileSync } from 'node:fs';
import type { IpZones } from './ip_zones.ts';
import { parseOwnNetworks } from './own_networks.ts';

/** Reads a file of own networks. @throws Error of one line that names the file and what is wrong with it */
export function readOwnNetworks(path: string, isZoneName: (name: string) => boolean): IpZones {
  try {
    return parseOwnNetworks(readFileSync(path, 'utf8'), isZoneName);
  } catch (error) {
    throw new Error(`Cannot use ${path} as own networks: ${(error as Error).message}`);
  }
}
