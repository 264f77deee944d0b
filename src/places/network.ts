import { once } from '../common/caching.ts';
import { quoted } from '../common/errors.ts';
import { firstWhere } from '../common/sorted_list.ts';
import { addressOf, type IpAddress, readAddress } from './ip_address.ts';

/** A block of addresses that share their first `prefixLength` bits. */
export interface Network {
  /** The lowest address; its family is the network's. */
  readonly address: IpAddress;
  /** 0…32 for IPv4, 0…128 for IPv6. */
  readonly prefixLength: number;
}

/**
 * Parses a network in CIDR notation (RFC 4632 §3.1), or a single address as a network with one address. A network within
 * `::ffff:0:0/96` becomes the IPv4 network that it maps. Throws an `Error` with the reason, without a trailing period.
 */
export function parseNetwork(text: string): Network {
  const [addressText, lengthText, ...rest] = text.split('/');
  const address = readAddress(addressText!);
  if (address === undefined || rest.length > 0)
    throw new Error(`${quoted(text)} is not a network such as 10.1.0.0/16`);
  const bits = address.bytes.length * 8;
  // The length of a mapped address counts its 96 bits before the IPv4 address.
  const mappedBits = addressText!.includes(':') ? 128 - bits : 0;
  const isNumber = lengthText === undefined || /^(0|[1-9]\d{0,2})$/.test(lengthText);
  const prefixLength = isNumber ? Number(lengthText ?? bits + mappedBits) - mappedBits : -1;
  if (prefixLength < 0 || prefixLength > bits) {
    const range = `${mappedBits} to ${mappedBits + bits}`;
    throw new Error(`${quoted(text)} has no prefix length of ${range} after its '/'`);
  }
  if (address.bytes.some((byte, index) => (byte & maskOf(prefixLength, index)) !== byte))
    throw new Error(`${quoted(text)} has bits set beyond its prefix of ${lengthText}`);
  return { address, prefixLength };
}

/** The network of a prefix length that contains an address, in CIDR notation. */
export function networkAround({ bytes }: IpAddress, prefixLength: number): string {
  const masked = bytes.map((byte, index) => byte & maskOf(prefixLength, index));
  return `${addressOf(masked).text}/${prefixLength}`;
}

/** The bits of the byte at an index that are in a prefix. */
function maskOf(prefixLength: number, index: number): number {
  return (0xff00 >> Math.min(8, Math.max(0, prefixLength - index * 8))) & 0xff;
}

export type NetworkEntry<Value> = readonly [network: Network, value: Value];

/** Values by network: about 20 bytes per network; a lookup is a binary search. */
export class NetworkMap<Value> {
  readonly #networks: Readonly<Record<4 | 6, SortedNetworks<Value>>>;

  /** The longest matching prefix wins; of equal networks, the last. */
  constructor(entries: readonly NetworkEntry<Value>[]) {
    const ofVersion = (version: 4 | 6) =>
      new SortedNetworks(entries.filter(([{ address }]) => address.version === version));
    this.#networks = { 4: ofVersion(4), 6: ofVersion(6) };
  }

  /** The value of the smallest network that contains an address. */
  get({ version, bytes }: IpAddress): Value | undefined {
    return this.#networks[version].get(bytes);
  }
}

/** The networks of one version by their lowest address, larger ones first. They are nested or disjoint. */
class SortedNetworks<Value> {
  /** The lowest addresses, of 4 or 16 bytes each. */
  readonly #starts: Uint8Array;
  readonly #prefixLengths: Uint8Array;
  /** The index of the smallest network around each; −1 if there is none. */
  readonly #parents: Int32Array;
  readonly #values: readonly Value[];

  constructor(entries: readonly NetworkEntry<Value>[]) {
    const sorted = entries.toSorted(
      ([a], [b]) => compareAt(a.address.bytes, 0, b.address.bytes) || a.prefixLength - b.prefixLength,
    );
    this.#starts = Buffer.concat(sorted.map(([{ address }]) => address.bytes));
    this.#prefixLengths = Uint8Array.from(sorted, ([{ prefixLength }]) => prefixLength);
    this.#values = sorted.map(([, value]) => value);
    this.#parents = new Int32Array(sorted.length);
    for (const [index, [{ address }]] of sorted.entries())
      this.#parents[index] = this.#smallestAround(address.bytes, index - 1);
  }

  get(bytes: Uint8Array): Value | undefined {
    const { length } = this.#values;
    const next = firstWhere(0, length, index => compareAt(this.#starts, index * bytes.length, bytes) > 0);
    return this.#values[this.#smallestAround(bytes, next - 1)];
  }

  /** The smallest network that contains an address, of one and those around it; −1 if there is none. */
  #smallestAround(bytes: Uint8Array, from: number): number {
    let index = from;
    while (index >= 0 && !this.#contains(index, bytes)) index = this.#parents[index]!;
    return index;
  }

  #contains(network: number, bytes: Uint8Array): boolean {
    const prefixLength = this.#prefixLengths[network]!;
    const start = network * bytes.length;
    for (let index = 0; index * 8 < prefixLength; index++)
      if ((this.#starts[start + index]! ^ bytes[index]!) & maskOf(prefixLength, index)) return false;
    return true;
  }
}

/** Compares the bytes in `list` from `at` with `bytes`: negative if they are lower, 0 if equal. */
function compareAt(list: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index++) {
    const difference = list[at + index]! - bytes[index]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Blocks that no public database covers, with their names for messages: IANA's special-purpose address registries
 * (RFC 6890 and its updates), multicast (RFC 5771, RFC 4291 §2.7) and 240.0.0.0/4 (RFC 1112 §4).
 */
const CLASSES: readonly (readonly [string, string])[] = [
  ['0.0.0.0/8', 'an address of "this network"'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', 'a shared address of a carrier'],
  ['127.0.0.0/8', 'a loopback address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'an address for protocols'],
  ['192.0.2.0/24', 'a documentation address'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'a benchmarking address'],
  ['198.51.100.0/24', 'a documentation address'],
  ['203.0.113.0/24', 'a documentation address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
  ['255.255.255.255/32', 'the broadcast address'],
  ['::/128', 'the unspecified address'],
  ['::1/128', 'the loopback address'],
  ['64:ff9b:1::/48', 'a private translation address'],
  ['100::/64', 'a discard-only address'],
  ['2001:db8::/32', 'a documentation address'],
  ['3fff::/20', 'a documentation address'],
  ['fc00::/7', 'a private address'],
  ['fe80::/10', 'a link-local address'],
  ['ff00::/8', 'a multicast address'],
];

/** Parsed on first use, to keep startup fast. */
const names = once(() => new NetworkMap(CLASSES.map(([network, name]) => [parseNetwork(network), name])));

/** The kind of a special address, such as `a private address`; undefined for a public address. */
export function addressClassOf(address: IpAddress): string | undefined {
  return names().get(address);
}
