import type { Reader } from 'mmdb-lib';
import { BoundedCache } from '../common/caching.ts';
import { messageOf, quoted } from '../common/errors.ts';
import { nextTurn } from '../common/promises.ts';
import { openMmdb, type Placement, placementOf } from './mmdb_zones.ts';

// An import of these CommonJS modules would be the export itself when run by Bun, but an object with it when bundled by Bun 1.4.5.
const { default: Decoder } = require('mmdb-lib/lib/decoder.js') as typeof import('mmdb-lib/lib/decoder.js');
/** Returns functions that read the left and the right record of the node at a position. */
export const { default: recordReaders } =
  require('mmdb-lib/lib/reader/walker.js') as typeof import('mmdb-lib/lib/reader/walker.js');

/**
 * The length of the zero bytes behind the search tree of an MMDB file (MaxMind DB File Format Specification 2.0):
 *
 *     | search tree: nodes of two records | 16 zero bytes | data section | marker | metadata |
 *
 * A record below the number of nodes is a node; that number itself means "no data"; a record larger by 16 or more points into
 * the data section, at the offset obtained by subtracting the number of nodes and 16.
 */
export const SEPARATOR_LENGTH = 16;

/** The marker before the metadata, `\xAB\xCD\xEFMaxMind.com`. */
export const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** The maximum size of the metadata with its marker, at the end of the file. */
const METADATA_LIMIT = 128 * 1024;

/** Limits for decoding one value with everything it points to; location records are far below. */
const MAX_NESTING = 16;
const MAX_DECODED_BYTES = 64 * 1024;

/** Without a cache for short texts, which are mostly map keys, the check takes 50 % longer. */
const TEXTS_CACHED = 10_000;
const MAX_CACHED_TEXT_LENGTH = 64;

/** Nodes between two pauses, each with up to two records: less than a millisecond of work. */
const NODES_PER_PAUSE = 100;

/**
 * Checks that every lookup in an MMDB file is quick and succeeds, and that the file is a location database: walks the whole
 * search tree and decodes each distinct record once, which takes 1.2 s for 71 MB with 8.4 million nodes. Yields between steps, so
 * that the server can serve requests; calls `onPlacement` with the place in each record. Returns mmdb-lib's reader for the file,
 * which does not validate: a flipped bit can make it return wrong data, throw, or block for seconds. Throws an `Error` with the
 * reason, without a trailing period.
 */
export function* checkMmdb(
  bytes: Uint8Array,
  onPlacement: (placement: Placement) => void = () => {},
): Generator<void, Reader<never>> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const markerStart = checkMetadata(file);
  const reader = damagedIfThrows('its metadata', () => openMmdb(file));
  checkOutline(file, reader.metadata, markerStart);

  const { nodeCount, searchTreeSize, databaseType } = reader.metadata;
  const dataStart = searchTreeSize + SEPARATOR_LENGTH;
  const decoder = new BoundedDecoder(file, dataStart, markerStart);
  const isDecoded = new Uint8Array(markerStart - dataStart);
  let isPlaced = false;
  yield* walkTree(file, reader.metadata, record => {
    const offset = record - nodeCount - SEPARATOR_LENGTH;
    if (offset < 0 || offset >= isDecoded.length)
      throw new Error('a record of its search tree points outside its data');
    if (isDecoded[offset]) return;
    isDecoded[offset] = 1;
    const placement = placementOf(decoder.decodeRecord(dataStart + offset));
    if (placement === undefined) return;
    isPlaced = true;
    onPlacement(placement);
  });
  if (isPlaced) return reader;
  throw new Error(`it contains neither time zones nor coordinates; its type is ${quoted(`${databaseType}`)}`);
}

/** Finds the metadata and checks its values; returns the position of its marker. */
function checkMetadata(file: Buffer): number {
  const tail = Math.max(0, file.length - METADATA_LIMIT);
  const found = file.subarray(tail).lastIndexOf(METADATA_MARKER);
  if (found < 0)
    throw new Error('it has no MMDB metadata at its end; it is another kind of file, or truncated');
  const start = tail + found + METADATA_MARKER.length;
  damagedIfThrows('its metadata', () => new BoundedDecoder(file, start, file.length).decode(start));
  return tail + found;
}

