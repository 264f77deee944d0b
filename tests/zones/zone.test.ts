import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Timeline } from '../../src/zones/timeline.ts';
import { readTzif } from '../../src/zones/tzif.ts';
import { Zone, type ZoneTransition } from '../../src/zones/zone.ts';
import { ZONE_OF_MOVED_LINK, ZoneDatabase } from '../../src/zones/zone_database.ts';
import { fc } from '../support/property.ts';
import { expectEach } from '../support/responses.ts';
import { isoOf, seconds, tzifFile, zoneOf, zones } from '../support/zones.ts';

const LAST_SECOND = 8.64e12; // the limits of the range of Date
const HOUR = 3600;

/** The compared state, such as `+02:30 LHDT`. */
function shown(zone: Zone, iso: string): [offsetHours: number, abbreviation: string, isDst: boolean] {
  const { offsetSeconds, abbreviation, isDst } = zone.periodAt(seconds(iso));
  return [offsetSeconds / HOUR, abbreviation, isDst];
}

/** The transitions within some years, as local times before and after. */
function transitionsOf(name: string, from: string, until: string): string[] {
  const zone = zoneOf(name);
  const found: string[] = [];
  let transition = zone.nextTransition(seconds(from) - 1);
  while (transition !== null && transition.epochSeconds < seconds(until)) {
    const { epochSeconds, before, after } = transition;
    const [left, entered] = [before, after].map(({ offsetSeconds }) => isoOf(epochSeconds + offsetSeconds));
    found.push(`${left} → ${entered}`);
    transition = zone.nextTransition(epochSeconds);
  }
  return found;
}

describe('zones that are often wrong', () => {
  test.each([
    // At −07:00 since November 2026.
    ['America/Vancouver', '2026-11-20T12:00:00', -7, 'MST', false],
    // DST in July and none in January, negative savings or not; standard time all year from 1968 to 1971.
    ['Europe/Dublin', '2026-07-01T00:00:00', 1, 'IST', true],
    ['Europe/Dublin', '2026-01-01T00:00:00', 0, 'GMT', false],
    ['Europe/Dublin', '2199-07-01T00:00:00', 1, 'IST', true],
    ['Europe/Dublin', '2199-12-01T00:00:00', 0, 'GMT', false],
    ['Europe/Dublin', '1970-07-01T00:00:00', 1, 'IST', false],
    // DST outside Ramadan until its abolition in 2026.
    ['Africa/Casablanca', '2026-03-01T00:00:00', 0, '+00', false],
    ['Africa/Casablanca', '2026-07-01T00:00:00', 1, '+01', true],
    ['Africa/Casablanca', '2026-11-01T00:00:00', 0, '+00', false],
    // DST in summer, and none since it stayed on summer time.
    ['Africa/Windhoek', '2010-01-01T00:00:00', 2, 'CAT', true],
    ['Africa/Windhoek', '2010-07-01T00:00:00', 1, 'WAT', false],
    ['Africa/Windhoek', '2026-01-01T00:00:00', 2, 'CAT', false],
    // A second winter time in 1946, and no DST in either.
    ['Europe/Prague', '1946-11-01T00:00:00', 1, 'CET', false],
    ['Europe/Prague', '1947-01-01T00:00:00', 0, 'GMT', false],
    ['Europe/Prague', '1947-04-01T00:00:00', 1, 'CET', false],
    // 44 minutes and 30 seconds behind.
    ['Africa/Monrovia', '1960-01-01', -2670 / HOUR, 'MMT', false],
    // Two hours ahead in summer.
    ['Antarctica/Troll', '2026-07-01', 2, '+02', true],
    ['Antarctica/Troll', '2026-01-01', 0, '+00', false],
  ] as const)('%s on %s is at %p, %s', (name, iso, offsetHours, abbreviation, isDst) => {
    expect(shown(zoneOf(name), iso)).toEqual([offsetHours, abbreviation, isDst]);
  });

  test('Vancouver and Casablanca have no changes after those of 2026', () => {
    expect(zoneOf('America/Vancouver').nextTransition(seconds('2026-11-20T12:00:00'))).toBeNull();
    expect(zoneOf('Africa/Casablanca').nextTransition(seconds('2026-11-01T00:00:00'))).toBeNull();
  });

  test.each([
    [
      'moves its clocks by half an hour',
      ['Australia/Lord_Howe', '2026-01-01', '2027-01-01'],
      ['2026-04-05T02:00:00 → 2026-04-05T01:30:00', '2026-10-04T02:00:00 → 2026-10-04T02:30:00'],
    ],
    ['has no 2011-12-30', ['Pacific/Apia', '2011-12', '2012'], ['2011-12-30T00:00:00 → 2011-12-31T00:00:00']],
    [
      'interrupts its DST for Ramadan until 2086',
      ['Asia/Gaza', '2080-01-01', '2081-01-01'],
      [
        ...['2080-03-30T02:00:00 → 2080-03-30T03:00:00', '2080-06-15T02:00:00 → 2080-06-15T01:00:00'],
        ...['2080-07-27T02:00:00 → 2080-07-27T03:00:00', '2080-10-26T02:00:00 → 2080-10-26T01:00:00'],
      ],
    ],
    [
      // EET-2EEST,M3.4.4/50,M10.4.4/50: fifty hours into the month's fourth Thursday is Saturday, 2 o'clock.
      'follows its rule from then on',
      ['Asia/Gaza', '9999-01-01', '+010000-01-01'],
      ['9999-03-27T02:00:00 → 9999-03-27T03:00:00', '9999-10-30T02:00:00 → 9999-10-30T01:00:00'],
    ],
    [
      // March 27 and October 30 are Saturdays.
      'changes its clocks on Saturday evenings',
      ['America/Nuuk', '2027-01-01', '2028-01-01'],
      ['2027-03-27T23:00:00 → 2027-03-28T00:00:00', '2027-10-31T00:00:00 → 2027-10-30T23:00:00'],
    ],
  ] as const)('one %s: %p', (_, [name, from, until], changes) => {
    expect(transitionsOf(name, from, until)).toEqual([...changes]);
  });
});

