import { Reader } from 'mmdb-lib';
import { plainText } from '../../src/places/ip_address.ts';
import { recordReader } from '../../src/places/mmdb_layout.ts';
import { EMPTY, type NetworkTree, type Subtree } from './network_tree.ts';

/** A database to take networks from. */
export class SourceTree {
  readonly #reader: Reader<never>;
  readonly #read: (node: number, side: number) => number;
  readonly nodeCount: number;
  readonly buildDate: Date;

  constructor(bytes: Buffer, ipVersion: 4 | 6) {
    this.#reader = new Reader<never>(bytes);
    const { nodeCount, recordSize, buildEpoch, ipVersion: found } = this.#reader.metadata;
    if (found !== ipVersion)
      throw new Error(`A database for IP version ${ipVersion} is for version ${found}`);
    this.#read = recordReader(bytes, recordSize);
    this.nodeCount = nodeCount;
    this.buildDate = buildEpoch;
  }

  /**
   * Copies the search tree: `leafValueOf` gives the value of a record, 1…65,535, or 0 for none, and is asked once for each
   * distinct record of the database; `onNode` is called for each node.
   */
  copyTo(tree: NetworkTree, leafValueOf: (record: unknown) => number, onNode: () => void): Subtree {
    const { nodeCount } = this;
    const isIpv6 = this.#reader.metadata.ipVersion === 6;
    const address = new Uint8Array(isIpv6 ? 16 : 4);
    const values = new Map<number, number>();

    const copy = (record: number, depth: number): Subtree => {
      if (record === nodeCount) return EMPTY;
      if (record > nodeCount) {
        let value = values.get(record);
        if (value === undefined) {
          value = leafValueOf(this.#reader.get(plainText(address)));
          values.set(record, value);
        }
        return value;
      }
      onNode();
      const left = copy(this.#read(record, 0), depth + 1);
      address[depth >> 3]! |= 0x80 >> (depth & 7);
      const right = copy(this.#read(record, 1), depth + 1);
      address[depth >> 3]! &= ~(0x80 >> (depth & 7));
      return tree.branch(left, right);
    };
    return copy(0, 0);
  }
}
