import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ZONE_OF_MOVED_LINK, ZoneDatabase } from '../../src/zones/zone_database.ts';
import { fc } from '../support/property.ts';
import { expectEach } from '../support/responses.ts';
import { zoneOf, zones } from '../support/zones.ts';

const canonical = (name: string) => zones.find(name)?.canonicalName;

/** The instants since 1970 at which either of two zones changes. */
function changesSince1970(...names: readonly string[]): number[] {
  return names.flatMap(name => {
    const instants = [0];
    for (let period = zoneOf(name).periodAt(0); period.untilEpochSeconds < 4e9; ) {
      instants.push(period.untilEpochSeconds);
      period = zoneOf(name).periodAt(period.untilEpochSeconds);
    }
    return instants;
  });
}

describe('looking up a zone', () => {
  test("any letter case finds it, in tzdata's spelling", () => {
    for (const name of ['europe/paris', 'EUROPE/PARIS', 'eUrOpE/pArIs']) {
      expect(zones.find(name)).toBe(zoneOf('Europe/Paris'));
    }
    expect(zones.find('etc/gmt+5')?.name).toBe('Etc/GMT+5');
    expect(zones.find('us/eastern')?.name).toBe('US/Eastern');
  });

  test('an unknown name finds nothing', () => {
    const wrong = ['', ' ', 'Mars/Olympus', 'Europe/Paris ', ' Europe/Paris', 'Europe', 'Europe/', '/etc'];
    const sly = ['../Paris', '__proto__', 'constructor', 'toString', 'Europe/Paris\0', 'x'.repeat(100_000)];
    for (const name of [...wrong, ...sly]) expect(zones.find(name)).toBeUndefined();
  });

  test('only ASCII letters are folded', () => {
    expect('Asia/\u212aolkata'.toLowerCase()).toBe('asia/kolkata'); // the Kelvin sign
    expect(zones.find('Asia/\u212aolkata')).toBeUndefined();
    expect(zones.find('A\u017fia/Kolkata')).toBeUndefined(); // the long s
  });
});

describe('canonical names', () => {
  test('links are followed', () => {
    const links = ['US/Eastern', 'Asia/Calcutta', 'Europe/Kiev', 'America/Godthab'];
    const targets = ['America/New_York', 'Asia/Kolkata', 'Europe/Kyiv', 'America/Nuuk'];
    expect(links.map(canonical)).toEqual(targets);
  });

  test('a name with its own row in zone.tab is kept', () => {
    for (const name of ['Europe/Oslo', 'Europe/Bratislava', 'Europe/Vatican', 'Arctic/Longyearbyen']) {
      expect(canonical(name)).toBe(name);
    }
  });

  test('Etc/UTC and its aliases are UTC', () => {
    const kin = ['UTC', 'Etc/UTC', 'Etc/UCT', 'UCT', 'Zulu', 'Etc/Zulu', 'Universal', 'Etc/Universal'];
    const greenwich = ['GMT', 'GMT0', 'GMT+0', 'GMT-0', 'Greenwich'].flatMap(name => [name, `Etc/${name}`]);
    for (const name of [...kin, ...greenwich]) expect(canonical(name)).toBe('UTC');
  });

  test('the abbreviation is that of the requested zone', () => {
    expect(zoneOf('GMT').periodAt(0).abbreviation).toBe('GMT');
    expect(zoneOf('Zulu').periodAt(0).abbreviation).toBe('UTC');
  });

  test('zones without a place keep their names', () => {
    for (const name of ['EST', 'CET', 'EST5EDT', 'Etc/GMT+5', 'Factory']) expect(canonical(name)).toBe(name);
  });

  test('an old name whose link moved to another country keeps its own country', () => {
    expect(canonical('Iceland')).toBe('Atlantic/Reykjavik');
    expect(zoneOf('Iceland').countryCodes).toEqual(['IS']);
    expect(canonical('Africa/Timbuktu')).toBe('Africa/Bamako');
    for (const [name, meant] of ZONE_OF_MOVED_LINK) {
      expect(canonical(meant)).toBe(meant);
      for (const epochSeconds of changesSince1970(meant, name)) {
        expect({ name, ...zoneOf(name).periodAt(epochSeconds) }).toMatchObject({
          offsetSeconds: zoneOf(meant).periodAt(epochSeconds).offsetSeconds,
        });
      }
    }
  });

  test('every canonical name is its own canonical name', () => {
    for (const name of zones.names()) expect(canonical(canonical(name)!)).toBe(canonical(name));
  });
});

