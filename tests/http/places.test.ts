import { describe, expect, test } from 'bun:test';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import type { Boundaries } from '../../src/places/boundaries.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { parseOwnNetworks } from '../../src/places/places.ts';
import { createApp } from '../../src/server/app.ts';
import { errorOf, JSON_ROUTES, NOW_MS, send, testPlaces, testServer } from '../support/service.ts';

const ADDRESSES = [
  ['2.125.160.216', 'Europe/London'],
  ['89.160.20.112', 'Europe/Stockholm'],
  ['2001:218::1', 'Asia/Tokyo'],
] as const;

/** Every route that takes a target, with its other required parameters. */
const ROUTES = [
  ...['/v1/time/current?', '/v1/time/convert?unix=1776274247&', '/v1/time/add?days=0&', '/v1/time/calendar?'],
  ...['/v1/time/dst?', '/v1/timezone?'],
];

describe('a place as target', () => {
  for (const route of ROUTES) {
    test(`${route} takes coordinates`, async () => {
      const { status, body } = await send(`${route}lat=48.8566&lon=2.3522`);
      expect([status, body.timezone]).toEqual([200, 'Europe/Paris']);
      expect(body.iso_local).toBe('2026-04-15T19:30:47+02:00');
      expect(body.human).toEndWith('7:30 PM Europe/Paris');
    });

    test(`${route} takes the caller's address`, async () => {
      const ownNetworks = parseOwnNetworks('127.0.0.1,Asia/Kathmandu', () => true);
      const app = createApp(testServer({ places: testPlaces({ ownNetworks }) }), {
        peerOf: () => '127.0.0.1',
      });
      expect((await send(`${route}auto_tz=true`, {}, app)).body.timezone).toBe('Asia/Kathmandu');
      expect((await send(`${route}auto_tz=false&tz=UTC`, {}, app)).body.timezone).toBe('UTC');
    });
  }
});

describe('coordinates', () => {
  const zoneAt = async (lat: string, lon: string) =>
    (await send(`/v1/timezone?lat=${lat}&lon=${lon}`)).body.timezone;

  test('enclaves, sea and poles have their zones', async () => {
    expect(await zoneAt('51.443', '4.934')).toBe('Europe/Brussels');
    expect(await zoneAt('41.9022', '12.4533')).toBe('Europe/Vatican');
    expect(await zoneAt('-30', '-130')).toBe('Etc/GMT+9');
    expect(await zoneAt('90', '0')).toBe('Etc/GMT-12');
    expect(await zoneAt('-90', '0')).toBe('Antarctica/McMurdo');
    expect(await zoneAt('0', '0')).toBe('UTC');
  });

  test('every plain decimal within range is accepted', async () => {
    for (const [lat, lon] of [
      ['-0', '-0'],
      ['%2B48.85', '+2.35'],
      ['.5', '5.'],
      ['-90', '-180'],
      ['90', '180'],
      ['0.0000000000000000000000000001', '179.99999999999999'],
    ] as const) {
      expect(`${lat},${lon} ${typeof (await zoneAt(lat, lon))}`).toBe(`${lat},${lon} string`);
    }
  });
});

