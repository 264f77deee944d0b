import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { isMachO, signAdHoc } from '../../data/mach_o_signature.ts';

const CPU = { arm64: 0x0100000c, x64: 0x01000007 };
const LINK_EDIT_AT = 0x4000;

/** A 64-bit Mach-O with `__TEXT`, `__LINKEDIT`, and a signature that covers too few pages. */
function executable(cpu: number, codeBytes: number): Buffer {
  const file = Buffer.alloc(codeBytes + 40, 0xa5);
  const segment = (at: number, name: string, [vmsize, fileoff, filesize]: readonly number[]) => {
    file.fill(0, at, at + 72);
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8);
    file.writeBigUInt64LE(BigInt(vmsize!), at + 32);
    file.writeBigUInt64LE(BigInt(fileoff!), at + 40);
    file.writeBigUInt64LE(BigInt(filesize!), at + 48);
  };
  for (const [index, word] of [0xfeedfacf, cpu, 0, 2, 3, 160, 0, 0].entries())
    file.writeUInt32LE(word, index * 4);
  segment(32, '__TEXT', [LINK_EDIT_AT, 0, LINK_EDIT_AT]);
  segment(104, '__LINKEDIT', [0x4000, LINK_EDIT_AT, codeBytes + 40 - LINK_EDIT_AT]);
  for (const [index, word] of [0x1d, 16, codeBytes, 40].entries()) file.writeUInt32LE(word, 176 + index * 4);
  return file;
}

/** The code directory referenced by `LC_CODE_SIGNATURE`, parsed according to TN3126 "Inside Code Signing: Hashes". */
function codeDirectoryOf(file: Buffer) {
  const [at, size] = [file.readUInt32LE(184), file.readUInt32LE(188)];
  expect(at + size).toBe(file.length);
  expect([0, 4, 8].map(offset => file.readUInt32BE(at + offset))).toEqual([0xfade0cc0, size, 1]);
  const directory = file.subarray(at + file.readUInt32BE(at + 16));
  const [magic, length, , flags, hashesAt, nameAt, specialSlots, pages, codeBytes] = Array.from(
    { length: 9 },
    (_, index) => directory.readUInt32BE(index * 4),
  ) as [number, number, number, number, number, number, number, number, number];
  expect({ magic, length }).toEqual({ magic: 0xfade0c02, length: directory.length });
  const name = directory.toString('latin1', nameAt, directory.indexOf(0, nameAt));
  const hash = (page: number) =>
    directory.subarray(hashesAt + page * 32, hashesAt + page * 32 + 32).toString('hex');
  return { flags, specialSlots, pages, codeBytes, name, hash, textBytes: directory.readBigUInt64BE(72) };
}

for (const [platform, cpu] of Object.entries(CPU)) {
  test.each([0x6000, 0x6008, 0x9990])(
    `every page of an executable for ${platform} is signed (%d bytes)`,
    codeBytes => {
      const source = executable(cpu, codeBytes);
      const file = Buffer.from(signAdHoc(source, 'meridian'));
      const { flags, specialSlots, pages, hash, name, ...sizes } = codeDirectoryOf(file);
      expect(sizes).toEqual({ codeBytes, textBytes: BigInt(LINK_EDIT_AT) });
      expect({ name, specialSlots, isAdHoc: (flags & 2) !== 0 }).toEqual({
        name: 'meridian',
        specialSlots: 0,
        isAdHoc: true,
      });
      expect(pages).toBe(Math.ceil(codeBytes / 4096));
      for (let page = 0; page < pages; page++) {
        const bytes = file.subarray(page * 4096, Math.min((page + 1) * 4096, codeBytes));
        expect({ page, hash: hash(page) }).toEqual({
          page,
          hash: createHash('sha256').update(bytes).digest('hex'),
        });
      }
      // Beyond the load commands the code is unchanged, and the last segment ends with the file.
      expect(file.subarray(192, codeBytes).equals(source.subarray(192, codeBytes))).toBe(true);
      expect(file.readBigUInt64LE(104 + 48)).toBe(BigInt(file.length - LINK_EDIT_AT));
      expect(file.readBigUInt64LE(104 + 32)).toBeGreaterThanOrEqual(file.readBigUInt64LE(104 + 48));
    },
  );
}

test('signing again gives the same bytes', () => {
  const once = signAdHoc(executable(CPU.arm64, 0x7000), 'meridian');
  expect(Buffer.from(signAdHoc(once, 'meridian')).equals(once)).toBe(true);
});

test('only an executable that ends with its signature is signed', () => {
  const file = executable(CPU.x64, 0x6000);
  expect(() => signAdHoc(Buffer.concat([file, Buffer.alloc(1)]), 'meridian')).toThrow('not the last part');
  file.write('__LINKEDIx', 112);
  expect(() => signAdHoc(file, 'meridian')).toThrow('no __LINKEDIT');
  expect([isMachO(file), isMachO(Buffer.from('\x7fELF'.padEnd(64)))]).toEqual([true, false]);
});
