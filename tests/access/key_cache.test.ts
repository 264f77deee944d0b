import { expect, test } from 'bun:test';
import { KeyCache, type KeySources } from '../../src/access/key_cache.ts';
import {
  isMistyped,
  KEY_RANDOM_BYTES,
  keyDigest,
  keyId,
  MAX_KEY_LENGTH,
  makeKey,
} from '../../src/access/key_format.ts';
import { type ApiKey, KeyIndex } from '../../src/access/key_index.ts';
import type { StoredKey } from '../../src/access/key_store.ts';
import { newAccount } from '../../src/access/limiter.ts';
import { UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { ProblemLog, type Report } from '../../src/common/problem_log.ts';
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

function apiKey(id: string, digest: Uint8Array): ApiKey {
  return {
    id,
    label: id,
    digest,
    isSuspended: false,
    expiresMs: Number.POSITIVE_INFINITY,
    role: 'client',
    plan: 'default',
    limits: undefined,
    account: newAccount(id),
  };
}

test('a known key is found, and no other text', () => {
  const key = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 2, maxLength: 20 }), ([unknown, ...known]) => {
      const index = new KeyIndex(known.map(one => apiKey(one, keyDigest(one))));
      for (const one of known) expect(index.find(one)?.id).toBe(one);
      expect(index.find(unknown!)).toBeUndefined();
      expect(index.size).toBe(known.length);
    }),
  );
});

test('keys whose digests have the same prefix are distinguished', () => {
  const digest = keyDigest('abc');
  const twin = Uint8Array.from(digest);
  twin[31]! ^= 1;
  expect(new KeyIndex([apiKey('twin', twin), apiKey('abc', digest)]).find('abc')?.id).toBe('abc');
  expect(new KeyIndex([apiKey('twin', twin)]).find('abc')).toBeUndefined();
});

test('if a key occurs twice, the first one counts', () => {
  const digest = keyDigest('abc');
  expect(new KeyIndex([apiKey('first', digest), apiKey('second', digest)]).find('abc')?.id).toBe('first');
});

test('replacement keys are found in place, before the unchanged ones', () => {
  const [abc, def] = [keyDigest('abc'), keyDigest('def')];
  const [stored, listed] = [apiKey('stored', abc), apiKey('listed', abc)];
  const index = new KeyIndex([stored, listed]);
  const rotated = [apiKey('stored', def), apiKey('stored', abc)];
  index.replace([stored], rotated);
  expect([index.find('abc'), index.find('def'), index.size]).toEqual([rotated[1], rotated[0], 2]);
  index.replace(rotated, []);
  expect([index.find('abc'), index.find('def'), index.size]).toEqual([listed, undefined, 1]);
  index.replace([listed], []);
  expect([index.find('abc'), index.size]).toEqual([undefined, 0]);
});

test('a text longer than any key is not hashed', () => {
  const long = 'x'.repeat(MAX_KEY_LENGTH + 1);
  expect(new KeyIndex([apiKey('long', keyDigest(long))]).find(long)).toBeUndefined();
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

test('the time of a lookup does not reveal how much of a wrong key is right, unlike that of a plain comparison', () => {
  const { key } = makeKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, i) => i * 7));
  const others = Array.from({ length: 1000 }, (_, i) => apiKey(`${i}`, keyDigest(`${i}`)));
  const index = new KeyIndex([...others, apiKey('right', keyDigest(key))]);
  const wrongFrom = (at: number) =>
    Array.from({ length: 16 }, (_, i) => key.slice(0, at) + 'abcdefghijklmnop'[i]!.repeat(key.length - at));
  const kinds = [wrongFrom(4), wrongFrom(key.length - 1)];
  const plainly = (presented: string) => {
    for (let i = 0; i < key.length; i++) if (presented.charCodeAt(i) !== key.charCodeAt(i)) return false;
    return true;
  };
  const spread = ([early, late]: number[]) => Math.abs(late! - early!) / early!;
  // A busy machine may blur some measurements, but not all; the plain comparison shows that a leak would be detected.
  const spreads = (find: (presented: string) => unknown) =>
    Array.from({ length: 15 }, () => spread(medians(kinds, find))).sort((a, b) => a - b);
  expect(spreads(plainly)[7]).toBeGreaterThan(0.5);
  expect(spreads(presented => index.find(presented))[0]).toBeLessThan(0.1);
});

const SETTINGS = { hasKeySource: false, marketplace: null, worker: { index: 0, count: 1 } };
const KEY: StoredKey = {
  id: 'one',
  name: 'one',
  role: 'client',
  plan: UNLIMITED_PLAN.name,
  digest: new Uint8Array(32),
  createdMs: 0,
  lastUsedMs: null,
  suspendedMs: null,
  expiresMs: null,
  former: null,
};

/** Keys whose sources can fail, and their log. */
function keysFrom() {
  const log: string[] = [];
  const world = { stamp: 'a', fixedKeys: 0, revision: 0, keys: [] as StoredKey[], isFailing: false };
  const unlessFailing = <Value>(value: Value): Value => {
    if (world.isFailing) throw new Error('it is out of reach');
    return value;
  };
  const sources: KeySources = {
    lists: {
      stamp: () => world.stamp,
      read: () =>
        unlessFailing({
          plans: new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN]]),
          keys: Array.from({ length: world.fixedKeys }, (_, n) => ({
            key: `k${n}`,
            plan: 'default',
            name: '',
          })),
          marketplaceKeys: [],
        }),
    },
    stored: {
      stamp: () => String(world.revision),
      changesSince: () => undefined,
      read: () => unlessFailing({ keys: world.keys, hasEverHeld: world.keys.length > 0 }),
    },
  };
  const report: Report = (severity, message) => log.push(`${severity}: ${message}`);
  return { world, log, live: new KeyCache(SETTINGS, sources, new ProblemLog(report)) };
}

test.each([
  ['Stored API keys', { revision: 1, keys: [KEY] }],
  ['Key and plan files', { stamp: 'b', fixedKeys: 1 }],
])('%s whose change could not be read are read at the next refresh', (subject, change) => {
  const { world, log, live } = keysFrom();
  Object.assign(world, change, { isFailing: true });
  live.refresh();
  live.refresh();
  expect(live.current.direct.size).toBe(0);
  world.isFailing = false;
  live.refresh();
  expect(live.current.direct.size).toBe(1);
  expect(log).toEqual([
    'error: it is out of reach; the previous keys and plans stay in force',
    `info: ${subject} can be read again`,
  ]);
});
