import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { KeyStoreError, type Rotation } from '../../src/signing/key_store.ts';
import { activeKey } from '../../src/signing/signing_key.ts';
import { sampleSeed } from '../support/signing_keys.ts';
import { at, filesIn, kidsIn, temporaryFolders } from './key_folder.ts';

const { freshPath } = temporaryFolders();

const permissions = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const member = (path: string, name: string): unknown => JSON.parse(readFileSync(path, 'utf8'))[name];

/** A rotation on a date, whose number also seeds the key. */
function on(date: string, more: Partial<Rotation> = {}): Rotation {
  return { epochMs: at(date), seed: sampleSeed(at(date) / 43_200_000), ...more };
}

/** A store with keys from these dates, created in order. */
async function storeOf(...dates: string[]): Promise<KeyDirectory> {
  const directory = new KeyDirectory(freshPath());
  for (const date of dates) await directory.rotate(on(date));
  return directory;
}

/** The error of an action on a store. */
async function failureOf(action: Promise<unknown>): Promise<string> {
  const error = await action.then(
    () => new Error('it did not fail'),
    error => error,
  );
  if (!(error instanceof KeyStoreError)) throw error;
  return error.message;
}

test('an absent store has no keys and is not created by reading', async () => {
  const path = freshPath();
  expect(await kidsIn(path)).toEqual([]);
  expect(filesIn(dirname(path))).toEqual([]);
});

test('the first key creates the folder, which is private', async () => {
  const { path } = await storeOf('2026-07-19');
  expect(filesIn(path)).toEqual(['ed25519-2026-07-19.json', 'lock']);
  expect(permissions(path)).toBe('700');
  for (const name of filesIn(path)) expect([name, permissions(join(path, name))]).toEqual([name, '600']);
});

test('a symbolic link in place of the folder is rejected, and its target unchanged', async () => {
  for (const targetExists of [true, false]) {
    const path = freshPath();
    const target = join(dirname(path), 'target');
    if (targetExists) mkdirSync(target, { mode: 0o700 });
    symlinkSync(target, path);
    expect(await failureOf(new KeyDirectory(path).rotate(on('2026-07-19')))).toContain(
      `'${path}' is a symbolic link`,
    );
    expect(existsSync(target)).toBe(targetExists);
    if (!targetExists) continue;
    expect(filesIn(target)).toEqual([]);
  }
});

test('a symbolic link in place of a file in the store is rejected, and its target unchanged', async () => {
  for (const name of ['lock', 'ed25519-2026-07-19.json']) {
    const { path } = await storeOf('2026-07-19');
    const target = join(dirname(path), 'target');
    renameSync(join(path, name), target);
    const before = readFileSync(target);
    symlinkSync(target, join(path, name));
    expect(await failureOf(new KeyDirectory(path).rotate(on('2026-07-20')))).toContain(
      `'${join(path, name)}' is a symbolic link`,
    );
    expect(readFileSync(target)).toEqual(before);
    expect(filesIn(path)).toEqual(['ed25519-2026-07-19.json', 'lock']);
  }
});

test('a rotation puts the new key first and removes the private key of the old one', async () => {
  const directory = await storeOf('2026-07-19');
  const [before] = await directory.load();
  await directory.rotate(on('2026-10-17'));
  const keys = await new KeyDirectory(directory.path).load();
  expect(keys.map(({ kid }) => kid)).toEqual(['ed25519-2026-10-17', 'ed25519-2026-07-19']);
  expect(keys.map(({ privateKey }) => privateKey !== undefined)).toEqual([true, false]);
  expect(keys[1]?.x).toBe(before!.x);
  expect(member(join(directory.path, 'ed25519-2026-07-19.json'), 'd')).toBeUndefined();
});

test('a second rotation on a day is rejected unless forced, which uses the next free date', async () => {
  const directory = await storeOf('2026-07-19');
  expect(await failureOf(directory.rotate(on('2026-07-19')))).toBe(
    "Cannot create the signing key 'ed25519-2026-07-19': it already exists; there is one key per day, and --force uses the next free date",
  );
  for (let number = 2; number <= 3; number++) {
    await directory.rotate(on('2026-07-19', { force: true, seed: sampleSeed(number) }));
  }
  expect(await kidsIn(directory.path)).toEqual([
    'ed25519-2026-07-21',
    'ed25519-2026-07-20',
    'ed25519-2026-07-19',
  ]);
});

