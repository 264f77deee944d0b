import { once } from '../common/caching.ts';
import list from './anycast.txt' with { type: 'text' };
import type { IpAddress } from './ip_address.ts';
import { NetworkMap, parseNetwork } from './network.ts';

/** Parsed on first use, to keep startup fast. */
const networks = once(() => {
  const lines = list.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new NetworkMap(lines.flatMap(line => line.split(' ')).map(text => [parseNetwork(text), true]));
});

/** Whether an address is in a well-known anycast network. */
export function isAnycast(address: IpAddress): boolean {
  return networks().get(address) !== undefined;
}
