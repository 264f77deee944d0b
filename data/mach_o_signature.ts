/**
 * An ad-hoc signature for macOS executables, as created by linkers. In programs for `darwin-x64` Bun leaves its own
 * signature: that of a shorter file named `bun`. In those for `darwin-arm64` the name is `a.out`.
 */

// From <mach-o/loader.h> and xnu's <kern/cs_blobs.h>. Mach-O is little-endian, signatures are big-endian. The lower half
// of 64-bit fields suffices: no file has 4 GB.
const MACH_O_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const SEGMENT_64 = 0x19;
const CODE_SIGNATURE = 0x1d;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const DIRECTORY_VERSION = 0x20400; // the first with the executable segment
const ADHOC_LINKER_SIGNED = 0x20002;
const SHA256 = 2;
const HASH_BYTES = 32;
const MAIN_BINARY = 1;
const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
/** The largest memory page size, that of arm64. */
const SEGMENT_ALIGNMENT = 0x4000;
const SUPER_BLOB_BYTES = 20;
const DIRECTORY_HEADER_BYTES = 88;

/** Whether a file is a 64-bit Mach-O. */
export function isMachO(file: Uint8Array): boolean {
  return file.length > HEADER_BYTES && viewOf(file).getUint32(0, true) === MACH_O_64;
}

/**
 * The executable with an ad-hoc signature in place of its own, which is the last part of the file.
 * @throws Error for a file without a signature, or with one elsewhere
 */
export function signAdHoc(file: Uint8Array, identifier: string): Uint8Array<ArrayBuffer> {
  const { text, linkEdit, signature } = loadCommands(file);
  const codeBytes = viewOf(file).getUint32(signature + 8, true);
  if (codeBytes + viewOf(file).getUint32(signature + 12, true) !== file.length) {
    throw new Error('The signature of the executable is not the last part of the file');
  }
  const name = new TextEncoder().encode(`${identifier}\0`);
  const pageCount = Math.ceil(codeBytes / PAGE_BYTES);
  const directoryBytes = DIRECTORY_HEADER_BYTES + name.length + pageCount * HASH_BYTES;

  const signed = new Uint8Array(codeBytes + SUPER_BLOB_BYTES + directoryBytes);
  signed.set(file.subarray(0, codeBytes));
  const view = viewOf(signed);
  view.setUint32(signature + 12, SUPER_BLOB_BYTES + directoryBytes, true);
  resizeSegment(view, linkEdit, signed.length);

  const directory = codeBytes + SUPER_BLOB_BYTES;
  writeWords(view, codeBytes, [SUPER_BLOB, SUPER_BLOB_BYTES + directoryBytes, 1, 0, SUPER_BLOB_BYTES]);
  const hashes = DIRECTORY_HEADER_BYTES + name.length;
  const hashing = (HASH_BYTES << 24) | (SHA256 << 16) | PAGE_BITS;
  const textBytes = view.getUint32(text + 48, true);
  writeWords(view, directory, [
    ...[
      CODE_DIRECTORY,
      directoryBytes,
      DIRECTORY_VERSION,
      ADHOC_LINKER_SIGNED,
      hashes,
      DIRECTORY_HEADER_BYTES,
    ],
    // No special slots, no scatter, no team; the limit of the code and the executable segment have 64 bits.
    ...[0, pageCount, codeBytes, hashing, 0, 0, 0, 0, 0, 0, 0, 0, 0, textBytes, 0, MAIN_BINARY],
  ]);
  signed.set(name, directory + DIRECTORY_HEADER_BYTES);
  for (let page = 0; page < pageCount; page++) {
    const bytes = signed.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeBytes));
    signed.set(Bun.SHA256.hash(bytes) as Uint8Array, directory + hashes + page * HASH_BYTES);
  }
  return signed;
}

/** Extends a segment to the end of the file, in its memory and file sizes. */
function resizeSegment(view: DataView, command: number, endOfFile: number): void {
  const bytes = endOfFile - view.getUint32(command + 40, true);
  view.setUint32(command + 32, Math.ceil(bytes / SEGMENT_ALIGNMENT) * SEGMENT_ALIGNMENT, true);
  view.setUint32(command + 48, bytes, true);
}

/** The positions of the load commands that a signature depends on. */
function loadCommands(file: Uint8Array) {
  const view = viewOf(file);
  const found = new Map<string, number>();
  let at = HEADER_BYTES;
  for (let count = view.getUint32(16, true); count > 0; count--) {
    const command = view.getUint32(at, true);
    if (command === CODE_SIGNATURE) found.set('signature', at);
    if (command === SEGMENT_64) found.set(segmentName(file, at), at);
    at += view.getUint32(at + 4, true);
  }
  const position = (name: string): number => {
    const position = found.get(name);
    if (position === undefined) throw new Error(`The executable has no ${name}`);
    return position;
  };
  return { text: position('__TEXT'), linkEdit: position('__LINKEDIT'), signature: position('signature') };
}

function segmentName(file: Uint8Array, command: number): string {
  return new TextDecoder().decode(file.subarray(command + 8, command + 24)).replace(/\0+$/, '');
}

function writeWords(view: DataView, at: number, words: readonly number[]): void {
  for (const [index, word] of words.entries()) view.setUint32(at + 4 * index, word);
}

function viewOf(file: Uint8Array): DataView {
  return new DataView(file.buffer, file.byteOffset, file.byteLength);
}
