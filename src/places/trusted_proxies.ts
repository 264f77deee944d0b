import { type IpAddress, readAddress } from './ip_address.ts';
import { NetworkMap, parseNetwork } from './network.ts';

/** The peers that are trusted to forward the client's address. */
export interface TrustedProxies {
  trusts(address: IpAddress): boolean;
  /** Whether peers on a unix socket are trusted: listed as `unix`, or by the loopback address that stands for them. */
  readonly trustsUnix: boolean;
  /** Whether no peer is trusted at all. */
  readonly isEmpty: boolean;
}

/** The address of a peer on a unix socket. */
export const UNIX_ADDRESS: IpAddress = readAddress('127.0.0.1')!;

/**
 * Parses the list in `--trust-proxy`: networks, addresses and the word `unix`; empty if no proxy is trusted.
 * @throws Error naming the invalid entry, without a trailing period
 */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  const networks = new NetworkMap(
    entries.filter(entry => entry !== 'unix').map(entry => [parseNetwork(entry), true]),
  );
  return {
    trusts: address => networks.get(address) === true,
    trustsUnix: entries.includes('unix') || networks.get(UNIX_ADDRESS) === true,
    isEmpty: entries.length === 0,
  };
}
