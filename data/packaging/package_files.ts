import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const ROOT = join(import.meta.dirname, '../..');

/** The contents of a package: one executable, and the commit that dates everything. */
export interface Release {
  readonly version: string;
  /** The commit time in Unix seconds, used for every file, so that builds are reproducible. */
  readonly epochSeconds: number;
  readonly documents: Documents;
  /** `none` for tests, since compressing an executable takes a minute. */
  readonly compression: 'best' | 'none';
}

/** The executable's own output for packages. */
export type Documents = Awaited<ReturnType<typeof readDocuments>>;

/** Runs the commands from the sources, which print the same as the executables. */
export async function readDocuments(version: string) {
  const print = async (...args: string[]) => {
    const main = join(ROOT, 'src/main.ts');
    return await Bun.$`${process.execPath} --define ${`MERIDIAN_VERSION:${JSON.stringify(version)}`} ${main} ${args}`.text();
  };
  const [manual, settingsManual, bash, zsh, fish, config, unit] = await Promise.all([
    print('man', 'meridian'),
    print('man', 'meridian.toml'),
    print('completions', 'bash'),
    print('completions', 'zsh'),
    print('completions', 'fish'),
    print('init', '--print', '--state-dir=/var/lib/meridian'),
    // The rights required by some settings in the file: ports below 1024, a socket in /run/meridian, workers.
    print('systemd-unit', '--listen=0.0.0.0:80', '--listen=unix:/run/meridian/socket', '--workers=2'),
  ]);
  return { manual, settingsManual, bash, zsh, fish, config, unit: packagedUnit(unit) };
}

/** The packaged unit: with the package's executable and configuration, and a user that exists even while the service is not running. */
function packagedUnit(unit: string): string {
  const replacements: readonly (readonly [RegExp, string])[] = [
    [/^# \/etc\/systemd\/system\/meridian.service\n/m, ''],
    [/^ExecStart=.*$/m, 'ExecStart=/usr/bin/meridian serve --config=/etc/meridian/meridian.toml'],
    [/^ExecReload=.*$/m, 'ExecReload=/usr/bin/meridian reload $MAINPID'],
    [
      /^# A transient user, and (.*)\nDynamicUser=yes$/m,
      '# The only writable directory.\nUser=meridian\nGroup=meridian',
    ],
    [/^Description=.*$/m, '$&\nDocumentation=man:meridian(1) man:meridian.toml(5)'],
  ];
  return replacements.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error(`The unit has no line ${pattern}`);
    return text.replace(pattern, replacement);
  }, unit);
}

/** A file in a package: its path, mode, and text or the file to copy. */
export interface PackageFile {
  readonly path: string;
  readonly mode: number;
  readonly content: string | Uint8Array | { readonly copyOf: string };
}

/** The configuration, readable by the service; packages set its group. */
export const CONFIG_PATH = 'etc/meridian/meridian.toml';

/** The files that every Linux package installs. */
export function packageFiles(executable: string, { documents }: Release): PackageFile[] {
  const { manual, settingsManual, bash, zsh, fish, config, unit } = documents;
  const file = (path: string, content: PackageFile['content'], mode = 0o644) => ({ path, content, mode });
  return [
    file('usr/bin/meridian', { copyOf: executable }, 0o755),
    file(CONFIG_PATH, config, 0o640),
    file('usr/lib/systemd/system/meridian.service', unit),
    file('usr/share/man/man1/meridian.1.gz', gzipped(manual)),
    file('usr/share/man/man5/meridian.toml.5.gz', gzipped(settingsManual)),
    file('usr/share/bash-completion/completions/meridian', bash),
    file('usr/share/zsh/vendor-completions/_meridian', zsh),
    file('usr/share/fish/vendor_completions.d/meridian.fish', fish),
  ];
}

/** The files of packages for Alpine and Fedora, which have the licence and zsh's completions elsewhere. */
export async function foreignPackageFiles(executable: string, release: Release): Promise<PackageFile[]> {
  const files = packageFiles(executable, release).map(file => ({
    ...file,
    path: file.path.replace('zsh/vendor-completions', 'zsh/site-functions'),
  }));
  return [...files, { path: LICENSE_PATH, content: await licenseText(), mode: 0o644 }];
}

/** Without a time, and with a fixed operating system in the header (RFC 1952 §2.3). */
export function gzipped(text: string): Uint8Array {
  const bytes = gzipSync(text, { level: 9 });
  bytes.fill(0, 4, 8);
  bytes[9] = 3; // Unix
  return bytes;
}

/** Writes files below a folder, and sets the dates of files and folders. */
export async function writeFiles(
  root: string,
  files: readonly PackageFile[],
  epochSeconds: number,
): Promise<void> {
  for (const { path, content, mode } of files) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    if (typeof content === 'string' || content instanceof Uint8Array) await writeFile(target, content);
    else await copyFile(content.copyOf, target);
    await chmod(target, mode);
  }
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries
    .filter(entry => entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name));
  for (const folder of [root, ...folders]) await chmod(folder, 0o755); // whatever the umask
  const paths = entries.map(entry => join(entry.parentPath, entry.name));
  for (const path of [...paths, root]) await utimes(path, epochSeconds, epochSeconds);
}

export const LICENSE_PATH = 'usr/share/licenses/meridian/LICENSE';

/** Runs `work` with a new folder below another one, which is removed afterwards. */
export async function inWorkFolder<Result>(
  folder: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = await mkdtemp(resolve(folder, '.work-'));
  try {
    return await work(path);
  } finally {
    await rm(path, { recursive: true });
  }
}

/** The licence of the project. */
export const licenseText = () => readFile(join(ROOT, 'LICENSE'), 'utf8');

/** Fills in `{name}` in a template in this folder. */
export async function template(name: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
  const text = await readFile(join(import.meta.dirname, name), 'utf8');
  return text.replace(/\{([a-z]+)\}/g, (placeholder, key) => values[key] ?? placeholder);
}