describe('addresses', () => {
  test('IPv4, IPv6 and IPv4-mapped addresses have their zone', async () => {
    for (const [ip, timezone] of ADDRESSES) {
      expect(`${ip} ${(await send(`/v1/timezone?ip=${ip}`)).body.timezone}`).toBe(`${ip} ${timezone}`);
      const mapped = ip.includes(':') ? ip.toUpperCase() : `::ffff:${ip}`;
      expect((await send(`/v1/timezone?ip=${mapped}`)).body.timezone).toBe(timezone);
    }
  });

  test('an address without a known zone is rejected, and its class reported', async () => {
    for (const [ip, advice] of [
      ['10.0.0.1', "'10.0.0.1', a private address"],
      ['::ffff:127.0.0.1', "'127.0.0.1', a loopback address"],
      ['FE80::1', "'fe80::1', a link-local address"],
      ['::8.8.8.8', "'::808:808'"],
    ] as const) {
      const { status, body } = await send(`/v1/time/current?ip=${ip}`);
      expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
      expect(body.error.message).toBe(`Cannot read 'ip': no time zone is known for ${advice}`);
    }
  });

  test("the operator's networks take precedence", async () => {
    const own = parseOwnNetworks('10.0.0.0/8,Europe/Berlin\n2.125.0.0/16,Asia/Tokyo', () => true);
    const app = createApp(testServer({ places: testPlaces({ ownNetworks: own }) }));
    const zoneOf = async (ip: string) => (await send(`/v1/timezone?ip=${ip}`, {}, app)).body.timezone;
    expect(await zoneOf('10.1.2.3')).toBe('Europe/Berlin');
    expect(await zoneOf('2.125.160.216')).toBe('Asia/Tokyo');
    expect(await zoneOf('89.160.20.112')).toBe('Europe/Stockholm');
  });

  test('a zone that only the database has is not a known zone', async () => {
    const ip = LazyData.of('ip', 'Test', { zoneNameOf: () => 'Mars/Olympus' });
    const app = createApp(testServer({ places: testPlaces({ ip }) }));
    const { status, body } = await send('/v1/time/current?ip=8.8.8.8', {}, app);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

  test('a bulk has the zone of each address in order', async () => {
    const list = ['89.160.20.112', '10.0.0.1', '', '010.0.0.1', '2001:218::', '89.160.20.112'];
    for (const route of ['/v1/time/current?', '/v1/time/convert?unix=0&']) {
      const { status, body } = await send(`${route}ip=${list.join(',')}`);
      expect(status).toBe(200);
      const seen = body.map(
        (entry: { timezone?: string; item?: string }) => entry.timezone ?? `! ${entry.item}`,
      );
      expect(seen).toEqual([
        ...['Europe/Stockholm', '! 10.0.0.1', '! ', '! 010.0.0.1', 'Asia/Tokyo', 'Europe/Stockholm'],
      ]);
    }
  });

  test('a list is rejected if one address is required', async () => {
    for (const route of ROUTES.filter(route => !/current|convert/.test(route))) {
      expect(await errorOf(`${route}ip=89.160.20.112,89.160.20.112`)).toBe('400 INVALID_PARAMETER');
    }
    expect(await errorOf('/v1/time/current?ip=8.8.8.8,8.8.4.4&tz=UTC')).toBe('400 AMBIGUOUS_TARGET');
  });
});

describe('a place as hint for a local time', () => {
  test('source_ip and source_lat with source_lon place it', async () => {
    for (const hint of [
      'source_tz=Europe/Stockholm',
      'source_ip=89.160.20.112',
      'source_lat=52.37&source_lon=4.9',
    ]) {
      for (const route of ['convert?utc=true&', 'add?seconds=0&utc=true&', 'calendar?']) {
        const { body } = await send(`/v1/time/${route}iso=2026-07-01T09:00&${hint}`);
        expect(`${hint} ${route} ${body.utc}`).toBe(`${hint} ${route} 2026-07-01T07:00:00Z`);
      }
    }
  });

  test('errors name its own parameter', async () => {
    const { body } = await send('/v1/time/convert?iso=2026-07-01T09:00&source_ip=10.0.0.1&utc=true');
    expect(body.error.message).toStartWith("Cannot read 'source_ip': no time zone is known");
    const half = await send('/v1/time/convert?iso=2026-07-01T09:00&source_lat=1&utc=true');
    expect(half.body.error.message).toStartWith("Cannot read 'source_lat': 'source_lon' is missing");
  });

  test('two of them are ambiguous', async () => {
    const path = '/v1/time/convert?iso=2026-07-01T09:00&utc=true&source_ip=89.160.20.112';
    expect(await errorOf(`${path}&source_tz=UTC`)).toBe('400 AMBIGUOUS_TARGET');
    expect(await errorOf(`${path}&source_lat=1&source_lon=1`)).toBe('400 AMBIGUOUS_TARGET');
  });
});

describe('the caller', () => {
  const networks = parseOwnNetworks('10.0.0.0/8,Europe/Berlin\n20.0.0.0/8,Asia/Tokyo', () => true);
  const callerTrust = { proxies: parseTrustedProxies(['10.0.0.0/8']), header: 'X-Forwarded-For' };
  const services = testServer({ places: testPlaces({ ownNetworks: networks }), callerTrust });

  async function zoneFor(peer: string, headers: Record<string, string>) {
    const { body } = await send(
      '/v1/time/current?auto_tz=true',
      { headers },
      createApp(services, { peerOf: () => peer }),
    );
    return body.timezone ?? body.error.message;
  }

  test('is identified by headers only behind a trusted proxy', async () => {
    const headers = { 'X-Forwarded-For': '20.0.0.1' };
    expect(await zoneFor('10.0.0.1', headers)).toBe('Asia/Tokyo');
    expect(await zoneFor('10.0.0.1', { Forwarded: 'for=20.0.0.1' })).toBe('Europe/Berlin');
    expect(await zoneFor('89.160.20.112', headers)).toBe('Europe/Stockholm');
  });

  test('without a known address or zone is an error that says so', async () => {
    expect(await zoneFor('10.0.0.1', { 'X-Forwarded-For': 'unknown' })).toBe(
      "Cannot read 'auto_tz': the client's address is not known",
    );
    expect(await zoneFor('', {})).toContain('is not known');
    expect(await zoneFor('127.0.0.1', {})).toBe(
      "Cannot read 'auto_tz': no time zone is known for '127.0.0.1', a loopback address",
    );
    expect(await errorOf('/v1/time/current?auto_tz=true')).toBe('400 INVALID_PARAMETER');
  });
});

/** Boundaries with the whole world in one zone. */
function boundariesOf(zoneName: string): Boundaries {
  return {
    zoneNameAt: () => zoneName,
    zoneNamesAt: () => [zoneName],
    kmToZone: () => null,
    allZoneNames: () => [zoneName],
    check() {},
  };
}

describe('data that is still loading', () => {
  /** Boundaries that are loaded when `open` is called. */
  function slowBoundaries() {
    const { promise, resolve, reject } = Promise.withResolvers<Boundaries>();
    const boundaries = new LazyData('boundaries', '2026d', () => promise);
    return { boundaries, open: () => resolve(boundariesOf('Asia/Tokyo')), fail: reject };
  }

  test('is awaited by exactly the requests that need it', async () => {
    const { boundaries, open } = slowBoundaries();
    const app = createApp(testServer({ places: testPlaces({ boundaries }) }));
    const paths = [
      '/v1/time/current?lat=1&lon=2',
      '/v1/time/convert?iso=2026-01-01T00:00&source_lat=1&source_lon=2&lat=1&lon=2',
    ];
    const waiting = paths.map(path => send(path, { headers: { 'X-Request-Id': path.slice(9, 16) } }, app));
    const others = await send('/v1/time/current?tz=Europe/Paris', {}, app);
    expect(others.body.timezone).toBe('Europe/Paris');
    expect((await send('/readyz', {}, app)).body).toContain('boundaries ok 2026d, loading');
    open();
    for (const [index, { status, headers, body }] of (await Promise.all(waiting)).entries()) {
      expect([status, body.timezone]).toEqual([200, 'Asia/Tokyo']);
      expect(headers.get('X-Request-Id')).toBe(paths[index]!.slice(9, 16));
    }
  });

  test('that turns out broken is 501, and no longer ready', async () => {
    const { boundaries, fail } = slowBoundaries();
    const app = createApp(testServer({ places: testPlaces({ boundaries }) }));
    expect((await send('/readyz', {}, app)).status).toBe(200);
    const waiting = send('/v1/time/current?lat=1&lon=2', {}, app);
    fail(new Error('it is damaged'));
    const { status, body } = await waiting;
    expect([status, body.error.code]).toEqual([501, 'DEPENDENCY_NOT_READY']);
    const readiness = await send('/readyz', {}, app);
    expect(readiness.status).toBe(503);
    expect(readiness.body).toContain('boundaries broken 2026d: it is damaged');
    expect((await send('/v1/time/current?tz=Europe/Paris', {}, app)).status).toBe(200);
  });

  test('a bulk of addresses waits as a whole', async () => {
    const { promise, resolve } = Promise.withResolvers<{ zoneNameOf: () => string }>();
    const app = createApp(
      testServer({ places: testPlaces({ ip: new LazyData('ip', 'Test', () => promise) }) }),
    );
    const waiting = send('/v1/time/current?ip=1.1.1.1,x', {}, app);
    resolve({ zoneNameOf: () => 'Asia/Tokyo' });
    const { body } = await waiting;
    expect(body[0].timezone).toBe('Asia/Tokyo');
    expect(body[1].item).toBe('x');
  });

  test('a zone that an older zoneinfo tree lacks is not ready', async () => {
    const boundaries = LazyData.of('boundaries', 'Test', boundariesOf('Mars/Olympus'));
    const app = createApp(testServer({ places: testPlaces({ boundaries }) }));
    const { status, body } = await send('/v1/time/current?lat=1&lon=2', {}, app);
    expect([status, body.error.code]).toEqual([501, 'DEPENDENCY_NOT_READY']);
    expect(body.error.message).toContain('Mars/Olympus');
  });
});

/** What routes require in addition to a target. */
const REQUIRED: Readonly<Record<string, string>> = {
  '/v1/time/convert': 'unix=0&',
  '/v1/time/add': 'days=0&',
  '/v1/time/elapsed': 'unix=0&',
  '/v1/work/status': 'schedule=24/7&',
  '/v1/work/add': 'schedule=24/7&duration=PT1H&',
  '/v1/work/diff': 'schedule=24/7&from=unix=0&to=unix=1&',
  '/v1/recurrence': 'cron=0 9 * * *&count=1&',
};

describe('place', () => {
  const routes = JSON_ROUTES.filter(({ inputs: { parameters } }) => 'lat' in parameters);
  expect(routes.length).toBeGreaterThan(9);

  for (const { path } of routes) {
    test(`selects the same zone as its coordinates on ${path}`, async () => {
      const request = `${path}?${REQUIRED[path] ?? ''}`;
      const byName = await send(`${request}place=Munich`);
      expect(byName.status).toBe(200);
      expect(byName.body).toEqual((await send(`${request}lat=48.13743&lon=11.57549`)).body);
      expect(await errorOf(`${request}place=Portland`)).toBe('400 AMBIGUOUS_TARGET');
      expect(await errorOf(`${request}place=Nowheresville`)).toBe('400 INVALID_PARAMETER');
    });
  }

  test('is a hint for a local time', async () => {
    const { body } = await send('/v1/time/convert?iso=2026-01-01T12:00&source_place=Wien&utc=true');
    expect(body.utc).toBe('2026-01-01T11:00:00Z');
    const hinted =
      '/v1/time/diff?from=iso=2026-01-01T12:00&from_place=Tokyo&to=iso=2026-01-01T12:00&to_place=Wien';
    expect((await send(hinted)).body.hours).toBe(8);
    const compared = '/v1/time/elapsed?iso=2026-01-01T12:00&source_place=Tokyo&compare_iso=2026-01-01T12:00';
    expect((await send(`${compared}&compare_source_place=Wien`)).body.hours).toBe(8);
  });

  test('is a specifier', async () => {
    const { body } = await send('/v1/time/diff?from=place=Perth, GB&to=now');
    expect(body.direction).toBe('same');
    expect(await errorOf('/v1/time/diff?from=place=Portland&to=now')).toBe('400 AMBIGUOUS_TARGET');
  });

  test('excludes other selectors', async () => {
    expect(await errorOf('/v1/time/current?place=Munich&tz=UTC')).toBe('400 AMBIGUOUS_TARGET');
    expect(await errorOf('/v1/time/convert?unix=0&place=Munich&utc=true')).toBe('400 AMBIGUOUS_TARGET');
  });

  test('may be a list separated by semicolons, with errors in place', async () => {
    const list = 'Munich;Portland, US-ME;Portland;;Mumich;Munich';
    const { status, body } = await send(`/v1/time/current?place=${list}`);
    expect(status).toBe(200);
    expect(body.map((entry: { timezone: string }) => entry.timezone)).toEqual([
      'Europe/Berlin',
      'America/New_York',
      undefined,
      undefined,
      undefined,
      'Europe/Berlin',
    ]);
    expect(
      body
        .slice(2, 5)
        .map((entry: { item: string; error: { code: string } }) => [entry.item, entry.error.code]),
    ).toEqual([
      ['Portland', 'AMBIGUOUS_TARGET'],
      ['', 'INVALID_PARAMETER'],
      ['Mumich', 'INVALID_PARAMETER'],
    ]);
    expect(await errorOf(`/v1/time/dst?place=${list}`)).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`/v1/time/current?place=${'Munich;'.repeat(100)}`)).toBe('400 INVALID_PARAMETER');
  });

  test('has its name, area, country and population in details', async () => {
    const { body } = await send('/v1/time/current?place=münchen&details=true');
    expect(body.details.place).toEqual({
      name: 'München',
      admin_area: 'DE-BY',
      country: 'DE',
      population: 1_260_391,
    });
    expect((await send('/v1/time/current?tz=UTC&details=true')).body.details.place).toBeUndefined();
  });

  test('resolves in the zones of a past release', async () => {
    const { body } = await send('/v1/timezone?place=Kyiv&tzdata=2018a');
    expect(body.timezone).toBe('Europe/Kiev');
  });

  test('names a clock', async () => {
    const { body } = await send('/v1/time/clock?style=analog-station&place=Kyiv');
    expect(body).toContain('"timezone_label":"Kyiv"');
    expect(body).toContain('"selector":{"kind":"place","place":"Kyiv"}');
  });
});

