import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KEY_RANDOM_BYTES, keyDigest, makeKey } from '../../src/access/key_format.ts';
import { KeyStoreFile } from '../../src/access/key_store_file.ts';
import { asStoreError, StoreError } from '../../src/access/sqlite_file.ts';
import { SqliteStore } from '../../src/access/sqlite_store.ts';
import type { MonthlyCount, UsageEntry } from '../../src/access/usage.ts';
import { temporaryFolder } from '../support/process.ts';
import { makeFirstSchema } from './first_schema.ts';

const CREATE = { create: true, durable: true, busyMs: 1000 };
const FAST = { ...CREATE, durable: false };
const EXISTING = { ...CREATE, create: false };
const MONTH = 2026 * 12 + 10;

function newKey(id: string) {
  return {
    id,
    name: `name of ${id}`,
    role: 'client' as const,
    plan: 'default',
    digest: keyDigest(id),
    createdMs: 5,
  };
}

function entry(id: string, count: number, more: Partial<UsageEntry> = {}): UsageEntry {
  return { id, month: MONTH, count, lastUsedMs: 0, quota: undefined, isActive: true, ...more };
}

test('keys are stored, suspended, resumed and removed', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'state', 'access.sqlite');
  const store = new SqliteStore(path, CREATE);
  for (const id of ['a', 'b']) store.add(newKey(id));
  expect([
    store.change('b', { suspendedMs: 77 }),
    store.change('c', { suspendedMs: 77 }),
    store.remove('c', 9),
  ]).toEqual([true, false, false]);
  store.close();
  const again = new SqliteStore(path, EXISTING);
  const stored = {
    ...newKey('a'),
    digest: new Uint8Array(keyDigest('a')),
    lastUsedMs: null,
    suspendedMs: null,
    expiresMs: null,
    former: null,
  };
  expect(again.keys()[0]).toEqual(stored);
  expect(again.keys()[1]?.suspendedMs).toBe(77);
  expect([again.change('b', { suspendedMs: null }), again.remove('a', 9)]).toEqual([true, true]);
  expect(again.keys().map(({ id, suspendedMs }) => [id, suspendedMs])).toEqual([['b', null]]);
  again.close();
});

test('the keys in a store with the first schema are client keys', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const store = new SqliteStore(path, CREATE);
  for (const id of ['a', 'b']) store.add({ ...newKey(id), role: 'operator' });
  store.close();
  makeFirstSchema(path);
  const migrated = new SqliteStore(path, EXISTING);
  migrated.add({ ...newKey('c'), role: 'operator', expiresMs: 9 });
  migrated.rotate('c', keyDigest('d'), 8);
  expect(migrated.keys()[2]).toMatchObject({ expiresMs: 9, former: { expiresMs: 8 } });
  expect(migrated.keys().map(({ id, role }) => [id, role])).toEqual([
    ['a', 'client'],
    ['b', 'client'],
    ['c', 'operator'],
  ]);
  migrated.close();
});

test('any change to a key that concerns servers changes the revision', () => {
  using folder = temporaryFolder();
  const store = new SqliteStore(join(folder.path, 'access.sqlite'), CREATE);
  store.add(newKey('a'));
  const changes = [
    { name: 'b' },
    { role: 'operator' },
    { plan: 'b' },
    { suspendedMs: 1 },
    { expiresMs: 1 },
  ] as const;
  for (const change of changes) {
    const before = store.revision();
    expect(store.change('a', change)).toBe(true);
    expect(store.revision()).toBe(before + 1);
    expect(store.keys()[0]).toMatchObject(change);
  }
  expect(store.change('b', { name: 'c' })).toBe(false);
  expect([store.rotate('a', keyDigest('new'), 5), store.rotate('b', keyDigest('new'), 5)]).toEqual([
    true,
    false,
  ]);
  expect(store.revision()).toBe(changes.length + 2);
  const { digest, former } = store.keys()[0]!;
  expect(digest).toEqual(new Uint8Array(keyDigest('new')));
  expect(former).toEqual({ digest: new Uint8Array(keyDigest('a')), expiresMs: 5 });
  store.close();
});

