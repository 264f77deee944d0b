import { describe, expect, test } from 'bun:test';
import { populationsOfGeoNames } from '../../data/populations/compile.ts';
import { readPopulationPack } from '../../data/populations/embedded.ts';
import { windowsZonesOfCldr } from '../../data/windows/compile.ts';
import { readWindowsPack } from '../../data/windows/embedded.ts';
import { decodePopulations, encodePopulations } from '../../src/zones/populations.ts';
import { encodeWindowsZones, WindowsZones } from '../../src/zones/windows_zones.ts';
import { errorOf, NOW_MS, send } from '../support/service.ts';
import { seconds, zoneOf, zones } from '../support/zones.ts';

test('without a selector the time is UTC, with no zone and no local time', async () => {
  expect((await send('/v1/time/current')).body).toEqual({
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
  });
});

test('a zone gives its local time under its canonical name', async () => {
  expect((await send('/v1/time/current?tz=us/eastern')).body).toEqual({
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
  });
});

test('an offset has a local time and no zone', async () => {
  for (const offset of ['%2B05:30', '+05:30', '%20' + '05:30']) {
    const { body } = await send(`/v1/time/current?offset=${offset}&format=%25Z`);
    expect(body).toMatchObject({
      iso_local: '2026-04-15T23:00:47+05:30',
      human: 'April 15, 2026, 11:00 PM UTC+05:30',
      timezone: null,
      formatted: 'UTC+05:30',
    });
  }
});

test('utc=true is the zone UTC on convert and add, and ignored on current', async () => {
  const expected = { iso_local: '1970-01-01T00:00:00+00:00', timezone: 'UTC' };
  expect((await send('/v1/time/convert?unix=0&utc=true')).body).toMatchObject(expected);
  expect((await send('/v1/time/add?unix=1&seconds=-1&utc=true')).body).toMatchObject(expected);
  const ignored = await send('/v1/time/current?utc=true');
  expect(ignored.headers.get('X-Service-Ignored-Parameters')).toBe('utc');
  expect(ignored.body.timezone).toBeNull();
});

test('names that mean UTC return UTC, with their own abbreviation', async () => {
  for (const tz of ['Etc/UTC', 'Etc/UCT', 'Zulu', 'GMT', 'Etc/GMT', 'Etc/Greenwich', 'Universal', 'GMT0']) {
    const { body } = await send(`/v1/time/current?tz=${tz}&format=%25Z`);
    expect(body.timezone).toBe('UTC');
    expect(body.formatted).toBe(/UTC|UCT|Zulu|Universal/.test(tz) ? 'UTC' : 'GMT');
  }
});

