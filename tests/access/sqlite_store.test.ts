import { Database } from 'bun:sqlite';
import { expect, spyOn, test } from 'bun:test';
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
import { asStoreError, isBusy, StoreError } from '../../src/access/sqlite_errors.ts';
import { SqliteStore } from '../../src/access/sqlite_store.ts';
import type { WorkerShare } from '../../src/access/token_bucket.ts';
import type { MonthlyCount, UsageEntry } from '../../src/access/usage.ts';
import { newFolder } from '../support/process.ts';
import { addKey, keyFolder, NOW_MS, outcome } from './control.ts';
import { makeFirstSchema } from './first_schema.ts';

const CREATE = { create: true, durable: true, busyMs: 1000 };
const FAST = { ...CREATE, durable: false };
const EXISTING = { ...CREATE, create: false };
const MONTH = 2026 * 12 + 10;

function newKey(id: string) {
  const key = { id, name: `name of ${id}`, plan: 'default', digest: keyDigest(id), createdMs: 5 };
  return { ...key, role: 'client' as const };
}

function entry(id: string, count: number, more: Partial<UsageEntry> = {}): UsageEntry {
  return { id, month: MONTH, count, lastUsedMs: 0, quota: undefined, isActive: true, ...more };
}

/** The file of a store in a temporary folder, and its stores, which are closed at the end. */
function storeFolder() {
  const resources = new DisposableStack();
  const folder = newFolder();
  const path = join(folder, 'access.sqlite');
  const open = (options = CREATE, share?: WorkerShare) =>
    resources.adopt(new SqliteStore(path, options, share), store => store.close());
  return { folder, path, open, [Symbol.dispose]: () => resources.dispose() };
}

test('the keys in a store with the first schema are client keys', () => {
  using place = storeFolder();
  const store = place.open();
  for (const id of ['a', 'b']) store.add({ ...newKey(id), role: 'operator' });
  store.close();
  makeFirstSchema(place.path);
  const migrated = place.open(EXISTING);
  migrated.add({ ...newKey('c'), role: 'operator', expiresMs: 9 });
  migrated.rotate('c', keyDigest('d'), 8);
  expect(migrated.keys()[2]).toMatchObject({ expiresMs: 9, former: { expiresMs: 8 } });
  expect(migrated.keys().map(({ id, role }) => [id, role])).toEqual([
    ['a', 'client'],
    ['b', 'client'],
    ['c', 'operator'],
  ]);
});

test('any change to a key that concerns servers changes the revision', () => {
  using place = storeFolder();
  const store = place.open();
  store.add(newKey('a'));
  const changes = [{ name: 'b' }, { role: 'operator' as const }, { plan: 'b' }, { expiresMs: 1 }];
  for (const change of [...changes, { suspendedMs: 1 }]) {
    const before = store.revision();
    store.change('a', change);
    expect(store.revision()).toBe(before + 1);
  }
  const before = store.revision();
  expect(store.rotate('a', keyDigest('new'), 5)).toBe(true);
  expect([store.rotate('b', keyDigest('new'), 5), store.change('b', { name: 'c' })]).toEqual([false, false]);
  expect(store.revision()).toBe(before + 1);
});

test('ids and keys are unique', () => {
  using place = storeFolder();
  const store = place.open();
  store.add(newKey('a'));
  expect(() => store.add(newKey('a'))).toThrow('UNIQUE');
  expect(() => store.add({ ...newKey('b'), digest: keyDigest('a') })).toThrow('UNIQUE');
});

test('the file is private to its owner, and contains no part of a key', () => {
  using place = storeFolder();
  const { id, key } = makeKey(Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, i) => i));
  const store = place.open();
  store.add({ ...newKey(id), digest: keyDigest(key) });
  for (const name of readdirSync(place.folder)) {
    const file = join(place.folder, name);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'latin1')).not.toContain(key.slice(14, 30));
  }
});

test('usage adds up across processes and months, and writing it does not change the revision', () => {
  using place = storeFolder();
  const [one, other] = [place.open(), place.open(EXISTING)];
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
});

test('usage in transit to another store is the same batch for every process until settled', () => {
  using place = storeFolder();
  const [one, other] = [place.open(), place.open(EXISTING)];
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
});

test('a batch left by a migration of an earlier version comes first', () => {
  using place = storeFolder();
  const store = place.open();
  const former = new Database(place.path);
  former.run('CREATE TABLE moving_usage (receipt TEXT, id TEXT, month TEXT, used INTEGER)');
  former.run("INSERT INTO moving_usage VALUES ('former', 'a', '2026-11', 5)");
  former.close();
  store.record([entry('b', 1)]);
  expect(store.takeBatch()).toEqual({ receipt: 'former', counts: [{ id: 'a', month: MONTH, count: 5 }] });
  store.settleBatch({ receipt: 'former', counts: [] });
  expect(store.takeBatch()?.counts).toEqual([{ id: 'b', month: MONTH, count: 1 }]);
});

