import { forwardedFor } from './forwarded.ts';
import { type IpAddress, readAddress } from './ip_address.ts';
import { type TrustedProxies, UNIX_PEER } from './trusted_proxies.ts';

/** The header that is read where none is named. */
export const DEFAULT_CLIENT_IP_HEADER = 'X-Forwarded-For';

/**
 * The address that a request comes from.
 *
 * `peer` is the other end of the connection as the socket names it, undefined for a unix socket. Where it is a trusted
 * proxy, `headerName`, and no other header, tells whom it speaks for: a list of hops to which every proxy adds at the
 * end, so it is read from the right, over the proxies that are trusted, to the first address that is not. What stands
 * left of that may be invented. Undefined where that entry is not an address (`unknown`, RFC 7239 §6.2).
 */
export function callerAddress(
  peer: string | undefined,
  headers: Headers,
  proxies: TrustedProxies,
  headerName: string = DEFAULT_CLIENT_IP_HEADER,
): IpAddress | undefined {
  // A socket may name a link-local peer with its interface: fe80::1%eth0.
  const peerAddress = peer === undefined ? UNIX_PEER : readAddress(peer.split('%', 1)[0]!);
  const trusted = peer === undefined ? proxies.trustsUnix : peerAddress && proxies.trusts(peerAddress);
  const header = trusted ? headers.get(headerName) : null;
  if (header === null) return peerAddress;

  const hops = headerName.toLowerCase() === 'forwarded' ? forwardedFor(header) : listEntries(header);
  if (hops === undefined) return undefined;
  let caller = peerAddress;
  for (let index = hops.length - 1; index >= 0; index--) {
    caller = readHop(hops[index]!);
    if (caller === undefined || !proxies.trusts(caller)) return caller;
  }
  return caller;
}

/** The elements of a comma-separated list; empty ones do not count (RFC 9110 §5.6.1.2). */
function listEntries(header: string): string[] {
  return header
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '');
}

/** An address as proxies write it: alone, in brackets, or either with a port (RFC 7239 §6). */
function readHop(hop: string): IpAddress | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::[\w.-]+)?$/.exec(hop) ?? [];
  return readAddress(bracketed ?? plain ?? hop);
}
