import { once } from '../common/caching.ts';
import { quoted } from '../common/errors.ts';
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
 * `::ffff:0:0/96` becomes the IPv4 network that it maps.
 * @throws Error with the reason, without a trailing period
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
  for (let bit = prefixLength; bit < bits; bit++) {
    if (bitAt(address.bytes, bit) === 1)
      throw new Error(`${quoted(text)} has bits set beyond its prefix of ${lengthText}`);
  }
  return { address, prefixLength };
}

/** The network of a prefix length that contains an address, in CIDR notation. */
export function networkAround({ bytes }: IpAddress, prefixLength: number): string {
  const masked = bytes.map(
    (byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, prefixLength - index * 8))),
  );
  return `${addressOf(masked).text}/${prefixLength}`;
}

/** One bit of an address, the most significant first. */
function bitAt(bytes: Uint8Array, index: number): 0 | 1 {
  return ((bytes[index >> 3]! >> (7 - (index & 7))) & 1) as 0 | 1;
}

/** Values by network, as sorted address ranges: about 20 bytes per network; a lookup is a binary search. */
export class NetworkMap<Value> {
  readonly #ranges: Readonly<Record<4 | 6, Ranges<Value>>>;

  /** The longest matching prefix wins; of equal networks, the last. */
  constructor(entries: readonly NetworkEntry<Value>[]) {
    const rangesOf = (version: 4 | 6) =>
      disjointRanges(entries.filter(([{ address }]) => address.version === version));
    this.#ranges = { 4: rangesOf(4), 6: rangesOf(6) };
  }

  /** The value of the smallest network that contains an address. */
  get({ version, bytes }: IpAddress): Value | undefined {
    const { starts, values } = this.#ranges[version];
    let low = 0;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareAt(starts, middle * bytes.length, bytes) <= 0) low = middle + 1;
      else high = middle;
    }
    return values[low - 1];
  }
}

export type NetworkEntry<Value> = readonly [network: Network, value: Value];

/** Each range extends to the start of the next; addresses before the first have no value. */
interface Ranges<Value> {
  /** The first addresses, ascending, of 4 or 16 bytes each. */
  readonly starts: Uint8Array;
  readonly values: readonly (Value | undefined)[];
}

/** Networks are either nested or disjoint, so a single pass over the sorted networks with a stack finds all ranges. */
function disjointRanges<Value>(entries: readonly NetworkEntry<Value>[]): Ranges<Value> {
  const width = entries[0]?.[0].address.bytes.length ?? 0;
  // At most two for each network: its own, and the continuation of the enclosing one.
  const starts = new Uint8Array(entries.length * 2 * width);
  const values: (Value | undefined)[] = [];
  const begin = (start: Uint8Array, value: Value | undefined) => {
    if (values.length > 0 && compareAt(starts, (values.length - 1) * width, start) === 0) values.pop();
    starts.set(start, values.length * width);
    values.push(value);
  };
  const open: NetworkEntry<Value>[] = [];
  const closeBefore = (next: Uint8Array | undefined) => {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const behind = firstBehind(top[0]);
      if (next !== undefined && (behind === undefined || compareAt(behind, 0, next) > 0)) return;
      open.pop();
      if (behind !== undefined) begin(behind, open.at(-1)?.[1]);
    }
  };
  const sorted = entries.toSorted(
    ([a], [b]) => compareAt(a.address.bytes, 0, b.address.bytes) || a.prefixLength - b.prefixLength,
  );
  for (const entry of sorted) {
    const { bytes } = entry[0].address;
    closeBefore(bytes);
    begin(bytes, entry[1]);
    open.push(entry);
  }
  closeBefore(undefined);
  return { starts: starts.slice(0, values.length * width), values };
}

/** Compares the bytes in `list` from `at` with `bytes`: negative if they are lower, 0 if equal. */
function compareAt(list: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index++) {
    const difference = list[at + index]! - bytes[index]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The address after the last one in a network; undefined if that is the highest of all. */
function firstBehind({ address, prefixLength }: Network): Uint8Array | undefined {
  const bytes = address.bytes.slice();
  let carry = 0x80 >> ((prefixLength - 1) & 7); // the last bit of the prefix
  for (let index = (prefixLength - 1) >> 3; index >= 0; index--) {
    const sum = bytes[index]! + carry;
    bytes[index] = sum;
    if (sum < 256) return bytes;
    carry = 1;
  }
  return undefined;
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