test('the usage and the name of a removed key stay', () => {
  using folder = temporaryFolder();
  const store = new SqliteStore(join(folder.path, 'access.sqlite'), CREATE);
  store.add(newKey('a'));
  store.record([entry('a', 3), entry('a', 4, { month: MONTH - 24 })]);
  expect(store.removed()).toEqual([]);
  store.remove('a', 77);
  expect(store.removed()).toEqual([{ id: 'a', name: 'name of a', plan: 'default', removedMs: 77 }]);
  expect(store.usage()).toEqual([
    { id: 'a', month: MONTH - 24, count: 4 },
    { id: 'a', month: MONTH, count: 3 },
  ]);
  store.close();
});

test('ids and keys are unique', () => {
  using folder = temporaryFolder();
  const store = new SqliteStore(join(folder.path, 'access.sqlite'), CREATE);
  store.add(newKey('a'));
  expect(() => store.add(newKey('a'))).toThrow('UNIQUE');
  expect(() => store.add({ ...newKey('b'), digest: keyDigest('a') })).toThrow('UNIQUE');
  store.close();
});

test('the file is private to its owner, and contains no part of a key', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const { id, key } = makeKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, i) => i));
  const store = new SqliteStore(path, CREATE);
  store.add({ ...newKey(id), digest: keyDigest(key) });
  for (const name of readdirSync(folder.path)) {
    const file = join(folder.path, name);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'latin1')).not.toContain(key.slice(14, 30));
  }
  store.close();
});

test('usage adds up across processes and months, and writing it does not change the revision', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const [one, other] = [new SqliteStore(path, CREATE), new SqliteStore(path, EXISTING)];
  one.add(newKey('a'));
  const revision = one.revision();
  expect(one.record([entry('a', 5, { lastUsedMs: 9 }), entry('b', 1)])).toEqual([
    { used: 5, allowance: Number.POSITIVE_INFINITY },
    { used: 1, allowance: Number.POSITIVE_INFINITY },
  ]);
  expect(other.record([entry('a', -2, { lastUsedMs: 8 })])[0]?.used).toBe(3);
  expect(other.record([entry('a', 4, { month: MONTH + 1 })])[0]?.used).toBe(4);
  expect([one.used('a', MONTH), one.used('a', MONTH + 1), one.used('z', MONTH)]).toEqual([3, 4, 0]);
  expect(one.keys()[0]?.lastUsedMs).toBe(9);
  expect(one.revision()).toBe(revision);
  other.change('a', { suspendedMs: 1 });
  expect(one.revision()).toBeGreaterThan(revision);
  one.close();
  other.close();
});

test('usage in transit to another store is the same batch for every process until settled', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const [one, other] = [new SqliteStore(path, CREATE), new SqliteStore(path, EXISTING)];
  expect(one.takeBatch()).toBeNull();
  one.record([entry('a', 3), entry('a', 4, { month: MONTH + 1 }), entry('b', 1)]);
  const batch = one.takeBatch()!;
  expect(batch.counts).toEqual([
    { id: 'a', month: MONTH, count: 3 },
    { id: 'a', month: MONTH + 1, count: 4 },
    { id: 'b', month: MONTH, count: 1 },
  ]);
  expect(one.usage()).toEqual([]);
  one.record([entry('a', 7)]);
  expect([one.takeBatch(), other.takeBatch()]).toEqual([batch, batch]);
  other.settleBatch(batch);
  const next = one.takeBatch()!;
  expect(next.counts).toEqual([{ id: 'a', month: MONTH, count: 7 }]);
  expect(next.receipt).not.toBe(batch.receipt);
  one.putBatch(batch);
  one.settleBatch(next);
  expect(other.takeBatch()).toEqual(batch);
  one.close();
  other.close();
});

test('a batch left by a migration of an earlier version comes first', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const store = new SqliteStore(path, CREATE);
  const former = new Database(path);
  former.run('CREATE TABLE moving_usage (receipt TEXT, id TEXT, month TEXT, used INTEGER)');
  former.run("INSERT INTO moving_usage VALUES ('former', 'a', '2026-11', 5)");
  former.close();
  store.record([entry('b', 1)]);
  expect(store.takeBatch()).toEqual({ receipt: 'former', counts: [{ id: 'a', month: MONTH, count: 5 }] });
  store.settleBatch({ receipt: 'former', counts: [] });
  expect(store.takeBatch()?.counts).toEqual([{ id: 'b', month: MONTH, count: 1 }]);
  store.close();
});