test('with a clock set back the newest key is still the last one created', async () => {
  const directory = await storeOf('2030-01-01', '2026-07-19');
  expect(await kidsIn(directory.path)).toEqual(['ed25519-2026-07-19', 'ed25519-2030-01-01']);
  await directory.rotate(on('2028-02-29'));
  const keys = await new KeyDirectory(directory.path).load();
  expect(keys.map(({ kid }) => kid)).toEqual([
    'ed25519-2028-02-29',
    'ed25519-2026-07-19',
    'ed25519-2030-01-01',
  ]);
  expect(activeKey(keys)?.kid).toBe('ed25519-2028-02-29');
});

test('a revoked key is gone for good, and its name is not reused', async () => {
  const directory = await storeOf('2026-07-19', '2026-07-20');
  await directory.revoke('ed25519-2026-07-19');
  expect(await kidsIn(directory.path)).toEqual(['ed25519-2026-07-20']);
  await directory.rotate(on('2026-07-19', { force: true, seed: sampleSeed(9) }));
  expect(await kidsIn(directory.path)).toEqual(['ed25519-2026-07-21', 'ed25519-2026-07-20']);
  expect(await failureOf(directory.revoke('ed25519-2026-07-19'))).toBe(
    "Cannot revoke 'ed25519-2026-07-19': there is no such key",
  );
});

test('revoking the active key or something that is not a key is rejected', async () => {
  const directory = await storeOf('2026-07-19');
  expect(await failureOf(directory.revoke('ed25519-2026-07-19'))).toContain('it is the active key');
  expect(await failureOf(directory.revoke('../lock'))).toContain('there is no such key');
  expect(await kidsIn(directory.path)).toEqual(['ed25519-2026-07-19']);
});

test('the error for a damaged file has its name, the fault and the remedy', async () => {
  const { path } = await storeOf('2026-07-19', '2026-10-17');
  const file = join(path, 'ed25519-2026-07-19.json');
  const good = readFileSync(file, 'utf8');
  const other = readFileSync(join(path, 'ed25519-2026-10-17.json'), 'utf8');
  const damages: [string, string][] = [
    ['', 'it is empty'],
    [good.slice(0, 100), 'it is not JSON'],
    [other, "it contains the key 'ed25519-2026-10-17', but is not named after it"],
    [`${good}${' '.repeat(5000)}`, `its ${good.length + 5000} bytes are more than 4096`],
  ];
  for (const [text, reason] of damages) {
    writeFileSync(file, text);
    expect(await failureOf(kidsIn(path))).toBe(
      `Cannot read the signing key '${file}': ${reason}; restore it from a backup, or move it out of the folder, after which what it signed no longer verifies`,
    );
  }
  writeFileSync(file, good);
  expect(await kidsIn(path)).toHaveLength(2);
});

test("a private key with another key's public key is rejected", async () => {
  const { path } = await storeOf('2026-07-19');
  const file = join(path, 'ed25519-2026-07-19.json');
  const jwk = JSON.parse(readFileSync(file, 'utf8'));
  const { x } = (await new KeyDirectory((await storeOf('2026-07-20')).path).load())[0]!;
  writeFileSync(file, JSON.stringify({ ...jwk, x }));
  expect(await failureOf(kidsIn(path))).toContain("'x' is not the public key of 'd'");
});

test('a damaged store is not rotated', async () => {
  const directory = await storeOf('2026-07-19');
  writeFileSync(join(directory.path, 'ed25519-2026-07-19.json'), '{');
  expect(await failureOf(directory.rotate(on('2026-07-20')))).toContain('it is not JSON');
  expect(filesIn(directory.path)).toEqual(['ed25519-2026-07-19.json', 'lock']);
});

