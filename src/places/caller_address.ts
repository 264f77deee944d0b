import { forwardedFor } from './forwarded.ts';
import { type IpAddress, readAddress } from './ip_address.ts';
import { parseTrustedProxies, type TrustedProxies, UNIX_ADDRESS } from './trusted_proxies.ts';

/** Which proxies are trusted to forward the client's address, and how. */
export interface CallerTrust {
  readonly proxies: TrustedProxies;
  /** The header that carries the client's address. */
  readonly header: string;
}

/** Trusts no proxy: the client is the peer. */
export const TRUST_NOBODY: CallerTrust = { proxies: parseTrustedProxies([]), header: 'X-Forwarded-For' };

/** The remote end of a connection: its address as reported by the socket, `unix` for a unix socket, '' if it is closed. */
export type Peer = string;

/** The address of a peer; undefined for a closed connection. */
export function peerAddress(peer: Peer): IpAddress | undefined {
  // A socket reports link-local peers with their interface: fe80::1%eth0.
  return peer === 'unix' ? UNIX_ADDRESS : readAddress(peer.split('%', 1)[0]!);
}

/** Whether a peer is trusted to forward the client's address. */
export function isTrustedProxy(peer: Peer, { proxies }: CallerTrust): boolean {
  if (peer === 'unix') return proxies.trustsUnix;
  const address = peerAddress(peer);
  return address !== undefined && proxies.trusts(address);
}

/**
 * The address of the client that sent a request.
 *
 * If the peer is a trusted proxy, only the configured header is used: a list of hops to which each proxy appends, so it is read
 * from the right, skipping trusted proxies, to the first untrusted address. Entries further left may be forged. Undefined if
 * that entry is not an address (`unknown`, RFC 7239 §6.2), or the peer has none.
 */
export function callerAddress(peer: Peer, headers: Headers, trust: CallerTrust): IpAddress | undefined {
  const header = isTrustedProxy(peer, trust) ? headers.get(trust.header) : null;
  let caller = peerAddress(peer);
  if (header === null) return caller;

  const hops = trust.header.toLowerCase() === 'forwarded' ? forwardedFor(header) : listEntries(header);
  if (hops === undefined) return undefined;

  for (const hop of hops.toReversed()) {
    caller = readHop(hop);
    if (caller === undefined || !trust.proxies.trusts(caller)) return caller;
  }
  return caller;
}

/** The elements of a comma-separated list; empty ones are ignored (RFC 9110 §5.6.1.2). */
function listEntries(header: string): string[] {
  return header
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '');
}

/** An address as written by proxies: plain, in brackets, or either with a port (RFC 7239 §6). */
function readHop(hop: string): IpAddress | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::[\w.-]+)?$/.exec(hop) ?? [];
  return readAddress(bracketed ?? plain ?? hop);
}
