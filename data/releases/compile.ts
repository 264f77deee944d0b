/**
 * Compiles `releases.pack` and its manifest from the releases in `tzdata-releases.tar.xz` and the zones in `data/zones`:
 * `bun data/releases/compile.ts [FOLDER]`. Requires `zic` (Debian: libc-bin), tar and xz (xz-utils). The result is
 * committed, so that a build requires none of them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeReleasePack, type ReleaseSource } from '../../src/zones/releases.ts';
import { writeArtifact } from '../artifact.ts';
import { compileSources, compileZones, RELEASE } from '../zones/compile.ts';

const HERE = import.meta.dirname;

/** Compiles the releases that `isWanted` accepts, oldest first; the last one is that of `data/zones`. */
export function compileReleases(isWanted: (version: string) => boolean = () => true): ReleaseSource[] {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'));
  try {
    const tar = spawnSync('tar', ['-xJf', join(HERE, 'tzdata-releases.tar.xz'), '-C', folder], {
      encoding: 'utf8',
    });
    if (tar.status !== 0) throw new Error(`tar failed: ${tar.error?.message ?? tar.stderr}`);
    const versions = readdirSync(folder).sort().filter(isWanted);
    return [
      ...versions.map(version => compileRelease(join(folder, version), version)),
      ...(isWanted(RELEASE.version) ? [embeddedRelease()] : []),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compileRelease(folder: string, version: string): ReleaseSource {
  const source = compileSources(folder);
  if (source.version !== version) throw new Error(`${folder} has tzdata ${source.version}`);
  return { version, released: readFileSync(join(folder, 'released'), 'utf8').trim(), source };
}

function embeddedRelease(): ReleaseSource {
  return { version: RELEASE.version, released: RELEASE.date, source: compileZones() };
}

if (import.meta.main) {
  const folder = pathToFileURL(`${resolve(process.argv[2] ?? HERE)}/`);
  const releases = compileReleases();
  const version = `${releases[0]!.version} to ${releases.at(-1)!.version}`;
  const { bytes } = await writeArtifact(folder, 'releases.pack', encodeReleasePack(releases), {
    name: 'tzdata releases',
    version,
    date: RELEASE.date,
    source: 'IANA Time Zone Database, https://www.iana.org/time-zones',
    licence: 'public domain',
  });
  console.log(`releases.pack: ${releases.length} releases of tzdata, ${version}, ${bytes} bytes`);
}
