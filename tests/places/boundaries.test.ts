import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { cityMapping } from 'city-timezones';
import { find, setCache } from 'geo-tz/all';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { BoundedCache } from '../../src/common/bounded_cache.ts';
import { openBoundaries } from '../../src/places/boundaries.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { randomNumbers } from '../random.ts';

const boundaries = openBoundaries(readFileSync(boundariesPath));
const zones = openZonePack(readZonePack());
const zoneAt = (latitude: number, longitude: number) => boundaries.zoneNameAt(latitude, longitude);

// All of geo-tz's cells together would take most of a gigabyte.
setCache({ store: new BoundedCache<string, unknown>(4_000) });

function expectAgreement(latitude: number, longitude: number): void {
  const [expected] = find(latitude, longitude);
  const found = zoneAt(latitude, longitude);
  if (found !== expected) throw new Error(`${latitude},${longitude}: ${found}, while geo-tz has ${expected}`);
}

describe('geo-tz names the same zone first', () => {
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

  test('on the lines where zones and cells meet: meridians, parallels, poles', () => {
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
    ['Ürümqi, of two zones', 43.8256, 87.6168, 'Asia/Urumqi'],
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

/** `+DDMM+DDDMM` or with seconds, of ISO 6709, as zone.tab writes it. */
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

test('the places of zone.tab are in their zone for 99.7 %, and all have its offsets', () => {
  const rows = readFileSync(`${import.meta.dir}/../../data/zones/zone.tab`, 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.split('\t'));
  let same = 0;
  for (const [, coordinates, name] of rows) {
    const [, latitude, longitude] = /^([+-]\d+)([+-]\d+)$/.exec(coordinates!)!;
    const found = zoneAt(degreesOf(latitude!), degreesOf(longitude!));
    if (found === name) same++;
    expect(`${name} ${offsetsOf(found)}`).toBe(`${name} ${offsetsOf(name!)}`);
  }
  expect(rows.length).toBeGreaterThan(400);
  expect(same / rows.length).toBeGreaterThan(0.997);
});

test('the towns of city-timezones are in the zone it names for 95 %, with its offsets for 99.4 %', () => {
  const towns = cityMapping.filter(({ timezone }) => timezone && zones.find(timezone) !== undefined);
  const sameZone = towns.filter(({ lat, lng, timezone }) => zoneAt(lat, lng) === timezone);
  const sameOffsets = towns.filter(
    ({ lat, lng, timezone }) => offsetsOf(zoneAt(lat, lng)) === offsetsOf(timezone),
  );
  expect(towns.length).toBeGreaterThan(7_000);
  expect(sameZone.length / towns.length).toBeGreaterThan(0.95);
  expect(sameOffsets.length / towns.length).toBeGreaterThan(0.994);
});

test('every zone that the boundaries name is in the zone database', () => {
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