test('much usage is split into small batches', () => {
  using place = storeFolder();
  const store = place.open();
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
});

test('the log is added to a store that has none, where entries of more than 25 months ago are deleted', () => {
  using place = storeFolder();
  const store = place.open();
  store.add(newKey('a'));
  const raw = new Database(place.path);
  expect(raw.query("SELECT 1 FROM sqlite_schema WHERE name = 'token_log'").get()).toBeNull();
  const part = { after: { timeMs: 0, serial: '' }, limit: 9, lastMonth: MONTH };
  expect(store.log(part)).toEqual([]);
  const author = { user: null, operator: 'key-1' };
  const entry = (serial: string, timeMs: number) =>
    ({ serial, timeMs, action: 'edit', id: 'a', ...author, values: {} }) as const;
  const times = [Date.UTC(2024, 8, 30), Date.UTC(2024, 9), NOW_MS];
  const entries = times.map((timeMs, i) => entry(String(i), timeMs));
  for (const [i, each] of entries.slice(0, 2).entries()) store.change('a', { name: `${i}` }, each);
  expect(store.log(part)).toEqual(entries.slice(0, 2));
  const version = () => raw.query('PRAGMA user_version').get();
  const before = version();
  store.change('a', { name: 'c' }, entries[2]);
  expect(store.log(part)).toEqual(entries.slice(1));
  expect(version()).toEqual(before); // earlier programs can still use the file
  expect(() => store.change('a', { name: 'd' }, entries[2])).toThrow('UNIQUE');
  expect(store.keys()[0]?.name).toBe('c'); // neither the change nor the entry
  raw.close();
});

test('a store that is damaged, cut off, newer, gone or locked is reported and left unchanged', () => {
  using place = storeFolder();
  const store = place.open();
  for (let i = 0; i < 300; i++) store.add(newKey(`token ${i}`));
  store.close();
  const whole = readFileSync(place.path);
  const overwriting = (at: number, bytes: Buffer) => (file: string) =>
    writeFileSync(file, Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + bytes.length)]));
  const spoil: Record<string, [(file: string) => void, string]> = {
    garbage: [file => writeFileSync(file, 'no database '.repeat(1000)), 'damaged'],
    header: [overwriting(0, Buffer.alloc(100)), 'damaged'],
    'a page': [overwriting(4096, Buffer.alloc(8192, 255)), 'damaged'],
    'cut off': [file => truncateSync(file, whole.length - 8192), 'damaged'],
    'cut off where nothing is': [file => truncateSync(file, whole.length - 1), 'truncated'],
    empty: [file => truncateSync(file, 0), 'empty'],
    newer: [file => new Database(file).run('PRAGMA user_version = 99'), 'newer meridian'],
    foreign: [file => new Database(file).run('DROP TABLE revision'), 'no such table'],
  };
  for (const [name, [damage, message]] of Object.entries(spoil)) {
    const file = join(place.folder, name);
    copyFileSync(place.path, file);
    damage(file);
    const before = readFileSync(file);
    for (const options of [EXISTING, CREATE]) {
      expect(() => new SqliteStore(file, options).revision()).toThrow(message);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  }
  expect(() => new SqliteStore(join(place.folder, 'none'), EXISTING)).toThrow(StoreError);
});

test('a damaged store in a read-only folder is reported like any other', () => {
  using place = storeFolder();
  writeFileSync(place.path, 'no database '.repeat(1000));
  using _ = spyOn(Database.prototype, 'run').mockImplementationOnce(() => {
    throw Object.assign(new Error('read-only'), { code: 'SQLITE_READONLY_DIRECTORY' });
  });
  const message = `Cannot use the API keys in '${place.path}': the file is damaged`;
  expect(() => place.open(EXISTING)).toThrow(new RegExp(`^${message}`));
});

test('a symbolic link in place of the store or a side file is rejected, and its target unchanged', () => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    for (const contents of [null, '', 'foreign', 'store'] as const) {
      const folder = newFolder();
      const path = join(folder, 'access.sqlite');
      const target = join(folder, 'target');
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
  const folder = newFolder();
  mkdirSync(join(folder, 'private'));
  symlinkSync('private', join(folder, 'state'));
  const store = new SqliteStore(join(folder, 'state/access.sqlite'), CREATE);
  store.add(newKey('a'));
  store.close();
  expect(readdirSync(join(folder, 'private'))).toEqual(['access.sqlite']);
});

test('a store in a folder that cannot be created is reported', () => {
  expect(() => new SqliteStore('/proc/none/access.sqlite', CREATE)).toThrow(
    "Cannot create '/proc/none/access.sqlite'",
  );
});

