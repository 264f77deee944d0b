import { expect, test } from 'bun:test';
import { readKeyList } from '../../src/access/access_files.ts';
import { KEY_RANDOM_BYTES, makeKey } from '../../src/access/key_format.ts';

const KEY = '0123456789abcdef';

test('a list has one key per line, optionally with role, plan and name', () => {
  const text = `\uFEFF# ours\n1${KEY}\n\n  2${KEY} pro\t mobile app # of 2026\r\ng#h${KEY}\n${KEY} role=operator pro ops\n3${KEY} role=client`;
  expect(readKeyList(text, 'keys')).toEqual([
    { key: `1${KEY}`, plan: 'default', name: 'keys, line 2' },
    { key: `2${KEY}`, plan: 'pro', name: 'keys, line 4 (mobile app)' },
    { key: `g#h${KEY}`, plan: 'default', name: 'keys, line 5' },
    { key: KEY, role: 'operator', plan: 'pro', name: 'keys, line 6 (ops)' },
    { key: `3${KEY}`, role: 'client', plan: 'default', name: 'keys, line 7' },
  ]);
});

test('an invalid key is rejected by its line, and is not shown', () => {
  const { key } = makeKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7));
  const mistyped = `${key.slice(0, -1)}!`;
  for (const bad of ['a', KEY.slice(1), `sécret${KEY}`, `a,b${KEY}`, 'x'.repeat(513), mistyped]) {
    expect(() => readKeyList(`good${KEY}\n${bad}`, 'keys')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^keys, line 2: (?!.*sécret)(?!.*a,b)(?!.*mrd_)/),
      }),
    );
  }
  expect(() => readKeyList(`${KEY} role=admin`, 'keys')).toThrow(
    "keys, line 1: 'role=admin' is not one of client, operator",
  );
});
