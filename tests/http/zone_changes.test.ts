import { describe, expect, test } from 'bun:test';
import { readZonePack } from '../../data/zones/embedded.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { ZoneDatabase } from '../../src/zones/zone_database.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';
import { embeddedCalendars } from '../data/holidays/embedded_calendars.ts';
import { column, expectBodies, expectEach, expectErrors, expectMessages } from '../support/responses.ts';
import { JSON_ROUTES, send, testServer } from '../support/service.ts';

const PATH = '/v1/time/transitions?';

/** The instants of the changes that a query lists. */
async function changesOf(query: string): Promise<string[]> {
  return column((await send(PATH + query)).body.transitions, 'utc');
}

test('without a range the changes of the current year are listed', async () => {
  expect((await send(`${PATH}tz=us/eastern`)).body).toEqual({
    timezone: 'America/New_York',
    transitions: [
      {
        unix: 1772953200,
        utc: '2026-03-08T07:00:00Z',
        offset_before: -300,
        offset_after: -240,
        abbreviation_before: 'EST',
        abbreviation_after: 'EDT',
        dst_after: true,
      },
      {
        unix: 1793512800,
        utc: '2026-11-01T06:00:00Z',
        offset_before: -240,
        offset_after: -300,
        abbreviation_before: 'EDT',
        abbreviation_after: 'EST',
        dst_after: false,
      },
    ],
  });
});

describe('the range', () => {
  test('includes from and excludes to', () => {
    const [spring, autumn] = ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z'];
    return expectEach(range => changesOf(`tz=Europe/Paris&${range}`), {
      [`from=${spring}&to=${autumn}`]: [spring],
      [`from=${spring}&to=2026-10-25T01:00:00.001Z`]: [spring, autumn],
      [`from=2026-03-29T01:00:00.001Z&to=${autumn}`]: [],
      [`from=${spring}&to=${spring}`]: [],
    });
  });

  test('is in the zone of the target without an offset', () => {
    // Samoa skipped December 30, 2011, from 10:00 UTC.
    const change = ['2011-12-30T10:00:00Z'];
    return expectEach(range => changesOf(`tz=Pacific/Apia&${range}`), {
      'from=2011-12-29T23:59:59&to=2011-12-31': [],
      'from=2011-12-29T23:59:59&to=2011-12-31T00:00:01': change,
      'from=2011-12-31&to=2012-01-01': change,
      'from=2011-12-30T10:00:00%2B00:00&to=2011-12-30T10:01Z': change,
      'from=2011-12-30T11:00[Europe/Paris]&to=2011-12-31T01:00': change,
    });
  });

  test('is a year from the one end that is given, on the same local date', () =>
    expectEach(range => changesOf(`tz=Europe/Paris&${range}`), {
      'from=2028-01-01': ['2028-03-26T01:00:00Z', '2028-10-29T01:00:00Z'],
      'from=2027-01-01': ['2027-03-28T01:00:00Z', '2027-10-31T01:00:00Z'],
      'to=2020-01-01': ['2019-03-31T01:00:00Z', '2019-10-27T01:00:00Z'],
      // From the change of 2028 at 01:00Z, 03:00 in Paris, to that of 2029 on March 25.
      'from=2028-03-26T01:00Z': ['2028-03-26T01:00:00Z', '2028-10-29T01:00:00Z', '2029-03-25T01:00:00Z'],
      'to=2028-10-29T02:30[Europe/Paris]': ['2027-10-31T01:00:00Z', '2028-03-26T01:00:00Z'],
      'from=2024-02-29': ['2024-03-31T01:00:00Z', '2024-10-27T01:00:00Z'],
    }));

  test('that is a year from an end at the limits of time is rejected for that end', () =>
    expectMessages(`${PATH}tz=UTC&`, {
      'from=%2B275760-01-01': "Cannot read 'from': it lies outside…",
      'to=-271821-05-01': "Cannot read 'to': it lies outside…",
    }));

  test('depends on the present without an end alone', () => {
    const cachingOf = async (path: string) =>
      (await send(`/v1/time/transitions${path}`)).headers.get('Cache-Control')!.split(',')[0];
    return expectEach(cachingOf, {
      '?tz=Europe/Paris': 'no-store',
      '?tz=Europe/Paris&from=2028-01-01': 'public',
      '?tz=Europe/Paris&to=2028-01-01': 'public',
      '.csv?tz=Europe/Paris': 'no-store',
      '.csv?tz=Europe/Paris&from=2028-01-01': 'public',
      '.csv?tz=Europe/Paris&to=2028-01-01': 'public',
    });
  });

  test('has local ends that disambiguation resolves where a clock change skips or repeats them', async () => {
    await expectEach(more => changesOf(`tz=Europe/Paris&from=2026-10-25T02:30&to=2026-11-01${more}`), {
      '': ['2026-10-25T01:00:00Z'],
      '&disambiguation=earlier': ['2026-10-25T01:00:00Z'],
      '&disambiguation=later': [],
    });
    await expectErrors(`${PATH}tz=Europe/Paris&disambiguation=`, {
      '400 INVALID_TIMESTAMP': [
        ...['reject&from=2026-03-29T02:30&to=2027-01-01', 'reject&to=2026-10-25T02:30'],
        'reject&from=2026-03-29T02:30',
      ],
      // The other end, which is not given, is never rejected: 02:30 is skipped on that date in 2026.
      '200': ['reject&from=2026-01-01', 'reject&to=2027-03-29T02:30'],
      '400 INVALID_PARAMETER': ['first'],
    });
  });

  test('is at most 200 years for one zone, shared among several, but at least 5', async () => {
    const longest = [
      ...['tz=Europe/Paris&from=1900-01-01&to=2100-01-01', 'country=NZ&from=1950-07-01&to=2050-07-01'],
      ...[
        'tz=Europe/Paris,Asia/Tokyo&from=1900-01-01&to=2000-01-01',
        'all=true&from=2024-02-29&to=2029-03-01',
      ],
    ];
    const longer = longest.map(query => `${query}T00:00:01`);
    await expectErrors(PATH, { '200': longest, '400 INVALID_PARAMETER': longer });
    await expectMessages(PATH, {
      'tz=UTC&from=1900-01-01&to=2101-01-01': '…more than 200 years…',
      'all=true&from=2020-01-01&to=2026-01-01': '…more than 5 years…',
      'tz=UTC&from=2026-01-02&to=2026-01-01': '…before the start…',
    });
  });
});

