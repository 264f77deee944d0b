import type { Boundaries } from './boundaries.ts';
import type { IpAddress } from './ip_address.ts';
import type { LazyData } from './lazy_data.ts';

/** Finds the time zone of an address; undefined where it is unknown. */
export interface IpZones {
  zoneNameOf(address: IpAddress): string | undefined;
  /** Whether it may place an address by coordinates, with the boundaries. */
  readonly needsBoundaries?: boolean;
}

export interface Places {
  readonly boundaries: LazyData<Boundaries>;
  readonly ip: LazyData<IpZones>;
  /** The operator's own networks, which take precedence over the database; null where there are none. */
  readonly ownNetworks: IpZones | null;
}

/** The zone of an address, undefined where it is unknown. Throws as {@link LazyData.get}. */
export function zoneNameOfAddress(places: Places, address: IpAddress): string | undefined {
  return places.ownNetworks?.zoneNameOf(address) ?? places.ip.get().zoneNameOf(address);
}
