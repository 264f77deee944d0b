import { expect, test } from 'bun:test';
import { hash32 } from '../../src/common/hash.ts';

// The test vectors of FNV-1a: draft-eastlake-fnv, "FNV Test Vectors".
test.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('hash32(%p) is that of FNV-1a', (text, expected) => {
  expect(hash32(text) >>> 0).toBe(expected);
});

test('a part of a text has the hash of a text of its own', () => {
  expect(hash32('http://foobar', 'http://'.length)).toBe(hash32('foobar'));
});
