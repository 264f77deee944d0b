import type { IpAddress } from './ip_address.ts';
import { bitAt, type Network } from './network.ts';

/** A node of a binary tree over the bits of addresses. */
interface Node<Value> {
  readonly branches: [Node<Value> | undefined, Node<Value> | undefined];
  value: Value | undefined;
}

/** Values by network: an address has that of the longest prefix it lies in. A look-up takes a step a bit. */
export class NetworkMap<Value> {
  readonly #roots = { 4: newNode<Value>(), 6: newNode<Value>() };

  /** Gives a network its value; returns the one it had before. */
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

  /** The value of the smallest network that holds an address. */
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
