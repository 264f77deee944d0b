import { describe, expect, test } from 'bun:test';
import { encodePopulations, populationsOfGeoNames } from '../../data/populations/compile.ts';
import { readPopulationPack } from '../../data/populations/embedded.ts';
import { encodeWindowsZones, windowsZonesOfCldr } from '../../data/windows/compile.ts';
import { readWindowsPack } from '../../data/windows/embedded.ts';
import { decodePopulations } from '../../src/zones/populations.ts';
import { WindowsZones } from '../../src/zones/windows_zones.ts';
import {
  column,
  expectBodies,
  expectEach,
  expectErrors,
  expectMessages,
  messageOf,
} from '../support/responses.ts';
import { NOW_MS, send } from '../support/service.ts';
import { seconds, zoneOf, zones } from '../support/zones.ts';

const CURRENT = '/v1/time/current?';
const timezoneOf = async (query: string) => (await send(`/v1/timezone?${query}`)).body.timezone;

test('without a selector the time is UTC, with no zone and no local time; a zone gives it under its canonical name', () =>
  expectEach(async query => (await send(CURRENT + query)).body, {
    '': {
      unix: 1776274247,
      unix_ms: 1776274247123,
      utc: '2026-04-15T17:30:47Z',
      iso_local: null,
      rfc2822: 'Wed, 15 Apr 2026 17:30:47 +0000',
      human: 'April 15, 2026, 5:30 PM UTC',
      day_number: 4,
      day_short: 'Wed',
      day_full: 'Wednesday',
      timezone: null,
    },
    'tz=us/eastern': {
      unix: 1776274247,
      unix_ms: 1776274247123,
      utc: '2026-04-15T17:30:47Z',
      iso_local: '2026-04-15T13:30:47-04:00',
      rfc2822: 'Wed, 15 Apr 2026 13:30:47 -0400',
      human: 'April 15, 2026, 1:30 PM America/New_York',
      day_number: 4,
      day_short: 'Wed',
      day_full: 'Wednesday',
      timezone: 'America/New_York',
    },
  }));

test('an offset has a local time and no zone', () => {
  const expected = {
    iso_local: '2026-04-15T23:00:47+05:30',
    human: 'April 15, 2026, 11:00 PM UTC+05:30',
    timezone: null,
    formatted: 'UTC+05:30',
  };
  const table = { '%2B05:30': expected, '+05:30': expected, '%2005:30': expected };
  return expectBodies(`${CURRENT}format=%25Z&offset=`, table);
});

test('utc=true is the zone UTC on convert and add, and ignored on current', async () => {
  const expected = { iso_local: '1970-01-01T00:00:00+00:00', timezone: 'UTC' };
  const table = { 'convert?unix=0&utc=true': expected, 'add?unix=1&seconds=-1&utc=true': expected };
  await expectBodies('/v1/time/', table);
  const ignored = await send(`${CURRENT}utc=true`);
  expect(ignored.headers.get('X-Service-Ignored-Parameters')).toBe('utc');
  expect(ignored.body.timezone).toBeNull();
});

test('names that mean UTC return UTC, with their own abbreviation', () => {
  const [utc, gmt] = ['UTC', 'GMT'].map(formatted => ({ timezone: 'UTC', formatted }));
  return expectBodies(`${CURRENT}format=%25Z&tz=`, {
    ...Object.fromEntries(['Etc/UTC', 'Etc/UCT', 'Zulu', 'Universal'].map(tz => [tz, utc!])),
    ...Object.fromEntries(['GMT', 'Etc/GMT', 'Etc/Greenwich', 'GMT0'].map(tz => [tz, gmt!])),
  });
});

test('names with their own entry in zone.tab are kept, other links are followed', async () => {
  const canonical = {
    'Europe/Oslo': 'Europe/Oslo',
    'Europe/Bratislava': 'Europe/Bratislava',
    'Europe/Vatican': 'Europe/Vatican',
    'Asia/Calcutta': 'Asia/Kolkata',
    'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
    'EUROPE/KIEV': 'Europe/Kyiv',
    EST: 'EST',
    CET: 'CET',
    EST5EDT: 'EST5EDT',
    'etc/gmt+5': 'Etc/GMT+5',
  };
  await expectEach(tz => timezoneOf(`tz=${tz}`), canonical);
  await expectEach(tz => timezoneOf(`tz=${encodeURIComponent(tz)}`), canonical);
});

