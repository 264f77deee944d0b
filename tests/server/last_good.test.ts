import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LastGood } from '../../src/server/last_good.ts';
import { temporaryFolder } from '../support/process.ts';

const filesOf = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ path: `/etc/${index}`, contents: Buffer.from(text) }));

async function textsOf(store: LastGood, name: string): Promise<string[] | null> {
  const files = await store.read(name);
  return files?.map(({ contents }) => Buffer.from(contents).toString()) ?? null;
}

test('the last saved files of a set are returned, also by another process', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'last-good');
  const store = new LastGood(path);
  expect(await store.read('ip-db')).toBeNull();
  await store.save('ip', filesOf('another set'));
  void store.save('ip-db', filesOf('old'));
  await store.save('ip-db', filesOf('v4', 'v6'));
  expect(await textsOf(new LastGood(path), 'ip-db')).toEqual(['v4', 'v6']);
  expect(await textsOf(store, 'ip')).toEqual(['another set']);
  expect(readdirSync(path)).toHaveLength(5); // two indexes, three copies: the copy of 'old' is removed
});

test('truncated or modified copies are not returned', async () => {
  using folder = temporaryFolder();
  const store = new LastGood(folder.path);
  const damages: readonly ((copies: readonly string[]) => void)[] = [
    ([first]) => writeFileSync(first!, 'v'),
    ([, second]) => writeFileSync(second!, 'V6'),
    () => writeFileSync(join(folder.path, 'ip-db.json'), '{"saved":"2026'),
    () => writeFileSync(join(folder.path, 'ip-db.json'), '{"sha256":["../../etc/passwd"]}'),
    () => writeFileSync(join(folder.path, 'ip-db.json'), '{"sha256":[]}'),
  ];
  for (const damage of damages) {
    await store.save('ip-db', filesOf('v4', 'v6'));
    damage((await store.read('ip-db'))!.map(({ path }) => path));
    expect(await store.read('ip-db')).toBeNull();
    await store.save('ip-db', filesOf('other'));
    expect(await textsOf(store, 'ip-db')).toEqual(['other']);
  }
});

test('a state directory that is not writable only makes saving fail', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'file');
  writeFileSync(path, '');
  const store = new LastGood(join(path, 'last-good'));
  await expect(store.save('calendar', filesOf('a'))).rejects.toThrow('ENOTDIR');
  await store.finish();
  expect(await store.read('calendar')).toBeNull();
});

test('a symbolic link in place of the folder is rejected, and its target unchanged', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'last-good');
  const target = join(folder.path, 'target');
  mkdirSync(target);
  symlinkSync(target, path);
  await expect(new LastGood(path).save('calendar', filesOf('a'))).rejects.toThrow('is a symbolic link');
  expect(readdirSync(target)).toEqual([]);
});

test('copies are not read through symbolic links or from pipes', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'last-good');
  const moved = join(folder.path, 'moved');
  const store = new LastGood(path);
  await store.save('calendar', filesOf('a'));
  const [copy] = (await store.read('calendar'))!;
  for (const name of [path, join(path, 'calendar.json'), copy!.path]) {
    renameSync(name, moved);
    symlinkSync(moved, name);
    expect([name, await store.read('calendar')]).toEqual([name, null]);
    rmSync(name);
    Bun.spawnSync(['mkfifo', name]);
    expect([name, await store.read('calendar')]).toEqual([name, null]);
    rmSync(name, { force: true });
    renameSync(moved, name);
  }
  expect(await textsOf(store, 'calendar')).toEqual(['a']);
});
