import type { Boundaries } from './boundaries.ts';
import type { IpAddress } from './ip_address.ts';
import type { IpZones } from './ip_zones.ts';
import type { LazyData } from './lazy_data.ts';

/**
 * What addresses and coordinates are resolved from. Replaced member by member when the server reloads its data: whoever
 * keeps what was found here compares each member that can be.
 */
export interface Places {
  readonly boundaries: LazyData<Boundaries>;
  /** The database of IP addresses. */
  readonly ip: LazyData<IpZones>;
  /** The operator's own networks, asked before the database; null where there are none. */
  readonly ownNetworks: IpZones | null;
}

/** The zone of an address, undefined where none is known. @throws StillLoading, ServiceError as {@link LazyData.get} */
export function zoneNameOfAddress(places: Places, address: IpAddress): string | undefined {
  return places.ownNetworks?.zoneNameOf(address) ?? places.ip.get().zoneNameOf(address);
}
