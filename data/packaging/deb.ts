import { resolve } from 'node:path';
import {
  CONFIG_PATH,
  gzipped,
  inWorkFolder,
  type PackageFile,
  packageFiles,
  type Release,
  template,
  writeFiles,
} from './package_files.ts';

/** Architectures by the platform of the executable. */
const ARCHITECTURES: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

const OVERRIDES = `# The executable contains the bytecode of the service behind the runtime: strip would remove it.
meridian: unstripped-binary-or-object
# Libraries are part of the runtime, whose vendor links them into it.
meridian: embedded-library
# Built by Bun's compiler, which has no such options.
meridian: hardening-no-pie
meridian: hardening-no-relro
`;

/** Writes a Debian package and returns its path, or undefined for platforms that have none. */
export async function writeDeb(
  platform: string,
  executable: string,
  folder: string,
  release: Release,
): Promise<string | undefined> {
  const architecture = ARCHITECTURES[platform];
  if (architecture === undefined) return undefined;
  return await inWorkFolder(folder, async work => {
    const target = resolve(folder, `meridian_${release.version}_${architecture}.deb`);
    await writeFiles(work, await debFiles(architecture, executable, release), release.epochSeconds);
    const compression = release.compression === 'best' ? '-Zxz' : '-Znone';
    const environment = { ...process.env, SOURCE_DATE_EPOCH: String(release.epochSeconds) };
    await Bun.$`dpkg-deb --root-owner-group --threads-max=2 ${compression} --build ${work} ${target}`
      .env(environment)
      .quiet();
    return target;
  });
}

async function debFiles(architecture: string, executable: string, release: Release): Promise<PackageFile[]> {
  const files = packageFiles(executable, release);
  const kilobytes = Math.ceil(Bun.file(executable).size / 1024) + 64;
  const values = { version: release.version, architecture, size: String(kilobytes) };
  const date = new Date(release.epochSeconds * 1000).toUTCString().replace('GMT', '+0000');
  const text = (path: string, content: string | Uint8Array, mode = 0o644) => ({ path, content, mode });
  return [
    ...files,
    text('usr/share/doc/meridian/copyright', await template('copyright')),
    text('usr/share/doc/meridian/changelog.gz', gzipped(await template('changelog', { ...values, date }))),
    text('usr/share/lintian/overrides/meridian', OVERRIDES),
    text('DEBIAN/control', await template('control', values)),
    text('DEBIAN/conffiles', `/${CONFIG_PATH}\n`),
    ...(await Promise.all(
      ['postinst', 'prerm', 'postrm'].map(async name => text(`DEBIAN/${name}`, await template(name), 0o755)),
    )),
  ];
}
