import { resultsOf } from '../common/errors.ts';
import { type IpAddress, readAddress } from './ip_address.ts';
import { NetworkMap, parseNetwork } from './network.ts';

/** Which proxies are trusted to forward the client's address, and how. */
export interface CallerTrust {
  readonly proxies: TrustedProxies;
  /** The header that carries the client's address. */
  readonly header: string;
}

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

/**
 * A pair: `token` of RFC 9110 §5.6.2 `=` a token or a `quoted-string` of §5.6.4, then the separator to the next pair or
 * element. The unquoted `[2001:db8::1]:80` that some proxies write is not in the grammar, but accepted as unambiguous.
 */
const PAIR = /[ \t]*([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")[ \t]*(;|,|$)/y;
const EMPTY = /[ \t]*(;|,|$)/y;

/**
 * The `for` parameters of a `Forwarded` header (RFC 7239 §4) in the order of the hops, unquoted; an element without
 * one gives an empty string. Undefined if the header violates the grammar: an unbalanced quote from a client could hide
 * what a proxy appended, so such a header is rejected as a whole.
 */
export function forwardedFor(header: string): string[] | undefined {
  const hops: string[] = [];
  let hop: string | undefined;
  let elementHasPairs = false;
  let position = 0;
  while (position < header.length) {
    PAIR.lastIndex = EMPTY.lastIndex = position;
    const pair = PAIR.exec(header);
    const separator = pair?.[4] ?? EMPTY.exec(header)?.[1];
    if (separator === undefined) return undefined;
    if (pair) {
      elementHasPairs = true;
      const isFor = pair[1]!.toLowerCase() === 'for';
      if (isFor && hop !== undefined) return undefined; // a parameter occurs once per element
      if (isFor) hop = pair[2] ?? pair[3]!.replace(/\\(.)/g, '$1');
      position = PAIR.lastIndex;
    } else {
      position = EMPTY.lastIndex;
    }
    if (separator !== ';' && elementHasPairs) {
      hops.push(hop ?? '');
      hop = undefined;
      elementHasPairs = false;
    }
  }
  return hops;
}

/** The peers that are trusted to forward the client's address. */
export interface TrustedProxies {
  trusts(address: IpAddress): boolean;
  /** Whether peers on a unix socket are trusted: listed as `unix`, or by the loopback address that stands for them. */
  readonly trustsUnix: boolean;
  /** Whether no peer is trusted at all. */
  readonly isEmpty: boolean;
}

/** The address of a peer on a unix socket. */
const UNIX_ADDRESS: IpAddress = readAddress('127.0.0.1')!;

/**
 * Parses the list in `--trust-proxy`: networks, addresses and the word `unix`; empty if no proxy is trusted. Throws an `Error`
 * that names the invalid entry, without a trailing period.
 */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  const networks = new NetworkMap(
    resultsOf(...entries.filter(entry => entry !== 'unix').map(entry => () => parseNetwork(entry))).map(
      network => [network, true],
    ),
  );
  return {
    trusts: address => networks.get(address) === true,
    trustsUnix: entries.includes('unix') || networks.get(UNIX_ADDRESS) === true,
    isEmpty: entries.length === 0,
  };
}

/** Trusts no proxy: the client is the peer. */
export const TRUST_NOBODY: CallerTrust = { proxies: parseTrustedProxies([]), header: 'X-Forwarded-For' };
