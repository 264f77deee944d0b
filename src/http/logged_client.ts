import { addressOf, type IpAddress } from '../places/ip_address.ts';

/** How much of a caller's address goes into the access log: nothing, its network (/24, of IPv6 /48), or all. */
export const LOG_CLIENT_MODES = ['none', 'network', 'full'] as const;
export type LogClientMode = (typeof LOG_CLIENT_MODES)[number];

const NETWORK_BYTES = { 4: 3, 6: 6 } as const;

/** What the access log shows of a caller; null for nothing. */
export function loggedClient(caller: IpAddress | undefined, mode: LogClientMode): string | null {
  if (caller === undefined || mode === 'none') return null;
  if (mode === 'full') return caller.text;
  const length = NETWORK_BYTES[caller.version];
  const network = addressOf(caller.bytes.map((byte, index) => (index < length ? byte : 0)));
  return `${network.text}/${length * 8}`;
}
