import type { LazyData } from '../common/lazy_data.ts';
import { isAnycast } from './anycast.ts';
import type { Boundaries } from './boundaries.ts';
import type { Gazetteer } from './gazetteer.ts';
import { addressOf, type IpAddress } from './ip_address.ts';

/** Finds the time zone of an address; undefined if unknown. */
export interface IpZones {
  zoneNameOf(address: IpAddress): string | undefined;
  /** The network in CIDR notation that determines the zone of an address; absent if the source has no networks. */
  networkOf?(address: IpAddress): string | undefined;
  /** Type and date (`YYYY-MM-DD`) of the database; the oldest of several; absent if there is none. */
  readonly release?: { readonly name: string; readonly date: string };
  /** Whether it may locate an address by coordinates, which requires the boundaries. */
  readonly needsBoundaries?: boolean;
}

export interface Places {
  readonly boundaries: LazyData<Boundaries>;
  readonly ip: LazyData<IpZones>;
  /** The names of cities and towns. */
  readonly gazetteer: LazyData<Gazetteer>;
  /** The operator's own networks, which take precedence over the database; null if there are none. */
  readonly ownNetworks: IpZones | null;
}

/** The source of the zone of an address. */
export interface AddressSource {
  /** In CIDR notation; null if the source has no networks. */
  readonly network: string | null;
  readonly accuracy: 'operator' | 'anycast' | 'database';
}

/** The zone of an address; undefined if unknown. Throws like {@link LazyData.get}. */
export function zoneNameOfAddress(places: Places, address: IpAddress): string | undefined {
  const ipv4 = embeddedIpv4(address);
  const own = places.ownNetworks?.zoneNameOf(address) ?? (ipv4 && places.ownNetworks?.zoneNameOf(ipv4));
  return own ?? places.ip.get().zoneNameOf(ipv4 ?? address);
}

/** The source from which {@link zoneNameOfAddress} gets the zone of an address. */
export function sourceOfAddress(places: Places, address: IpAddress): AddressSource {
  const { ownNetworks } = places;
  const ipv4 = embeddedIpv4(address) ?? address;
  const owned = [address, ipv4].find(candidate => ownNetworks?.zoneNameOf(candidate) !== undefined);
  if (owned !== undefined) return { network: ownNetworks?.networkOf?.(owned) ?? null, accuracy: 'operator' };
  const network = places.ip.get().networkOf?.(ipv4) ?? null;
  return { network, accuracy: isAnycast(ipv4) ? 'anycast' : 'database' };
}

/** `64:ff9b::/96` */
const NAT64_PREFIX = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

/** The IPv4 address of the host, embedded in a 6to4 (RFC 3056 §2) or NAT64 (RFC 6052 §2.1) address; undefined for others. */
export function embeddedIpv4({ version, bytes }: IpAddress): IpAddress | undefined {
  if (version === 4) return undefined;
  if (bytes[0] === 0x20 && bytes[1] === 0x02) return addressOf(bytes.subarray(2, 6));
  return NAT64_PREFIX.every((byte, index) => bytes[index] === byte)
    ? addressOf(bytes.subarray(12))
    : undefined;
}