describe('an error for a place', () => {
  const errorFor = async (place: string) =>
    (await send(`/v1/timezone?place=${encodeURIComponent(place)}`)).body.error;

  test('that is ambiguous has the candidates, largest first, and how to write them', async () => {
    const { message, details } = await errorFor('portland');
    expect(message).toBe(
      "Cannot read 'place': 'portland' is the name of several places: write 'Portland, US-OR' or 'Portland, US-ME' or 'Portland, US-TX', or give coordinates",
    );
    expect(details.parameter).toBe('place');
    expect(details.candidates).toHaveLength(10);
    expect(details.candidates[1]).toEqual({
      name: 'Portland',
      admin_area: 'US-ME',
      country: 'US',
      population: 66_881,
      lat: 43.65737,
      lon: -70.2589,
      timezone: 'America/New_York',
    });
  });

  test('that is unknown has suggestions, none of which is used', async () => {
    expect((await errorFor('Mumich')).message).toBe(
      "Cannot read 'place': 'Mumich' is not a city or town in GeoNames; did you mean 'Munich, DE-BY'?",
    );
    expect((await errorFor('Paris, TX')).message).toContain("did you mean 'Paris, FR-IDF', 'Paris, US-TX'");
    expect((await errorFor('Qqqqqqqq')).message).toEndWith('is not a city or town in GeoNames');
  });
});

