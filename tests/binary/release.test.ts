import { expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from '../../data/bill_of_materials.ts';
import { bundledPackages } from '../../data/licenses/bundled_packages.ts';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { BINARY, run } from '../support/process.ts';

const ROOT = join(import.meta.dir, '../..');
const BUILD = { version: '1.2.3', commit: 'abc', epochSeconds: 0, toolchainSha256: 'def' };
const MOST_MEGABYTES = 160;

/**
 * The same files in a second place. A link to the folder would not do: the names of the parts of a program are made of
 * the paths of its files, from the folder where it is built.
 */
function linkTree(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/** Builds the executable from a copy of the sources in a folder; returns its SHA-256. */
async function buildIn(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  for (const name of ['src', 'data', 'package.json', 'tsconfig.json', 'bun.lock', 'LICENSE']) {
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  linkTree(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const build = Bun.spawn([process.execPath, 'data/build.ts'], {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'inherit',
  });
  expect(await build.exited).toBe(0);
  return new Bun.CryptoHasher('sha256')
    .update(await Bun.file(join(folder, 'dist/meridian')).bytes())
    .digest('hex');
}

test('the same sources give the same bytes, wherever they are', async () => {
  const folder = mkdtempSync(join(ROOT, 'dist/same-'));
  try {
    const first = await buildIn(join(folder, 'here'));
    expect(await buildIn(join(folder, 'over/there'))).toBe(first);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

test(`the executable has at most ${MOST_MEGABYTES} MB`, () => {
  expect(Bun.file(BINARY).size / 1e6).toBeLessThanOrEqual(MOST_MEGABYTES);
});

test('the bill of materials lists every package and data set inside, with licence and digest', async () => {
  const { bomFormat, components } = JSON.parse(await billOfMaterials(BUILD));
  expect(bomFormat).toBe('CycloneDX');
  const packages = await bundledPackages();
  expect(packages.map(({ name }) => name)).toContain('elysia');
  for (const { name, version } of [...packages, ...EMBEDDED_DATA]) {
    const found = components.filter(
      (part: { name: string; version: string }) => part.name === name && part.version === version,
    );
    expect(found).toHaveLength(1);
    expect(found[0].licenses).toHaveLength(1);
    expect(found[0].hashes[0].content).toMatch(/^([0-9a-f]{64}|[0-9a-f]{128})$/);
  }
});

test('licenses prints the licence of every package and data set inside', async () => {
  const { exitCode, stdout } = await run(['licenses']);
  expect(exitCode).toBe(0);
  for (const { name, version, licenceText } of await bundledPackages()) {
    expect(stdout).toContain(`${name} ${version}: `);
    expect(stdout).toContain(licenceText);
  }
  for (const { attribution } of EMBEDDED_DATA) expect(stdout).toContain(attribution ?? '');
});
