import { expect, test } from 'bun:test';
import { KEY_RANDOM_BYTES, makeKey } from '../../src/access/key_format.ts';
import { readKeyList } from '../../src/access/key_list.ts';

test('a list holds a key a line, with plan and name where wanted', () => {
  const text = '\uFEFF# ours\nabc\n\n  def pro\t mobile app # of 2026\r\ng#h\n';
  expect(readKeyList(text, 'keys')).toEqual([
    { key: 'abc', plan: 'default', name: 'keys, line 2' },
    { key: 'def', plan: 'pro', name: 'keys, line 4 (mobile app)' },
    { key: 'g#h', plan: 'default', name: 'keys, line 5' },
  ]);
});

test('an invalid key is rejected by its line, and is not shown', () => {
  const { key } = makeKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7));
  const mistyped = `${key.slice(0, -1)}!`;
  for (const bad of ['sécret', 'a,b', 'x'.repeat(513), mistyped]) {
    try {
      readKeyList(`good\n${bad}`, 'keys');
      expect.unreachable();
    } catch (error) {
      expect(String(error)).toContain('keys, line 2');
      expect(String(error)).not.toContain(bad);
    }
  }
});