test('much usage is split into small batches', () => {
  using folder = temporaryFolder();
  const store = new SqliteStore(join(folder.path, 'access.sqlite'), CREATE);
  const entries = Array.from({ length: 600 }, (_, i) => entry(`key ${i}`, i + 1));
  store.record(entries);
  const counts: MonthlyCount[] = [];
  const sizes: number[] = [];
  for (let batch = store.takeBatch(); batch !== null; batch = store.takeBatch()) {
    sizes.push(batch.counts.length);
    counts.push(...batch.counts);
    store.settleBatch(batch);
  }
  expect(sizes).toEqual([250, 250, 100]);
  const byId = (a: MonthlyCount, b: MonthlyCount) => a.count - b.count;
  expect(counts.sort(byId)).toEqual(entries.map(({ id, month, count }) => ({ id, month, count })));
  store.close();
});

test('a store that is damaged, cut off, newer, gone or locked is reported and left unchanged', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const store = new SqliteStore(path, CREATE);
  for (let i = 0; i < 300; i++) store.add(newKey(`token ${i}`));
  store.close();
  const whole = readFileSync(path);
  const spoil: Record<string, [(file: string) => void, string]> = {
    garbage: [file => writeFileSync(file, 'no database '.repeat(1000)), 'damaged'],
    header: [file => writeFileSync(file, Buffer.concat([Buffer.alloc(100), whole.subarray(100)])), 'damaged'],
    'a page': [
      file =>
        writeFileSync(
          file,
          Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(8192, 255), whole.subarray(12_288)]),
        ),
      'damaged',
    ],
    'cut off': [file => truncateSync(file, whole.length - 8192), 'damaged'],
    'cut off where nothing is': [file => truncateSync(file, whole.length - 1), 'truncated'],
    empty: [file => truncateSync(file, 0), 'empty'],
    newer: [file => new Database(file).run('PRAGMA user_version = 99'), 'newer meridian'],
    foreign: [file => new Database(file).run('DROP TABLE revision'), 'no such table'],
  };
  for (const [name, [damage, message]] of Object.entries(spoil)) {
    const file = join(folder.path, name);
    copyFileSync(path, file);
    damage(file);
    const before = readFileSync(file);
    for (const options of [EXISTING, CREATE]) {
      const open = () => {
        const opened = new SqliteStore(file, options);
        opened.revision();
      };
      expect(open).toThrow(message);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  }
  expect(() => new SqliteStore(join(folder.path, 'none'), EXISTING)).toThrow(StoreError);
});

test('a symbolic link in place of the store or a side file is rejected, and its target unchanged', () => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    for (const contents of [null, '', 'foreign', 'store'] as const) {
      using folder = temporaryFolder();
      const path = join(folder.path, 'access.sqlite');
      const target = join(folder.path, 'target');
      if (suffix !== '') new SqliteStore(path, CREATE).close();
      if (contents === 'store') new SqliteStore(target, CREATE).close();
      else if (contents !== null) writeFileSync(target, contents);
      symlinkSync(target, path + suffix);
      const before = contents === null ? null : readFileSync(target);
      for (const options of [EXISTING, CREATE]) {
        expect(() => new SqliteStore(path, options)).toThrow(`'${path}${suffix}' is a symbolic link`);
      }
      expect(existsSync(target) ? readFileSync(target) : null).toEqual(before);
    }
  }
});

test('a store in a linked folder is used', () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'private'));
  symlinkSync('private', join(folder.path, 'state'));
  const store = new SqliteStore(join(folder.path, 'state/access.sqlite'), CREATE);
  store.add(newKey('a'));
  store.close();
  expect(readdirSync(join(folder.path, 'private'))).toEqual(['access.sqlite']);
});

test('a store in a folder that cannot be created is reported', () => {
  expect(() => new SqliteStore('/proc/none/access.sqlite', CREATE)).toThrow(
    "Cannot create '/proc/none/access.sqlite'",
  );
});

test('a locked file is busy, not broken', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const store = new SqliteStore(path, { ...CREATE, busyMs: 1 });
  const holder = new Database(path);
  holder.run('BEGIN IMMEDIATE');
  expect(() => store.record([entry('a', 1)])).toThrow('locked');
  holder.run('COMMIT');
  expect(store.record([entry('a', 1)])[0]?.used).toBe(1);
  holder.close();
  store.close();
});

