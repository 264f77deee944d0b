import { Reader } from 'mmdb-lib';
import { BoundedDecoder, recordReaders, SEPARATOR_LENGTH } from '../../src/places/mmdb_check.ts';
import { EMPTY, type NetworkTree, type Subtree } from './network_tree.ts';

/** A database to compile. */
export class SourceTree {
  readonly #records: ReturnType<typeof recordReaders>;
  readonly #nodeBytes: number;
  readonly #decoder: BoundedDecoder;
  readonly #dataStart: number;
  readonly nodeCount: number;
  readonly buildDate: Date;

  constructor(bytes: Buffer, ipVersion: 4 | 6) {
    const { metadata } = new Reader<never>(bytes);
    if (metadata.ipVersion !== ipVersion) {
      throw new Error(`A database for IP version ${ipVersion} is for version ${metadata.ipVersion}`);
    }
    this.#records = recordReaders(bytes, metadata.recordSize);
    this.#nodeBytes = metadata.nodeByteSize;
    this.#dataStart = metadata.searchTreeSize + SEPARATOR_LENGTH;
    this.#decoder = new BoundedDecoder(bytes, this.#dataStart, bytes.length);
    this.nodeCount = metadata.nodeCount;
    this.buildDate = metadata.buildEpoch;
  }

  /**
   * Copies the search tree: `leafValueOf` returns the value of a record, 1…65,535, or 0 for none, and is called once for
   * each distinct record of the database; `onNode` is called for each node.
   */
  copyTo(tree: NetworkTree, leafValueOf: (record: unknown) => number, onNode: () => void): Subtree {
    const { nodeCount } = this;
    const values = new Map<number, number>();

    const copy = (record: number): Subtree => {
      if (record < nodeCount) {
        onNode();
        const at = record * this.#nodeBytes;
        return tree.branch(copy(this.#records.left(at)), copy(this.#records.right(at)));
      }
      if (record === nodeCount) return EMPTY;
      let value = values.get(record);
      if (value === undefined) {
        const offset = record - nodeCount - SEPARATOR_LENGTH;
        value = leafValueOf(this.#decoder.decodeRecord(this.#dataStart + offset));
        values.set(record, value);
      }
      return value;
    };
    return copy(0);
  }
}