test('misspelt zones, other offsets than ±HH:MM, and impossible coordinates and addresses are rejected', async () => {
  await expectMessages(CURRENT, { 'tz=Europe/Pariss': "…'Europe/Paris'…" });
  const offsets = ['5', '05:30', '%2B5:30', '%2B0530', '%2B24:00', '%2B05:60', '%2B05:30:00', 'Z', ''];
  const addresses = ['1.2.3', '1.2.3.4.5', '0x8.8.8.8', '256.1.1.1', 'fe80::1%25eth0', 'localhost'];
  await expectErrors(CURRENT, {
    '400 INVALID_PARAMETER': [
      ...offsets.map(offset => `offset=${offset}`),
      ...[...addresses, '8.8.8.8%0A'].map(ip => `ip=${ip}`),
      // Half a pair of coordinates, and coordinates out of range.
      ...['lat=1', 'lon=1', 'lat=0&lon=181', ...['91', '1e1', '0x1', 'NaN'].map(lat => `lat=${lat}&lon=0`)],
    ],
  });
});

describe('two selector families are ambiguous', () => {
  const families = ['tz=UTC', 'ip=8.8.8.8', 'lat=1&lon=2', 'offset=-04:00', 'auto_tz=true'];
  const paths = ['current?', 'convert?unix=0&', 'add?days=1&', 'calendar?', 'dst?'].map(p => `/v1/time/${p}`);
  test.each([...paths, '/v1/timezone?'])('%s', path => {
    const pairs = families.flatMap(one =>
      families.filter(other => other !== one).map(other => `${one}&${other}`),
    );
    return expectErrors(path, { '400 AMBIGUOUS_TARGET': pairs });
  });

  test('utc=true is one of them on convert and add', async () => {
    const queries = [...families, 'tz=UTC,UTC'];
    await expectErrors('/v1/time/convert?unix=0&utc=true&', { '400 AMBIGUOUS_TARGET': queries });
    await expectErrors('/v1/time/add?days=1&utc=true&', { '400 AMBIGUOUS_TARGET': queries });
  });
});

test('a bulk has a result for each entry in order, errors included', async () => {
  const { status, headers, body } = await send(`${CURRENT}tz=Asia/Tokyo,Mars/Olympus,,asia/tokyo`);
  expect(status).toBe(200);
  const error = { code: 'INVALID_PARAMETER' };
  expect(body).toMatchObject([
    { timezone: 'Asia/Tokyo', unix_ms: NOW_MS },
    { error, item: 'Mars/Olympus', request_id: headers.get('X-Request-Id') },
    { error, item: '' },
    body[0],
  ]);
  const offsets = await send('/v1/time/convert?unix=0&offset=%2B01:00,-01:00,1');
  expect(column<unknown>(offsets.body, 'iso_local')).toEqual([
    ...['1970-01-01T01:00:00+01:00', '1969-12-31T23:00:00-01:00', undefined],
  ]);
});

test('only the first failed entries of a bulk get the nearest names, so that invalid lists stay cheap', async () => {
  const list = Array.from({ length: 100 }, (_, index) => `Europe/Pariss${index}`).join(',');
  const errors = column<{ message: string }>((await send(`${CURRENT}tz=${list}`)).body, 'error');
  expect(errors.filter(({ message }) => message.includes('did you mean'))).toHaveLength(5);
});

test('a bulk has at most 100 entries', async () => {
  const list = (length: number) => Array.from({ length }, () => 'UTC').join(',');
  expect((await send(`${CURRENT}tz=${list(100)}`)).body).toHaveLength(100);
  await expectErrors(CURRENT, { '400 INVALID_PARAMETER': [`tz=${list(101)}`] });
});

describe('a list is rejected if one place is required', () => {
  const lists = [
    ['tz', 'Europe/Paris,Europe/Oslo', 'zone'],
    ['ip', '8.8.8.8,1.1.1.1', 'address'],
    ['offset', '+01:00,+02:00', 'offset'],
  ] as const;
  const refusal = (parameter: string, list: string, wanted: string) =>
    `Cannot read '${parameter}': '${list}' is a list, but only one ${wanted} is allowed`;

  test.each([
    ['/v1/time/add?days=1&', ''],
    ['/v1/time/calendar?', ''],
    ['/v1/time/dst?', ''],
    ['/v1/time/elapsed?unix=1&', ''],
    ['/v1/time/clock?style=analog-station&', ''],
    ['/v1/timezone?', ''],
    ['/v1/time/convert?iso=2026-04-16&utc=true&', 'source_'],
    ['/v1/time/diff?from=now&to=iso=2026-04-16&', 'to_'],
  ])('%s', async (path, prefix) => {
    for (const [family, list, wanted] of lists) {
      const message = refusal(prefix + family, list, wanted);
      await expectMessages(`${path}${prefix}${family}=`, {
        [list]: message,
        [encodeURIComponent(list)]: message,
      });
    }
  });

  test('at either end of diff', async () => {
    for (const [family, list, wanted] of lists) {
      const row = { [`${family}=${list}`]: refusal('from', list, wanted) };
      await expectMessages('/v1/time/diff?to=now&from=', row);
    }
  });
});

