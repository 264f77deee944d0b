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
 * Parses a network in CIDR notation (RFC 4632 §3.1), or one address, which is a network of its own. A network
 * within `::ffff:0:0/96` is the IPv4 network that it maps.
 * @throws Error with the reason, without a trailing period
 */
export function parseNetwork(text: string): Network {
  const [addressText, lengthText, ...rest] = text.split('/');
  const address = readAddress(addressText!);
  if (address === undefined || rest.length > 0)
    throw new Error(`${quoted(text)} is not a network such as 10.1.0.0/16`);
  const bits = address.bytes.length * 8;
  // The length of a mapped address counts its 96 bits before the IPv4 address.
  const mappedBits = addressText!.includes(':') ? 128 - bits : 0;
  const isNumber = lengthText === undefined || /^(0|[1-9]\d{0,2})$/.test(lengthText);
  const prefixLength = isNumber ? Number(lengthText ?? bits + mappedBits) - mappedBits : -1;
  if (prefixLength < 0 || prefixLength > bits) {
    const range = `${mappedBits} to ${mappedBits + bits}`;
    throw new Error(`${quoted(text)} has no prefix length of ${range} after its '/'`);
  }
  for (let bit = prefixLength; bit < bits; bit++) {
    if (bitAt(address.bytes, bit) === 1)
      throw new Error(`${quoted(text)} has bits set beyond its prefix of ${lengthText}`);
  }
  return { address, prefixLength };
}

/** One bit of an address, the most significant first. */
function bitAt(bytes: Uint8Array, index: number): 0 | 1 {
  return ((bytes[index >> 3]! >> (7 - (index & 7))) & 1) as 0 | 1;
}

/** A node of a binary tree over the bits of addresses. */
interface Node<Value> {
  readonly branches: [Node<Value> | undefined, Node<Value> | undefined];
  value: Value | undefined;
}

/** Values by network; the longest matching prefix wins. A look-up takes at most one step for each bit of the address. */
export class NetworkMap<Value> {
  readonly #roots = { 4: newNode<Value>(), 6: newNode<Value>() };

  /** Sets the value of a network and returns the previous one. */
  set(network: Network, value: Value): Value | undefined {
    const { address, prefixLength } = network;
    let node = this.#roots[address.version];
    for (let index = 0; index < prefixLength; index++) {
      const bit = bitAt(address.bytes, index);
      node.branches[bit] ??= newNode<Value>();
      node = node.branches[bit];
    }
    const before = node.value;
    node.value = value;
    return before;
  }

  /** The value of the smallest network that contains an address. */
  get(address: IpAddress): Value | undefined {
    let node: Node<Value> | undefined = this.#roots[address.version];
    let value = node.value;
    for (let index = 0; index < address.bytes.length * 8; index++) {
      node = node.branches[bitAt(address.bytes, index)];
      if (node === undefined) return value;
      value = node.value ?? value;
    }
    return value;
  }
}

function newNode<Value>(): Node<Value> {
  return { branches: [undefined, undefined], value: undefined };
}
