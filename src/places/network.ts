import { quoted } from '../common/service_error.ts';
import { type IpAddress, readAddress } from './ip_address.ts';

/** A block of addresses that share their first `prefixLength` bits. */
export interface Network {
  /** The lowest address; its family is the network's. */
  readonly address: IpAddress;
  /** 0…32 for IPv4, 0…128 for IPv6. */
  readonly prefixLength: number;
}

/**
 * Reads a network in CIDR notation (RFC 4632 §3.1), or one address, which is a network of itself. One within
 * `::ffff:0:0/96` is the IPv4 network that it maps.
 * @throws Error saying what is wrong, without a trailing period
 */
export function parseNetwork(text: string): Network {
  const [addressText, lengthText, ...rest] = text.split('/');
  const address = readAddress(addressText!);
  if (address === undefined || rest.length > 0)
    throw new Error(`${quoted(text)} is not a network such as 10.1.0.0/16`);
  const bits = address.bytes.length * 8;
  // A mapped address is written with 128 bits and kept with 32.
  const written = addressText!.includes(':') ? 128 : 32;
  if (lengthText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(lengthText)) {
    throw new Error(`${quoted(text)} has no prefix length of 0 to ${written} after its '/'`);
  }
  const prefixLength = Number(lengthText ?? written) - (written - bits);
  if (prefixLength < 0 || prefixLength > bits) {
    throw new Error(`${quoted(text)} has no prefix length of ${written - bits} to ${written} after its '/'`);
  }
  for (let bit = prefixLength; bit < bits; bit++) {
    if (bitAt(address.bytes, bit) === 1)
      throw new Error(`${quoted(text)} has bits set beyond its prefix of ${lengthText}`);
  }
  return { address, prefixLength };
}

/** One bit of an address, the most significant first. */
export function bitAt(bytes: Uint8Array, index: number): 0 | 1 {
  return ((bytes[index >> 3]! >> (7 - (index & 7))) & 1) as 0 | 1;
}