test('the error for an offset given as a zone says how to give it', () => {
  const advice = "…'UTC+1' is not…; an offset is given as 'offset=+01:00'; did you mean 'UTC'?…";
  return expectMessages('/v1/time/', {
    'current?tz=UTC%2B1': advice,
    'current?tz=UTC+1': advice,
    'convert?iso=2026-04-16&utc=true&source_tz=gmt-5:30': "…'gmt-5:30' is not…'source_offset=-05:30'…",
    'diff?from=tz=UTC%2B1&to=now': "…'UTC+1' is not…; an offset is written +01:00…",
    'convert?iso=2026-04-16T09:00[UTC%2B1]&utc=true': "…'UTC+1' is not…; an offset is written +01:00…",
  });
});

test('the error for a name that only resembles an offset has no such advice', async () => {
  for (const tz of ['UTC%2B99', 'Etc/GMT%2B99', 'UTC1', 'America/New+Yorkk']) {
    expect(await messageOf(`${CURRENT}tz=${tz}`)).not.toContain('offset');
  }
});

test('a number is quoted with the plus as typed', () =>
  expectMessages('/v1/time/', {
    'convert?utc=true&unix=+1.5': "…'+1.5' is not a whole number…",
    'add?days=+1.5': "…'+1.5' is not a whole number…",
    'dst?lat=+91&lon=0': "…'+91' is not between…",
    'dst?offset=+1:00': "…'+1:00' is not an offset…",
  }));

const WINDOWS_ZONES = windowsZonesOfCldr();

describe('a Windows name', () => {
  test("from CLDR is CLDR's zone, with every territory and without one", async () => {
    expect(WINDOWS_ZONES.length).toBeGreaterThanOrEqual(500);
    for (const { name, territory, zone } of WINDOWS_ZONES) {
      const tz = `tz=${encodeURIComponent(name)}`;
      const expected = zoneOf(zone).canonicalName;
      if (territory === '001') expect([name, await timezoneOf(tz)]).toEqual([name, expected]);
      if (zones.find(name) !== undefined) continue; // `UTC` is also an IANA name, and takes no territory
      const found = await timezoneOf(`${tz}&territory=${territory.toLowerCase()}`);
      expect([name, territory, found]).toEqual([name, territory, expected]);
    }
  });

  test('is found in any letter case, with a plus that became a space, after IANA names, in a release', () =>
    expectEach(timezoneOf, {
      'tz=w.+europe+standard+time': 'Europe/Berlin',
      'tz=UTC+12': 'Etc/GMT-12',
      'tz=UTC%2B13': 'Etc/GMT-13',
      'tz=UTC': 'UTC',
      'tz=FLE+Standard+Time&tzdata=2022a': 'Europe/Kiev',
      // CLDR has no zone for this territory.
      'tz=Tokyo+Standard+Time&territory=DE': 'Asia/Tokyo',
    }));

  test('is found in lists, hints and specifiers', () =>
    expectBodies('/v1/time/', {
      'current?tz=Romance+Standard+Time,UTC-11': [{ timezone: 'Europe/Paris' }, { timezone: 'Etc/GMT+11' }],
      'convert?iso=2026-01-01T00:00:00&source_tz=Pacific+Standard+Time&source_territory=CA&utc=true': {
        utc: '2026-01-01T08:00:00Z',
      },
      'diff?from=tz=Tokyo+Standard+Time&to=now': {},
    }));

  test('is rejected with a territory that does not apply', async () => {
    const invalid = {
      'tz=Europe/Paris&territory=FR': '…it applies only to Windows names…',
      'tz=Romance+Standard+Time,UTC&territory=FR': '…not to a list…',
      'tz=Tokyo+Standard+Time&territory=XX': "…'XX' is not an ISO 3166-1 alpha-2 code…",
      'tz=Tokyo+Standard+Time&territory=': '…it has no value…',
    };
    await expectMessages(CURRENT, invalid, '400 INVALID_PARAMETER territory');
    const missing = {
      'tz=Tokio+Standard+Time&territory=JP': "…'Tokio Standard Time' is not a zone…",
      'territory=FR': "…'territory' requires it…",
    };
    await expectMessages(CURRENT, missing, '400 INVALID_PARAMETER tz');
  });

  test('comes from a committed table that equals CLDR', () => {
    expect(Buffer.compare(readWindowsPack(), encodeWindowsZones(WINDOWS_ZONES))).toBe(0);
    expect(new WindowsZones(readWindowsPack()).zoneNameOf('constructor')).toBeUndefined();
    expect(() => encodeWindowsZones([{ name: 'A', territory: 'DE', zone: 'Europe/Berlin' }])).toThrow(
      'A has no',
    );
  });
});

