import { expect, test } from 'bun:test';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { KeyRing, type RingSettings, type RingWorld } from '../../src/signing/key_ring.ts';
import { KeyStoreError, type SigningKeyStore } from '../../src/signing/key_store.ts';
import {
  type KeyRecord,
  publicKeyOf,
  readKeyRecord,
  type SigningKey,
  validateKey,
  writeKeyRecord,
} from '../../src/signing/signing_key.ts';
import { sampleKey, sampleSeed } from '../support/signing_keys.ts';
import { at, freshPath } from './key_folder.ts';

const MS_PER_DAY = 86_400_000;

/** A world with a stopped clock, which the test advances. */
class FakeWorld implements RingWorld {
  nowMs: number;
  reports: string[] = [];
  active: string[] = [];
  waits: { readonly ms: number; readonly end: () => void }[] = [];
  #seeds = 0;

  constructor(date = '2026-07-19') {
    this.nowMs = at(date);
  }
  epochMs(): number {
    return this.nowMs;
  }
  elapsedMs(): number {
    return this.nowMs;
  }
  wait(ms: number): Promise<void> {
    return new Promise(resolve => this.waits.push({ ms, end: resolve }));
  }
  seed(): Uint8Array {
    return sampleSeed(++this.#seeds + this.nowMs / MS_PER_DAY);
  }
  report(message: string): void {
    this.reports.push(message);
  }
  activated(kid: string): void {
    this.active.push(kid);
  }
}

/** An in-memory store whose reads the test counts and can delay. */
class FakeStore implements SigningKeyStore {
  keys: readonly SigningKey[] = [];
  loads = 0;
  rotations = 0;
  failure: KeyStoreError | undefined;
  held: Promise<void> = Promise.resolve();

