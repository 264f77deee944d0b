import { describe, expect, test } from 'bun:test';
import { readZonePack } from '../../data/zones/embedded.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { ZoneDatabase } from '../../src/zones/zone_database.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';
import { errorOf, JSON_ROUTES, send, testServer } from '../support/service.ts';

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
      '',
      'from=2024a',
      'from=2015a&to=2026f',
      'from=2026f&to=2015a',
      'from=2026f&to=2024a',
      'from=2024a&to=2026f&tz=Nowhere',
      'from=2026f&to=2026f&tz=America/Nowhere',
      'from=2024a&to=2026f&after=2026-01-02&before=2026-01-01',
      'from=2024a&to=2026f&tz=UTC&after=2026-01-01T00:00:00.001Z&before=2026-01-01',
      'from=2024a&to=2026f&after=yesterday',
      'from=2024a&to=2026f&after=2026-01-01T00:00[Nowhere]',
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
