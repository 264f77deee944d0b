import { expect, test } from 'bun:test';
import { openAccount } from '../../src/access/account.ts';
import { keyDigest, MAX_KEY_LENGTH } from '../../src/access/key_digest.ts';
import { KEY_RANDOM_BYTES, makeKey } from '../../src/access/key_format.ts';
import { type Holder, KeyRing } from '../../src/access/key_ring.ts';
import { fc } from '../property.ts';

function holder(id: string, digest: Uint8Array): Holder {
  return {
    id,
    label: id,
    digest,
    suspended: false,
    plan: 'default',
    limits: undefined,
    account: openAccount(id),
  };
}

test('a key finds its holder, and nothing else does', () => {
  const key = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 2, maxLength: 20 }), ([stranger, ...known]) => {
      const ring = new KeyRing(known.map(one => holder(one, keyDigest(one))));
      for (const one of known) expect(ring.find(one)?.id).toBe(one);
      expect(ring.find(stranger!)).toBeUndefined();
      expect(ring.size).toBe(known.length);
    }),
  );
});

test('holders whose digests begin alike are told apart', () => {
  const digest = keyDigest('abc');
  const twin = Uint8Array.from(digest);
  twin[31]! ^= 1;
  expect(new KeyRing([holder('twin', twin), holder('abc', digest)]).find('abc')?.id).toBe('abc');
  expect(new KeyRing([holder('twin', twin)]).find('abc')).toBeUndefined();
});

test('of two holders of one key the first counts', () => {
  const digest = keyDigest('abc');
  expect(new KeyRing([holder('first', digest), holder('second', digest)]).find('abc')?.id).toBe('first');
});

test('what is longer than any key is not looked at', () => {
  const long = 'x'.repeat(MAX_KEY_LENGTH + 1);
  expect(new KeyRing([holder('long', keyDigest(long))]).find(long)).toBeUndefined();
});

/** Nanoseconds of one call, the median of many, for each kind of key in turn. */
function medians(kinds: readonly (readonly string[])[], call: (key: string) => unknown): number[] {
  const samples = kinds.map((): number[] => []);
  for (let round = 0; round < 1500; round++) {
    for (const [kind, keys] of kinds.entries()) {
      const key = keys[round % keys.length]!;
      const from = Bun.nanoseconds();
      for (let i = 0; i < 20; i++) call(key);
      samples[kind]!.push((Bun.nanoseconds() - from) / 20);
    }
  }
  return samples.map(list => list.sort((a, b) => a - b)[list.length >> 1]!);
}

test('how much of a wrong key is right does not show in the time it takes, as it would in a plain comparison', () => {
  const { key } = makeKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, i) => i * 7));
  const others = Array.from({ length: 1000 }, (_, i) => holder(`${i}`, keyDigest(`${i}`)));
  const ring = new KeyRing([...others, holder('right', keyDigest(key))]);
  const wrongFrom = (at: number) =>
    Array.from({ length: 16 }, (_, i) => key.slice(0, at) + 'abcdefghijklmnop'[i]!.repeat(key.length - at));
  const kinds = [wrongFrom(4), wrongFrom(key.length - 1)];
  const plainly = (presented: string) => {
    for (let i = 0; i < key.length; i++) if (presented.charCodeAt(i) !== key.charCodeAt(i)) return false;
    return true;
  };
  const spread = ([early, late]: number[]) => Math.abs(late! - early!) / early!;
  // The plain comparison shows that the measurement would see a leak. A busy machine may blur one measurement, not all of five.
  const measured = Array.from({ length: 5 }, () => ({
    ring: spread(medians(kinds, presented => ring.find(presented))),
    plain: spread(medians(kinds, plainly)),
  }));
  expect(Math.min(...measured.map(({ plain }) => plain))).toBeGreaterThan(0.5);
  expect(Math.min(...measured.map(({ ring }) => ring))).toBeLessThan(0.1);
});