/** Checks that the parts of the file are where its metadata says. */
function checkOutline(file: Buffer, metadata: Reader<never>['metadata'], markerStart: number): void {
  const { binaryFormatMajorVersion: version, ipVersion, nodeCount, searchTreeSize } = metadata;
  if (version !== 2) throw new Error(`it has version ${version} of the MMDB format; expected 2`);
  if (ipVersion !== 4 && ipVersion !== 6)
    throw new Error(`it is for IP version ${ipVersion}; expected 4 or 6`);
  const dataStart = searchTreeSize + SEPARATOR_LENGTH;
  if (!(Number.isInteger(nodeCount) && nodeCount > 0 && dataStart <= markerStart))
    throw new Error('its search tree reaches beyond the end of the file');
  if (file.subarray(searchTreeSize, dataStart).some(byte => byte !== 0))
    throw new Error('its search tree does not end where its metadata says');
}

/**
 * Walks a search tree level by level and calls `onData` with each record that points to data. A node shared by several paths is
 * visited once per level. Throws an `Error` if a path is longer than an address, as every cycle is.
 */
function* walkTree(
  file: Buffer,
  { nodeCount, nodeByteSize, recordSize, ipVersion }: Reader<never>['metadata'],
  onData: (record: number) => void,
): Generator<void, void> {
  const { left, right } = recordReaders(file, recordSize);
  const addressBits = ipVersion === 4 ? 32 : 128;
  /** The last level on which each node was found. */
  const levels = new Uint8Array(nodeCount);
  let level = [0];
  let visited = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > addressBits)
      throw new Error('a path in its search tree is longer than an address, or cyclic');
    const next: number[] = [];
    for (const node of level) {
      if (++visited % NODES_PER_PAUSE === 0) yield;
      for (const read of [left, right]) {
        const record = read(node * nodeByteSize);
        if (record > nodeCount) onData(record);
        else if (record < nodeCount && levels[record] !== depth) {
          levels[record] = depth;
          next.push(record);
        }
      }
    }
    level = next;
  }
}

/** mmdb-lib's decoder with limits; without them it follows cycles and reads beyond the ends of sections. */
export class BoundedDecoder extends Decoder {
  readonly #file: Buffer;
  readonly #end: number;
  #nesting = 0;
  #decodedBytes = 0;

  /** For the section of the file from `start`, to which its pointers are relative, to `end`. */
  constructor(file: Buffer, start: number, end: number) {
    super(file, start, new ShortTextCache(TEXTS_CACHED));
    this.#file = file;
    this.#end = end;
  }

  /** The value at a position in the file. Throws an `Error` if it is damaged. */
  decodeRecord(position: number): unknown {
    this.#nesting = 0;
    this.#decodedBytes = 0;
    return damagedIfThrows(`a value at byte ${position}`, () => this.decode(position).value);
  }

  /** Called by the base class for each value within a value, and for the target of each pointer. */
  override decode(position: number): { value: unknown; offset: number } {
    if (position >= this.#end) throw new Error('it points beyond the end of its section');
    if (++this.#nesting > MAX_NESTING) throw new Error('it is nested too deeply');
    if (!this.#hasValidFloatSize(position))
      throw new Error('it has a floating-point number of the wrong size');
    const cursor = super.decode(position);
    if (cursor.offset > this.#end) throw new Error('it reaches beyond the end of its section');
    this.#decodedBytes += cursor.offset - position;
    if (this.#decodedBytes > MAX_DECODED_BYTES) throw new Error('it is too large');
    this.#nesting--;
    return cursor;
  }

  /** The base class ignores the sizes of doubles (type 3, 8 bytes) and floats (extended type 15, 4 bytes). */
  #hasValidFloatSize(position: number): boolean {
    const control = this.#file[position]!;
    if (control >> 5 === 3) return (control & 31) === 8;
    return control >> 5 !== 0 || this.#file[position + 1] !== 15 - 7 || (control & 31) === 4;
  }
}

/** Caches pointer targets that are short texts, which hardly count towards the limits. */
class ShortTextCache extends BoundedCache<number, { readonly value: unknown }> {
  override set(position: number, cursor: { readonly value: unknown }): void {
    if (typeof cursor.value === 'string' && cursor.value.length <= MAX_CACHED_TEXT_LENGTH)
      super.set(position, cursor);
  }
}

/** Runs a step and turns its error into one that says what is damaged. */
function damagedIfThrows<Result>(what: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new Error(`${what} is damaged: ${messageOf(error)}`);
  }
}

/** The same as one promise, which rejects where {@link checkMmdb} throws; other requests are served between its steps. */
export async function checkIpFile(contents: Uint8Array): Promise<Reader<never>> {
  const steps = checkMmdb(contents);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
