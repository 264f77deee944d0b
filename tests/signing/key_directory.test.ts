import { afterAll, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { KeyStoreError, type Rotation } from '../../src/signing/key_store.ts';
import { activeKey, keyIdOf } from '../../src/signing/signing_key.ts';
import { given, newFolder } from '../support/process.ts';
import { runs } from '../support/proof.ts';
import { sampleSeed } from '../support/signing_keys.ts';
import { at, dayOf, filesIn, freshPath, kidsIn, type Rotating, startRotating } from './key_folder.ts';

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
  const [before] = await directory.read();
  await directory.rotate(on('2026-10-17'));
  const keys = await new KeyDirectory(directory.path).read();
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
  const keys = await new KeyDirectory(directory.path).read();
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
  const { x } = (await new KeyDirectory((await storeOf('2026-07-20')).path).read())[0]!;
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
    expect(await failureOf(new KeyDirectory(directory.path).read())).toStartWith(message);
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
  expect((await restarted.read()).map(({ kid }) => `${kid}.json`)).toEqual([fresh, old]);
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
  await reader.read();
  const writer = new KeyDirectory(reader.path);
  await writer.rotate(on('2026-07-21'));
  await writer.revoke('ed25519-2026-07-19');
  expect(await reader.read()).toEqual(await writer.read());
  expect((await reader.read()).map(({ kid }) => kid)).toEqual(['ed25519-2026-07-21', 'ed25519-2026-07-20']);
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

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** Fills a disk until only `pages` pages are free. */
function fillUp(disk: string, pages: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'filling'), Buffer.alloc((bavail - pages) * bsize));
}

/** The output of a process that rotates once, on a date. */
async function printedBy(rotating: ReturnType<typeof startRotating>): Promise<string[]> {
  await rotating.ended;
  return rotating.lines;
}

/** An empty 64 KiB file system, or undefined if mounting is not possible. */
function smallDisk(): string | undefined {
  const path = newFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', path]);
  if (status !== 0) return undefined;
  afterAll(() => spawnSync('umount', [path]));
  return path;
}

const disk = smallDisk();
const onSmallDisk = given(disk !== undefined, 'mount');

onSmallDisk('on a full disk a rotation fails and changes nothing', async () => {
  const path = join(disk!, 'full'); // the test is skipped without a disk
  await new KeyDirectory(path).rotate({ epochMs: at('2026-07-19'), seed: sampleSeed(1) });
  const files = () => filesIn(path).map(name => [name, readFileSync(join(path, name), 'utf8')]);
  const before = files();
  fillUp(disk!, 0);
  const printed = await printedBy(startRotating(path, '2026-07-20', 2));
  const failed = `failed: Cannot change the signing keys in '${path}': ENOSPC: no space left on device, write`;
  expect(printed).toEqual([failed, failed]);
  expect(files()).toEqual(before);
  rmSync(join(disk!, 'filling'));
  expect(await printedBy(startRotating(path, '2026-07-20', 1))).toEqual(['ed25519-2026-07-20']);
});

onSmallDisk('a full disk does not stop a stolen key from being revoked', async () => {
  const path = join(disk!, 'revoked');
  const directory = new KeyDirectory(path);
  for (const [number, date] of ['2026-07-19', '2026-07-20'].entries()) {
    await directory.rotate({ epochMs: at(date), seed: sampleSeed(number) });
  }
  fillUp(disk!, 0);
  await directory.revoke('ed25519-2026-07-19');
  expect(await kidsIn(path)).toEqual(['ed25519-2026-07-20']);
  rmSync(join(disk!, 'filling'));
});

test.skipIf(disk === undefined)(
  'if the disk fills up after the new key, that key is active, and the old one is retired later (requires mount)',
  async () => {
    const path = join(disk!, 'half-way');
    const directory = new KeyDirectory(path);
    await directory.rotate({ epochMs: at('2026-07-19'), seed: sampleSeed(1) });
    fillUp(disk!, 1);
    await expect(directory.rotate({ epochMs: at('2026-07-20'), seed: sampleSeed(2) })).rejects.toThrow(
      "The key 'ed25519-2026-07-20' is active, but its predecessor's private key stays until the next change",
    );
    const privates = async () =>
      (await new KeyDirectory(path).read()).map(({ kid, privateKey }) => [kid, privateKey !== undefined]);
    expect(await privates()).toEqual([
      ['ed25519-2026-07-20', true],
      ['ed25519-2026-07-19', true],
    ]);
    rmSync(join(disk!, 'filling'));
    await directory.rotate({ epochMs: 0, seed: sampleSeed(3), onlyIf: () => false });
    expect(await privates()).toEqual([
      ['ed25519-2026-07-20', true],
      ['ed25519-2026-07-19', false],
    ]);
  },
);

test.skipIf(process.platform === 'win32')(
  'if no file may grow, a rotation fails and changes nothing',
  async () => {
    const path = freshPath();
    await new KeyDirectory(path).rotate({ epochMs: at('2026-07-19'), seed: sampleSeed(1) });
    const limited = (argv: string[]): string[] => ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh', ...argv];
    const printed = await printedBy(startRotating(path, '2026-07-20', 1, limited));
    expect(printed).toEqual([
      `failed: Cannot change the signing keys in '${path}': EFBIG: file too large, write`,
    ]);
    expect(await kidsIn(path)).toEqual(['ed25519-2026-07-19']);
    expect(filesIn(path)).toEqual(['ed25519-2026-07-19.json', 'lock']);
  },
);

