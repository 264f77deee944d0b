/** Compiles `windows.pack` and its manifest from CLDR: `bun data/windows/compile.ts`. The result is committed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DEFAULT_TERRITORY } from '../../src/zones/windows_zones.ts';
import { writeArtifact } from '../artifact.ts';

const { resolve } = createRequire(import.meta.url);
/** The release, and the day on which npm published its package. */
const RELEASE = { version: '48.2', date: '2026-03-25' };

/** A row of CLDR's `windowsZones`. */
export interface WindowsZone {
  /** `W. Europe Standard Time` */
  readonly name: string;
  /** ISO 3166-1 alpha-2 code; `001` for the name's default; `ZZ` for zones without a country. */
  readonly territory: string;
  /** IANA name. */
  readonly zone: string;
}

interface WindowsZonesFile {
  readonly supplemental: {
    readonly windowsZones: {
      readonly mapTimezones: readonly {
        readonly mapZone: { readonly _other: string; readonly _type: string; readonly _territory: string };
      }[];
    };
  };
}

/** The rows of CLDR's `windowsZones`, each with the first of its zones, which is the default (UTS #35, part 6, §5.2). */
export function windowsZonesOfCldr(): WindowsZone[] {
  const { version } = json<{ version: string }>('cldr-core/package.json');
  if (!version.startsWith(`${RELEASE.version}.`)) throw new Error(`Set RELEASE to CLDR ${version}`);
  const { supplemental } = json<WindowsZonesFile>('cldr-core/supplemental/windowsZones.json');
  return supplemental.windowsZones.mapTimezones.map(({ mapZone }) => ({
    name: mapZone._other,
    territory: mapZone._territory,
    zone: mapZone._type.split(' ')[0]!,
  }));
}

/** Encodes a pack, see `WindowsZones`. Throws an `Error` for a name without a default. */
export function encodeWindowsZones(rows: readonly WindowsZone[]): Uint8Array {
  const lines = [...Map.groupBy(rows, ({ name }) => name)].map(([name, ofName]) => {
    if (!ofName.some(({ territory }) => territory === DEFAULT_TERRITORY)) {
      throw new Error(`${name} has no default zone`);
    }
    return [name, ...ofName.map(({ territory, zone }) => `${territory} ${zone}`).sort()].join('\t');
  });
  return new TextEncoder().encode(`${lines.sort().join('\n')}\n`);
}

function json<Content>(path: string): Content {
  return JSON.parse(readFileSync(resolve(path), 'utf8')) as Content;
}

if (import.meta.main) {
  const pack = encodeWindowsZones(windowsZonesOfCldr());
  const { version, bytes } = await writeArtifact(new URL('./', import.meta.url), 'windows.pack', pack, {
    name: 'windows',
    ...RELEASE,
    source: 'Unicode CLDR, https://cldr.unicode.org, by npm cldr-core 48.2.0',
    licence: 'Unicode-3.0',
    attribution: 'Zones of Windows names © Unicode, Inc., CLDR',
  });
  console.log(`windows.pack: CLDR ${version}, ${bytes} bytes`);
}