describe('several zones', () => {
  test('in a list are in its order, with errors in place', async () => {
    const { body } = await send(`${PATH}tz=Europe/Paris,Mars/Olympus,Asia/Tokyo`);
    expect(body[0]).toEqual((await send(`${PATH}tz=Europe/Paris`)).body);
    expect(body[1]).toMatchObject({ item: 'Mars/Olympus', error: { code: 'INVALID_PARAMETER' } });
    expect(body[2]).toEqual({ timezone: 'Asia/Tokyo', transitions: [] });
  });

  test('of a country, or all zones, equal the responses for each', async () => {
    const range = 'from=2025-01-01&to=2027-06-01';
    const all: { timezone: string }[] = (await send(`${PATH}all=true&${range}`)).body;
    expect(column(all, 'timezone')).toEqual(column((await send('/v1/timezones')).body, 'name'));
    for (const element of all) {
      expect((await send(`${PATH}tz=${element.timezone}&${range}`)).body).toEqual(element);
    }
    const ofNewZealand = all.filter(({ timezone }) => /Auckland|Chatham/.test(timezone));
    expect((await send(`${PATH}country=nz&${range}`)).body).toEqual(ofNewZealand);
  });

  test('leave time for other requests', async () => {
    const order: string[] = [];
    await Promise.all([
      send(`${PATH}all=true`).then(() => order.push('all')),
      send('/v1/time/current').then(() => order.push('current')),
    ]);
    expect(order).toEqual(['current', 'all']);
  });
});

