import { describe, expect, test } from 'bun:test';
import { readZonePack } from '../../data/zones/embedded.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { ZoneDatabase } from '../../src/zones/zone_database.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';
import { errorOf, JSON_ROUTES, send, testServer } from '../support/service.ts';

const PATH = '/v1/time/transitions';

/** The instants of the changes that a query lists. */
async function changesOf(query: string): Promise<string[]> {
  return utcOf((await send(`${PATH}?${query}`)).body);
}

function utcOf({ transitions }: { transitions: { utc: string }[] }): string[] {
  return transitions.map(({ utc }) => utc);
}

async function messageOf(query: string): Promise<string> {
  return (await send(`${PATH}?${query}`)).body.error.message;
}

test('without a range the changes of the current year are listed', async () => {
  expect((await send(`${PATH}?tz=us/eastern`)).body).toEqual({
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
  test('includes from and excludes to', async () => {
    const [spring, autumn] = ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z'];
    const range = (from: string, to: string) => changesOf(`tz=Europe/Paris&from=${from}&to=${to}`);
    expect(await range(spring, autumn)).toEqual([spring]);
    expect(await range(spring, '2026-10-25T01:00:00.001Z')).toEqual([spring, autumn]);
    expect(await range('2026-03-29T01:00:00.001Z', autumn)).toEqual([]);
    expect(await range(spring, spring)).toEqual([]);
  });

  test('is in the zone of the target without an offset', async () => {
    // Samoa skipped December 30, 2011, from 10:00 UTC.
    const change = ['2011-12-30T10:00:00Z'];
    const range = (from: string, to: string) => changesOf(`tz=Pacific/Apia&from=${from}&to=${to}`);
    expect(await range('2011-12-29T23:59:59', '2011-12-31')).toEqual([]);
    expect(await range('2011-12-29T23:59:59', '2011-12-31T00:00:01')).toEqual(change);
    expect(await range('2011-12-31', '2012-01-01')).toEqual(change);
    expect(await range('2011-12-30T10:00:00%2B00:00', '2011-12-30T10:01Z')).toEqual(change);
    expect(await range('2011-12-30T11:00[Europe/Paris]', '2011-12-31T01:00')).toEqual(change);
  });

  test('is a year from the one end that is given, on the same local date', async () => {
    expect(await changesOf('tz=Europe/Paris&from=2028-01-01')).toEqual([
      '2028-03-26T01:00:00Z',
      '2028-10-29T01:00:00Z',
    ]);
    expect(await changesOf('tz=Europe/Paris&from=2027-01-01')).toHaveLength(2);
    expect(await changesOf('tz=Europe/Paris&to=2020-01-01')).toEqual([
      '2019-03-31T01:00:00Z',
      '2019-10-27T01:00:00Z',
    ]);
    // From the change of 2028 at 01:00Z, 03:00 in Paris, to that of 2029 on March 25.
    expect(await changesOf('tz=Europe/Paris&from=2028-03-26T01:00Z')).toEqual([
      '2028-03-26T01:00:00Z',
      '2028-10-29T01:00:00Z',
      '2029-03-25T01:00:00Z',
    ]);
    expect(await changesOf('tz=Europe/Paris&to=2028-10-29T02:30[Europe/Paris]')).toEqual([
      '2027-10-31T01:00:00Z',
      '2028-03-26T01:00:00Z',
    ]);
    expect(await changesOf('tz=Europe/Paris&from=2024-02-29')).toHaveLength(2);
  });

  test('that is a year from an end at the limits of time is rejected for that end', async () => {
    expect(await messageOf('tz=UTC&from=%2B275760-01-01')).toStartWith("Cannot read 'from': it lies outside");
    expect(await messageOf('tz=UTC&to=-271821-05-01')).toStartWith("Cannot read 'to': it lies outside");
  });

  test('depends on the present without an end alone', async () => {
    for (const [range, control] of [
      ['', 'no-store'],
      ['&from=2028-01-01', 'public'],
      ['&to=2028-01-01', 'public'],
    ] as const) {
      for (const path of [PATH, `${PATH}.csv`]) {
        const { headers } = await send(`${path}?tz=Europe/Paris${range}`);
        expect(headers.get('Cache-Control')).toStartWith(control);
      }
    }
  });

  test('has local ends that disambiguation resolves where a clock change skips or repeats them', async () => {
    const autumn = '2026-10-25T01:00:00Z';
    const from = (disambiguation: string) =>
      changesOf(`tz=Europe/Paris&from=2026-10-25T02:30&to=2026-11-01${disambiguation}`);
    expect(await from('')).toEqual([autumn]);
    expect(await from('&disambiguation=earlier')).toEqual([autumn]);
    expect(await from('&disambiguation=later')).toEqual([]);
    for (const range of [
      'from=2026-03-29T02:30&to=2027-01-01',
      'to=2026-10-25T02:30',
      'from=2026-03-29T02:30',
    ])
      expect(await errorOf(`${PATH}?tz=Europe/Paris&${range}&disambiguation=reject`)).toBe(
        '400 INVALID_TIMESTAMP',
      );
    expect((await send(`${PATH}?tz=Europe/Paris&from=2026-01-01&disambiguation=reject`)).status).toBe(200);
    // The other end, which is not given, is never rejected: 02:30 is skipped on that date in 2026.
    expect((await send(`${PATH}?tz=Europe/Paris&to=2027-03-29T02:30&disambiguation=reject`)).status).toBe(
      200,
    );
    expect(await errorOf(`${PATH}?tz=UTC&disambiguation=first`)).toBe('400 INVALID_PARAMETER');
  });

  test('is at most 200 years for one zone, shared among several, but at least 5', async () => {
    for (const [targets, first, last] of [
      ['tz=Europe/Paris', '1900-01-01', '2100-01-01'],
      ['tz=Europe/Paris,Asia/Tokyo', '1900-01-01', '2000-01-01'],
      ['country=NZ', '1950-07-01', '2050-07-01'],
      ['all=true', '2024-02-29', '2029-03-01'],
    ]) {
      const query = `${PATH}?${targets}&from=${first}&to=${last}`;
      expect((await send(query)).status).toBe(200);
      expect(await errorOf(`${query}T00:00:01`)).toBe('400 INVALID_PARAMETER');
    }
    expect(await messageOf('tz=UTC&from=1900-01-01&to=2101-01-01')).toContain('more than 200 years');
    expect(await messageOf('all=true&from=2020-01-01&to=2026-01-01')).toContain('more than 5 years');
    expect(await messageOf('tz=UTC&from=2026-01-02&to=2026-01-01')).toContain('before the start');
  });
});

describe('several zones', () => {
  test('in a list are in its order, with errors in place', async () => {
    const { body } = await send(`${PATH}?tz=Europe/Paris,Mars/Olympus,Asia/Tokyo`);
    expect(body[0]).toEqual((await send(`${PATH}?tz=Europe/Paris`)).body);
    expect(body[1]).toMatchObject({ item: 'Mars/Olympus', error: { code: 'INVALID_PARAMETER' } });
    expect(body[2]).toEqual({ timezone: 'Asia/Tokyo', transitions: [] });
  });

  test('of a country, or all zones, equal the responses for each', async () => {
    const range = 'from=2025-01-01&to=2027-06-01';
    const all = (await send(`${PATH}?all=true&${range}`)).body;
    const listed = (await send('/v1/timezones')).body.map(({ name }: { name: string }) => name);
    expect(all.map(({ timezone }: { timezone: string }) => timezone)).toEqual(listed);
    for (const element of all) {
      expect((await send(`${PATH}?tz=${element.timezone}&${range}`)).body).toEqual(element);
    }
    expect((await send(`${PATH}?country=nz&${range}`)).body).toEqual(
      all.filter(({ timezone }: { timezone: string }) => /Auckland|Chatham/.test(timezone)),
    );
  });

  test('leave time for other requests', async () => {
    const order: string[] = [];
    await Promise.all([
      send(`${PATH}?all=true`).then(() => order.push('all')),
      send('/v1/time/current').then(() => order.push('current')),
    ]);
    expect(order).toEqual(['current', 'all']);
  });
});

test('every selector is accepted, and an offset has no changes', async () => {
  const { body: paris } = await send(`${PATH}?tz=Europe/Paris`);
  expect((await send(`${PATH}?lat=48.8566&lon=2.3522`)).body).toEqual(paris);
  expect((await send(`${PATH}?ip=2.125.160.216`)).body.timezone).toBe('Europe/London');
  expect((await send(`${PATH}?offset=%2B05:30`)).body).toEqual({ timezone: null, transitions: [] });
  expect((await send(`${PATH}?utc=true`)).body).toEqual({ timezone: 'UTC', transitions: [] });
});

test('conflicting targets are ambiguous, a target is required, and lists are of zones only', async () => {
  for (const query of [
    'tz=UTC&country=NZ',
    'country=NZ&all=true',
    'offset=%2B01:00&all=true',
    'tz=UTC&utc=true',
  ]) {
    expect(await errorOf(`${PATH}?${query}`)).toBe('400 AMBIGUOUS_TARGET');
  }
  expect(await errorOf(PATH)).toBe('400 MISSING_TARGET');
  expect(await errorOf(`${PATH}?all=yes`)).toBe('400 MISSING_TARGET');
  for (const query of ['offset=-08:00,%2B05:45', 'ip=8.8.8.8,1.1.1.1', 'country=XX', 'tz=UTC&from=junk']) {
    expect(await errorOf(`${PATH}?${query}`)).toBe('400 INVALID_PARAMETER');
  }
});

/** Noon UTC on a day when Brazil's DST, abolished in 2019b, would be in force. */
const BRAZILIAN_SUMMER = 'iso=2027-01-15T12:00:00Z';

const localOf = async (path: string) => (await send(path)).body.iso_local;

describe('tzdata', () => {
  test('computes with the zones of a release', async () => {
    const path = `/v1/time/convert?${BRAZILIAN_SUMMER}&tz=America/Sao_Paulo`;
    expect(await localOf(path)).toBe('2027-01-15T09:00:00-03:00');
    expect(await localOf(`${path}&tzdata=2018i`)).toBe('2027-01-15T10:00:00-02:00');
    expect(await localOf(`${path}&tzdata=2026f`)).toBe('2027-01-15T09:00:00-03:00');
  });

  test('applies to every input and to the whole response', async () => {
    const local = '2027-01-15T12:00:00';
    const hint = await send(
      `/v1/time/convert?iso=${local}&source_tz=America/Sao_Paulo&utc=true&tzdata=2018i`,
    );
    expect(hint.body.utc).toBe('2027-01-15T14:00:00Z');
    const brackets = await send(`/v1/time/convert?iso=${local}[America/Sao_Paulo]&utc=true&tzdata=2018i`);
    expect(brackets.body.utc).toBe('2027-01-15T14:00:00Z');
    const bulk = await send(`/v1/time/convert?${BRAZILIAN_SUMMER}&tz=America/Sao_Paulo,UTC&tzdata=2018i`);
    expect(bulk.body[0].iso_local).toBe('2027-01-15T10:00:00-02:00');
    const place = await send(`/v1/time/convert?${BRAZILIAN_SUMMER}&lat=-23.55&lon=-46.63&tzdata=2018i`);
    expect(place.body.iso_local).toBe('2027-01-15T10:00:00-02:00');
    const diff = `/v1/time/diff?from=iso=${local}&from_tz=America/Sao_Paulo&to=iso=2027-01-15T14:00:00Z`;
    expect((await send(`${diff}&tzdata=2018i`)).body.seconds).toBe(0);
    const zones = await send(`/v1/timezones?country=UA&tzdata=2016a`);
    expect(zones.body.map(({ name }: { name: string }) => name)).toContain('Europe/Kiev');
    const dst = await send(`/v1/time/dst?${BRAZILIAN_SUMMER}&tz=America/Sao_Paulo&tzdata=2018i&details=true`);
    expect(dst.body.dst_active).toBe(true);
    expect(dst.body.details.zone.abbreviation).toBe('-02');
  });

  test('is a parameter of the routes that use time zones', () => {
    const without = JSON_ROUTES.filter(({ inputs: { parameters } }) => !('tzdata' in parameters)).map(
      ({ path }) => path,
    );
    expect(without).toEqual(['/v1/tzdata', '/v1/tzdata/changes', '/v1/holidays', '/v1/work/days', '/oembed']);
  });

  test('is rejected for a clock, which fetches the time later', async () => {
    const { status, body } = await send('/v1/time/clock?style=analog-station&tz=Europe/Paris&tzdata=2024a');
    expect([status, body.error.details]).toEqual([400, { parameter: 'tzdata' }]);
  });

  test('uses the older name of a zone that was renamed since', async () => {
    const old = await send('/v1/time/current?tz=Europe/Kyiv&tzdata=2022a');
    expect(old.body.timezone).toBe('Europe/Kiev');
    const place = await send('/v1/time/current?lat=50.45&lon=30.52&tzdata=2022a');
    expect(place.body.timezone).toBe('Europe/Kiev');
    const newer = await send('/v1/time/current?tz=America/Coyhaique&tzdata=2022a');
    expect(newer.status).toBe(400);
    expect(newer.body.error.message).toBe(
      "Cannot read 'tz': 'America/Coyhaique' is not a zone of release 2022a of the IANA time zone database",
    );
  });

  test('has the names of the zones of places', async () => {
    const zoneIn = async (query: string) =>
      (await send(`/v1/places?q=Kyiv&limit=1${query}`)).body.places[0].timezone;
    expect([await zoneIn(''), await zoneIn('&tzdata=2022a')]).toEqual(['Europe/Kyiv', 'Europe/Kiev']);
    const newer = await send('/v1/places?q=Coyhaique&tzdata=2024a');
    expect([newer.status, newer.body.error.details]).toEqual([400, { parameter: 'tzdata' }]);
    const unknown = await send('/v1/places?q=Kyiv&tzdata=1999z');
    expect([unknown.status, unknown.body.error.details.parameter]).toEqual([400, 'tzdata']);
  });

  test.each(['lat=-45.57&lon=-72.07', 'place=Coyhaique'])('is too old for %s', async place => {
    expect((await send(`/v1/timezone?${place}`)).body.timezone).toBe('America/Coyhaique');
    const { status, body } = await send(`/v1/timezone?${place}&tzdata=2024a`);
    expect([status, body.error.details]).toEqual([400, { parameter: 'tzdata' }]);
    expect(body.error.message).toContain(
      'release 2024a of the IANA time zone database lacks America/Coyhaique',
    );
  });

  test('has no border with a zone it lacks', async () => {
    const path = '/v1/timezone?lat=-43.65&lon=-72.3&iso=2026-06-01T00:00Z&details=true';
    expect((await send(path)).body.details.place.border_km).toBeGreaterThan(0);
    const { place } = (await send(`${path}&tzdata=2024a`)).body.details;
    expect(place.candidates).toEqual(['America/Santiago']);
    expect(place.border_km).toBeGreaterThan((await send(path)).body.details.place.border_km);
  });

  test('rejects unknown releases and lists the known ones', async () => {
    for (const version of ['2015a', '2026d', '2024', '2024A', '../2024a', '__proto__']) {
      const { status, body } = await send(`/v1/time/current?tz=Europe/Paris&tzdata=${version}`);
      expect([version, status, body.error.code]).toEqual([version, 400, 'INVALID_PARAMETER']);
      expect(body.error.details.parameter).toBe('tzdata');
      expect(body.error.details.releases.length).toBe(56);
      expect(body.error.message).toContain(`Cannot read 'tzdata': '${version}' is not a tzdata release`);
    }
    expect(await errorOf('/v1/time/current?tz=Europe/Paris&tzdata=')).toBe('400 INVALID_PARAMETER');
    expect(await errorOf('/v1/time/current?tzdata=2024a&tzdata=2024a')).toBe('400 INVALID_PARAMETER');
  });

  test('returns the same response from the query cache, and does not affect other requests', async () => {
    const path = `/v1/timezone?${BRAZILIAN_SUMMER}&offset=-02:00&tzdata=2018i`;
    const first = await send(path);
    expect(JSON.stringify(first.body.matching_zones)).toContain('America/Sao_Paulo');
    for (let time = 0; time < 4; time++) expect((await send(path)).body).toEqual(first.body);
    const current = await send(path.replace('&tzdata=2018i', ''));
    expect(JSON.stringify(current.body.matching_zones)).not.toContain('America/Sao_Paulo');
  });

  test("may name the operator's release, which the server also has", async () => {
    const zones = new ZoneDatabase({ ...decodeZonePack(readZonePack()), version: '2027a' });
    const app = createApp(testServer({ zones }));
    expect((await send('/v1/time/current?tz=Europe/Paris&tzdata=2027a', {}, app)).status).toBe(200);
    expect((await send('/v1/tzdata', {}, app)).body.current).toBe('2027a');
    const { status, body } = await send('/v1/tzdata/changes?from=2026f&to=2027a', {}, app);
    expect([status, body.zones, body.added]).toEqual([200, [], []]);
  });

  test('is not ready if the pack cannot be read, which the default does not need', async () => {
    const releases = new LazyData('releases', 'broken', () => Promise.reject(new Error('secret')));
    const app = createApp(testServer({ releases }));
    const { status, body } = await send('/v1/time/current?tz=Europe/Paris&tzdata=2024a', {}, app);
    expect([status, body.error.code]).toEqual([501, 'DEPENDENCY_NOT_READY']);
    expect((await send('/v1/time/current?tz=Europe/Paris', {}, app)).status).toBe(200);
  });
});

describe('/v1/tzdata', () => {
  test('lists the releases with their dates, and the current one', async () => {
    const { body } = await send('/v1/tzdata');
    expect(body.releases.length).toBe(56);
    expect(body.releases[0]).toEqual({ release: '2016a', released: '2016-01-26' });
    expect(body.releases).toContainEqual({ release: '2024a', released: '2024-02-01' });
    expect(body.current).toBe('2026f');
  });
});

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
    const { body } = await send('/v1/tzdata/changes?from=2024b&to=2025b');
    const names = body.zones.map(({ timezone }: { timezone: string }) => timezone);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('America/Asuncion');
    expect(names).toContain('Asia/Manila');
    expect(body.added).toEqual(['America/Coyhaique']);
  });

  test('has no end if two releases disagree permanently', async () => {
    const { body } = await send('/v1/tzdata/changes?from=2016a&to=2026f&tz=Asia/Almaty&after=2030-01-01');
    expect(body.zones[0].changes).toEqual([
      {
        since: { unix: 1_709_229_600, utc: '2024-02-29T18:00:00Z' },
        until: null,
        old_offset: 360,
        new_offset: 300,
      },
    ]);
  });

  test("'after' and 'before' select the periods that overlap them", async () => {
    const path = '/v1/tzdata/changes?from=2026c&to=2026f&tz=America/Havana';
    const counts = async (span: string) => (await send(path + span)).body.zones.length;
    expect(await counts('&after=2027-03-14T05:00:00Z')).toBe(0);
    expect(await counts('&after=2027-03-14T04:59:59Z')).toBe(1);
    expect(await counts('&before=2026-11-01T05:00:00Z')).toBe(0);
    expect(await counts('&before=2026-11-01T05:00:01Z')).toBe(1);
    expect(await counts('&before=2026-11-01T05:00:00.001Z')).toBe(1);
    expect(await counts('&after=2027-03-14T04:59:59.999Z')).toBe(1);
    expect(await counts('&after=2027-03-14T06:00:00[Europe/Paris]')).toBe(0);
    expect(await counts('&after=2026-12-01&before=2027-01-01')).toBe(1);
  });

  test('compares a renamed zone with its older name, and a release with itself', async () => {
    const renamed = await send('/v1/tzdata/changes?from=2022a&to=2022b&tz=Europe/Kiev');
    expect(renamed.status).toBe(200);
    const same = await send('/v1/tzdata/changes?from=2024a&to=2024a');
    expect([same.body.zones, same.body.added]).toEqual([[], []]);
  });

  test('rejects unknown releases, zones and instants', async () => {
    for (const query of [
      ...['', 'from=2024a', 'from=2015a&to=2026f', 'from=2026f&to=2015a', 'from=2026f&to=2024a'],
      ...['from=2024a&to=2026f&tz=Nowhere', 'from=2026f&to=2026f&tz=America/Nowhere'],
      'from=2024a&to=2026f&after=2026-01-02&before=2026-01-01',
      'from=2024a&to=2026f&tz=UTC&after=2026-01-01T00:00:00.001Z&before=2026-01-01',
      ...['from=2024a&to=2026f&after=yesterday', 'from=2024a&to=2026f&after=2026-01-01T00:00[Nowhere]'],
    ]) {
      expect([query, await errorOf(`/v1/tzdata/changes?${query}`)]).toEqual([query, '400 INVALID_PARAMETER']);
    }
  });

  test('has a zone that the earlier release lacks among those that are new', async () => {
    for (const [query, zone] of [
      ['from=2022f&to=2022g&tz=america/ciudad_juarez', 'America/Ciudad_Juarez'],
      ['from=2024a&to=2026f&tz=America/Coyhaique', 'America/Coyhaique'],
    ] as const) {
      const { status, body } = await send(`/v1/tzdata/changes?${query}`);
      expect([query, status, body.zones, body.added]).toEqual([query, 200, [], [zone]]);
    }
  });

  test('has no spans of time between an instant and itself', async () => {
    const path = '/v1/tzdata/changes?from=2026c&to=2026f&after=2026-12-01&before=2026-12-01';
    expect((await send(path)).status).toBe(200);
  });

  test('gives concurrent requests the same response', async () => {
    const path = '/v1/tzdata/changes?from=2017a&to=2021a&before=2020-01-01';
    const [one, ...others] = await Promise.all([send(path), send(path), send(path)]);
    for (const other of others) expect(other.body).toEqual(one!.body);
  });
});