describe('periods', () => {
  const anyName = fc.constantFrom(...zones.names());
  const anyInstant = fc.oneof(
    fc.integer({ min: -5e9, max: 1e10 }),
    fc.double({ min: -LAST_SECOND, max: LAST_SECOND, noNaN: true }).map(value => Math.round(value) + 0), // no −0
  );

  test('a period contains its instant, whatever was requested before', () => {
    fc.assert(
      fc.property(anyName, fc.array(anyInstant, { minLength: 1 }), (name, instants) => {
        for (const instant of instants) {
          const { fromEpochSeconds, untilEpochSeconds } = zoneOf(name).periodAt(instant);
          expect(fromEpochSeconds).toBeLessThanOrEqual(instant);
          expect(untilEpochSeconds).toBeGreaterThan(instant);
        }
      }),
    );
  });

  test('neighbouring periods touch and differ', () => {
    fc.assert(
      fc.property(anyName, anyInstant, (name, instant) => {
        const period = zoneOf(name).periodAt(instant);
        if (period.untilEpochSeconds === Infinity) return;
        const next = zoneOf(name).periodAt(period.untilEpochSeconds);
        expect(next.fromEpochSeconds).toBe(period.untilEpochSeconds);
        const facts = ({ offsetSeconds, abbreviation, isDst }: typeof next) =>
          `${offsetSeconds} ${abbreviation} ${isDst}`;
        expect(facts(next)).not.toBe(facts(period));
      }),
    );
  });

  test('requests within a period return the same object', () => {
    const paris = zoneOf('Europe/Paris');
    const period = paris.periodAt(seconds('2026-07-01'));
    expect(paris.periodAt(seconds('2026-07-02'))).toBe(period);
    expect(paris.periodAt(seconds('2026-12-01'))).not.toBe(period);
  });

  test('the limits of the range of Date are exact in every zone', () => {
    for (const name of zones.names()) {
      const zone = zoneOf(name);
      const first = zone.periodAt(-LAST_SECOND);
      expect(first.fromEpochSeconds).toBe(-Infinity);
      // The end, Saturday 275760-09-13, has the same clocks as that day 400 years earlier, and 1,600 years earlier.
      const { offsetSeconds, abbreviation, isDst } = zone.periodAt(LAST_SECOND);
      const fourTurns = 4 * 146_097 * 86_400;
      expect(zone.periodAt(LAST_SECOND - fourTurns)).toMatchObject({ offsetSeconds, abbreviation, isDst });
      // 2160-09-13, a Saturday as well
      const thisMillennium = zone.periodAt(seconds('2160-09-13'));
      expect(thisMillennium).toMatchObject({ offsetSeconds, abbreviation, isDst });
    }
  });

  test('the yearly rule repeats after 400 years, to the second', () => {
    const newYork = zoneOf('America/New_York');
    const turn = 146_097 * 86_400;
    for (let year = 2100; year < 2500; year += 7) {
      const instant = seconds(`${year}-01-01`);
      const next = newYork.nextTransition(instant)!;
      expect(newYork.nextTransition(instant + 500 * turn)!.epochSeconds).toBe(next.epochSeconds + 500 * turn);
    }
  });
});

