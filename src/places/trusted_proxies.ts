import { type IpAddress, readAddress } from './ip_address.ts';
import { parseNetwork } from './network.ts';
import { NetworkMap } from './network_map.ts';

/** The peers whose word about the caller's address is believed. */
export interface TrustedProxies {
  trusts(address: IpAddress): boolean;
  /** Whether peers on a unix socket are trusted: named so, or with the loopback address that they count as. */
  readonly trustsUnix: boolean;
  /** Whether no peer is trusted at all. */
  readonly isEmpty: boolean;
}

/** What a peer on a unix socket counts as. */
export const UNIX_ADDRESS: IpAddress = readAddress('127.0.0.1')!;

/**
 * Reads the list of `--trust-proxy`: networks, addresses and the word `unix`; empty where no proxy is trusted.
 * @throws Error naming the bad entry, without a trailing period
 */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  const networks = new NetworkMap<true>();
  for (const entry of entries) if (entry !== 'unix') networks.set(parseNetwork(entry), true);
  return {
    trusts: address => networks.get(address) === true,
    trustsUnix: entries.includes('unix') || networks.get(UNIX_ADDRESS) === true,
    isEmpty: entries.length === 0,
  };
}
