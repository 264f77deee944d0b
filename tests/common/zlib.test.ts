import { describe, expect, test } from 'bun:test';
import { deflateRawSync, zstdCompressSync } from 'node:zlib';
import { decompressZstd, inflateRaw } from '../../src/common/zlib.ts';

const CONTENT = Buffer.alloc(1_000_000, 'meridian');
const DECOMPRESSORS = {
  zstd: (bytes: Uint8Array, maxBytes: number) => decompressZstd(bytes, maxBytes),
  deflate: async (bytes: Uint8Array, maxBytes: number) => inflateRaw(bytes, maxBytes),
};
const COMPRESSED = { zstd: zstdCompressSync(CONTENT), deflate: deflateRawSync(CONTENT) };

describe.each(['zstd', 'deflate'] as const)('%s', coding => {
  const decompress = DECOMPRESSORS[coding];
  const compressed = COMPRESSED[coding];

  test('is decompressed up to a maximum length', async () => {
    expect(Buffer.compare(await decompress(compressed, CONTENT.length), CONTENT)).toBe(0);
    await expect(decompress(compressed, CONTENT.length - 1)).rejects.toThrow(
      'it decompresses to more than 999999 bytes',
    );
  });

  test('is rejected if damaged', async () => {
    await expect(decompress(Buffer.from('none of it'), CONTENT.length)).rejects.toThrow(Error);
  });
});
