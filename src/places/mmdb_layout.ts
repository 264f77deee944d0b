/**
 * The outline of an MMDB file (MaxMind DB File Format Specification 2.0):
 *
 *     | search tree: nodes of two records | 16 zero bytes | data section | marker | metadata |
 *
 * A record below the number of nodes is a node; that number itself means nothing is known; one larger by 16 or more
 * points into the data section, whose first byte it names by the number of nodes + 16.
 */
export const SEPARATOR_LENGTH = 16;

/** What stands before the metadata, `\xAB\xCD\xEFMaxMind.com`. */
export const METADATA_MARKER = Uint8Array.from([
  0xab,
  0xcd,
  0xef,
  ...new TextEncoder().encode('MaxMind.com'),
]);

/** The metadata with its marker takes no more bytes than this at the end of the file. */
export const METADATA_LIMIT = 128 * 1024;

/** Reads the left (0) or right (1) record of a node. */
export type RecordReader = (node: number, side: number) => number;

/**
 * A reader of the search tree at the start of `bytes`; `recordSize` is in bits:
 *
 *     24: | left 0–23    | right 0–23                 |
 *     28: | left 0–23    | left 24–27, right 24–27 | right 0–23 |
 *     32: | left 0–31    | right 0–31                 |
 */
export function recordReader(bytes: Uint8Array, recordSize: number): RecordReader {
  const uint24 = (at: number) => (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
  switch (recordSize) {
    case 24:
      return (node, side) => uint24(node * 6 + side * 3);
    case 28:
      return (node, side) => {
        const middle = bytes[node * 7 + 3]!;
        return ((side === 0 ? middle >> 4 : middle & 15) << 24) | uint24(node * 7 + side * 4);
      };
    case 32:
      return (node, side) => uint24(node * 8 + side * 4) * 256 + bytes[node * 8 + side * 4 + 3]!;
    default:
      throw new Error(`its records have ${recordSize} bits, which is not 24, 28 or 32`);
  }
}
