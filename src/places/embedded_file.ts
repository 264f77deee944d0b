import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { type FileHandle, open, readFile, readlink } from 'node:fs/promises';

/** What a file holds, to be looked at and not to be written to: a `Uint8Array`, or a {@link MappedFile}. */
export interface FileBytes {
  readonly length: number;
  subarray(start: number, end: number): Uint8Array;
}

/**
 * The bytes of an embedded file where Linux has mapped the executable: they are in memory once, however many processes
 * serve, where Bun copies them for each. Null where the file is not in this executable, or is not found in it; Bun can
 * read it then.
 */
export async function mappedEmbeddedFile(path: string): Promise<FileBytes | null> {
  if (process.platform !== 'linux' || !path.startsWith('/$bunfs/')) return null;
  try {
    return await findMapped(Bun.file(path));
  } catch {
    return null; // `/proc` or the executable cannot be read
  }
}

const EXECUTABLE = '/proc/self/exe';

/** The first bytes of a file that it is looked for by: so many that they stand in one place only. */
const HEAD = 4096;

async function findMapped(file: Blob): Promise<FileBytes | null> {
  const head = await file.slice(0, HEAD).bytes();
  const mappings = dataMappings(await readFile('/proc/self/maps', 'utf8'), await readlink(EXECUTABLE));
  await using executable = await open(EXECUTABLE);
  for (const { address, offset, length } of mappings) {
    const position = await positionOf(head, executable, offset, offset + length);
    if (position === null || position + file.size > offset + length) continue;
    return new MappedFile(address, position - offset, file.size);
  }
  return null;
}

/**
 * A file in memory that is not the heap's. What there is a view of, the collector of garbage takes for the heap's all the
 * same, and lets the rest of it grow to as much before it collects; so of what is large there are views of parts only, while
 * they are used.
 */
class MappedFile implements FileBytes {
  readonly #address: Pointer;
  readonly #offset: number;
  readonly length: number;

  constructor(address: Pointer, offset: number, length: number) {
    this.#address = address;
    this.#offset = offset;
    this.length = length;
  }

  subarray(start: number, end: number): Uint8Array {
    const length = Math.min(end, this.length) - start;
    return new Uint8Array(toArrayBuffer(this.#address, this.#offset + start, length));
  }
}

/** A part of a file that is in memory. */
interface Mapping {
  readonly address: Pointer;
  /** Where it begins in the file. */
  readonly offset: number;
  readonly length: number;
}

const MAPPING = /^(?<start>[\da-f]+)-(?<end>[\da-f]+) rw-p (?<offset>[\da-f]+) \S+ \d+ +(?<path>.+)$/gm;

/** The data of an executable among what `/proc/self/maps` tells of. */
function dataMappings(maps: string, executable: string): Mapping[] {
  return [...maps.matchAll(MAPPING)]
    .filter(({ groups }) => groups?.['path'] === executable)
    .map(({ groups }) => {
      const [start, end, offset] = ['start', 'end', 'offset'].map(name =>
        Number.parseInt(groups![name]!, 16),
      );
      return { address: start as Pointer, offset: offset!, length: end! - start! };
    });
}

/** The bytes that are read and searched at a stretch. */
const PIECE = 1024 * 1024;

/**
 * Where bytes stand in a file from one position to another. It is read for this: to look at the mapping would bring all
 * of it into the memory of the process.
 */
async function positionOf(
  wanted: Uint8Array,
  file: FileHandle,
  from: number,
  to: number,
): Promise<number | null> {
  const piece = Buffer.allocUnsafe(PIECE + wanted.length); // what begins in one piece may end in the next
  for (let position = from; position < to; position += PIECE) {
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    const index = piece.subarray(0, bytesRead).indexOf(wanted);
    if (index >= 0) return position + index;
  }
  return null;
}