test('a plain copy of the file has every key, even while servers have it open', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const server = new SqliteStore(path, { ...CREATE, durable: false });
  const command = new SqliteStore(path, EXISTING);
  command.add(newKey('a'));
  server.record([entry('a', 1)]);
  command.add(newKey('b'));
  command.change('a', { suspendedMs: 1 });
  command.add(newKey('c'));
  command.remove('c', 1);
  copyFileSync(path, join(folder.path, 'copy'));
  const copy = new SqliteStore(join(folder.path, 'copy'), EXISTING);
  expect(copy.keys().map(({ id, suspendedMs }) => [id, suspendedMs])).toEqual([
    ['a', 1],
    ['b', null],
  ]);
  for (const store of [copy, command, server]) store.close();
});

test('a replaced file is detected', () => {
  using folder = temporaryFolder();
  const [path, copy] = [join(folder.path, 'access.sqlite'), join(folder.path, 'copy')];
  const store = new SqliteStore(path, CREATE);
  new SqliteStore(copy, CREATE).close();
  expect(store.isReplaced()).toBe(false);
  Bun.spawnSync(['mv', copy, path]);
  expect(store.isReplaced()).toBe(true);
  store.close();
});

test('four workers together grant nearly all of the quota and never more, in any interleaving', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const quota = 1000;
  const workers = Array.from({ length: 4 }, (_, index) => new SqliteStore(path, FAST, { index, count: 4 }));
  // A random walk: in each step one worker spends up to a random part of its lease, and settles.
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const allowance = [0, 0, 0, 0];
  const unsettled = [0, 0, 0, 0];
  let granted = 0;
  for (let step = 0; step < 4000; step++) {
    const worker = random(4);
    const wish = random(40);
    const spent = Math.min(wish, allowance[worker]!);
    granted += spent;
    allowance[worker]! -= spent;
    unsettled[worker]! += spent;
    expect(granted).toBeLessThanOrEqual(quota);
    if (random(3) > 0) {
      const [total] = workers[worker]!.record([
        entry('a', unsettled[worker]!, { quota, isActive: wish > 5 }),
      ]);
      unsettled[worker] = 0;
      allowance[worker] = total!.allowance;
    }
  }
  expect(granted).toBe(quota);
  for (const worker of workers) worker.close();
});

test('the lease of a dead worker is released when it starts again', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const share = (index: number) => ({ index, count: 2 });
  const [one, other] = [new SqliteStore(path, CREATE, share(0)), new SqliteStore(path, CREATE, share(1))];
  const lease = (store: SqliteStore) => store.record([entry('a', 0, { quota: 8 })])[0]!.allowance;
  expect([lease(one), lease(other)]).toEqual([4, 2]);
  one.close();
  const again = new SqliteStore(path, CREATE, share(0));
  again.releaseLeases();
  expect(lease(other)).toBe(4);
  again.close();
  other.close();
});

test('the leases of workers that no longer exist are released', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const share = (index: number, count: number) => ({ index, count });
  const lease = (store: SqliteStore) => store.record([entry('a', 0, { quota: 8 })])[0]!.allowance;
  const workers = [0, 1, 2, 3].map(index => new SqliteStore(path, CREATE, share(index, 4)));
  expect(workers.map(lease)).toEqual([2, 2, 1, 1]);
  for (const worker of workers) worker.close();
  const [one, other] = [0, 1].map(index => new SqliteStore(path, CREATE, share(index, 2)));
  one!.releaseLeases();
  other!.releaseLeases();
  expect(lease(one!)).toBe(4);
  one!.close();
  other!.close();
});

test('a running server reports a file that it can no longer access, and one that it may not write', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const file = new KeyStoreFile(path, { index: 0, count: 1 });
  const stamp = file.stamp();
  new SqliteStore(path, CREATE).close();
  expect(file.stamp()).not.toBe(stamp);
  rmSync(path);
  symlinkSync('access.sqlite', path);
  for (let look = 0; look < 2; look++) expect(() => file.stamp()).toThrow('(ELOOP)');
  file.close();
  const database = new Database(':memory:');
  database.run('CREATE TABLE token (id)');
  database.run('PRAGMA query_only = ON');
  const insert = () => {
    try {
      database.run('INSERT INTO token VALUES (1)');
    } catch (error) {
      throw asStoreError('Cannot use it', error);
    }
  };
  expect(insert).toThrow('Cannot use it: it is not writable, at least not by this user (SQLITE_READONLY)');
});
