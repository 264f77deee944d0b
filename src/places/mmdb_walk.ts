import type { RecordReader } from './mmdb_layout.ts';

/** Steps between two pauses: well under a millisecond of work. */
const STEPS_PER_PAUSE = 1_000;

/**
 * Walks a search tree from its root, every node once, and calls `onRecord` with each record that is not a node and the
 * address that leads to it, zero behind its prefix (the array is used again). Pauses by yielding.
 * @throws Error where a path is longer than an address, as every circle is
 */
export function* walkTree(
  read: RecordReader,
  nodeCount: number,
  addressLength: 4 | 16,
  onRecord: (record: number, address: Uint8Array) => void,
): Generator<void, void> {
  const bits = addressLength * 8;
  const address = new Uint8Array(addressLength);
  /** By node: 0 for not walked, else the length of the longest path from it. */
  const heights = new Uint8Array(nodeCount);
  // The path to the node at hand; of each node on it the side that comes next, and the tallest branch so far.
  const nodes = new Uint32Array(bits);
  const sides = new Uint8Array(bits);
  const tallest = new Uint8Array(bits);
  let depth = 0;
  for (let steps = 1; depth >= 0; steps++) {
    if (steps % STEPS_PER_PAUSE === 0) yield;
    const node = nodes[depth]!;
    const mask = 0x80 >> (depth & 7);
    const side = sides[depth]!;
    sides[depth] = side + 1;
    if (side === 2) {
      address[depth >> 3]! &= ~mask;
      const height = tallest[depth]! + 1;
      heights[node] = height;
      depth--;
      if (depth >= 0 && tallest[depth]! < height) tallest[depth] = height;
      continue;
    }
    if (side === 1) address[depth >> 3]! |= mask;
    const record = read(node, side);
    if (record >= nodeCount) {
      onRecord(record, address);
      continue;
    }
    const height = heights[record]!;
    if (depth + 1 + Math.max(height, 1) > bits) {
      throw new Error('a path of its search tree is longer than an address, or runs in a circle');
    }
    if (height > 0) {
      if (tallest[depth]! < height) tallest[depth] = height;
    } else {
      depth++;
      nodes[depth] = record;
      sides[depth] = 0;
      tallest[depth] = 0;
    }
  }
}
