import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { inWorkFolder } from './package_files.ts';
import type { TarEntry } from './tar.ts';

/** Debian's architectures: the location of the C library, and where executables expect the dynamic linker. */
const ARCHITECTURES: Readonly<Record<string, Readonly<Record<'folder' | 'linker', string>>>> = {
  amd64: { folder: 'lib/x86_64-linux-gnu', linker: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { folder: 'lib/aarch64-linux-gnu', linker: 'lib/ld-linux-aarch64.so.1' },
};

/** The libraries the executable is linked to. */
const LIBRARIES = ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0'];

/** Lines `SHA-256  libc6=VERSION ARCHITECTURE`. */
const PINNED = join(import.meta.dirname, 'c_library.sha256');

/**
 * Debian's C library for an architecture, with its licence, for otherwise empty images. apt downloads the
 * package below `folder`. Throws an Error if its digest is not the pinned one.
 */
export async function cLibrary(architecture: string, folder: string): Promise<TarEntry[]> {
  await mkdir(folder, { recursive: true });
  return await inWorkFolder(folder, async work => {
    await Bun.$`dpkg-deb --extract ${await download(architecture, resolve(folder))} ${work}`;
    return await libraryFiles(architecture, work);
  });
}

/** The same from a Debian root file system. */
export function libraryFiles(architecture: string, root: string): Promise<TarEntry[]> {
  const { folder, linker } = ARCHITECTURES[architecture]!; // callers pass one from the table
  const read = async (path: string, from: string, mode: number): Promise<TarEntry> => ({
    path,
    mode,
    content: await Bun.file(join(root, from)).bytes(),
  });
  const copyright = 'usr/share/doc/libc6/copyright';
  return Promise.all([
    read(linker, join(folder, basename(linker)), 0o755),
    ...LIBRARIES.map(name => read(`${folder}/${name}`, join(folder, name), 0o644)),
    read(copyright, copyright, 0o644),
  ]);
}

/** The path of the package, downloaded if missing. */
async function download(architecture: string, folder: string): Promise<string> {
  const line = (await readFile(PINNED, 'utf8')).split('\n').find(text => text.endsWith(` ${architecture}`));
  const [digest, wanted] = line?.split(/ +/) ?? [];
  if (digest === undefined || wanted === undefined) throw new Error(`${PINNED} has no ${architecture}`);
  const name = async () =>
    (await readdir(folder)).find(file => file.startsWith('libc6_') && file.endsWith(`_${architecture}.deb`));
  if ((await name()) === undefined) await downloadByApt(architecture, wanted, folder);
  const path = join(folder, (await name()) ?? '');
  const found = Bun.SHA256.hash(await Bun.file(path).bytes(), 'hex');
  if (found === digest) return path;
  throw new Error(`${path} has the SHA-256 ${found}, which is not that of ${wanted} in ${PINNED}`);
}

/** With separate package lists, since the host's lack other architectures. */
async function downloadByApt(architecture: string, wanted: string, folder: string): Promise<void> {
  const state = join(folder, `apt-${architecture}`);
  for (const name of ['lists/partial', 'cache/archives/partial'])
    await mkdir(join(state, name), { recursive: true });
  const options = [
    ...['-qq', '-o', `APT::Architecture=${architecture}`, '-o', `APT::Architectures=${architecture}`],
    ...['-o', `Dir::State=${state}`, '-o', `Dir::Cache=${state}/cache`, '-o', 'Dir::State::status=/dev/null'],
    ...['-o', 'APT::Sandbox::User=root'],
  ];
  await Bun.$`apt-get ${options} update`.quiet();
  await Bun.$`apt-get ${options} download ${wanted}`.cwd(folder).quiet();
}
