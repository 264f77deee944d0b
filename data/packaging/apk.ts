import { resolve } from 'node:path';
import {
  CONFIG_PATH,
  foreignPackageFiles,
  type PackageFile,
  type Release,
  template,
} from './package_files.ts';
import { gzipOf, parentFolders, type TarEntry, tarArchive, tarEntries, textEntry } from './tar.ts';

/** Architectures by the platform of the executable. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  'linux-x64-musl': 'x86_64',
  'linux-arm64-musl': 'aarch64',
};

/** The scripts by apk's names for them. The user must exist before the files it owns. */
const SCRIPTS = new Map([
  ['.pre-install', 'pre-install'],
  ['.pre-upgrade', 'pre-install'],
  ['.post-upgrade', 'post-upgrade'],
  ['.pre-deinstall', 'pre-deinstall'],
]);

/** apk looks up the owner by name; the number is a placeholder for a user unknown before the installation. */
const MERIDIAN = { id: 65_534, name: 'meridian' };
const ROOT = { id: 0, name: 'root' };

/**
 * Writes an Alpine package (format of apk-tools 2: gzip members with control data and files) and returns its path, or
 * undefined for platforms that have none. It is not signed itself: SHA256SUMS is.
 */
export async function writeApk(
  platform: string,
  executable: string,
  folder: string,
  release: Release,
): Promise<string | undefined> {
  const architecture = ARCHITECTURES[platform];
  if (architecture === undefined) return undefined;
  const files = await apkFiles(executable, release);
  const state = { path: 'var/lib/meridian', mode: 0o700, owner: MERIDIAN };
  const folders = parentFolders([state, ...files].map(({ path }) => path));
  const entries = [...folders, state, ...files];
  const data = gzipOf(tarArchive(entries, release.epochSeconds), release.compression);
  const size = files.reduce((total, { content }) => total + (content?.length ?? 0), 0);
  const control = [
    textEntry('.PKGINFO', information(release, architecture, size, Bun.SHA256.hash(data, 'hex'))),
    ...(await Promise.all(
      [...SCRIPTS].map(async ([path, name]) => textEntry(path, await template(`alpine/${name}`), 0o755)),
    )),
  ];
  const target = resolve(folder, `meridian-${release.version}-r0.${architecture}.apk`);
  // Without the end-of-archive marker: apk reads control data and files as one archive.
  const head = gzipOf(Buffer.concat(tarEntries(control, release.epochSeconds)), release.compression);
  await Bun.write(target, Buffer.concat([head, data]));
  return target;
}

/** The files with the checksums that apk verifies, the configuration readable by the service. */
async function apkFiles(executable: string, release: Release): Promise<TarEntry[]> {
  const files: PackageFile[] = [
    ...(await foreignPackageFiles(executable, release)).filter(({ path }) => !path.includes('/systemd/')),
    { path: 'etc/init.d/meridian', content: await template('alpine/meridian.initd'), mode: 0o755 },
    { path: 'usr/libexec/meridian-supervised', content: await template('alpine/supervised'), mode: 0o755 },
  ];
  return Promise.all(
    files.map(async ({ path, mode, content }) => {
      const bytes = await bytesOf(content);
      const group = path === CONFIG_PATH ? MERIDIAN : ROOT;
      const pax = { 'APK-TOOLS.checksum.SHA1': Bun.SHA1.hash(bytes, 'hex') };
      return { path, mode, content: bytes, group, pax };
    }),
  );
}

async function bytesOf(content: PackageFile['content']): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? content : Bun.file(content.copyOf).bytes();
}

function information(release: Release, architecture: string, size: number, dataHash: string): string {
  return `pkgname = meridian
pkgver = ${release.version}-r0
pkgdesc = Time and time-zone HTTP service in one executable
builddate = ${release.epochSeconds}
packager = meridian maintainers <meridian@users.noreply.github.com>
size = ${size}
arch = ${architecture}
origin = meridian
maintainer = meridian maintainers <meridian@users.noreply.github.com>
license = MIT
depend = libstdc++
datahash = ${dataHash}
`;
}
