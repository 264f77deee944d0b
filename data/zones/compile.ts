/**
 * Compiles `zones.pack` and its manifest from tzdata's sources in this folder: `bun data/zones/compile.ts [FOLDER]`.
 * Requires `zic` (Debian: libc-bin). The result is committed, so that a build does not need it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCountryNames, readZoneNames, readZoneTab } from '../../src/zones/tzdata_tables.ts';
import { encodeZonePack, type ZoneSource } from '../../src/zones/zone_pack.ts';
import { writeArtifact } from '../artifact.ts';

const HERE = import.meta.dirname;
/** The release date in tz's NEWS file, which `tzdata.zi` lacks; update it with the version. */
export const RELEASE = { version: '2026f', date: '2026-10-27' };

/** Compiles the sources in this folder. */
export function compileZones(): ZoneSource {
  const source = compileSources(HERE);
  if (source.version !== RELEASE.version) throw new Error(`Set RELEASE to tzdata.zi's ${source.version}`);
  return source;
}

/**
 * Compiles the sources in a folder with this machine's `zic`. Not with `-b slim`: with glibc 2.36 that loses fourteen
 * Ramadans of Asia/Gaza after 2072 and ends America/Ojinaga too early; `fat` costs 240 KB and is correct.
 */
export function compileSources(sources: string): ZoneSource {
  const text = (name: string) => readFileSync(join(sources, name), 'utf8');
  const { version, zones, links } = readZoneNames(text('tzdata.zi'));
  if (version === null) throw new Error(`${sources}/tzdata.zi does not begin with its version`);
  const folder = mkdtempSync(join(tmpdir(), 'zones-'));
  try {
    const zic = spawnSync('zic', ['-b', 'fat', '-d', folder, join(sources, 'tzdata.zi')], {
      encoding: 'utf8',
    });
    if (zic.status !== 0) throw new Error(`zic failed: ${zic.error?.message ?? zic.stderr}`);
    return {
      version,
      files: new Map(zones.map(name => [name, readFileSync(join(folder, name))])),
      links,
      countryOfZone: readZoneTab(text('zone.tab')),
      countryNames: readCountryNames(text('iso3166.tab')),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const folder = pathToFileURL(`${resolve(process.argv[2] ?? HERE)}/`);
  const { version, bytes } = await writeArtifact(folder, 'zones.pack', encodeZonePack(compileZones()), {
    name: 'tzdata',
    ...RELEASE,
    source: 'IANA Time Zone Database, https://www.iana.org/time-zones',
    licence: 'public domain',
  });
  console.log(`zones.pack: tzdata ${version}, ${bytes} bytes`);
}
