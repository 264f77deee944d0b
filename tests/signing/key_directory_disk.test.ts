import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyDirectory } from '../../src/signing/key_directory.ts';
import { sampleSeed } from '../support/signing_keys.ts';
import { at, filesIn, kidsIn, startRotating, temporaryFolders } from './key_folder.ts';

const { freshPath, smallDisk } = temporaryFolders();

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

const disk = smallDisk();

test.skipIf(disk === undefined)(
  'on a full disk a rotation fails and changes nothing (requires mount)',
  async () => {
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
  },
);

test.skipIf(disk === undefined)(
  'a full disk does not stop a stolen key from being revoked (requires mount)',
  async () => {
    const path = join(disk!, 'revoked');
    const directory = new KeyDirectory(path);
    for (const [number, date] of ['2026-07-19', '2026-07-20'].entries()) {
      await directory.rotate({ epochMs: at(date), seed: sampleSeed(number) });
    }
    fillUp(disk!, 0);
    await directory.revoke('ed25519-2026-07-19');
    expect(await kidsIn(path)).toEqual(['ed25519-2026-07-20']);
    rmSync(join(disk!, 'filling'));
  },
);

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
      (await new KeyDirectory(path).load()).map(({ kid, privateKey }) => [kid, privateKey !== undefined]);
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