test('a locked file is busy, not broken', () => {
  using place = storeFolder();
  const store = place.open({ ...CREATE, busyMs: 1 });
  const holder = new Database(place.path);
  holder.run('BEGIN IMMEDIATE');
  expect(() => store.record([entry('a', 1)])).toThrow('locked');
  holder.run('COMMIT');
  expect(store.record([entry('a', 1)])[0]?.used).toBe(1);
  holder.close();
});

test('a plain copy of the file has every key, even while servers have it open', () => {
  using place = storeFolder();
  const server = place.open({ ...CREATE, durable: false });
  const command = place.open(EXISTING);
  command.add(newKey('a'));
  server.record([entry('a', 1)]);
  command.add(newKey('b'));
  command.change('a', { suspendedMs: 1 });
  command.add(newKey('c'));
  command.remove('c', 1);
  copyFileSync(place.path, join(place.folder, 'copy'));
  const copy = new SqliteStore(join(place.folder, 'copy'), EXISTING);
  expect(copy.keys().map(({ id, suspendedMs }) => [id, suspendedMs])).toEqual([
    ['a', 1],
    ['b', null],
  ]);
});

test('a replaced file is detected', () => {
  const folder = newFolder();
  const [path, copy] = [join(folder, 'access.sqlite'), join(folder, 'copy')];
  const store = new SqliteStore(path, CREATE);
  new SqliteStore(copy, CREATE).close();
  expect(store.isReplaced()).toBe(false);
  Bun.spawnSync(['mv', copy, path]);
  expect(store.isReplaced()).toBe(true);
  store.close();
});

test('four workers together grant nearly all of the quota and never more, in any interleaving', () => {
  using place = storeFolder();
  const quota = 1000;
  const workers = Array.from({ length: 4 }, (_, index) => place.open(FAST, { index, count: 4 }));
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
});

test('the lease of a dead worker is released when it starts again', () => {
  using place = storeFolder();
  const share = (index: number) => ({ index, count: 2 });
  const [one, other] = [place.open(CREATE, share(0)), place.open(CREATE, share(1))];
  const lease = (store: SqliteStore) => store.record([entry('a', 0, { quota: 8 })])[0]!.allowance;
  expect([lease(one), lease(other)]).toEqual([4, 2]);
  one.close();
  const again = place.open(CREATE, share(0));
  again.releaseLeases();
  expect(lease(other)).toBe(4);
});

test('the leases of workers that no longer exist are released', () => {
  using place = storeFolder();
  const share = (index: number, count: number) => ({ index, count });
  const lease = (store: SqliteStore) => store.record([entry('a', 0, { quota: 8 })])[0]!.allowance;
  const workers = [0, 1, 2, 3].map(index => place.open(CREATE, share(index, 4)));
  expect(workers.map(lease)).toEqual([2, 2, 1, 1]);
  for (const worker of workers) worker.close();
  const [one, other] = [0, 1].map(index => place.open(CREATE, share(index, 2)));
  one!.releaseLeases();
  other!.releaseLeases();
  expect(lease(one!)).toBe(4);
});

test('a running server reports a file that it can no longer access', () => {
  using place = storeFolder();
  const { path } = place;
  const file = new KeyStoreFile(path, { index: 0, count: 1 });
  const stamp = file.stamp();
  place.open().close();
  expect(file.stamp()).not.toBe(stamp);
  rmSync(path);
  symlinkSync('access.sqlite', path);
  for (let look = 0; look < 2; look++) expect(() => file.stamp()).toThrow('(ELOOP)');
  file.close();
});

test.each([
  ['SQLITE_BUSY', 'failed (SQLITE_BUSY)', true],
  ['SQLITE_BUSY_SNAPSHOT', 'failed (SQLITE_BUSY_SNAPSHOT)', true],
  ['SQLITE_CORRUPT_INDEX', 'the file is damaged (failed). Nothing was changed; restore a backup', false],
  ['SQLITE_READONLY', 'it is not writable, at least not by this user (SQLITE_READONLY)', false],
  ['ENOSPC', 'failed', false],
])('the error %s reads: %s', (code, message, busy) => {
  const error = asStoreError('Cannot use it', Object.assign(new Error('failed'), { code }));
  expect([error.message.startsWith(`Cannot use it: ${message}`), isBusy(error)]).toEqual([true, busy]);
});

const ALONE = { index: 0, count: 1 };

/** A store with five keys, and a server's key source with the stamp of its state. */
function storeWithKeys() {
  const place = keyFolder();
  const { store, path } = place;
  const added = [1, 2, 3, 4, 5].map(number => addKey(store, number));
  const file = new KeyStoreFile(join(path, 'access.sqlite'), ALONE);
  return { ...place, store, added, file, stamp: file.stamp() };
}

