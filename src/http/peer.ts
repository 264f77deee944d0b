import type { Peer } from '../places/caller_address.ts';
import type { IpAddress } from '../places/ip_address.ts';

/** Tells the other end of the connection that a request came on. */
export type PeerOf = (request: Request) => Peer;

/** Tells who sent a request, as far as that is known: see `callerAddress`. */
export type CallerOf = (request: Request) => IpAddress | undefined;

/** Whether a caller runs on this machine. */
export function isLocal(caller: IpAddress | undefined): boolean {
  return caller !== undefined && (caller.version === 4 ? caller.bytes[0] === 127 : caller.text === '::1');
}
