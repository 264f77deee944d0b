import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** An npm package with code inside the executable. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  readonly licenceText: string;
  /** The SHA-512 of the package's archive, in hex, from the lock file. */
  readonly sha512: string;
  /** The names of the packages it requires. */
  readonly dependencies: readonly string[];
}

/** The packages that contribute code to the bundle, sorted by name. */
export async function bundledPackages(): Promise<BundledPackage[]> {
  const result = await Bun.build({ entrypoints: [join(ROOT, 'src/main.ts')], target: 'bun', metafile: true });
  const inputs = Object.keys(result.metafile?.inputs ?? {});
  if (!result.success || inputs.length === 0) throw new AggregateError(result.logs, 'Bundling failed');
  const folders = new Set(inputs.flatMap(input => packageFolder(input) ?? []));
  const digests = lockedDigests();
  return [...folders].map(folder => describe(folder, digests)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The folder of the package that contains a file, if any. */
function packageFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(ROOT, join(ROOT, file)))?.[0];
}

function describe(folder: string, digests: ReadonlyMap<string, string>): BundledPackage {
  const { name, version, license, dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(join(ROOT, folder)).find(entry => /^(licen[cs]e|copying)/i.test(entry));
  const sha512 = digests.get(`${name}@${version}`);
  if (file === undefined) throw new Error(`${name} has no licence file`);
  if (sha512 === undefined) throw new Error(`${name}@${version} is not in the lock file`);
  const licenceText = readFileSync(join(ROOT, folder, file), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
  const required = Object.keys({ ...dependencies, ...peerDependencies });
  return { name, version, licence: license, licenceText, sha512, dependencies: required };
}

/** The digest of every package in the lock file by `name@version`. */
function lockedDigests(): Map<string, string> {
  const path = join(ROOT, 'bun.lock');
  if (!existsSync(path)) return new Map();
  const { packages } = Bun.JSONC.parse(readFileSync(path, 'utf8')) as { packages: Record<string, unknown[]> };
  return new Map(
    Object.values(packages).map(entry => [
      String(entry[0]),
      Buffer.from(String(entry.at(-1)).replace(/^sha512-/, ''), 'base64').toString('hex'),
    ]),
  );
}
