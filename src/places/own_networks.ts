import { messageOf, quoted } from '../common/errors.ts';
import { type NetworkEntry, NetworkMap, parseNetwork } from './network.ts';
import type { IpZones } from './places.ts';

/**
 * Parses an operator's own networks: one network and one zone name per line, separated by a comma. Blank lines and
 * comments from `#` are ignored. The smallest network that contains an address wins.
 *
 *     10.1.0.0/16, Europe/Berlin    # head office
 *     fd00:17::/32, Asia/Tokyo
 *
 * Throws an `Error` that names the first invalid line, without a trailing period.
 */
export function parseOwnNetworks(text: string, isZoneName: (name: string) => boolean): IpZones {
  const entries: NetworkEntry<{ readonly zoneName: string; readonly key: string }>[] = [];
  const lineNumbers = new Map<string, number>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const lineNumber = index + 1;
    const entry = line.split('#', 1)[0]!.trim();
    if (entry === '') continue;
    try {
      const { network, zoneName } = parseEntry(entry, isZoneName);
      const key = `${network.address.text}/${network.prefixLength}`;
      const previous = lineNumbers.get(key);
      if (previous !== undefined) throw new Error(`this network is already on line ${previous}`);
      lineNumbers.set(key, lineNumber);
      entries.push([network, { zoneName, key }]);
    } catch (error) {
      throw new Error(`line ${lineNumber}: ${messageOf(error)}`);
    }
  }
  const zones = new NetworkMap(entries);
  return {
    zoneNameOf: address => zones.get(address)?.zoneName,
    networkOf: address => zones.get(address)?.key,
  };
}

function parseEntry(entry: string, isZoneName: (name: string) => boolean) {
  const [network, zoneName, ...rest] = entry.split(',').map(field => field.trim());
  if (zoneName === undefined || rest.length > 0)
    throw new Error(`${quoted(entry)} is not a network and a zone such as 10.1.0.0/16,Europe/Berlin`);
  if (!isZoneName(zoneName)) throw new Error(`${quoted(zoneName)} is not a time zone`);
  return { network: parseNetwork(network!), zoneName };
}