describe('/v1/places', () => {
  const namesOf = async (query: string) =>
    (await send(`/v1/places?${query}`)).body.places.map(({ name }: { name: string }) => name);

  test('lists places by name prefix', async () => {
    const { status, body } = await send('/v1/places?q=mun&limit=1');
    expect(status).toBe(200);
    expect(body).toEqual({
      places: [
        {
          name: 'Munich',
          admin_area: 'DE-BY',
          country: 'DE',
          population: 1_260_391,
          lat: 48.13743,
          lon: 11.57549,
          timezone: 'Europe/Berlin',
        },
      ],
    });
    expect(await namesOf('q=lodnon&limit=1')).toEqual(['London']);
    expect(await namesOf('q=Qqqqqqqq')).toEqual([]);
  });

  test('has ten places by default and at most fifty', async () => {
    expect(await namesOf('q=san')).toHaveLength(10);
    expect(await namesOf('q=san&limit=50')).toHaveLength(50);
    for (const limit of ['0', '51', '-1', '1.5', 'x', ''])
      expect(await errorOf(`/v1/places?q=san&limit=${limit}`)).toBe('400 INVALID_PARAMETER');
  });

  test('accepts 1 to 64 characters', async () => {
    expect(await namesOf(`q=${encodeURIComponent('\u{1f600}'.repeat(64))}`)).toEqual([]);
    for (const query of ['', 'q=', `q=${'a'.repeat(65)}`])
      expect(await errorOf(`/v1/places?${query}`)).toBe('400 INVALID_PARAMETER');
  });

  test('is unavailable if the places cannot be read', async () => {
    const gazetteer = new LazyData<never>('places', 'none', () => Promise.reject(new Error('cut short')));
    const app = createApp(testServer({ places: testPlaces({ gazetteer }) }));
    for (const path of ['/v1/places?q=a', '/v1/timezone?place=Munich']) {
      expect((await send(path, {}, app)).body.error.code).toBe('DEPENDENCY_NOT_READY');
    }
    expect((await send('/v1/timezone?tz=UTC', {}, app)).status).toBe(200);
  });
});