describe('countries', () => {
  test('a zone has the country of its canonical name', () => {
    const names = ['America/New_York', 'US/Eastern', 'Europe/Oslo', 'UTC', 'EST'];
    const codes = names.map(name => zoneOf(name).countryCodes.join());
    expect(codes).toEqual(['US', 'US', 'NO', '', '']);
  });

  test('country names are those in iso3166.tab', () => {
    expect(zones.countryNames.get('DE')).toBe('Germany');
    expect(zones.countryNames.size).toBe(249);
    for (const zone of zones.canonicalZones()) {
      for (const code of zone.countryCodes) expect(zones.countryNames.has(code)).toBe(true);
    }
  });
});

test('the canonical zones are those in zone.tab and UTC, sorted by name', () => {
  const tab = readFileSync(join(import.meta.dir, '../../data/zones/zone.tab'), 'utf8');
  const names = [...tab.matchAll(/^[A-Z]{2}\t\S+\t(\S+)/gm)].map(match => match[1]!);
  expect(zones.canonicalZones().map(({ name }) => name)).toEqual([...names, 'UTC'].sort());
  expect(zones.canonicalZones().every(({ name, canonicalName }) => name === canonicalName)).toBe(true);
});

describe('suggestions', () => {
  test('the last part of a name matches, with spaces and accents, as do prefixes and countries', () =>
    expectEach(text => zones.suggest(text), {
      paris: ['Europe/Paris'],
      'New York': ['America/New_York'],
      'America/NewYork': ['America/New_York'],
      'Asia/New_York': ['America/New_York'], // in another region
      'São Paulo': ['America/Sao_Paulo'],
      'Port au Prince': ['America/Port-au-Prince'],
      PST: ['PST8PDT'],
      Cas: ['Antarctica/Casey', 'Africa/Casablanca'], // shortest remainder first
      Germany: ['Europe/Berlin', 'Europe/Busingen'],
    }));

  test('a typo finds the intended zone first, a country its largest', () =>
    expectEach(text => zones.suggest(text)[0], {
      'Europe/Pari': 'Europe/Paris',
      'Europe/Pairs': 'Europe/Paris',
      'Amercia/Los_Angles': 'America/Los_Angeles',
      'Asia/Calcuta': 'Asia/Kolkata',
      'United States': 'America/New_York',
    }));

  test('a text unlike any name finds nothing', () => {
    for (const name of ['', '/', 'x', 'Mars/Olympus', '\u{1f30d}', 'тест', 'q'.repeat(100_000)]) {
      expect(zones.suggest(name)).toEqual([]);
    }
  });

  test('there are at most three, all existing, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), name => {
        const suggestions = zones.suggest(name);
        expect(suggestions.length).toBeLessThanOrEqual(3);
        for (const suggestion of suggestions) expect(canonical(suggestion)).toBe(suggestion);
      }),
    );
  });

  test('every name with a missing letter finds its zone or an equally near one', () => {
    for (const { name } of zones.canonicalZones()) {
      if (!name.includes('/')) continue;
      const slip = `${name.slice(0, -2)}${name.slice(-1)}`;
      if (zones.find(slip) === undefined) expect(zones.suggest(slip).length).toBeGreaterThan(0);
    }
  });
});

/** A database of links and files. */
function linkedZones(links: Readonly<Record<string, string>>, ...files: readonly string[]): ZoneDatabase {
  const source = { version: 'test', countryOfZone: new Map(), countryNames: new Map() };
  const contents = files.map(name => [name, new Uint8Array()] as const);
  return new ZoneDatabase({ ...source, files: new Map(contents), links: new Map(Object.entries(links)) });
}

test('dangling and circular links are not names', () => {
  const database = linkedZones({ Nowhere: 'Never/Never', 'Ring/A': 'Ring/B', 'Ring/B': 'Ring/A' });
  expect(database.names()).toEqual([]);
  expect(database.find('Ring/A')).toBeUndefined();
});

test('a chain of links is followed to its end', () => {
  const chain = { 'Link/1': 'Link/2', 'Link/2': 'Link/3', 'Link/3': 'Link/4', 'Link/4': 'Real/Zone' };
  const database = linkedZones(chain, 'Real/Zone');
  expect(database.find('link/1')?.canonicalName).toBe('Real/Zone');
});