test('changes since an old stamp, or in another file, are unknown', async () => {
  await using place = storeWithKeys();
  const { store, added, file, stamp } = place;
  const database = new Database(join(place.path, 'access.sqlite'));
  const renameOften = database.transaction(() => {
    const rename = database.query('UPDATE token SET name = ?2 WHERE id = ?1');
    for (let i = 0; i < 1000; i++) rename.run(added[0]!.id, `name ${i}`);
  });
  renameOften();
  database.close();
  expect(file.changesSince(stamp)?.size).toBe(1);
  store.change(added[0]!.id, { name: 'one more' });
  expect(file.changesSince(stamp)).toBeUndefined();
  expect(file.changesSince('0:1')).toBeUndefined();
  expect(file.changesSince('none')).toBeUndefined();
  file.close();
});

test('a file without a record of changes, from an earlier version, gets one and stays usable for that version', async () => {
  await using place = storeWithKeys();
  const { store, added, file } = place;
  store.record([{ id: added[0]!.id, month: 24_322, count: 3 }]);
  store.close();
  file.close();
  const path = join(place.path, 'access.sqlite');
  const former = new Database(path);
  former.run('DROP INDEX token_by_age; DROP INDEX usage_by_month; DROP TABLE token_change');
  for (const [name, event] of FORMER_TRIGGERS) {
    former.run(`DROP TRIGGER ${name}; CREATE TRIGGER ${name} AFTER ${event} ON token
      BEGIN UPDATE revision SET value = value + 1; END;`);
  }
  former.run('BEGIN IMMEDIATE');
  // A server also starts if the file is locked, and then rereads all keys after each change.
  const locked = new KeyStoreFile(path, ALONE);
  const lockedStamp = locked.stamp();
  former.run('ROLLBACK');
  former.query("UPDATE token SET name = 'by the former version' WHERE id = ?1").run(added[0]!.id);
  expect(locked.changesSince(lockedStamp)).toBeUndefined();
  expect(locked.read().keys.find(({ id }) => id === added[0]!.id)?.name).toBe('by the former version');
  locked.close();

  const again = new KeyStoreFile(path, ALONE);
  const stamp = again.stamp();
  former.query("UPDATE token SET name = 'once more' WHERE id = ?1").run(added[0]!.id);
  expect([...again.changesSince(stamp)!].map(([id, token]) => [id, token?.name])).toEqual([
    [added[0]!.id, 'once more'],
  ]);
  expect(former.query('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  former.close();
  again.close();
});

/** The triggers of a file from before changes were recorded. */
const FORMER_TRIGGERS = [
  ['token_added', 'INSERT'],
  ['token_removed', 'DELETE'],
  [
    'token_changed',
    'UPDATE OF name, role, plan, digest, suspended_ms, expires_ms, former_digest, former_expires_ms',
  ],
] as const;

test('a server reads only changed keys, with the same result as reading all', async () => {
  await using place = storeWithKeys();
  const { store, added, file } = place;
  let fullReads = 0;
  const read = file.read.bind(file);
  file.read = () => {
    fullReads += 1;
    return read();
  };
  const listed = [{ key: added[3]!.key, plan: 'default', name: 'listed too' }];
  const { access, log } = place.control({ keys: listed, edges: { stored: file } });
  const outcomes = async (...keys: string[]) =>
    Promise.all(keys.map(key => outcome(access, { 'X-API-Key': key })));
  const secrets = added.map(({ key }) => key);
  expect(await outcomes(...secrets)).toEqual(Array(5).fill('granted'));
  store.change(added[0]!.id, { suspendedMs: NOW_MS });
  store.rotate(added[1]!.id, keyDigest('a-new-key-of-the-test'), NOW_MS + 1);
  store.remove(added[2]!.id, NOW_MS);
  store.remove(added[3]!.id, NOW_MS);
  store.change(added[4]!.id, { plan: 'undefined' });
  const { key } = addKey(store, 9);
  access.tick(NOW_MS);
  expect(await outcomes(...secrets, key, 'a-new-key-of-the-test')).toEqual([
    'SUBSCRIPTION_INACTIVE',
    'granted', // until the end of the overlap
    'INVALID_AUTH',
    'granted', // as a listed key
    'SUBSCRIPTION_INACTIVE',
    'granted',
    'granted',
  ]);
  expect(log.join('\n')).toContain(
    `API key ${added[4]!.id} is rejected: its plan 'undefined' is not defined`,
  );
  store.change(added[0]!.id, { suspendedMs: null });
  store.change(added[4]!.id, { plan: 'default' });
  access.tick(NOW_MS);
  expect(await outcomes(secrets[0]!, secrets[4]!)).toEqual(['granted', 'granted']);
  expect(log.join('\n')).toContain('The plans of all API keys are defined again');
  expect(fullReads).toBe(1);
});