const detailsOf = async (query: string) =>
  (await send(`/v1/time/current?${query}&details=true`)).body.details;
const placeOf = async (query: string) => (await detailsOf(query)).place;

/** Whole days from an embedded data set's release to the tests' current time. */
function ageOf(name: string): number {
  const { date } = EMBEDDED_DATA.find(manifest => manifest.name === name)!;
  return Math.max(0, Math.floor((NOW_MS - Date.parse(date)) / 86_400_000));
}

describe('details.place of an address', () => {
  test("has the database's network, also for 6to4 and NAT64 addresses", async () => {
    const expected = { network: '2.125.160.216/29', accuracy: 'database' };
    for (const ip of [
      '2.125.160.216',
      '64:ff9b::2.125.160.216',
      '2002:27d:a0d8::1',
      '::ffff:2.125.160.216',
    ]) {
      expect(await placeOf(`ip=${ip}`)).toEqual(expected);
      expect((await send(`/v1/timezone?ip=${ip}`)).body.timezone).toBe('Europe/London');
    }
    expect(await placeOf('ip=2001:218::1')).toEqual({ network: '2001:218::/32', accuracy: 'database' });
  });

  test('is in each element of a list', async () => {
    const { body } = await send('/v1/time/current?ip=2.125.160.216,2001:218::&details=true');
    const networks = body.map(({ details }: { details: { place: unknown } }) => details.place);
    expect(networks).toMatchObject([{ network: '2.125.160.216/29' }, { network: '2001:218::/32' }]);
  });

  test("has the operator's network, and marks anycast", async () => {
    const ownNetworks = parseOwnNetworks('10.0.0.0/8, Europe/Berlin\n10.1.0.0/16, Asia/Tokyo', () => true);
    const ip = LazyData.of('ip', 'Test', { zoneNameOf: () => 'Europe/Paris' });
    const app = createApp(testServer({ places: testPlaces({ ip, ownNetworks }) }));
    const place = async (address: string) =>
      (await send(`/v1/time/current?ip=${address}&details=true`, {}, app)).body.details.place;
    expect(await place('10.2.0.1')).toEqual({ network: '10.0.0.0/8', accuracy: 'operator' });
    expect(await place('64:ff9b::10.1.0.1')).toEqual({ network: '10.1.0.0/16', accuracy: 'operator' });
    for (const address of [
      ...['8.8.8.8', '1.1.1.1', '2001:4860:4860::8888', '64:ff9b::9.9.9.9', '193.0.14.129'],
    ]) {
      expect(await place(address)).toEqual({ network: null, accuracy: 'anycast' });
    }
    expect(await place('8.8.9.8')).toEqual({ network: null, accuracy: 'database' });
  });

  test("is absent without details, and for a hint's address", async () => {
    const { body } = await send('/v1/time/current?ip=2.125.160.216');
    expect(body.details).toBeUndefined();
    const hinted = await send(
      '/v1/time/convert?iso=2026-01-01T00:00&source_ip=2.125.160.216&tz=UTC&details=true',
    );
    expect(hinted.body.details.place).toBeUndefined();
  });
});

