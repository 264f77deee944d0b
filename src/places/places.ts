import { once } from '../common/caching.ts';
import { quoted } from '../common/errors.ts';
import type { Boundaries } from './boundaries.ts';
import type { Gazetteer } from './gazetteer.ts';
import { addressOf, type IpAddress } from './ip_address.ts';
import type { LazyData } from './lazy_data.ts';
import { type NetworkEntry, NetworkMap, parseNetwork } from './network.ts';

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

/** Networks that are announced from many places at once, so that no database can locate their addresses. */
const ANYCAST: readonly { readonly source: string; readonly networks: string }[] = [
  {
    source:
      'Cloudflare: https://www.cloudflare.com/ips/, and its resolver, https://developers.cloudflare.com/1.1.1.1/',
    networks:
      '1.0.0.0/24 1.1.1.0/24 173.245.48.0/20 103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 141.101.64.0/18 108.162.192.0/18 ' +
      '190.93.240.0/20 188.114.96.0/20 197.234.240.0/22 198.41.128.0/17 162.158.0.0/15 104.16.0.0/13 104.24.0.0/14 172.64.0.0/13 ' +
      '131.0.72.0/22 2400:cb00::/32 2606:4700::/32 2803:f800::/32 2405:b500::/32 2405:8100::/32 2a06:98c0::/29 2c0f:f248::/32',
  },
  {
    source: 'Google Public DNS: https://developers.google.com/speed/public-dns/docs/using',
    networks: '8.8.4.0/24 8.8.8.0/24 2001:4860:4860::/48',
  },
  {
    source: 'Quad9: https://quad9.net/service/service-addresses-and-features/',
    networks: '9.9.9.0/24 149.112.112.0/24 2620:fe::/48',
  },
  {
    source: 'OpenDNS: https://www.opendns.com/setupguide/',
    networks: '208.67.220.0/24 208.67.222.0/24 2620:119:35::/48 2620:119:53::/48',
  },
  {
    source: 'AdGuard DNS: https://adguard-dns.io/en/public-dns.html',
    networks: '94.140.14.0/24 94.140.15.0/24 2a10:50c0::/48',
  },
  {
    source: 'AS112: RFC 7534 §3.4 and RFC 7535 §3',
    networks: '192.31.196.0/24 192.175.48.0/24 2001:4:112::/48 2620:4f:8000::/48',
  },
  {
    source: 'Relays of 6to4: RFC 3068 §2.4, deprecated by RFC 7526',
    networks: '192.88.99.0/24',
  },
  {
    source: 'Root name servers: https://www.internic.net/domain/named.root, https://root-servers.org/',
    networks:
      '198.41.0.0/24 170.247.170.0/24 192.33.4.0/24 199.7.91.0/24 192.203.230.0/24 192.5.5.0/24 192.112.36.0/24 198.97.190.0/24 ' +
      '192.36.148.0/24 192.58.128.0/24 193.0.14.0/24 199.7.83.0/24 202.12.27.0/24 2001:503:ba3e::/48 2801:1b8:10::/48 2001:500:2::/48 ' +
      '2001:500:2d::/48 2001:500:a8::/48 2001:500:2f::/48 2001:500:12::/48 2001:500:1::/48 2001:7fe::/48 2001:503:c27::/48 ' +
      '2001:7fd::/48 2001:500:9f::/48 2001:dc3::/48',
  },
];

/** Parsed on first use, to keep startup fast. */
const networks = once(
  () =>
    new NetworkMap(
      ANYCAST.flatMap(({ networks }) => networks.split(' ')).map(
        network => [parseNetwork(network), true] as const,
      ),
    ),
);

/** Whether an address is in a well-known anycast network. */
function isAnycast(address: IpAddress): boolean {
  return networks().get(address) !== undefined;
}

/**
 * Parses an operator's own networks: one network and one zone name per line, separated by a comma. Blank lines and
 * comments from `#` are ignored. The smallest network that contains an address wins.
 *
 *     10.1.0.0/16, Europe/Berlin    # head office
 *     fd00:17::/32, Asia/Tokyo
 *
 * @throws Error naming the first invalid line, without a trailing period
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
      throw new Error(`line ${lineNumber}: ${(error as Error).message}`);
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
  if (zoneName === undefined || rest.length > 0) {
    throw new Error(`${quoted(entry)} is not a network and a zone such as 10.1.0.0/16,Europe/Berlin`);
  }
  if (!isZoneName(zoneName)) throw new Error(`${quoted(zoneName)} is not a time zone`);
  return { network: parseNetwork(network!), zoneName };
}

/** The outlines of the zones on a world map. */
export interface ZoneOutlines {
  /** An SVG with a path for each zone, whose id is its name, in tenths of a degree from 90° N 180° W. */
  readonly svg: string;
  /** The canonical names of its zones, sorted. */
  readonly zoneNames: readonly string[];
}

/** Decodes a file written by `data/outlines/compile.ts`. */
export function decodeOutlines(bytes: Uint8Array): ZoneOutlines {
  const svg = new TextDecoder().decode(bytes);
  return { svg, zoneNames: [...svg.matchAll(/ id="([^"]+)"/g)].map(match => match[1]!) };
}
