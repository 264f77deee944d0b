import { expect, test } from 'bun:test';
import { hash32 } from '../../src/common/hash.ts';

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
