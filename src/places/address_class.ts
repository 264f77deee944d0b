import { once } from '../common/once.ts';
import type { IpAddress } from './ip_address.ts';
import { NetworkMap, parseNetwork } from './network.ts';

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
