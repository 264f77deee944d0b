import { Reader } from 'mmdb-lib';
import { BoundedCache } from '../common/bounded_cache.ts';
import type { Boundaries } from './boundaries.ts';
import type { IpAddress } from './ip_address.ts';
import type { IpZones } from './ip_zones.ts';
import { placementOf } from './mmdb_placement.ts';

/** Decoded values that a reader keeps: all of the embedded database, whose records are few. */
const VALUES_KEPT = 1_000;

/** Addresses whose zone is remembered, at most twice as many: those that ask, ask again. */
const ADDRESSES_KEPT = 5_000;

/** Opens a database that is known to be good, with a bounded memory of what it decoded. */
export function openMmdb(bytes: Uint8Array): Reader<never> {
  const cache = new BoundedCache<string | number, unknown>(VALUES_KEPT);
  return new Reader<never>(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { cache });
}

/**
 * The zones of a database that `checkMmdb` has found good. A record with coordinates alone is placed by the
 * boundaries, which are asked for only then.
 */
export function mmdbZones(reader: Reader<never>, boundaries?: () => Boundaries): IpZones {
  const holdsIpv6 = reader.metadata.ipVersion === 6;
  const known = new BoundedCache<string, string>(ADDRESSES_KEPT);

  function find(address: IpAddress): string | undefined {
    if (address.version === 6 && !(holdsIpv6 && isIpv6(address))) return undefined;
    const placement = placementOf(reader.get(address.text));
    if (placement === undefined) return undefined;
    if ('zoneName' in placement) return placement.zoneName;
    return boundaries?.().zoneNameAt(placement.latitude, placement.longitude);
  }

  return {
    needsBoundaries: boundaries !== undefined,
    zoneNameOf(address) {
      let zoneName = known.get(address.text);
      if (zoneName === undefined) {
        zoneName = find(address);
        if (zoneName !== undefined) known.set(address.text, zoneName);
      }
      return zoneName;
    },
  };
}

/** Not one of `::/96`, where a database keeps its IPv4 addresses: `::8.8.8.8` is not the address 8.8.8.8. */
function isIpv6(address: IpAddress): boolean {
  return address.bytes.subarray(0, 12).some(byte => byte !== 0);
}
