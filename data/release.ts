/**
 * `bun data/release.ts [--out dist/release] [--only linux-x64]`: an executable for each platform, the bill of
 * materials, all licence texts and the checksums. Bun downloads its runtimes for other platforms once, through npm.
 */
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './bill_of_materials.ts';
import { buildExecutable, currentCommit, VERSION } from './build_executable.ts';

/** The platforms, as in the names of their files. `baseline` is for x64 processors without AVX2, older than 2013. */
const PLATFORMS = [
  'linux-x64',
  'linux-x64-baseline',
  'linux-arm64',
  'linux-x64-musl',
  'linux-x64-musl-baseline',
  'linux-arm64-musl',
  'darwin-arm64',
  'darwin-x64',
  'windows-x64',
];

/** What `meridian licenses` prints. */
const LICENSES = join(import.meta.dirname, 'licenses/build/licenses.txt');

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist/release' }, only: { type: 'string' } },
});
const changed = await Bun.$`git status --porcelain`.quiet().text();
if (changed !== '') throw new Error(`Uncommitted changes:\n${changed}`);

await rm(values.out, { recursive: true, force: true });
await mkdir(values.out, { recursive: true });
const commit = await currentCommit();
for (const platform of PLATFORMS.filter(name => values.only === undefined || name === values.only)) {
  const path = join(values.out, `meridian-${VERSION}-${platform}`);
  await buildExecutable(path, `bun-${platform}`);
  console.log(path);
}
await Bun.write(join(values.out, `meridian-${VERSION}.cdx.json`), await billOfMaterials(VERSION, commit));
await copyFile(LICENSES, join(values.out, `meridian-${VERSION}-licenses.txt`));

const sums: string[] = [];
for (const name of (await readdir(values.out)).sort()) {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(join(values.out, name)).stream()) hasher.update(chunk);
  sums.push(`${hasher.digest('hex')}  ${name}\n`);
}
await Bun.write(join(values.out, 'SHA256SUMS'), sums.join(''));
console.log(sums.join(''));
