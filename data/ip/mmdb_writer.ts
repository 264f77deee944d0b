import { METADATA_MARKER, SEPARATOR_LENGTH } from '../../src/places/mmdb_check.ts';
import { ByteWriter } from '../byte_writer.ts';
import { EMPTY, type NetworkTree, type Subtree } from './network_tree.ts';

/** A record: a map of text. */
export type MmdbRecord = Readonly<Record<string, string>>;

/** The variable parts of the metadata. */
export interface MmdbDescription {
  readonly databaseType: string;
  readonly description: string;
  /** The build time of the data, in Unix seconds. */
  readonly buildEpochSeconds: number;
}

/**
 * Writes an IPv6 database in the MaxMind DB file format, version 2.0. `records[n − 1]` is the record of addresses in a
 * leaf with value n.
 */
export function writeMmdb(
  tree: NetworkTree,
  root: Subtree,
  records: readonly MmdbRecord[],
  { databaseType, description, buildEpochSeconds }: MmdbDescription,
): Uint8Array {
  const data = new ByteWriter();
  const offsets = records.map(record => {
    const offset = data.length;
    writeMap(data, record);
    return offset;
  });
  const branches = branchesOf(tree, root);
  const nodeCount = branches.size;
  const recordSize = nodeCount + SEPARATOR_LENGTH + data.length < 2 ** 24 ? 24 : 32;

  const file = new ByteWriter();
  for (const branch of branches.keys()) {
    for (const half of tree.halves(branch)) {
      const pointer = branches.get(half) ?? nodeCount + SEPARATOR_LENGTH + offsets[half - 1]!;
      file.uintBe(half === EMPTY ? nodeCount : pointer, recordSize / 8);
    }
  }
  file.bytes(new Uint8Array(SEPARATOR_LENGTH));
  file.bytes(data.toBytes());
  file.bytes(METADATA_MARKER);
  const metadata: Readonly<Record<string, () => void>> = {
    binary_format_major_version: () => writeInteger(file, UINT16, 2),
    binary_format_minor_version: () => writeInteger(file, UINT16, 0),
    build_epoch: () => writeInteger(file, UINT64, buildEpochSeconds),
    database_type: () => writeText(file, databaseType),
    description: () => writeMap(file, { en: description }),
    ip_version: () => writeInteger(file, UINT16, 6),
    languages: () => writeHead(file, ARRAY, 0),
    node_count: () => writeInteger(file, UINT32, nodeCount),
    record_size: () => writeInteger(file, UINT16, recordSize),
  };
  writeHead(file, MAP, Object.keys(metadata).length);
  for (const [name, writeValue] of Object.entries(metadata)) {
    writeText(file, name);
    writeValue();
  }
  return file.toBytes();
}

/** Numbers all branches under a root, parents first, so that paths run forward in the file. */
function branchesOf(tree: NetworkTree, root: Subtree): Map<Subtree, number> {
  const numbers = new Map<Subtree, number>();
  const waiting = [root];
  for (let branch = waiting.pop(); branch !== undefined; branch = waiting.pop()) {
    if (!tree.isBranch(branch) || numbers.has(branch)) continue;
    numbers.set(branch, numbers.size);
    const [left, right] = tree.halves(branch);
    waiting.push(right, left);
  }
  return numbers;
}

const STRING = 2;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const UINT64 = 9;
const ARRAY = 11;

function writeMap(out: ByteWriter, record: MmdbRecord): void {
  const entries = Object.entries(record);
  writeHead(out, MAP, entries.length);
  for (const [key, value] of entries) {
    writeText(out, key);
    writeText(out, value);
  }
}

function writeText(out: ByteWriter, text: string): void {
  const bytes = new TextEncoder().encode(text);
  writeHead(out, STRING, bytes.length);
  out.bytes(bytes);
}

/** An integer without its leading zero bytes. */
function writeInteger(out: ByteWriter, type: number, value: number): void {
  let size = 0;
  while (value >= 256 ** size && value > 0) size++;
  writeHead(out, type, size);
  out.uintBe(value, size);
}

/**
 * The control byte, `TTTSSSSS`, and its extensions: types above 7 have T = 0 and type − 7 in a second byte; sizes from 29
 * have S = 29 and size − 29 in one byte, those from 285 have S = 30 and size − 285 in two.
 */
function writeHead(out: ByteWriter, type: number, size: number): void {
  if (size >= 65_821) throw new Error(`A value of size ${size} exceeds the two-byte sizes`);
  const sizeBits = size < 29 ? size : size < 285 ? 29 : 30;
  out.byte(((type > 7 ? 0 : type) << 5) | sizeBits);
  if (type > 7) out.byte(type - 7);
  if (sizeBits === 29) out.byte(size - 29);
  if (sizeBits === 30) out.uintBe(size - 285, 2);
}