test.skipIf(process.platform === 'win32')('a store that others can read is rejected', async () => {
  const directory = await storeOf('2026-07-19');
  const file = join(directory.path, 'ed25519-2026-07-19.json');
  for (const [path, mode] of [
    [directory.path, 0o750],
    [directory.path, 0o701],
    [file, 0o640],
    [file, 0o604],
  ] as const) {
    const before = statSync(path).mode;
    chmodSync(path, mode);
    const message = `Others can read the signing keys: '${path}' has mode ${mode.toString(8)}; 'chmod`;
    expect(await failureOf(new KeyDirectory(directory.path).load())).toStartWith(message);
    expect(await failureOf(directory.rotate(on('2026-07-20')))).toStartWith(message);
    chmodSync(path, before);
  }
  expect(await kidsIn(directory.path)).toEqual(['ed25519-2026-07-19']);
});

test('the next change completes what a crash interrupted', async () => {
  const directory = await storeOf('2026-07-19');
  const [old, fresh] = ['ed25519-2026-07-19.json', 'ed25519-2026-10-17.json'];
  const private19 = readFileSync(join(directory.path, old), 'utf8');
  await directory.rotate(on('2026-10-17'));
  // The state between renaming the new key and retiring the old one, with a half-written file.
  writeFileSync(join(directory.path, old), private19);
  writeFileSync(join(directory.path, `${old}.tmp`), private19.slice(0, 50));
  const restarted = new KeyDirectory(directory.path);
  expect((await restarted.load()).map(({ kid }) => `${kid}.json`)).toEqual([fresh, old]);
  await restarted.rotate(on('2026-10-17', { onlyIf: () => false }));
  expect(filesIn(directory.path)).toEqual([old, fresh, 'lock']);
  expect(member(join(directory.path, old), 'd')).toBeUndefined();
  expect(member(join(directory.path, fresh), 'd')).toBeString();
});

test('of concurrent rotations on one day one succeeds, and the others report why not', async () => {
  const path = freshPath();
  const outcomes = await Promise.allSettled(
    [1, 2, 3, 4, 5].map(number =>
      new KeyDirectory(path).rotate(on('2026-07-19', { seed: sampleSeed(number) })),
    ),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'rejected',
  ]);
  expect(await kidsIn(path)).toEqual(['ed25519-2026-07-19']);
});

test("a reader sees another process's changes", async () => {
  const reader = await storeOf('2026-07-19', '2026-07-20');
  await reader.load();
  const writer = new KeyDirectory(reader.path);
  await writer.rotate(on('2026-07-21'));
  await writer.revoke('ed25519-2026-07-19');
  expect(await reader.load()).toEqual(await writer.load());
  expect((await reader.load()).map(({ kid }) => kid)).toEqual(['ed25519-2026-07-21', 'ed25519-2026-07-20']);
});

test('a file not named after its key is rejected, and other files are ignored', async () => {
  const directory = await storeOf('2026-07-19');
  writeFileSync(join(directory.path, 'README'), 'kept');
  mkdirSync(join(directory.path, 'backup'));
  await directory.rotate(on('2026-07-20'));
  expect(filesIn(directory.path)).toContain('README');
  renameSync(join(directory.path, 'ed25519-2026-07-19.json'), join(directory.path, 'old.json'));
  expect(await failureOf(kidsIn(directory.path))).toContain("old.json': it contains the key");
});

test('a folder that is a file is an error, not an empty store', async () => {
  const path = freshPath();
  writeFileSync(path, '', { mode: 0o600 });
  expect(await failureOf(kidsIn(path))).toContain('Cannot read');
  expect(await failureOf(new KeyDirectory(path).rotate(on('2026-07-19')))).toContain('Cannot change');
});

test('leftovers of an interrupted writer are removed by the next change', async () => {
  const path = freshPath();
  const store = new KeyDirectory(path);
  await store.rotate(on('2026-07-19'));
  writeFileSync(join(path, 'ed25519-2026-01-01.json.tmp'), '{"kty":');
  await store.rotate(on('2026-07-20'));
  expect(filesIn(path).filter(name => name.endsWith('.tmp'))).toEqual([]);
});
