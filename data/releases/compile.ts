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
import { constants, zstdCompressSync } from 'node:zlib';
import {
  type Difference,
  RELEASE_MAGIC,
  type Release,
  type ReleaseIndex,
} from '../../src/zones/release_pack.ts';
import type { ZoneSource } from '../../src/zones/zone_pack.ts';
import { writeArtifact } from '../artifact.ts';
import { compileSources, compileZones, RELEASE } from '../zones/compile.ts';

/** A release with its zones. */
export type ReleaseSource = Release & { readonly source: ZoneSource };

const HERE = import.meta.dirname;
const COMPRESSION_LEVEL = 19;

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

/** Encodes releases, oldest first; deterministic for a version of zstd. */
export function encodeReleasePack(releases: readonly ReleaseSource[]): Uint8Array {
  const { files, numberOf } = numberedFiles(releases);
  const states = releases.map(({ source }) => ({
    files: new Map([...source.files].map(([name, bytes]) => [name, numberOf(bytes)])),
    links: source.links,
    countryOfZone: source.countryOfZone,
    countryNames: source.countryNames,
  }));
  const index: ReleaseIndex = {
    files: files.map(({ length }) => length),
    releases: releases.map(({ version, released }, at) => ({
      version,
      released,
      files: difference(states[at - 1]?.files, states[at]!.files),
      links: difference(states[at - 1]?.links, states[at]!.links),
      countryOfZone: difference(states[at - 1]?.countryOfZone, states[at]!.countryOfZone),
      countryNames: difference(states[at - 1]?.countryNames, states[at]!.countryNames),
    })),
  };
  const indexBytes = Buffer.from(JSON.stringify(index));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(indexBytes.length);
  const params = { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL };
  return Buffer.concat([
    Buffer.from(RELEASE_MAGIC),
    zstdCompressSync(Buffer.concat([head, indexBytes, ...files]), { params }),
  ]);
}

/** The distinct TZif files of all releases, by name and then by release. */
function numberedFiles(releases: readonly ReleaseSource[]) {
  const names = [...new Set(releases.flatMap(({ source }) => [...source.files.keys()]))].sort();
  const files: Uint8Array[] = [];
  const numbers = new Map<string, number>();
  const keyOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
  for (const bytes of names.flatMap(name => releases.flatMap(({ source }) => source.files.get(name) ?? []))) {
    if (!numbers.has(keyOf(bytes))) numbers.set(keyOf(bytes), files.push(bytes) - 1);
  }
  return { files, numberOf: (bytes: Uint8Array) => numbers.get(keyOf(bytes))! }; // all are numbered
}

function difference<Value>(
  before: ReadonlyMap<string, Value> = new Map(),
  after: ReadonlyMap<string, Value>,
): Difference<Value> {
  return {
    set: [...after].filter(([name, value]) => before.get(name) !== value),
    removed: [...before.keys()].filter(name => !after.has(name)),
  };
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
