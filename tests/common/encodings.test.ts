import { describe, expect, test } from 'bun:test';
import { deflateRawSync, zstdCompressSync } from 'node:zlib';
import { encode, jsonArray, withMember, withMembers } from '../../src/common/json.ts';
import { decompressZstd, inflateRaw } from '../../src/common/zlib.ts';
import { hash32 } from '../../src/http/exchange.ts';
import { fc } from '../support/property.ts';

// FNV-1a test vectors: draft-eastlake-fnv, "FNV Test Vectors".
test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('hash32(%p) is the FNV-1a hash', (text, expected) => {
  expect(hash32(text) >>> 0).toBe(expected);
});

test('the hash can start at an offset into the text', () => {
  expect(hash32('http://foobar', 'http://'.length)).toBe(hash32('foobar'));
});

test('appending members gives the JSON of the whole object', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (first, rest) => {
      const base = { first };
      const members = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'first'));
      const json = withMembers(encode(base), members);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ ...base, ...members })));
    }),
  );
  expect(String(withMembers(encode({ a: 1 }), {}))).toBe('{"a":1}');
  expect(String(withMembers(encode({ a: 1 }), { b: 'ü', c: undefined }))).toBe('{"a":1,"b":"ü"}');
});

test('encoded members and arrays are joined unchanged', () => {
  const times = jsonArray([encode({ unix: 0 }), encode({ unix: 1 })]);
  expect(String(withMember(encode({ a: 1 }), 'times', times))).toBe(
    '{"a":1,"times":[{"unix":0},{"unix":1}]}',
  );
  expect(String(jsonArray([]))).toBe('[]');
});

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
