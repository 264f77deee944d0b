import type { Reader } from 'mmdb-lib';
import type { Boundaries } from './boundaries.ts';
import type { IpAddress } from './ip_address.ts';
import type { IpZones } from './ip_zones.ts';
import { placementOf } from './mmdb_placement.ts';

/**
 * The zones of a database that `checkMmdb` has found good. A record with coordinates alone is placed by the
 * boundaries, which are asked for only then.
 */
export function mmdbZones(reader: Reader<never>, boundaries: () => Boundaries): IpZones {
  const holdsIpv6 = reader.metadata.ipVersion === 6;
  return {
    zoneNameOf(address) {
      if (address.version === 6 && !(holdsIpv6 && isIpv6(address))) return undefined;
      const placement = placementOf(reader.get(address.text));
      if (placement === undefined) return undefined;
      if ('zoneName' in placement) return placement.zoneName;
      return boundaries().zoneNameAt(placement.latitude, placement.longitude);
    },
  };
}

/** Not one of `::/96`, where a database keeps its IPv4 addresses: `::8.8.8.8` is not the address 8.8.8.8. */
function isIpv6(address: IpAddress): boolean {
  return address.bytes.subarray(0, 12).some(byte => byte !== 0);
}
