/**
 * Reads a large file embedded in the executable. On Linux it is used where the kernel has mapped the executable, found
 * through /proc/self/maps, because Bun would copy it to the heap of every process. Measured with the boundaries (30 MB)
 * in use: one process takes 98 MB instead of 136 MB, a supervisor with two workers 119 MB instead of 171 MB or more (PSS),
 * and the first response for coordinates 45 ms instead of 150 ms or more.
 */
import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { open, readFile, readlink } from 'node:fs/promises';

/** Bytes for reading only: a `Uint8Array`, or memory outside the heap. */
export interface EmbeddedBytes {
  readonly length: number;
  subarray(start: number, end: number): Uint8Array;
}

/** Bytes that are searched or hashed before other tasks get a turn: about half a millisecond. */
const SLICE_BYTES = 512 * 1024;

/** The length of a file's start that is searched for: enough to be unique in the executable. */
const HEAD_BYTES = 4096;

/**
 * The bytes of an embedded file, after a check of their SHA-256.
 * @throws Error if the file is not the one that was built
 */
export async function readEmbeddedFile(path: string, sha256: string): Promise<EmbeddedBytes> {
  const mapped = await findMapped(path).catch(() => null); // /proc may be unreadable
  const bytes = mapped ?? (await Bun.file(path).bytes());
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const start of slicesOf(bytes.length)) hasher.update(bytes.subarray(start, start + SLICE_BYTES));
  if (hasher.digest('hex') === sha256) return bytes;
  throw new Error('it is damaged: its SHA-256 is not the one it was built with');
}

/** The position of each slice; other tasks run in between. */
async function* slicesOf(length: number): AsyncGenerator<number> {
  for (let start = 0; start < length; start += SLICE_BYTES) {
    yield start;
    await new Promise(resolve => setImmediate(resolve));
  }
}

const EXECUTABLE = '/proc/self/exe';

/** `start-end rw-p offset device inode path`: the executable's data, where Bun embeds files. */
const DATA_MAPPING = /^([\da-f]+)-([\da-f]+) rw-p ([\da-f]+) \S+ \d+ +(.+)$/gm;

async function findMapped(path: string): Promise<EmbeddedBytes | null> {
  if (process.platform !== 'linux' || !path.startsWith('/$bunfs/')) return null;
  const file = Bun.file(path);
  const head = await file.slice(0, HEAD_BYTES).bytes();
  const executablePath = await readlink(EXECUTABLE);
  for (const [, ...fields] of (await readFile('/proc/self/maps', 'utf8')).matchAll(DATA_MAPPING)) {
    if (fields[3] !== executablePath) continue;
    const [address = 0, end = 0, offset = 0] = fields.map(field => Number.parseInt(field, 16));
    const position = await positionInExecutable(head, offset, end - address);
    if (position + file.size <= end - address) return new MappedBytes(address + position, file.size);
  }
  return null;
}

/**
 * The position of some bytes in a section of the executable, relative to its start; infinity if it does not contain them.
 * The file is searched, because a search in memory would make the whole section resident.
 */
async function positionInExecutable(wanted: Uint8Array, offset: number, length: number): Promise<number> {
  await using executable = await open(EXECUTABLE);
  const slice = Buffer.allocUnsafe(SLICE_BYTES + wanted.length); // what begins in one slice may end in the next
  for await (const start of slicesOf(length)) {
    const { bytesRead } = await executable.read(slice, 0, slice.length, offset + start);
    const index = slice.subarray(0, bytesRead).indexOf(wanted);
    if (index >= 0) return start + index;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Memory outside the heap. The garbage collector counts the size of every view as heap in use and lets the heap grow
 * accordingly, so views are made of parts only, and are short-lived.
 */
class MappedBytes implements EmbeddedBytes {
  readonly #address: Pointer;
  readonly length: number;

  constructor(address: number, length: number) {
    this.#address = address as Pointer;
    this.length = length;
  }

  subarray(start: number, end: number): Uint8Array {
    return new Uint8Array(toArrayBuffer(this.#address, start, Math.min(end, this.length) - start));
  }
}