/** The zones and offsets of each abbreviation since 1970, by period. */
function usesSince1970(): Map<string, Map<string, Set<number>>> {
  const uses = new Map<string, Map<string, Set<number>>>();
  for (const zone of zones.canonicalZones()) {
    let period = zone.periodAt(0);
    for (;;) {
      const { abbreviation, offsetSeconds, untilEpochSeconds } = period;
      const ofZones = uses.get(abbreviation) ?? new Map<string, Set<number>>();
      uses.set(abbreviation, ofZones);
      ofZones.set(zone.name, (ofZones.get(zone.name) ?? new Set()).add(offsetSeconds / 60));
      if (untilEpochSeconds > seconds('2100-01-01')) break;
      period = zone.periodAt(untilEpochSeconds);
    }
  }
  return uses;
}

describe('an abbreviation', () => {
  test('used since 1970 lists its zones and offsets, most populous first', async () => {
    const populations = decodePopulations(readPopulationPack());
    const uses = usesSince1970();
    expect(uses.size).toBeGreaterThan(100);
    for (const [abbreviation, ofZones] of uses) {
      const { body } = await send(`/v1/abbreviations?name=${encodeURIComponent(abbreviation)}`);
      const listed: { name: string; meanings: number[]; population: number }[] = body.candidates;
      const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
      expect(Object.fromEntries(listed.map(({ name, meanings }) => [name, sorted(meanings)]))).toEqual(
        Object.fromEntries([...ofZones].map(([name, offsets]) => [name, sorted(offsets)])),
      );
      expect(listed.map(({ population }) => population)).toEqual(
        listed.map(({ name }) => populations.get(name) ?? 0).sort((a, b) => b - a),
      );
    }
  });

  test('has candidates with their offsets at the instant', async () => {
    const now = await send('/v1/abbreviations?name=ist');
    expect(now.body.candidates.slice(0, 3)).toMatchObject([
      { name: 'Asia/Kolkata', country_codes: ['IN'], offset: 330, abbreviation: 'IST', meanings: [330] },
      { name: 'Asia/Jerusalem', offset: 180, abbreviation: 'IDT', dst: true, meanings: [120] },
      { name: 'Europe/Dublin', offset: 60, abbreviation: 'IST', dst: true, meanings: [60] },
    ]);
    const winter = (await send('/v1/abbreviations?name=IST&iso=2026-01-01')).body.candidates[2];
    expect(winter).toMatchObject({ name: 'Europe/Dublin', offset: 0, abbreviation: 'GMT' });
    const numeric = await send('/v1/abbreviations?name=+0530');
    expect(numeric.body.candidates[0].name).toBe('Asia/Kathmandu');
  });

  test('is an error in tz, with the candidates and their offsets now', async () => {
    const { status, body } = await send('/v1/time/current?tz=ist');
    expect([status, body.error.code, body.error.details.parameter]).toEqual([400, 'INVALID_PARAMETER', 'tz']);
    expect(body.error.message).toContain("'ist' is an abbreviation, not a zone");
    const listed = await send(`/v1/abbreviations?name=IST&unix_ms=${NOW_MS}`);
    expect(body.error.details.candidates).toEqual(listed.body.candidates);
    const bulk = await send('/v1/time/current?tz=UTC,PST');
    expect(bulk.body[1].error.details.candidates.length).toBeGreaterThan(3);
  });

  test('has at most 20 candidates in an error', async () => {
    const { body } = await send('/v1/time/current?tz=CEST');
    expect(body.error.details.candidates.length).toBe(20);
    expect((await send('/v1/abbreviations?name=CEST')).body.candidates.length).toBeGreaterThan(30);
  });

  test('that no zone has used since 1970 is rejected', () => {
    const names = ['XYZ', 'LMT', 'constructor', '%20'];
    const table = Object.fromEntries(names.map(name => [name, '…is not an abbreviation…']));
    return expectMessages('/v1/abbreviations?name=', table, '400 INVALID_PARAMETER name');
  });

  test('is ordered by a committed table that equals GeoNames with our boundaries', async () => {
    const pack = readPopulationPack();
    expect(pack.length).toBeLessThan(30_000);
    expect(Buffer.compare(pack, encodePopulations(await populationsOfGeoNames()))).toBe(0);
  });
});
