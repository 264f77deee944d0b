import { resolve } from 'node:path';
import {
  CONFIG_PATH,
  licenseText,
  type PackageFile,
  packageFiles,
  type Release,
  template,
} from './package_files.ts';
import { parentFolders, type TarEntry, tarArchive, tarEntries } from './tar.ts';

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
  const level = release.compression === 'best' ? 9 : 0;
  const gzip = (bytes: Uint8Array) =>
    Bun.gzipSync(bytes as Uint8Array<ArrayBuffer>, { library: 'libdeflate', level });
  const folders = parentFolders([state, ...files].map(({ path }) => path));
  const entries = [...folders, state, ...files];
  const data = gzip(tarArchive(entries, release.epochSeconds));
  const size = files.reduce((total, { content }) => total + (content?.length ?? 0), 0);
  const control = [
    text('.PKGINFO', information(release, architecture, size, sha(data, 'sha256')), 0o644),
    ...(await Promise.all(
      [...SCRIPTS].map(async ([path, name]) => text(path, await template(`alpine/${name}`), 0o755)),
    )),
  ];
  const target = resolve(folder, `meridian-${release.version}-r0.${architecture}.apk`);
  // Without the end-of-archive marker: apk reads control data and files as one archive.
  const head = gzip(Buffer.concat(tarEntries(control, release.epochSeconds)));
  await Bun.write(target, Buffer.concat([head, data]));
  return target;
}

/** The files with the checksums that apk verifies, the configuration readable by the service. */
async function apkFiles(executable: string, release: Release): Promise<TarEntry[]> {
  const files: PackageFile[] = [
    ...packageFiles(executable, release).filter(({ path }) => !path.includes('/systemd/')),
    { path: 'etc/init.d/meridian', content: await template('alpine/meridian.initd'), mode: 0o755 },
    { path: 'usr/share/licenses/meridian/LICENSE', content: await licenseText(), mode: 0o644 },
  ];
  return Promise.all(
    files.map(async ({ path, mode, content }) => {
      const bytes = await bytesOf(content);
      return {
        path: path.replace('zsh/vendor-completions', 'zsh/site-functions'),
        mode,
        content: bytes,
        group: path === CONFIG_PATH ? MERIDIAN : ROOT,
        pax: { 'APK-TOOLS.checksum.SHA1': sha(bytes, 'sha1') },
      };
    }),
  );
}

async function bytesOf(content: PackageFile['content']): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? content : Bun.file(content.copyOf).bytes();
}

const text = (path: string, content: string, mode: number): TarEntry => ({
  path,
  mode,
  content: Buffer.from(content),
});

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

function sha(bytes: Uint8Array, algorithm: 'sha1' | 'sha256'): string {
  return new Bun.CryptoHasher(algorithm).update(bytes).digest('hex');
}
