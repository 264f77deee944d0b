import type { LazyData } from '../common/lazy_data.ts';
import { isAnycast } from './anycast.ts';
import type { Boundaries } from './boundaries.ts';
import type { Gazetteer } from './gazetteer.ts';
import { addressOf, type IpAddress } from './ip_address.ts';
import { addressClassOf } from './network.ts';

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
  /** The address that was looked up: the given one, or the one embedded in it. */
  readonly address: string;
  /** In CIDR notation; null if the source has no networks. */
  readonly network: string | null;
  readonly accuracy: 'operator' | 'anycast' | 'database';
}

/**
 * The zone of an address; undefined if unknown. The database is not searched for an embedded address that is not public: it may
 * store IPv4 networks in `2001::/32` as well, by which it would find the Teredo server. Throws like {@link LazyData.get}.
 */
export function zoneNameOfAddress(places: Places, address: IpAddress): string | undefined {
  const ipv4 = embeddedIpv4(address);
  const own = places.ownNetworks?.zoneNameOf(address) ?? (ipv4 && places.ownNetworks?.zoneNameOf(ipv4));
  if (own !== undefined) return own;
  const isPublic = ipv4 === undefined || addressClassOf(ipv4) === undefined;
  return isPublic ? places.ip.get().zoneNameOf(ipv4 ?? address) : undefined;
}

/** The source from which {@link zoneNameOfAddress} gets the zone of an address. */
export function sourceOfAddress(places: Places, address: IpAddress): AddressSource {
  const { ownNetworks } = places;
  const ipv4 = embeddedIpv4(address) ?? address;
  const owned = [address, ipv4].find(candidate => ownNetworks?.zoneNameOf(candidate) !== undefined);
  const located = owned ?? ipv4;
  const network = (owned === undefined ? places.ip.get() : ownNetworks)?.networkOf?.(located) ?? null;
  const ofDatabase = isAnycast(located) ? 'anycast' : 'database';
  return { address: located.text, network, accuracy: owned === undefined ? ofDatabase : 'operator' };
}

const SIX_TO_FOUR = [0x20, 0x02];
const TEREDO = [0x20, 0x01, 0, 0];
/** `64:ff9b::/96`; addresses of `64:ff9b:1::/48` (RFC 8215) have their IPv4 address where the local prefix ends. */
const NAT64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

/**
 * The IPv4 address of the host, embedded in a 6to4 (RFC 3056 §2), NAT64 (RFC 6052 §2.1) or Teredo address, where its bits are
 * inverted (RFC 4380 §4); undefined for others.
 */
export function embeddedIpv4({ version, bytes }: IpAddress): IpAddress | undefined {
  if (version === 4) return undefined;
  const hasPrefix = (prefix: readonly number[]) => prefix.every((byte, index) => bytes[index] === byte);
  if (hasPrefix(SIX_TO_FOUR)) return addressOf(bytes.subarray(2, 6));
  if (hasPrefix(NAT64)) return addressOf(bytes.subarray(12));
  return hasPrefix(TEREDO) ? addressOf(bytes.subarray(12).map(byte => byte ^ 0xff)) : undefined;
}