/** Runs a process without root's rights: as nobody if this one is root. */
const withoutRights = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const importable = `await import(${JSON.stringify(import.meta.resolve('../../src/signing/key_directory.ts'))})`;
const canRunWithoutRights = spawnSync(process.execPath, ['-e', importable], withoutRights).status === 0;

test.skipIf(!canRunWithoutRights || process.platform === 'win32')(
  'a read-only folder is read, and a change reports that it is read-only (requires an unprivileged user)',
  async () => {
    const path = freshPath();
    const parent = dirname(path);
    if (isRoot) chownSync(parent, NOBODY, NOBODY);
    await new KeyDirectory(path).rotate({ epochMs: at('2026-07-19'), seed: sampleSeed(1) });
    chmodSync(path, 0o500);
    const rotation = startRotating(path, '2026-07-20', 1, argv => argv, withoutRights);
    const [printed] = await printedBy(rotation);
    expect(printed).toStartWith(
      `failed: Cannot change the signing keys in '${path}': EACCES: permission denied`,
    );
    expect(await kidsIn(path)).toEqual(['ed25519-2026-07-19']);
    chmodSync(parent, 0o500);
    const absent = startRotating(join(parent, 'absent'), '2026-07-20', 1, argv => argv, withoutRights);
    expect((await printedBy(absent))[0]).toStartWith('failed: Cannot change the signing keys in');
    chmodSync(parent, 0o700);
  },
);

const MS_PER_DAY = 86_400_000;
const ROTATIONS = runs(60, 300);

/** The date after a `kid`'s. */
function dateAfter(kid: string): string {
  return keyIdOf(dayOf(kid.slice('ed25519-'.length)) * MS_PER_DAY, 1).slice('ed25519-'.length);
}

/** Reads the changing store a random number of times, like a server: published keys must stay. */
async function watch(reader: KeyDirectory, published: Set<string>, rotating: Rotating): Promise<void> {
  for (let reads = Math.floor(Math.random() * 120); reads > 0; reads--) {
    const kids = new Set((await reader.read()).map(({ kid }) => kid));
    expect([...published.difference(kids)]).toEqual([]);
    for (const kid of [...kids, ...rotating.lines.slice(0, -1)]) published.add(kid);
  }
}

test(`kill -9 at random moments of ${ROTATIONS} rotations: every store loads, no published key is missing`, async () => {
  const path = freshPath();
  const published = new Set<string>();
  const server = new KeyDirectory(path);
  let kids: string[] = [];
  while (kids.length < ROTATIONS) {
    const rotating = startRotating(path, kids[0] ? dateAfter(kids[0]) : '2026-01-01', ROTATIONS);
    await rotating.begun;
    await watch(server, published, rotating);
    rotating.kill();
    await rotating.ended;
    for (const kid of rotating.lines) published.add(kid);
    const keys = await new KeyDirectory(path).read();
    kids = keys.map(({ kid }) => kid);
    expect([...published.difference(new Set(kids))]).toEqual([]);
    // Each rotation is a day later than the previous one, so that the creation order is the date order.
    expect(kids).toEqual(kids.toSorted().reverse());
    expect(keys[0]?.privateKey).toBeDefined();
  }
  const mended = await new KeyDirectory(path).rotate({
    epochMs: 0,
    seed: new Uint8Array(32),
    onlyIf: () => false,
  });
  expect(mended.filter(({ privateKey }) => privateKey !== undefined).map(({ kid }) => kid)).toEqual([
    kids[0]!,
  ]);
  expect(filesIn(path)).toEqual([...kids.toReversed().map(kid => `${kid}.json`), 'lock']);
});

test('processes that rotate concurrently lose no key, and agree on the active one', async () => {
  const path = freshPath();
  const processes = [1, 2, 3].map(() => startRotating(path, '2026-01-01', 10));
  await Promise.all(processes.map(({ ended }) => ended));
  const printed = processes.flatMap(({ lines }) => lines);
  expect(new Set(printed).size).toBe(30);
  const keys = await new KeyDirectory(path).read();
  expect(keys.map(({ kid }) => kid).toSorted()).toEqual(printed.toSorted());
  expect(keys.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 30 }, (_, index) => 30 - index));
  expect(keys.map(({ privateKey }) => privateKey !== undefined)).toEqual(keys.map((_, index) => index === 0));
});

test('the lock of a killed process is released', async () => {
  const path = freshPath();
  for (let round = 0; round < 3; round++) {
    const killed = startRotating(path, `20${26 + round}-01-01`, 1000);
    await killed.begun;
    killed.kill();
    await killed.ended;
    const seed = new Uint8Array(32).fill(round + 1);
    const keys = await new KeyDirectory(path).rotate({
      epochMs: dayOf('2001-01-01') * MS_PER_DAY,
      seed,
      force: true,
    });
    expect(keys[0]?.kid).toBe(`ed25519-2001-01-0${round + 1}`);
  }
  expect(filesIn(path).filter(name => name.startsWith('lock'))).toEqual(['lock']);
});
