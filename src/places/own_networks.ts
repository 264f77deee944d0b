import { quoted } from '../common/service_error.ts';
import type { IpZones } from './ip_zones.ts';
import { parseNetwork } from './network.ts';
import { NetworkMap } from './network_map.ts';

/**
 * Reads a file of an operator's own networks: a network and a zone name a line with a comma between, blank lines and
 * what follows a `#` passed over. The smallest network that holds an address decides.
 *
 *     10.1.0.0/16, Europe/Berlin    # head office
 *     fd00:17::/32, Asia/Tokyo
 *
 * `isZoneName` knows the zones. @throws Error naming the first bad line, without a trailing period
 */
export function parseOwnNetworks(text: string, isZoneName: (name: string) => boolean): IpZones {
  const zones = new NetworkMap<{ zoneName: string; lineNumber: number }>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n/)
    .entries()) {
    const lineNumber = index + 1;
    const entry = line.split('#', 1)[0]!.trim();
    if (entry === '') continue;
    try {
      const { network, zoneName } = parseEntry(entry, isZoneName);
      const before = zones.set(network, { zoneName, lineNumber });
      if (before) throw new Error(`this network stands on line ${before.lineNumber} already`);
    } catch (error) {
      throw new Error(`line ${lineNumber}: ${(error as Error).message}`);
    }
  }
  return { zoneNameOf: address => zones.get(address)?.zoneName };
}

function parseEntry(entry: string, isZoneName: (name: string) => boolean) {
  const [network, zoneName, ...rest] = entry.split(',').map(field => field.trim());
  if (zoneName === undefined || rest.length > 0) {
    throw new Error(`${quoted(entry)} is not a network and a zone such as 10.1.0.0/16,Europe/Berlin`);
  }
  if (!isZoneName(zoneName)) throw new Error(`${quoted(zoneName)} is not a time zone`);
  return { network: parseNetwork(network!), zoneName };
}