describe('the POSIX TZ string', () => {
  test('is the TZif footer, verbatim', () => {
    expect(zoneOf('America/New_York').posixTz).toBe('EST5EDT,M3.2.0,M11.1.0');
    expect(zoneOf('US/Eastern').posixTz).toBe('EST5EDT,M3.2.0,M11.1.0');
    expect(zoneOf('Europe/Dublin').posixTz).toBe('IST-1GMT0,M10.5.0,M3.5.0/1');
    expect(zoneOf('America/Vancouver').posixTz).toBe('MST7');
    expect(zoneOf('UTC').posixTz).toBe('UTC0');
  });

  test('is null in a file without one', () => {
    for (const version of [1, 2]) {
      const timeline = new Timeline(readTzif(tzifFile({ version, footer: '' })));
      expect(new Zone('Test/Zone', 'Test/Zone', [], () => timeline).posixTz).toBeNull();
    }
  });
});

describe('transitions', () => {
  test('an abbreviation-only change is not a transition', () => {
    // 1990: South West Africa Time became Central Africa Time.
    const windhoek = zoneOf('Africa/Windhoek');
    expect(shown(windhoek, '1990-03-01')).toEqual([2, 'SAST', false]);
    expect(shown(windhoek, '1990-04-01')).toEqual([2, 'CAT', false]);
    expect(isoOf(windhoek.nextTransition(seconds('1990-03-01'))!.epochSeconds)).toBe('1994-03-20T22:00:00');
    expect(isoOf(windhoek.previousTransition(seconds('1990-04-01'))!.epochSeconds)).toBe(
      '1943-03-20T23:00:00',
    );
  });

  test('a DST-flag-only change is a transition', () => {
    const transition = zoneOf('Europe/Dublin').nextTransition(seconds('1968-10-01'))!;
    expect(isoOf(transition.epochSeconds)).toBe('1968-10-26T23:00:00');
    expect(transition.before).toMatchObject({ offsetSeconds: HOUR, isDst: true });
    expect(transition.after).toMatchObject({ offsetSeconds: HOUR, isDst: false });
  });

  test('the next one is after an instant, the previous one at or before it', () => {
    const paris = zoneOf('Europe/Paris');
    const change = seconds('2026-03-29T01:00:00');
    expect(paris.nextTransition(change - 1)?.epochSeconds).toBe(change);
    expect(isoOf(paris.nextTransition(change)!.epochSeconds)).toBe('2026-10-25T01:00:00');
    expect(paris.previousTransition(change)?.epochSeconds).toBe(change);
    expect(isoOf(paris.previousTransition(change - 1)!.epochSeconds)).toBe('2025-10-26T01:00:00');
  });

  test('a range has the consecutive transitions from its first second until before its end', () => {
    const lastFrom = LAST_SECOND - 10 * 366 * 86_400;
    const instants = fc.oneof(
      fc.integer({ min: -LAST_SECOND, max: lastFrom }),
      fc.integer({ min: seconds('1850-01-01'), max: seconds('2500-01-01') }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...zones.names()),
        instants,
        fc.nat(10 * 366 * 86_400),
        fc.nat(2),
        (name, instant, length, edge) => {
          const zone = zoneOf(name);
          // At a change, next to it, or anywhere.
          const from = edge === 2 ? instant : (zone.nextTransition(instant)?.epochSeconds ?? instant) + edge;
          const expected: ZoneTransition[] = [];
          let change = zone.nextTransition(from - 1);
          while (change !== null && change.epochSeconds < from + length) {
            expected.push(change);
            change = zone.nextTransition(change.epochSeconds);
          }
          expect(zone.transitionsBetween(from, from + length)).toEqual(expected);
          const last = expected.at(-1);
          if (last === undefined) return;
          expect(zone.transitionsBetween(from, last.epochSeconds)).toHaveLength(expected.length - 1);
        },
      ),
    );
  });

  test('a zone that never changes has none', () => {
    expect(zoneOf('Etc/GMT+5').nextTransition(-LAST_SECOND)).toBeNull();
    expect(zoneOf('Etc/GMT+5').previousTransition(LAST_SECOND)).toBeNull();
    expect(zoneOf('UTC').nextTransition(0)).toBeNull();
  });

  test('requesting transitions does not evict the cached period', () => {
    const paris = zoneOf('Europe/Paris');
    const period = paris.periodAt(seconds('2026-07-01'));
    paris.nextTransition(0);
    expect(paris.periodAt(seconds('2026-07-01'))).toBe(period);
  });
});

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
      Færoe: ['Atlantic/Faroe'],
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
    for (const name of ['', '/', 'x', 'Mars/Olympus', '\u{1f30d}', 'тест', 'q'.repeat(100_000)])
      expect(zones.suggest(name)).toEqual([]);
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
