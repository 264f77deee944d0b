import { type Pointer, toArrayBuffer } from 'bun:ffi';
import { open, readFile, readlink } from 'node:fs/promises';
import type { EmbeddedBytes } from '../places/boundaries.ts';
import { SLICE_BYTES, sha256Of } from './sha256.ts';

/** The length of the prefix that is searched for: enough to be unique in the executable. */
const HEAD_BYTES = 4096;

/**
 * The bytes of a large file embedded in the executable, after a check of their SHA-256; rejects if the file is not the one that
 * was built. On Linux it is used in place in the mapped executable, found through /proc/self/maps, because Bun would copy it to
 * the heap of every process. It is hashed from the file, because reading the whole mapping would make all of it resident, whereas
 * lookups need only a few pages. Measured with the boundaries (30 MB) in use (PSS): one process takes 71 MB instead of 136 MB
 * (hashed where it is mapped: 103 MB), a supervisor with two workers 95 MB instead of 171 MB or more (126 MB). The first response
 * for coordinates takes 45 ms instead of 150 ms or more.
 */
export async function readEmbeddedFile(path: string, sha256: string): Promise<EmbeddedBytes> {
  const mapped = await findMapped(path).catch(() => null); // /proc may be unreadable
  const bytes = mapped?.bytes ?? (await Bun.file(path).bytes());
  const found =
    mapped === null ? await sha256Of(bytes) : await sha256InExecutable(mapped.offset, bytes.length);
  if (found === sha256) return bytes;
  throw new Error('it is damaged: its SHA-256 is not the one it was built with');
}

async function sha256InExecutable(offset: number, length: number): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const slice of readExecutable(offset, length)) hasher.update(slice);
  return hasher.digest('hex');
}

const EXECUTABLE = '/proc/self/exe';

/**
 * Reads a part of the executable in slices, each followed by the first `overlap` bytes of the next. All slices share the same
 * memory.
 */
async function* readExecutable(offset: number, length: number, overlap = 0): AsyncGenerator<Uint8Array> {
  await using executable = await open(EXECUTABLE);
  const slice = new Uint8Array(SLICE_BYTES + overlap);
  for (let start = 0; start < length; start += SLICE_BYTES) {
    const wanted = Math.min(slice.length, length - start);
    const { bytesRead } = await executable.read(slice, 0, wanted, offset + start);
    yield slice.subarray(0, bytesRead);
  }
}

/** `start-end rw-p offset device inode path`: the executable's data, where Bun embeds files. */
const DATA_MAPPING = /^([\da-f]+)-([\da-f]+) rw-p ([\da-f]+) \S+ \d+ +(.+)$/gm;

/** An embedded file, and its offset in the executable; null where it is not mapped. */
async function findMapped(path: string) {
  if (process.platform !== 'linux' || !path.startsWith('/$bunfs/')) return null;
  const file = Bun.file(path);
  const head = await file.slice(0, HEAD_BYTES).bytes();
  const executablePath = await readlink(EXECUTABLE);
  for (const [, ...fields] of (await readFile('/proc/self/maps', 'utf8')).matchAll(DATA_MAPPING)) {
    if (fields[3] !== executablePath) continue;
    const [address = 0, end = 0, offset = 0] = fields.map(field => Number.parseInt(field, 16));
    const position = await positionInExecutable(head, offset, end - address);
    if (position + file.size > end - address) continue;
    return { bytes: new MappedBytes(address + position, file.size), offset: offset + position };
  }
  return null;
}

/**
 * The position of some bytes in a part of the executable, relative to its start; infinity if it does not contain them.
 * The file is searched, because a search in memory would make all of it resident.
 */
async function positionInExecutable(wanted: Uint8Array, offset: number, length: number): Promise<number> {
  let start = 0;
  for await (const slice of readExecutable(offset, length, wanted.length)) {
    const index = Buffer.from(slice.buffer, 0, slice.length).indexOf(wanted);
    if (index >= 0) return start + index;
    start += SLICE_BYTES;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Memory outside the heap. The garbage collector counts the size of every view as heap in use and lets the heap grow
 * accordingly, so views cover only parts, and are short-lived.
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
