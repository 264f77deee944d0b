import { quoted } from '../common/errors.ts';
import { parseLines, TextFault } from '../common/text_faults.ts';
import { NetworkMap, parseNetwork } from './network.ts';
import type { IpZones } from './places.ts';

/**
 * Parses an operator's own networks: one network and one zone name per line, separated by a comma. Blank lines and
 * comments from `#` are ignored. The smallest network that contains an address wins.
 *
 *     10.1.0.0/16, Europe/Berlin    # head office
 *     fd00:17::/32, Asia/Tokyo
 *
 * Throws like {@link parseLines}.
 */
export function parseOwnNetworks(text: string, isZoneName: (name: string) => boolean): IpZones {
  const entries = parseLines(text, 'network', (line, lineNumber) => {
    const entry = line.split('#', 1)[0]!.trimEnd();
    if (entry.trim() === '') return null;
    const [network, zoneName] = parseEntry(entry, lineNumber, isZoneName);
    const key = `${network.address.text}/${network.prefixLength}`;
    return [key, [network, { zoneName, key }] as const];
  });
  const zones = new NetworkMap(entries);
  return {
    zoneNameOf: address => zones.get(address)?.zoneName,
    networkOf: address => zones.get(address)?.key,
  };
}

function parseEntry(entry: string, lineNumber: number, isZoneName: (name: string) => boolean) {
  const [network, zoneName, ...rest] = entry.split(',').map(field => field.trim());
  if (zoneName === undefined || rest.length > 0)
    throw new Error(`${quoted(entry.trim())} is not a network and a zone such as 10.1.0.0/16,Europe/Berlin`);
  const parsed = parseNetwork(network!);
  if (isZoneName(zoneName)) return [parsed, zoneName] as const;
  throw new TextFault(
    lineNumber,
    entry.length - zoneName.length + 1,
    `${quoted(zoneName)} is not a time zone`,
  );
}