test('names with their own entry in zone.tab are kept, other links are followed', async () => {
  for (const [target, canonical] of [
    ['Europe/Oslo', 'Europe/Oslo'],
    ['Europe/Bratislava', 'Europe/Bratislava'],
    ['Europe/Vatican', 'Europe/Vatican'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['EUROPE/KIEV', 'Europe/Kyiv'],
    ['EST', 'EST'],
    ['CET', 'CET'],
    ['EST5EDT', 'EST5EDT'],
    ['etc/gmt+5', 'Etc/GMT+5'],
  ] as const) {
    expect((await send(`/v1/time/current?tz=${encodeURIComponent(target)}`)).body.timezone).toBe(canonical);
    expect((await send(`/v1/time/current?tz=${target}`)).body.timezone).toBe(canonical);
  }
});

test('a misspelt zone is rejected with the nearest names', async () => {
  const { status, body } = await send('/v1/time/current?tz=Europe/Pariss');
  expect(status).toBe(400);
  expect(body.error.code).toBe('INVALID_PARAMETER');
  expect(body.error.message).toContain("'Europe/Paris'");
});

test('offsets other than ±HH:MM are rejected', async () => {
  for (const offset of ['5', '05:30', '%2B5:30', '%2B0530', '%2B24:00', '%2B05:60', '%2B05:30:00', 'Z', '']) {
    expect(await errorOf(`/v1/time/current?offset=${offset}`)).toBe('400 INVALID_PARAMETER');
  }
});

describe('two selector families are ambiguous', () => {
  const families = ['tz=UTC', 'ip=8.8.8.8', 'lat=1&lon=2', 'offset=-04:00', 'auto_tz=true'];
  const paths = ['current?', 'convert?unix=0&', 'add?days=1&', 'calendar?', 'dst?'].map(p => `/v1/time/${p}`);
  for (const path of [...paths, '/v1/timezone?']) {
    test(path, async () => {
      for (const one of families) {
        for (const other of families.filter(family => family !== one)) {
          expect(await errorOf(`${path}${one}&${other}`)).toBe('400 AMBIGUOUS_TARGET');
        }
      }
    });
  }
  test('utc=true is one of them on convert and add', async () => {
    for (const family of [...families, 'tz=UTC,UTC']) {
      expect(await errorOf(`/v1/time/convert?unix=0&utc=true&${family}`)).toBe('400 AMBIGUOUS_TARGET');
      expect(await errorOf(`/v1/time/add?days=1&utc=true&${family}`)).toBe('400 AMBIGUOUS_TARGET');
    }
  });
});

test('half a pair of coordinates, and coordinates out of range, are rejected', async () => {
  for (const pair of [
    ...['lat=1', 'lon=1', 'lat=91&lon=0', 'lat=0&lon=181', 'lat=1e1&lon=0', 'lat=0x1&lon=0', 'lat=NaN&lon=0'],
  ]) {
    expect(await errorOf(`/v1/time/current?${pair}`)).toBe('400 INVALID_PARAMETER');
  }
});

test('malformed addresses are rejected', async () => {
  for (const ip of [
    ...['1.2.3', '1.2.3.4.5', '0x8.8.8.8', '256.1.1.1', 'fe80::1%25eth0', 'localhost', '8.8.8.8%0A'],
  ]) {
    expect(await errorOf(`/v1/time/current?ip=${ip}`)).toBe('400 INVALID_PARAMETER');
  }
});

test('a bulk has a result for each entry in order, errors included', async () => {
  const { status, headers, body } = await send('/v1/time/current?tz=Asia/Tokyo,Mars/Olympus,,asia/tokyo');
  expect(status).toBe(200);
  expect(body).toHaveLength(4);
  expect(body[0].timezone).toBe('Asia/Tokyo');
  expect(body[1]).toMatchObject({
    error: { code: 'INVALID_PARAMETER' },
    item: 'Mars/Olympus',
    request_id: headers.get('X-Request-Id'),
  });
  expect(body[2]).toMatchObject({ error: { code: 'INVALID_PARAMETER' }, item: '' });
  expect(body[3]).toEqual(body[0]);
  expect(body[0].unix_ms).toBe(NOW_MS);
});

test('only the first failed entries of a bulk get the nearest names, so that invalid lists stay cheap', async () => {
  const list = Array.from({ length: 100 }, (_, index) => `Europe/Pariss${index}`).join(',');
  const { body } = await send(`/v1/time/current?tz=${list}`);
  const advised = body.filter((entry: { error: { message: string } }) =>
    /did you mean/.test(entry.error.message),
  );
  expect(advised).toHaveLength(5);
});

test('a bulk has at most 100 entries', async () => {
  const list = (length: number) => Array.from({ length }, () => 'UTC').join(',');
  expect((await send(`/v1/time/current?tz=${list(100)}`)).body).toHaveLength(100);
  expect(await errorOf(`/v1/time/current?tz=${list(101)}`)).toBe('400 INVALID_PARAMETER');
});

test('a bulk of offsets works on convert', async () => {
  const { body } = await send('/v1/time/convert?unix=0&offset=%2B01:00,-01:00,1');
  expect(body.map((entry: { iso_local?: string }) => entry.iso_local)).toEqual([
    '1970-01-01T01:00:00+01:00',
    '1969-12-31T23:00:00-01:00',
    undefined,
  ]);
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
      for (const written of [list, encodeURIComponent(list)]) {
        const { status, body } = await send(`${path}${prefix}${family}=${written}`);
        expect(status).toBe(400);
        expect(body.error.message).toBe(refusal(prefix + family, list, wanted));
      }
    }
  });

  test('at either end of diff', async () => {
    for (const [family, list, wanted] of lists) {
      const { body } = await send(`/v1/time/diff?to=now&from=${family}=${list}`);
      expect(body.error.message).toBe(refusal('from', list, wanted));
    }
  });
});

test.each([
  [
    '/v1/time/current?tz=UTC%2B1',
    "'UTC+1' is not",
    "; an offset is given as 'offset=+01:00'; did you mean 'UTC'?",
  ],
  [
    '/v1/time/current?tz=UTC+1',
    "'UTC+1' is not",
    "; an offset is given as 'offset=+01:00'; did you mean 'UTC'?",
  ],
  [
    '/v1/time/convert?iso=2026-04-16&utc=true&source_tz=gmt-5:30',
    "'gmt-5:30' is not",
    "'source_offset=-05:30'",
  ],
  ['/v1/time/diff?from=tz=UTC%2B1&to=now', "'UTC+1' is not", '; an offset is written +01:00'],
  [
    '/v1/time/convert?iso=2026-04-16T09:00[UTC%2B1]&utc=true',
    "'UTC+1' is not",
    '; an offset is written +01:00',
  ],
])('%s: the error for an offset given as a zone says how to give it', async (path, quote, hint) => {
  const { message } = (await send(path)).body.error;
  expect(message).toContain(quote);
  expect(message).toContain(hint);
});

