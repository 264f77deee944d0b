import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { keyDigest } from '../../src/access/key_format.ts';
import { KeyStoreFile } from '../../src/access/key_store_file.ts';
import { addKey, keyFolder, NOW_MS, outcome } from './control.ts';

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
