import { describe, expect, test } from 'bun:test';
import { cpSync, rmSync } from 'node:fs';
import {
  type FleetKeyAt,
  FleetKeyStore,
  type FleetKeyTable,
  type SigningKeyChange,
} from '../../src/signing/fleet_key_store.ts';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { KeyRing } from '../../src/signing/key_ring.ts';
import { keySetOf } from '../../src/signing/key_set.ts';
import { activeKey, type SigningKey } from '../../src/signing/signing_key.ts';
import { sampleSeed } from '../support/signing_keys.ts';
import { at, freshPath } from './key_folder.ts';

/** An in-memory shared store, which can be unavailable. */
class FakeStore implements FleetKeyTable {
  keys = new Map<string, FleetKeyAt>();
  isAway = false;
  changes = 0;
  #revision = 0;

  async read() {
    return new Map(this.keys);
  }

  async change(changes: readonly SigningKeyChange[]) {
    if (this.isAway) return 'away';
    if (changes.some(({ name, revision }) => (this.keys.get(name)?.revision ?? 0) !== revision))
      return 'conflict';
    for (const { name, key } of changes) this.keys.set(name, { key, revision: ++this.#revision });
    this.changes += 1;
    return 'done';
  }

  states(): Record<string, string> {
    return Object.fromEntries([...this.keys].map(([name, { key }]) => [name, key.state]));
  }
}

const TODAY = '2026-11-23';
const kids = (keys: readonly SigningKey[]) => keys.map(({ kid }) => kid);

/** A machine with its own directory; `number` makes its seeds differ from those of others. */
function machine(shared: FakeStore, number: number, path = freshPath()) {
  let seeds = number * 100;
  const reports: string[] = [];
  const seed = () => sampleSeed(++seeds);
  const directory = new KeyDirectory(path);
  const world = { shared, epochMs: () => at(TODAY), seed, report: (text: string) => reports.push(text) };
  const store = new FleetKeyStore(directory, world);
  const rotate = (force = true) => store.rotate({ epochMs: at(TODAY), seed: seed(), force });
  return { store, directory, reports, rotate, path, seed };
}

test("machines publish all machines' keys, each its own active one first", async () => {
  const shared = new FakeStore();
  const [a, b, c] = [machine(shared, 1), machine(shared, 2), machine(shared, 3)];
  for (const { rotate } of [a, b, c]) await rotate(false);
  const names = ['ed25519-2026-11-23', 'ed25519-2026-11-24', 'ed25519-2026-11-25'];
  for (const [i, { store }] of [a, b, c].entries()) {
    const keys = await store.synchronize();
    expect(kids(keys).sort()).toEqual(names);
    expect(keys[0]).toMatchObject({ kid: names[i], privateKey: expect.anything() });
    expect(keys.filter(({ privateKey }) => privateKey !== undefined)).toHaveLength(1);
  }
  await b.rotate();
  expect(shared.states()).toEqual({
    'ed25519-2026-11-23': 'active',
    'ed25519-2026-11-24': 'retired',
    'ed25519-2026-11-25': 'active',
    'ed25519-2026-11-26': 'active',
  });
  // Active keys are not counted by --retain-keys.
  const { published } = keySetOf(await a.store.synchronize(), 0);
  expect(kids(published)).toEqual(['ed25519-2026-11-23', 'ed25519-2026-11-26', 'ed25519-2026-11-25']);
});

test('a key is published before a server signs with it, and an unchanged one once', async () => {
  const shared = new FakeStore();
  const { store, directory } = machine(shared, 1);
  const seen: string[] = [];
  const world = {
    epochMs: () => at(TODAY),
    elapsedMs: () => 0,
    wait: async () => {},
    seed: () => sampleSeed(7),
    report() {},
    activated() {},
  };
  const watched: typeof store.synchronize = async () => {
    const keys = await store.synchronize();
    seen.push(`${activeKey(keys)?.kid} ${Object.keys(shared.states())}`);
    return keys;
  };
  const ring = await KeyRing.open(
    {
      store: { synchronize: watched, rotate: rotation => store.rotate(rotation) },
      retain: 9,
      rotateEveryMs: undefined,
    },
    world,
  );
  expect(ring.current.active?.kid).toBe('ed25519-2026-11-23');
  expect(seen).toEqual(['undefined ', 'ed25519-2026-11-23 ed25519-2026-11-23']);
  const { changes } = shared;
  for (let i = 0; i < 5; i++) await ring.maintain();
  expect(shared.changes).toBe(changes);
  expect(kids(await directory.read())).toEqual(['ed25519-2026-11-23']);
});

test('a name used by two machines while the store was down belongs to the first; the other creates a new key', async () => {
  const shared = new FakeStore();
  const [a, b] = [machine(shared, 1), machine(shared, 2)];
  shared.isAway = true;
  for (const { rotate } of [a, b]) await rotate();
  expect(kids(await b.store.synchronize())).toEqual(['ed25519-2026-11-23']);
  shared.isAway = false;
  await a.store.synchronize();
  const former = activeKey(await b.directory.read())!;
  const keys = await b.store.synchronize();
  expect(keys[0]?.kid).toBe('ed25519-2026-11-24');
  // Signatures of the old key still verify everywhere.
  for (const { store } of [a, b]) {
    const found = (await store.synchronize()).filter(({ kid }) => kid === 'ed25519-2026-11-23');
    expect(found).toHaveLength(2);
    expect(found.map(({ x }) => x)).toContain(former.x);
  }
  expect(kids(await a.store.synchronize())[0]).toBe('ed25519-2026-11-23');
});

test('machines whose clocks show different dates have separate names', async () => {
  const shared = new FakeStore();
  const [a, b] = [machine(shared, 1), machine(shared, 2)];
  const midnight = Date.parse('2026-11-24T00:00:00Z');
  await b.store.rotate({ epochMs: midnight + 30_000, seed: b.seed() });
  await a.store.rotate({ epochMs: midnight - 30_000, seed: a.seed() });
  await b.store.rotate({ epochMs: midnight + 31_000, seed: b.seed(), force: true });
  await a.store.rotate({ epochMs: midnight - 29_000, seed: a.seed(), force: true });
  const names = ['ed25519-2026-11-23', 'ed25519-2026-11-24', 'ed25519-2026-11-25', 'ed25519-2026-11-26'];
  for (const { store } of [a, b]) {
    const keys = await store.synchronize();
    expect(kids(keys).sort()).toEqual(names);
    expect(new Set(keys.map(({ x }) => x)).size).toBe(4);
  }
  expect(kids(await a.directory.read())[0]).toBe('ed25519-2026-11-26');
});

test('a machine that cannot replace such a key keeps using it, and reports that once', async () => {
  const shared = new FakeStore();
  const [a, b] = [machine(shared, 1), machine(shared, 2)];
  shared.isAway = true;
  for (const { rotate } of [a, b]) await rotate();
  shared.isAway = false;
  await a.store.synchronize();
  b.directory.rotate = () => Promise.reject(new Error('read-only'));
  for (let i = 0; i < 3; i++) expect(activeKey(await b.store.synchronize())?.kid).toBe('ed25519-2026-11-23');
  expect(b.reports).toEqual([
    "The signing key 'ed25519-2026-11-23' is revoked, or the name of another machine's key, and cannot be replaced: read-only",
  ]);
});

test('a failure to replace a key that recurs after a success is reported again', async () => {
  const shared = new FakeStore();
  const [a, b] = [machine(shared, 1), machine(shared, 2)];
  for (const { rotate } of [a, b]) await rotate();
  await b.store.revoke('ed25519-2026-11-23', true);
  const revoked = new Map(shared.keys);
  const original = a.directory.rotate.bind(a.directory);
  a.directory.rotate = () => Promise.reject(new Error('read-only'));
  await a.store.synchronize();
  shared.keys.clear(); // as if Redis had lost the revocation
  await a.store.synchronize();
  shared.keys = revoked;
  for (let i = 0; i < 2; i++) await a.store.synchronize();
  expect(a.reports).toHaveLength(2);
  a.directory.rotate = original;
  await a.store.synchronize();
  expect(activeKey(await a.directory.read())?.kid).toBe('ed25519-2026-11-25');
});

test('a key that cannot be written reserves one name, not one per attempt', async () => {
  const shared = new FakeStore();
  const { store, directory, rotate } = machine(shared, 1);
  const original = directory.rotate.bind(directory);
  directory.rotate = async rotation => {
    await rotation.claim?.({
      kid: 'ed25519-2026-11-23',
      x: activeKey(await other.store.synchronize())!.x,
      createdMs: 1,
      sequence: 1,
    });
    throw new Error('full');
  };
  const other = machine(new FakeStore(), 2);
  await other.rotate();
  for (let i = 0; i < 3; i++) await rotate().catch(() => {});
  expect(shared.keys.size).toBe(1);
  directory.rotate = original;
  await rotate();
  expect([...shared.keys.keys()]).toEqual(['ed25519-2026-11-23']);
  expect(shared.keys.get('ed25519-2026-11-23')?.key.x).toBe(activeKey(await store.synchronize())!.x);
});

describe('revoking', () => {
  test("withdraws any machine's retired key everywhere, including its directory", async () => {
    const shared = new FakeStore();
    const [a, b] = [machine(shared, 1), machine(shared, 2)];
    for (const { rotate } of [a, b, a]) await rotate();
    await b.store.revoke('ed25519-2026-11-23', false);
    for (const { store } of [a, b])
      expect(kids(await store.synchronize())).not.toContain('ed25519-2026-11-23');
    expect(kids(await a.directory.read())).toEqual(['ed25519-2026-11-25']);
    expect(b.store.revoke('ed25519-2026-11-23', false)).rejects.toThrow('there is no such key');
    // Its name is not reused.
    await b.rotate();
    expect(Object.keys(shared.states())).toHaveLength(4);
  });

  test("another machine's active key requires force, and makes that machine create another", async () => {
    const shared = new FakeStore();
    const [a, b] = [machine(shared, 1), machine(shared, 2)];
    for (const { rotate } of [a, b]) await rotate();
    expect(b.store.revoke('ed25519-2026-11-23', false)).rejects.toThrow('another machine signs with it');
    expect(b.store.revoke('ed25519-2026-11-24', true)).rejects.toThrow('it is the active key');
    await b.store.revoke('ed25519-2026-11-23', true);
    expect(kids(await a.store.synchronize())).toEqual(['ed25519-2026-11-25', 'ed25519-2026-11-24']);
    expect(kids(await b.store.synchronize())).toEqual(['ed25519-2026-11-24', 'ed25519-2026-11-25']);
  });

  test('a key that other machines keep changing ends with an error', async () => {
    const shared = new FakeStore();
    const [a, b] = [machine(shared, 1), machine(shared, 2)];
    for (const { rotate } of [a, a]) await rotate();
    shared.change = async () => 'conflict';
    expect(b.store.revoke('ed25519-2026-11-23', false)).rejects.toThrow('keep changing it; try again');
  });

  test('in a directory only is propagated when its machine is back', async () => {
    const shared = new FakeStore();
    const [a, b] = [machine(shared, 1), machine(shared, 2)];
    for (const { rotate } of [a, b, a]) await rotate();
    await a.directory.revoke('ed25519-2026-11-23');
    await a.store.synchronize();
    expect(kids(await b.store.synchronize())).toEqual(['ed25519-2026-11-24', 'ed25519-2026-11-25']);
  });
});

test('machines with copies of one directory, one of them older, do not alternately change its keys', async () => {
  const shared = new FakeStore();
  const a = machine(shared, 1);
  await a.rotate();
  const copy = freshPath('copy');
  cpSync(a.path, copy, { recursive: true });
  const b = machine(shared, 2, copy);
  expect(kids(await b.store.synchronize())).toEqual(['ed25519-2026-11-23']);
  await a.rotate();
  const { changes } = shared;
  for (let i = 0; i < 3; i++) {
    expect(kids(await a.store.synchronize())).toEqual(['ed25519-2026-11-24', 'ed25519-2026-11-23']);
    expect(kids(await b.store.synchronize())).toEqual(['ed25519-2026-11-23', 'ed25519-2026-11-24']);
  }
  expect(shared.changes).toBe(changes);
});

test('keys that vanish from the directory are not replaced, whatever other machines have', async () => {
  const shared = new FakeStore();
  const [a, b] = [machine(shared, 1), machine(shared, 2)];
  await b.rotate();
  const world = {
    epochMs: () => at(TODAY),
    elapsedMs: () => 0,
    wait: async () => {},
    seed: a.seed,
    report: (text: string) => a.reports.push(text),
    activated() {},
  };
  const ring = await KeyRing.open({ store: a.store, retain: 9, rotateEveryMs: undefined }, world);
  rmSync(a.path, { recursive: true });
  await ring.maintain();
  expect(ring.current.active?.kid).toBe('ed25519-2026-11-24');
  expect(a.reports).toEqual([expect.stringContaining('The signing keys are gone from their folder')]);
});
