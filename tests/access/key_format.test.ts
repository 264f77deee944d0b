import { expect, test } from 'bun:test';
import { isMistyped, KEY_RANDOM_BYTES, keyId, makeKey } from '../../src/access/key_format.ts';
import { fc } from '../support/property.ts';

const randomBytes = fc.uint8Array({ minLength: KEY_RANDOM_BYTES, maxLength: KEY_RANDOM_BYTES });
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a key is mrd_, an id and a secret in base62, and contains its id', () => {
  fc.assert(
    fc.property(randomBytes, random => {
      const { id, key } = makeKey(random);
      expect(key).toMatch(/^mrd_[0-9A-Za-z]{9}_[0-9A-Za-z]{39}$/);
      expect(key.split('_')[1]).toBe(id);
      expect(keyId(key)).toBe(id);
      expect(isMistyped(key)).toBe(false);
    }),
  );
});

test('different random values give different keys', () => {
  fc.assert(
    fc.property(randomBytes, randomBytes, (one, other) => {
      fc.pre(Buffer.compare(one, other) !== 0);
      expect(makeKey(one).key).not.toBe(makeKey(other).key);
    }),
  );
});

test('every bit of the random bytes is in the key', () => {
  const keys = new Set<string>([makeKey(new Uint8Array(KEY_RANDOM_BYTES)).key]);
  for (let bit = 0; bit < KEY_RANDOM_BYTES * 8; bit++) {
    const random = new Uint8Array(KEY_RANDOM_BYTES);
    random[bit >> 3] = 1 << (bit & 7);
    keys.add(makeKey(random).key);
  }
  expect(keys.size).toBe(KEY_RANDOM_BYTES * 8 + 1);
});

test('any single mistyped character is detected', () => {
  const { key } = makeKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, i) => i * 9));
  for (let at = 4; at < key.length; at++) {
    for (const other of ALPHABET) {
      if (other === key[at]) continue;
      const typed = key.slice(0, at) + other + key.slice(at + 1);
      expect(isMistyped(typed)).toBe(true);
    }
  }
});

test('two swapped characters, a missing one and an extra one are detected', () => {
  fc.assert(
    fc.property(randomBytes, fc.integer({ min: 4, max: 51 }), (random, at) => {
      const { key } = makeKey(random);
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      if (swapped !== key) expect(isMistyped(swapped)).toBe(true);
      expect(isMistyped(key.slice(0, at) + key.slice(at + 1))).toBe(true);
      expect(isMistyped(`${key.slice(0, at)}x${key.slice(at)}`)).toBe(true);
    }),
  );
});

test('a key in another format is not reported as mistyped', () => {
  for (const key of ['secret', 'sk_live_123', 'MRD_x_y', '']) expect(isMistyped(key)).toBe(false);
});

test('a wrong number of random bytes is rejected', () => {
  expect(() => makeKey(new Uint8Array(KEY_RANDOM_BYTES - 1))).toThrow(RangeError);
});
