import { basename, resolve } from 'node:path';
import { inWorkFolder, licenseText, type Release, writeFiles } from './package_files.ts';

/** Options of GNU tar for archives that depend only on names, modes and contents. */
export function tarOptions(epochSeconds: number): string[] {
  return [
    ...['--sort=name', `--mtime=@${epochSeconds}`, '--owner=0', '--group=0', '--numeric-owner'],
    ...['--format=ustar', '--mode=u+rw,go+r-w'],
  ];
}

/** The path of an executable, given as built, in its archive. */
export function archivedPath(executable: string): string {
  const isWindows = executable.endsWith('.exe');
  return `${basename(executable, '.exe')}/meridian${isWindows ? '.exe' : ''}`;
}

/**
 * Writes an archive of one folder with an executable, the licences and, except for Windows, manual pages and completions: a
 * `.zip` for Windows, else `.tar.xz`. Returns its path.
 */
export async function writeArchive(
  executable: string,
  licences: string,
  folder: string,
  release: Release,
): Promise<string> {
  const isWindows = executable.endsWith('.exe');
  const name = basename(executable, '.exe');
  return await inWorkFolder(folder, async work => {
    await writeFiles(work, await archiveFiles(name, executable, licences, release), release.epochSeconds);
    const target = resolve(folder, `${name}${isWindows ? '.zip' : '.tar.xz'}`);
    await (isWindows ? zip : tarXz)(work, name, target, release);
    return target;
  });
}

async function archiveFiles(name: string, executable: string, licences: string, { documents }: Release) {
  const isWindows = executable.endsWith('.exe');
  const file = (path: string, content: string | { copyOf: string }) => {
    return { path: `${name}/${path}`, content, mode: 0o644 };
  };
  const extras = [
    file('man/meridian.1', documents.manual),
    file('man/meridian.toml.5', documents.settingsManual),
    file('completions/meridian.bash', documents.bash),
    file('completions/_meridian', documents.zsh),
    file('completions/meridian.fish', documents.fish),
  ];
  return [
    { path: archivedPath(executable), content: { copyOf: executable }, mode: 0o755 },
    file('LICENSE', await licenseText()),
    file('licenses.txt', { copyOf: licences }),
    file('meridian.toml', documents.config.replace(/^(?=state-dir = )/m, '# ')),
    ...(isWindows ? [] : extras),
  ];
}

/** Half the CPU time of `-0`. */
const FASTEST = '--lzma2=preset=0,dict=4KiB,mf=hc3,nice=3,depth=1';

/** With a fixed block size and thread count, since xz output depends on threading. */
async function tarXz(work: string, name: string, target: string, release: Release): Promise<void> {
  const level = release.compression === 'best' ? '-6' : FASTEST;
  await Bun.$`tar ${tarOptions(release.epochSeconds)} -C ${work} -cf - ${name} | xz -T2 --block-size=16MiB ${level} > ${target}`;
}

/** Zip stores local times, hence TZ; -X omits owners and times of access. */
async function zip(work: string, name: string, target: string, { compression }: Release): Promise<void> {
  const level = compression === 'best' ? '-9' : '-0';
  const entries = (await Bun.$`find ${name} -type f | LC_ALL=C sort`.cwd(work).text()).trim().split('\n');
  await Bun.$`zip -q -X -D ${level} ${target} ${entries}`.cwd(work).env({ ...process.env, TZ: 'UTC' });
}
