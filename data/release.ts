/**
 * `bun data/release.ts [--out dist/release] [--only linux-x64,linux-arm64] [--fast] [--sign-key FILE]`: archives for each
 * platform, packages and an image for Linux, bills of materials, all licence texts and the checksums, also of the executables
 * inside, signed by minisign. The executables are left in the folder `executables` beside the output. npm downloads Bun's
 * runtimes, whose digests are in `bun.sha256`, and apt the C library of the image, whose digests are in
 * `packaging/c_library.sha256`. `--fast` is for trial runs: it barely compresses, accepts uncommitted changes, and downloads
 * no C library for this machine's architecture.
 */
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { billOfMaterials, spdxDocument } from './bill_of_materials.ts';
import { buildExecutable, currentCommit, VERSION } from './build_executable.ts';
import { writeApk } from './packaging/apk.ts';
import { archivedPath, writeArchive } from './packaging/archives.ts';
import { cLibrary, libraryFiles } from './packaging/c_library.ts';
import { writeDeb } from './packaging/deb.ts';
import { writeImage } from './packaging/oci_image.ts';
import { type Release, readDocuments } from './packaging/package_files.ts';
import { writeRpm } from './packaging/rpm.ts';

/**
 * The platforms, as in file names. There are no `baseline` ones, for x64 processors without AVX2: since Bun 1.4 those
 * runtimes are identical to the others.
 */
export const PLATFORMS: readonly string[] = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-arm64',
  'darwin-x64',
  'windows-x64',
];

/** The output of `meridian licenses`. */
const LICENSES = join(import.meta.dirname, 'licenses/build/licenses.txt');
const INSTALL_SCRIPT = join(import.meta.dirname, 'packaging/install.sh');
const TOOLCHAIN = join(import.meta.dirname, 'bun.sha256');

if (import.meta.main) await buildRelease();

/** Builds everything requested on the command line. The steps run in order and share their results. */
async function buildRelease(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'dist/release' },
      only: { type: 'string' },
      fast: { type: 'boolean' },
      'sign-key': { type: 'string' },
    },
  });
  const changed = values.fast ? '' : await Bun.$`git status --porcelain`.quiet().text();
  if (changed !== '') throw new Error(`Uncommitted changes:\n${changed}`);

  await rm(values.out, { recursive: true, force: true });
  const executables = join(values.out, '../executables');
  for (const folder of [values.out, executables]) await mkdir(folder, { recursive: true });
  const commit = await currentCommit();
  const epochSeconds = Number(await Bun.$`git show -s --format=%ct HEAD`.text());
  const release: Release = {
    version: VERSION,
    epochSeconds,
    documents: await readDocuments(VERSION),
    compression: values.fast ? 'none' : 'best',
  };
  const only = values.only?.split(',') ?? PLATFORMS;
  const builds = new Map<string, string>();
  for (const platform of PLATFORMS.filter(name => only.includes(name))) {
    const path = join(executables, `meridian-${VERSION}-${platform}`);
    await buildExecutable(path, { target: `bun-${platform}`, runtime: await verifiedRuntime(platform) });
    const built = platform.startsWith('windows') ? `${path}.exe` : path;
    builds.set(platform, built);
    console.log(await writeArchive(built, LICENSES, values.out, release));
    for (const write of [writeDeb, writeRpm, writeApk]) {
      const written = await write(platform, built, values.out, release);
      if (written !== undefined) console.log(written);
    }
  }
  const own = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  const libraries = (architecture: string) =>
    values.fast && architecture === own
      ? libraryFiles(architecture, '/')
      : cLibrary(architecture, 'dist/c_library');
  console.log(await writeImage(builds, values.out, { ...release, commit }, libraries));
  const build = { version: VERSION, commit, epochSeconds, toolchainSha256: await sha256Of(TOOLCHAIN) };
  await Bun.write(join(values.out, `meridian-${VERSION}.cdx.json`), await billOfMaterials(build));
  await Bun.write(join(values.out, `meridian-${VERSION}.spdx.json`), await spdxDocument(build));
  await copyFile(LICENSES, join(values.out, `meridian-${VERSION}-licenses.txt`));
  await copyFile(INSTALL_SCRIPT, join(values.out, 'install.sh'));

  const files = (await readdir(values.out)).sort().map(name => [name, join(values.out, name)] as const);
  const executed = [...builds.values()].map(path => [archivedPath(path), path] as const);
  const sums: string[] = [];
  for (const [name, path] of [...files, ...executed]) sums.push(`${await sha256Of(path)}  ${name}\n`);
  await Bun.write(join(values.out, 'SHA256SUMS'), sums.join(''));
  console.log(sums.join(''));
  const signKey = values['sign-key'];
  if (signKey === undefined)
    console.log('SHA256SUMS is not signed; --sign-key FILE names the secret key of minisign');
  else
    await Bun.$`minisign -S -s ${signKey} -m ${join(values.out, 'SHA256SUMS')} -t ${`meridian ${VERSION} ${commit}`}`;
}

/** The runtime of Bun for a platform: the one that runs this, or one that npm installs below `dist`. Throws an Error if its digest is not the pinned one. */
export async function verifiedRuntime(platform: string): Promise<string> {
  const name = `@oven/bun-${platform.replace('arm64', 'aarch64')}`;
  const pinned = (await readFile(TOOLCHAIN, 'utf8')).split('\n');
  const lineOf = async (path: string) => `${await sha256Of(path)}  ${name}`;
  if (pinned.includes(await lineOf(process.execPath))) return process.execPath;
  const folder = 'dist/runtimes';
  // --force, since npm otherwise installs no packages for other platforms.
  await Bun.$`npm install --prefix ${folder} --force --ignore-scripts --no-save --no-package-lock --no-audit --no-fund --loglevel=error ${name}@${Bun.version}`;
  const path = join(folder, 'node_modules', name, 'bin', platform.startsWith('windows') ? 'bun.exe' : 'bun');
  const line = await lineOf(path);
  if (pinned.includes(line)) return path;
  throw new Error(`${path} is not ${name} ${Bun.version} as in data/bun.sha256: ${line}`);
}

async function sha256Of(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest('hex');
}