test('every selector is accepted, and an offset has no changes', async () => {
  const { body: paris } = await send(`${PATH}tz=Europe/Paris`);
  expect((await send(`${PATH}lat=48.8566&lon=2.3522`)).body).toEqual(paris);
  await expectBodies(PATH, {
    'ip=2.125.160.216': { timezone: 'Europe/London' },
    'offset=%2B05:30': { timezone: null, transitions: [] },
    'utc=true': { timezone: 'UTC', transitions: [] },
  });
});

test('conflicting targets are ambiguous, a target is required, and lists are of zones only', () =>
  expectErrors(PATH, {
    '400 AMBIGUOUS_TARGET': [
      ...['tz=UTC&country=NZ', 'country=NZ&all=true', 'offset=%2B01:00&all=true', 'tz=UTC&utc=true'],
    ],
    '400 MISSING_TARGET': ['', 'all=yes'],
    '400 INVALID_PARAMETER': [
      ...['offset=-08:00,%2B05:45', 'ip=8.8.8.8,1.1.1.1', 'country=XX', 'tz=UTC&from=junk'],
    ],
  }));

/** Noon UTC on a day when Brazil's DST, abolished in 2019b, would be in force. */
const BRAZILIAN_SUMMER = 'iso=2027-01-15T12:00:00Z';