describe('details.place of coordinates', () => {
  test('has all zones that claim the place, and the distance to another offset', async () => {
    expect(await placeOf('lat=43.8&lon=87.6')).toEqual({
      candidates: ['Asia/Shanghai', 'Asia/Urumqi'],
      border_km: 0,
    });
    expect(await placeOf('lat=38.88&lon=-6.97')).toEqual({ candidates: ['Europe/Madrid'], border_km: 5.4 });
    expect(await placeOf('lat=48.85&lon=2.35')).toEqual({ candidates: ['Europe/Paris'], border_km: null });
  });

  test('compares the offsets at the instant of the response', async () => {
    const kmAt = async (iso: string) =>
      (await send(`/v1/time/convert?iso=${iso}&lat=32.5&lon=-114.78&details=true`)).body.details.place
        .border_km;
    // San Luis Río Colorado in Sonora, which has no DST, is next to Baja California, which does.
    expect(await kmAt('2026-07-01T00:00:00Z')).toBeNull();
    expect(await kmAt('2026-01-01T00:00:00Z')).toBeLessThan(10);
  });
});

describe('details.data', () => {
  const CASES = [
    ['tz=Europe/Paris', ['tzdata']],
    ['offset=%2B01:00', []],
    ['lat=48.85&lon=2.35', ['tzdata', 'boundaries']],
    ['ip=2.125.160.216', ['tzdata', 'ip']],
    ['place=Berlin', ['tzdata', 'places']],
    ['tz=Europe/Paris&lang=de', ['tzdata', 'languages']],
    ['tz=Romance+Standard+Time', ['tzdata', 'windows']],
  ] as const;
  test.each(CASES)('has exactly the data that %s uses', async (query, names) => {
    const { data } = await detailsOf(query);
    expect(Object.keys(data)).toEqual([...names]);
    const again = await detailsOf(query); // decoded queries are cached
    expect((await detailsOf(query)).data).toEqual(again.data);
    expect(again.data).toEqual(data);
  });

  test.each(['Mars/X', 'IST', 'Europe/Pari', ''])('has no data of a failing entry: %p', async failing => {
    const alone = await detailsOf('tz=Europe/Paris');
    for (const list of [`Europe/Paris,${failing}`, `${failing},Europe/Paris`]) {
      for (const route of ['time/current', 'work/status', 'time/transitions']) {
        const { body } = await send(`/v1/${route}?tz=${list}&schedule=24/7&details=true`);
        const [entry] = body.filter(({ error }: { error?: object }) => error === undefined);
        expect([list, route, entry.details.data]).toEqual([list, route, alone.data]);
      }
    }
    const both = await send(`/v1/time/current?tz=${failing},Romance+Standard+Time&details=true`);
    expect(Object.keys(both.body[1].details.data)).toEqual(['tzdata', 'windows']);
  });

  test('has no data that was only considered while other data was loading', async () => {
    const ip = new LazyData('ip', 'Test', async () => ({ zoneNameOf: () => 'Europe/Paris' }));
    const app = createApp(testServer({ places: testPlaces({ ip }) }));
    const { body } = await send('/v1/time/current?ip=2.125.160.216&details=true', {}, app);
    expect(Object.keys(body.details.data)).toEqual(['tzdata', 'ip']);
  });

  test('has releases and ages in days', async () => {
    const { data } = await detailsOf('lat=48.85&lon=2.35');
    expect(data).toEqual({
      tzdata: { release: '2026f', age_days: ageOf('tzdata') },
      boundaries: { release: '2026d', age_days: ageOf('boundaries') },
    });
    const { ip } = (await detailsOf('ip=2.125.160.216')).data;
    expect([ip.release, typeof ip.age_days]).toEqual(['GeoLite2-City', 'number']);
    const past = (await detailsOf('tz=UTC&tzdata=2018i')).data.tzdata;
    expect(past).toEqual({
      release: '2018i',
      age_days: Math.floor((NOW_MS - Date.parse('2018-12-30')) / 86_400_000),
    });
  });

  test('has the holidays of a count', async () => {
    const { body } = await send(
      '/v1/time/diff?from=iso=2026-01-01&to=iso=2026-02-01&business_days=true&holiday_country=DE&details=true',
    );
    expect(Object.keys(body.details.data)).toEqual(['holidays']);
  });

  test.each([
    'time/add?days=1',
    'time/diff?from=unix=0&to=now&business_days=true',
    'time/elapsed?unix=0&business_days=true',
    'recurrence?cron=0+9+*+*+*',
    'work/diff?schedule=24/7&from=unix=0&to=unix=9',
  ])('has no holidays without a calendar: %s', async path => {
    const { body } = await send(`/v1/${path}&details=true`);
    expect(body.details.data).not.toHaveProperty('holidays');
  });
});
