import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { foreignPackageFiles, inWorkFolder, type Release, template, writeFiles } from './package_files.ts';

/** Architectures by the platform of the executable. */
const ARCHITECTURES: Readonly<Record<string, string>> = { 'linux-x64': 'x86_64', 'linux-arm64': 'aarch64' };

/** Writes an RPM package and returns its path, or undefined for platforms that have none. */
export async function writeRpm(
  platform: string,
  executable: string,
  folder: string,
  release: Release,
): Promise<string | undefined> {
  const architecture = ARCHITECTURES[platform];
  if (architecture === undefined) return undefined;
  return await inWorkFolder(folder, async work => {
    const files = join(work, 'files');
    await writeFiles(files, await foreignPackageFiles(executable, release), release.epochSeconds);
    await mkdir(join(files, 'var/lib/meridian'), { recursive: true });
    const spec = join(work, 'meridian.spec');
    await writeFile(spec, await specText(release, files));
    await Bun.$`rpmbuild -bb --quiet --target ${architecture}-linux ${macros(work, release)} ${spec}`
      .env({ ...process.env, SOURCE_DATE_EPOCH: String(release.epochSeconds) })
      .quiet();
    const name = `meridian-${release.version}-1.${architecture}.rpm`;
    const target = resolve(folder, name);
    await rename(join(work, 'rpms', architecture, name), target);
    return target;
  });
}

/** The spec, whose changelog has a date such as `Mon Nov 23 2026`. */
function specText({ version, epochSeconds }: Release, files: string): Promise<string> {
  const [weekday, day, month, year] = new Date(epochSeconds * 1000).toUTCString().split(/,? /);
  return template('meridian.spec', { version, files, date: `${weekday} ${month} ${day} ${year}` });
}

/** Makes the build independent of the machine and the clock. */
function macros(work: string, { compression }: Release): string[] {
  return [
    `_topdir ${work}`,
    `_rpmdir ${work}/rpms`,
    `_binary_payload ${compression === 'best' ? 'w6.xzdio' : 'w.ufdio'}`,
    '_buildhost reproducible',
    'use_source_date_epoch_as_buildtime 1',
    'clamp_mtime_to_source_date_epoch 1',
    '__find_requires %{nil}',
  ].flatMap(macro => ['--define', macro]);
}
