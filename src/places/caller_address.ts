import { forwardedFor } from './forwarded.ts';
import { type IpAddress, readAddress } from './ip_address.ts';
import { parseTrustedProxies, type TrustedProxies, UNIX_ADDRESS } from './trusted_proxies.ts';

/** Whom the server believes about where requests come from. */
export interface CallerTrust {
  readonly proxies: TrustedProxies;
  /** The one header that trusted proxies tell it in. */
  readonly header: string;
}

/** Believes nobody but the connection itself. */
export const TRUST_NOBODY: CallerTrust = { proxies: parseTrustedProxies([]), header: 'X-Forwarded-For' };

/** The other end of a connection: its address as the socket names it, `unix` for a unix socket, '' where it is gone. */
export type Peer = string;

/**
 * The address that a request comes from.
 *
 * Where the peer is a trusted proxy, one header, and no other, tells whom it speaks for: a list of hops to which every
 * proxy adds at the end, so it is read from the right, over the proxies that are trusted, to the first address that is
 * not. What stands left of that may be invented. Undefined where that entry is not an address (`unknown`, RFC 7239
 * §6.2), or the peer has none.
 */
export function callerAddress(
  peer: Peer,
  headers: Headers,
  { proxies, header: headerName }: CallerTrust,
): IpAddress | undefined {
  // A socket may name a link-local peer with its interface: fe80::1%eth0.
  const peerAddress = peer === 'unix' ? UNIX_ADDRESS : readAddress(peer.split('%', 1)[0]!);
  if (peerAddress === undefined) return undefined;
  const isTrusted = peer === 'unix' ? proxies.trustsUnix : proxies.trusts(peerAddress);
  const header = isTrusted ? headers.get(headerName) : null;
  if (header === null) return peerAddress;

  const hops = headerName.toLowerCase() === 'forwarded' ? forwardedFor(header) : listEntries(header);
  if (hops === undefined) return undefined;
  let caller: IpAddress | undefined = peerAddress;
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