  async synchronize(): Promise<readonly SigningKey[]> {
    this.loads++;
    const { keys, failure } = this;
    await this.held;
    if (failure !== undefined) throw failure;
    return keys;
  }
  async rotate(): Promise<readonly SigningKey[]> {
    this.rotations++;
    throw new KeyStoreError('it is read-only');
  }
}

const [older, newer] = [sampleKey(1, 'ed25519-2026-07-19'), sampleKey(2, 'ed25519-2026-10-17')];
const retired = (key: SigningKey): SigningKey => ({ ...key, privateKey: undefined });

function settings(store: SigningKeyStore, more: Partial<RingSettings> = {}): RingSettings {
  return { store, retain: Number.POSITIVE_INFINITY, rotateEveryMs: undefined, ...more };
}

const kids = (keys: readonly SigningKey[]): string[] => keys.map(({ kid }) => kid);

test('the first start creates a key, the second finds it', async () => {
  const path = freshPath();
  const first = await KeyRing.open(settings(new KeyDirectory(path)), new FakeWorld());
  expect(first.current.active?.kid).toBe('ed25519-2026-07-19');
  const second = await KeyRing.open(settings(new KeyDirectory(path)), new FakeWorld('2026-12-24'));
  expect(second.current.active?.x).toBe(first.current.active!.x);
});

test('processes that start concurrently on an empty store agree on one key', async () => {
  const path = freshPath();
  const open = (number: number) => {
    const world = new FakeWorld();
    world.seed = () => sampleSeed(number);
    return KeyRing.open(settings(new KeyDirectory(path)), world);
  };
  const rings = await Promise.all([1, 2, 3, 4].map(open));
  expect(new Set(rings.map(ring => ring.current.active?.x)).size).toBe(1);
  expect(rings.map(ring => kids(ring.current.published))).toEqual(rings.map(() => ['ed25519-2026-07-19']));
});

test('the schedule rotates when the key is due, once for all processes', async () => {
  const path = freshPath();
  const every = { rotateEveryMs: 90 * MS_PER_DAY };
  const world = new FakeWorld();
  const rings = [
    await KeyRing.open(settings(new KeyDirectory(path), every), world),
    await KeyRing.open(settings(new KeyDirectory(path), every), world),
  ];
  world.nowMs += 90 * MS_PER_DAY - 1;
  await Promise.all(rings.map(ring => ring.maintain()));
  expect(rings.map(ring => kids(ring.current.published))).toEqual(rings.map(() => ['ed25519-2026-07-19']));
  world.nowMs += 1;
  await Promise.all(rings.map(ring => ring.maintain()));
  const both = ['ed25519-2026-10-17', 'ed25519-2026-07-19'];
  expect(rings.map(ring => kids(ring.current.published))).toEqual(rings.map(() => both));
  expect(world.reports).toEqual([]);
});

test('with a clock set back the schedule waits instead of rotating', async () => {
  const world = new FakeWorld('2030-01-01');
  const ring = await KeyRing.open(
    settings(new KeyDirectory(freshPath()), { rotateEveryMs: MS_PER_DAY }),
    world,
  );
  for (const date of ['1970-01-01', '2026-07-19', '2030-01-01']) {
    world.nowMs = at(date);
    await ring.maintain();
  }
  expect(kids(ring.current.published)).toEqual(['ed25519-2030-01-01']);
  world.nowMs = at('2030-01-02');
  await ring.maintain();
  expect([ring.current.active?.kid, world.active]).toEqual(['ed25519-2030-01-02', ['ed25519-2030-01-02']]);
});

test('the newest retired keys are published, up to the retained number', async () => {
  const directory = new KeyDirectory(freshPath());
  for (let day = 1; day <= 4; day++) {
    await directory.rotate({ epochMs: at(`2026-07-0${day}`), seed: sampleSeed(day) });
  }
  for (const [retain, published] of [
    [0, ['ed25519-2026-07-04']],
    [2, ['ed25519-2026-07-04', 'ed25519-2026-07-03', 'ed25519-2026-07-02']],
    [Number.POSITIVE_INFINITY, [4, 3, 2, 1].map(day => `ed25519-2026-07-0${day}`)],
  ] as const) {
    const ring = await KeyRing.open(settings(directory, { retain }), new FakeWorld());
    expect(kids(ring.current.published)).toEqual([...published]);
  }
});

test('a store that is not writable is used and reported once, an empty one without an active key', async () => {
  const world = new FakeWorld();
  const store = new FakeStore();
  const ring = await KeyRing.open(settings(store), world);
  expect([ring.current.active, ring.problem]).toEqual([undefined, 'it is read-only']);
  await ring.maintain();
  expect([store.rotations, world.reports]).toEqual([2, ['it is read-only']]);
  store.keys = [older];
  await ring.maintain();
  expect([ring.current.active?.kid, ring.problem]).toEqual([older.kid, undefined]);
});

test('a read-only store whose key is due keeps signing with it', async () => {
  const store = new FakeStore();
  store.keys = [older];
  const world = new FakeWorld('2027-07-19');
  const ring = await KeyRing.open(settings(store, { rotateEveryMs: MS_PER_DAY }), world);
  expect([ring.current.active?.kid, world.reports]).toEqual([older.kid, ['it is read-only']]);
});

test('a store is rotated at startup unless exactly one key has a private key', async () => {
  const rotationsFor = async (...keys: SigningKey[]) => {
    const store = new FakeStore();
    store.keys = keys;
    await KeyRing.open(settings(store), new FakeWorld());
    return store.rotations;
  };
  expect(await rotationsFor(newer, retired(older))).toBe(0);
  expect(await rotationsFor(newer, older)).toBe(1);
  expect(await rotationsFor(retired(older))).toBe(1);
  expect(await rotationsFor()).toBe(1);
});

test('a key is due at its age, and never before its creation', async () => {
  const isDueAfter = async (ms: number, rotateEveryMs?: number) => {
    const store = new FakeStore();
    store.keys = [newer];
    const world = new FakeWorld();
    world.nowMs = newer.createdMs + ms;
    await KeyRing.open(settings(store, { rotateEveryMs }), world);
    return store.rotations === 1;
  };
  const ages = [-1e12, 0, 999, 1000];
  expect(await Promise.all(ages.map(ms => isDueAfter(ms, 1000)))).toEqual([false, false, false, true]);
  expect(await isDueAfter(1e12)).toBe(false);
});

test('a damaged store prevents startup; later it is reported while the old keys stay', async () => {
  const path = freshPath();
  const world = new FakeWorld();
  const ring = await KeyRing.open(settings(new KeyDirectory(path)), world);
  writeFileSync(join(path, 'ed25519-2026-07-19.json'), '');
  await ring.reread();
  await expect(ring.reload()).rejects.toThrow('it is empty');
  expect(ring.current.active?.kid).toBe('ed25519-2026-07-19');
  expect(world.reports).toEqual([ring.problem!]);
  expect(ring.problem).toContain('it is empty');
  await expect(KeyRing.open(settings(new KeyDirectory(path)), world)).rejects.toThrow('it is empty');
});

test.skipIf(process.platform === 'win32')('a store readable by others prevents startup', async () => {
  const path = freshPath();
  await KeyRing.open(settings(new KeyDirectory(path)), new FakeWorld());
  chmodSync(path, 0o755);
  await expect(KeyRing.open(settings(new KeyDirectory(path)), new FakeWorld())).rejects.toThrow(
    'Others can read',
  );
});

test('a removed store is reported while the old keys stay', async () => {
  const path = freshPath();
  const world = new FakeWorld();
  const ring = await KeyRing.open(settings(new KeyDirectory(path)), world);
  rmSync(dirname(path), { recursive: true });
  for (let minute = 0; minute < 3; minute++) await ring.maintain();
  expect(ring.current.active?.kid).toBe('ed25519-2026-07-19');
  expect(world.reports).toEqual([expect.stringContaining('gone from their folder')]);
  expect(await new KeyDirectory(path).read()).toEqual([]); // and no new one was created
});

test('of overlapping reads the one that started last counts', async () => {
  const store = new FakeStore();
  store.keys = [older];
  const ring = await KeyRing.open(settings(store), new FakeWorld());
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  store.held = held;
  const slow = ring.reread();
  store.held = Promise.resolve();
  store.keys = [newer, retired(older)];
  await ring.reread();
  release();
  await slow;
  expect(ring.current.active?.kid).toBe(newer.kid);
});

test('an unknown kid causes a reread of the store, at most once a second for all requests', async () => {
  const store = new FakeStore();
  store.keys = [older];
  const world = new FakeWorld();
  const ring = await KeyRing.open(settings(store), world);
  expect(await ring.find('ed25519-1999-01-01')).toBeUndefined(); // reads immediately
  const before = store.loads;
  world.nowMs += 300;
  store.keys = [newer, retired(older)]; // another process rotates just after
  const requests = [ring.find(newer.kid), ring.find(newer.kid), ring.find('ed25519-1999-01-01')];
  await Promise.resolve();
  while (world.waits.length < requests.length) await Promise.resolve();
  expect(world.waits.map(({ ms }) => ms)).toEqual([700, 700, 700]);
  world.nowMs += 700;
  for (const { end } of world.waits) end();
  const found = await Promise.all(requests);
  expect(found.map(key => key?.kid)).toEqual([newer.kid, newer.kid, undefined]);
  expect(store.loads - before).toBe(1);
});

test('a hanging store is read only once, and all waiting requests get its result', async () => {
  const store = new FakeStore();
  store.keys = [older];
  const world = new FakeWorld();
  const ring = await KeyRing.open(settings(store), world);
  const before = store.loads;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  store.held = held;
  store.keys = [newer, retired(older)];
  const requests: unknown[] = [];
  for (let second = 0; second < 20; second++) {
    requests.push(ring.find(newer.kid), ring.find(newer.kid));
    world.nowMs += 1000;
  }
  release();
  await Promise.all(requests);
  expect(store.loads - before).toBe(1);
  expect(await requests[0]).toEqual(newer);
});

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const record: KeyRecord = {
  kid: 'ed25519-2026-07-19',
  sequence: 3,
  createdMs: Date.UTC(2026, 6, 19, 8, 30),
  x: publicKeyOf(sampleSeed(1)),
  d: base64url(sampleSeed(1)),
};

test('a key file is a JWK that any library can read, and round-trips', async () => {
  const jwk = JSON.parse(writeKeyRecord(record));
  const imported = await crypto.subtle.importKey('jwk', { ...jwk, ext: true }, 'Ed25519', false, ['sign']);
  expect(imported.type).toBe('private');
  expect(readKeyRecord(writeKeyRecord(record))).toEqual(record);
});

test("a retired key's file has no private key", () => {
  const retired = { ...record, d: undefined };
  expect(JSON.parse(writeKeyRecord(retired))).not.toHaveProperty('d');
  expect(readKeyRecord(writeKeyRecord(retired))).toEqual(retired);
});

test('invalid text is rejected with the reason', () => {
  const text = writeKeyRecord(record);
  const change = (changes: object): string => JSON.stringify({ ...JSON.parse(text), ...changes });
  const reasons: [string, string][] = [
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['\0'.repeat(300), 'it is not JSON'],
    [text.slice(0, -20), 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    [change({ kty: 'EC' }), "its 'kty' is missing or malformed"],
    [change({ crv: 'Ed448' }), "its 'crv' is missing or malformed"],
    [change({ kid: '../../etc/passwd' }), "its 'kid' is malformed"],
    [change({ x: `${record.x}=` }), "its 'x' is missing or malformed"],
    [change({ x: `${record.x.slice(0, 42)}B` }), "its 'x' is missing or malformed"],
    [change({ d: '' }), "its 'd' is missing or malformed"],
    [change({ d: null }), "its 'd' is missing or malformed"],
    [change({ sequence: 0 }), "its 'sequence' is missing or malformed"],
    [change({ sequence: undefined }), "its 'sequence' is missing or malformed"],
    [change({ created: 'yesterday' }), "its 'created' is missing or malformed"],
    [change({ created: '2026-13-41T00:00:00.000Z' }), "its 'created' is not a date"],
  ];
  for (const [given, reason] of reasons) expect(() => readKeyRecord(given)).toThrow(new Error(reason));
});

test('a key is validated: mismatched pairs and unusable points are rejected', async () => {
  expect((await validateKey(record)).privateKey?.asymmetricKeyType).toBe('ed25519');
  await expect(validateKey({ ...record, x: publicKeyOf(sampleSeed(2)) })).rejects.toThrow(
    "'x' is not the public key of 'd'",
  );
  const noPoint = Buffer.alloc(32, 0xff);
  const neutralPoint = Buffer.from([1, ...Buffer.alloc(31)]); // order 1: it accepts forgeries
  for (const bytes of [noPoint, neutralPoint]) {
    const retired = { ...record, d: undefined, x: base64url(bytes) };
    await expect(validateKey(retired)).rejects.toThrow("'x' is not an Ed25519 public key");
  }
});