describe('tzdata', () => {
  test('computes with the zones of a release, in every input and the whole response', async () => {
    await expectBodies(`/v1/time/convert?${BRAZILIAN_SUMMER}&`, {
      'tz=America/Sao_Paulo': { iso_local: '2027-01-15T09:00:00-03:00' },
      'tz=America/Sao_Paulo&tzdata=2026f': { iso_local: '2027-01-15T09:00:00-03:00' },
      'tz=America/Sao_Paulo&tzdata=2018i': { iso_local: '2027-01-15T10:00:00-02:00' },
      'lat=-23.55&lon=-46.63&tzdata=2018i': { iso_local: '2027-01-15T10:00:00-02:00' },
      'tz=America/Sao_Paulo,UTC&tzdata=2018i': [{ iso_local: '2027-01-15T10:00:00-02:00' }, {}],
    });
    const local = 'iso=2027-01-15T12:00:00';
    const other = 'to=iso=2027-01-15T14:00:00Z';
    await expectBodies('/v1/time/', {
      [`convert?${local}&source_tz=America/Sao_Paulo&utc=true&tzdata=2018i`]: { utc: '2027-01-15T14:00:00Z' },
      [`convert?${local}[America/Sao_Paulo]&utc=true&tzdata=2018i`]: { utc: '2027-01-15T14:00:00Z' },
      [`diff?from=${local}&from_tz=America/Sao_Paulo&${other}&tzdata=2018i`]: { seconds: 0 },
      [`dst?${BRAZILIAN_SUMMER}&tz=America/Sao_Paulo&tzdata=2018i&details=true`]: {
        dst_active: true,
        details: { zone: { abbreviation: '-02' } },
      },
    });
    const zones = await send(`/v1/timezones?country=UA&tzdata=2016a`);
    expect(column(zones.body, 'name')).toContain('Europe/Kiev');
  });

  test('is a parameter of the routes that use time zones', async () => {
    const without = JSON_ROUTES.filter(({ inputs: { parameters } }) => !('tzdata' in parameters));
    expect(column(without, 'path')).toEqual([
      ...['/v1/tzdata', '/v1/tzdata/changes', '/v1/holidays', '/v1/work/days', '/oembed'],
    ]);
    // A clock fetches the time later.
    const clock = 'style=analog-station&tz=Europe/Paris&tzdata=2024a';
    await expectErrors('/v1/time/clock?', { '400 INVALID_PARAMETER tzdata': [clock] });
  });

  test('uses the older name of a zone that was renamed since', async () => {
    await expectBodies('/v1/', {
      'time/current?tz=Europe/Kyiv&tzdata=2022a': { timezone: 'Europe/Kiev' },
      'time/current?lat=50.45&lon=30.52&tzdata=2022a': { timezone: 'Europe/Kiev' },
      'places?q=Kyiv&limit=1': { places: [{ timezone: 'Europe/Kyiv' }] },
      'places?q=Kyiv&limit=1&tzdata=2022a': { places: [{ timezone: 'Europe/Kiev' }] },
    });
    const release = 'release 2022a of the IANA time zone database';
    await expectMessages('/v1/time/current?', {
      'tz=America/Coyhaique&tzdata=2022a': `Cannot read 'tz': 'America/Coyhaique' is not a zone of ${release}`,
    });
    const places = ['q=Coyhaique&tzdata=2024a', 'q=Kyiv&tzdata=1999z'];
    await expectErrors('/v1/places?', { '400 INVALID_PARAMETER tzdata': places });
  });

  test.each(['lat=-45.57&lon=-72.07', 'place=Coyhaique'])('is too old for %s', async place => {
    await expectBodies('/v1/timezone?', { [place]: { timezone: 'America/Coyhaique' } });
    const lacks = '…release 2024a of the IANA time zone database lacks America/Coyhaique…';
    const row = { [`${place}&tzdata=2024a`]: lacks };
    await expectMessages('/v1/timezone?', row, '400 INVALID_PARAMETER tzdata');
  });

  test('has no border with a zone it lacks', async () => {
    const path = '/v1/timezone?lat=-43.65&lon=-72.3&iso=2026-06-01T00:00Z&details=true';
    const now = (await send(path)).body.details.place;
    expect(now.border_km).toBeGreaterThan(0);
    const { place } = (await send(`${path}&tzdata=2024a`)).body.details;
    expect(place.candidates).toEqual(['America/Santiago']);
    expect(place.border_km).toBeGreaterThan(now.border_km);
  });

  test('rejects unknown releases and lists the known ones', async () => {
    const versions = ['2015a', '2026d', '2024', '2024A', '../2024a', '__proto__'];
    const table = versions.map(version => [
      version,
      `Cannot read 'tzdata': '${version}' is not a tzdata release…`,
    ]);
    const path = '/v1/time/current?tz=Europe/Paris&tzdata=';
    await expectMessages(path, Object.fromEntries(table), '400 INVALID_PARAMETER tzdata');
    expect((await send(`${path}2015a`)).body.error.details.releases).toHaveLength(56);
    await expectErrors(path, { '400 INVALID_PARAMETER': ['', '2024a&tzdata=2024a'] });
  });

  test('returns the same response from the query cache, and does not affect other requests', async () => {
    const path = `/v1/timezone?${BRAZILIAN_SUMMER}&offset=-02:00`;
    const zonesOf = async (more: string) => column((await send(path + more)).body.matching_zones, 'timezone');
    const first = await zonesOf('&tzdata=2018i');
    expect(first).toContain('America/Sao_Paulo');
    for (let time = 0; time < 4; time++) expect(await zonesOf('&tzdata=2018i')).toEqual(first);
    expect(await zonesOf('')).not.toContain('America/Sao_Paulo');
  });

  test("may name the operator's release, which the server also has", async () => {
    const zones = new ZoneDatabase({ ...decodeZonePack(readZonePack()), version: '2027a' });
    const app = createApp(testServer({ zones }));
    const expected = {
      'time/current?tz=Europe/Paris&tzdata=2027a': {},
      tzdata: { current: '2027a' },
      'tzdata/changes?from=2026f&to=2027a': { zones: [], added: [] },
    };
    await expectBodies('/v1/', expected, app);
  });

  test('is not ready if the pack cannot be read, which the default does not need', () => {
    const releases = new LazyData('releases', 'broken', () => Promise.reject(new Error('secret')));
    const errors = { '501 DEPENDENCY_NOT_READY': ['&tzdata=2024a'], '200': [''] };
    return expectErrors('/v1/time/current?tz=Europe/Paris', errors, createApp(testServer({ releases })));
  });
});

test('/v1/tzdata lists the releases with their dates, the current one, and how far holidays are certain', async () => {
  const { current, releases, holidays_certain_through } = (await send('/v1/tzdata')).body;
  expect([current, releases.length]).toEqual(['2026f', 56]);
  expect(holidays_certain_through).toBe(embeddedCalendars.header.certainThrough);
  expect(holidays_certain_through).toBeGreaterThanOrEqual(2029);
  expect(releases[0]).toEqual({ release: '2016a', released: '2016-01-26' });
  expect(releases).toContainEqual({ release: '2024a', released: '2024-02-01' });
});