test('the error for a name that only resembles an offset has no such advice', async () => {
  for (const tz of ['UTC%2B99', 'Etc/GMT%2B99', 'UTC1', 'America/New+Yorkk']) {
    expect((await send(`/v1/time/current?tz=${tz}`)).body.error.message).not.toContain('offset');
  }
});

test('a number is quoted with the plus as typed', async () => {
  for (const [path, quote] of [
    ['/v1/time/convert?utc=true&unix=+1.5', "'+1.5' is not a whole number"],
    ['/v1/time/add?days=+1.5', "'+1.5' is not a whole number"],
    ['/v1/time/dst?lat=+91&lon=0', "'+91' is not between"],
    ['/v1/time/dst?offset=+1:00', "'+1:00' is not an offset"],
  ] as const) {
    expect((await send(path)).body.error.message).toContain(quote);
  }
});

const WINDOWS_ZONES = windowsZonesOfCldr();
const timezoneOf = async (query: string) => (await send(`/v1/timezone?${query}`)).body.timezone;

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

  test('uses the default if CLDR has no zone for the territory', async () => {
    expect(await timezoneOf('tz=Tokyo+Standard+Time&territory=DE')).toBe('Asia/Tokyo');
  });

  test('is found in any letter case, with a plus that became a space, in lists and specifiers', async () => {
    expect(await timezoneOf('tz=w.+europe+standard+time')).toBe('Europe/Berlin');
    expect(await timezoneOf('tz=UTC+12')).toBe('Etc/GMT-12');
    expect(await timezoneOf('tz=UTC%2B13')).toBe('Etc/GMT-13');
    const { body } = await send('/v1/time/current?tz=Romance+Standard+Time,UTC-11');
    expect(body.map(({ timezone }: { timezone: string }) => timezone)).toEqual([
      'Europe/Paris',
      'Etc/GMT+11',
    ]);
    const hinted = 'iso=2026-01-01T00:00:00&source_tz=Pacific+Standard+Time&source_territory=CA&utc=true';
    expect((await send(`/v1/time/convert?${hinted}`)).body.utc).toBe('2026-01-01T08:00:00Z');
    expect((await send('/v1/time/diff?from=tz=Tokyo+Standard+Time&to=now')).status).toBe(200);
  });

  test('comes after IANA names, and resolves in the zones of a release', async () => {
    expect(await timezoneOf('tz=UTC')).toBe('UTC');
    expect(await timezoneOf('tz=FLE+Standard+Time&tzdata=2022a')).toBe('Europe/Kiev');
  });

  const REJECTED = [
    ['tz=Europe/Paris&territory=FR', 'territory', 'it applies only to Windows names'],
    ['tz=Romance+Standard+Time,UTC&territory=FR', 'territory', 'not to a list'],
    ['tz=Tokyo+Standard+Time&territory=XX', 'territory', "'XX' is not an ISO 3166-1 alpha-2 code"],
    ['tz=Tokyo+Standard+Time&territory=', 'territory', 'it has no value'],
    ['tz=Tokio+Standard+Time&territory=JP', 'tz', "'Tokio+Standard+Time' is not a zone"],
    ['territory=FR', 'tz', "'territory' requires it"],
  ] as const;
  test.each(REJECTED)(
    'is rejected with a territory that does not apply: %s',
    async (query, parameter, message) => {
      const { status, body } = await send(`/v1/time/current?${query}`);
      expect(status).toBe(400);
      expect(body.error.details.parameter).toBe(parameter);
      expect(body.error.message.replaceAll(' Standard Time', '+Standard+Time')).toContain(message);
    },
  );

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
    const winter = await send('/v1/abbreviations?name=IST&iso=2026-01-01');
    expect(winter.body.candidates[2]).toMatchObject({
      name: 'Europe/Dublin',
      offset: 0,
      abbreviation: 'GMT',
    });
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

  test.each(['XYZ', 'LMT', 'constructor', '%20'])(
    'that no zone has used since 1970 is rejected: %s',
    async name => {
      const { status, body } = await send(`/v1/abbreviations?name=${name}`);
      expect([status, body.error.details]).toEqual([400, { parameter: 'name' }]);
      expect(body.error.message).toContain('is not an abbreviation');
    },
  );

  test('is ordered by a committed table that equals GeoNames with our boundaries', async () => {
    const pack = readPopulationPack();
    expect(pack.length).toBeLessThan(30_000);
    expect(Buffer.compare(pack, encodePopulations(await populationsOfGeoNames()))).toBe(0);
  });
});
