/**
 * `bun data/release.ts [--out dist/release] [--only linux-x64]`: an executable for each platform, the bill of
 * materials, all licence texts and the checksums. npm downloads the runtimes of Bun, whose digests are in `bun.sha256`.
 */
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './bill_of_materials.ts';
import { buildExecutable, currentCommit, VERSION } from './build_executable.ts';

/**
 * The platforms, as in the names of their files. None is `baseline`, for x64 processors without AVX2: since Bun 1.4 those
 * runtimes have the same bytes as the others.
 */
const PLATFORMS = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
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
  await buildExecutable(path, { target: `bun-${platform}`, runtime: await verifiedRuntime(platform) });
  console.log(path);
}
await Bun.write(join(values.out, `meridian-${VERSION}.cdx.json`), await billOfMaterials(VERSION, commit));
await copyFile(LICENSES, join(values.out, `meridian-${VERSION}-licenses.txt`));

const sums: string[] = [];
for (const name of (await readdir(values.out)).sort()) {
  sums.push(`${await sha256Of(join(values.out, name))}  ${name}\n`);
}
await Bun.write(join(values.out, 'SHA256SUMS'), sums.join(''));
console.log(sums.join(''));

/** Installs the runtime of Bun for a platform below `dist`. Throws an Error if its digest is not the pinned one. */
async function verifiedRuntime(platform: string): Promise<string> {
  const name = `@oven/bun-${platform.replace('arm64', 'aarch64')}`;
  const folder = 'dist/runtimes';
  // --force, since npm installs no package for other platforms otherwise.
  await Bun.$`npm install --prefix ${folder} --force --ignore-scripts --no-save --no-package-lock --no-audit --no-fund --loglevel=error ${name}@${Bun.version}`;
  const path = join(folder, 'node_modules', name, 'bin', platform.startsWith('windows') ? 'bun.exe' : 'bun');
  const line = `${await sha256Of(path)}  ${name}`;
  const pinned = await readFile(join(import.meta.dirname, 'bun.sha256'), 'utf8');
  if (pinned.split('\n').includes(line)) return path;
  throw new Error(`${path} is not ${name} ${Bun.version} as in data/bun.sha256: ${line}`);
}

async function sha256Of(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest('hex');
}
