/**
 * Compiles `zones.pack` and its manifest from tzdata's sources in this folder: `bun data/zones/compile.ts [FOLDER]`.
 * Wants `zic` (Debian: libc-bin). The result is committed, so that a build needs none.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ZoneSource } from '../../src/zones/zone_pack.ts';
import { encodeZonePack } from '../../src/zones/zone_pack.ts';
import { readCountryNames, readZoneNames, readZoneTab } from '../../src/zones/zone_tables.ts';
import { writeArtifact } from '../artifact.ts';

const HERE = import.meta.dirname;
/** The day of the release as tz's NEWS file gives it; `tzdata.zi` does not say. Goes with its version. */
const RELEASE = { version: '2026f', date: '2026-10-27' };

/**
 * Compiles the sources with the `zic` of this machine. Not with `-b slim`: that of glibc 2.36 then loses fourteen
 * Ramadans of Asia/Gaza after 2072 and ends America/Ojinaga too early; `fat` costs 240 KB and is right.
 */
export function compileZones(): ZoneSource {
  const names = readZoneNames(source('tzdata.zi'));
  if (names.version !== RELEASE.version) throw new Error(`Set RELEASE to tzdata.zi's ${names.version}`);
  const folder = mkdtempSync(join(tmpdir(), 'zones-'));
  try {
    const zic = spawnSync('zic', ['-b', 'fat', '-d', folder, join(HERE, 'tzdata.zi')], { encoding: 'utf8' });
    if (zic.status !== 0) throw new Error(`zic failed: ${zic.error?.message ?? zic.stderr}`);
    return {
      version: names.version,
      files: new Map(names.zones.map(name => [name, readFileSync(join(folder, name))])),
      links: names.links,
      countryOfZone: readZoneTab(source('zone.tab')),
      countryNames: readCountryNames(source('iso3166.tab')),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function source(name: string): string {
  return readFileSync(join(HERE, name), 'utf8');
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