const CHANGES = '/v1/tzdata/changes?';

describe('/v1/tzdata/changes', () => {
  test('lists the periods in which a zone differs, with both offsets', async () => {
    const { body } = await send('/v1/tzdata/changes?from=2026c&to=2026f&tz=america/havana');
    expect(body).toEqual({
      from: '2026c',
      to: '2026f',
      zones: [
        {
          timezone: 'America/Havana',
          changes: [
            {
              since: { unix: 1_793_509_200, utc: '2026-11-01T05:00:00Z' },
              until: { unix: 1_805_000_400, utc: '2027-03-14T05:00:00Z' },
              old_offset: -300,
              new_offset: -240,
            },
          ],
        },
      ],
      added: [],
    });
  });

  test('lists all zones by name, including new ones', async () => {
    const { zones, added } = (await send(`${CHANGES}from=2024b&to=2025b`)).body;
    const names = column(zones, 'timezone');
    expect(names).toEqual([...names].sort());
    expect(names).toContainValues(['America/Asuncion', 'Asia/Manila']);
    expect(added).toEqual(['America/Coyhaique']);
  });

  test('has no end if two releases disagree permanently', async () => {
    const { body } = await send(`${CHANGES}from=2016a&to=2026f&tz=Asia/Almaty&after=2030-01-01`);
    const since = { unix: 1_709_229_600, utc: '2024-02-29T18:00:00Z' };
    expect(body.zones[0].changes).toEqual([{ since, until: null, old_offset: 360, new_offset: 300 }]);
  });

  test("'after' and 'before' select the periods that overlap them", () => {
    const path = `${CHANGES}from=2026c&to=2026f&tz=America/Havana&`;
    return expectEach(async span => (await send(path + span)).body.zones.length, {
      'after=2027-03-14T05:00:00Z': 0,
      'after=2027-03-14T04:59:59Z': 1,
      'before=2026-11-01T05:00:00Z': 0,
      'before=2026-11-01T05:00:01Z': 1,
      'before=2026-11-01T05:00:00.001Z': 1,
      'after=2027-03-14T04:59:59.999Z': 1,
      'after=2027-03-14T06:00:00[Europe/Paris]': 0,
      'after=2026-12-01&before=2027-01-01': 1,
    });
  });

  test('compares a renamed zone with its older name, a release with itself, and with one that lacks a zone', () =>
    expectBodies(CHANGES, {
      'from=2022a&to=2022b&tz=Europe/Kiev': {},
      'from=2024a&to=2024a': { zones: [], added: [] },
      'from=2022f&to=2022g&tz=america/ciudad_juarez': { zones: [], added: ['America/Ciudad_Juarez'] },
      'from=2024a&to=2026f&tz=America/Coyhaique': { zones: [], added: ['America/Coyhaique'] },
      'from=2026c&to=2026f&after=2026-12-01&before=2026-12-01': {},
    }));

  test('rejects unknown releases, zones and instants', () =>
    expectErrors(CHANGES, {
      '400 INVALID_PARAMETER': [
        ...['', 'from=2024a', 'from=2015a&to=2026f', 'from=2026f&to=2015a', 'from=2026f&to=2024a'],
        ...['from=2024a&to=2026f&tz=Nowhere', 'from=2026f&to=2026f&tz=America/Nowhere'],
        'from=2024a&to=2026f&after=2026-01-02&before=2026-01-01',
        'from=2024a&to=2026f&tz=UTC&after=2026-01-01T00:00:00.001Z&before=2026-01-01',
        ...['from=2024a&to=2026f&after=yesterday', 'from=2024a&to=2026f&after=2026-01-01T00:00[Nowhere]'],
      ],
    }));

  test('gives concurrent requests the same response', async () => {
    const path = `${CHANGES}from=2017a&to=2021a&before=2020-01-01`;
    const [one, ...others] = await Promise.all([send(path), send(path), send(path)]);
    for (const other of others) expect(other.body).toEqual(one!.body);
  });
});
