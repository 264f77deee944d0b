import { describe, expect, test } from 'bun:test';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import type { Boundaries } from '../../src/places/boundaries.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { parseOwnNetworks } from '../../src/places/own_networks.ts';
import type { Places } from '../../src/places/places.ts';
import { createApp } from '../../src/server/app.ts';
import {
  column,
  expectAll,
  expectBodies,
  expectEach,
  expectErrors,
  expectMessages,
} from '../support/responses.ts';
import { errorOf, JSON_ROUTES, NOW_MS, send, testPlaces, testServer } from '../support/service.ts';

/** An app with other data of places. */
const appWith = (places: Partial<Places>) => createApp(testServer({ places: testPlaces(places) }));

/** Networks of an operator, in zones that all exist. */
const ownNetworksOf = (text: string) => parseOwnNetworks(text, () => true);

const timezoneOf = async (query: string, app?: ReturnType<typeof createApp>) =>
  (await send(`/v1/timezone?${query}`, {}, app)).body.timezone;

/** Every route that takes a target, with its other required parameters. */
const ROUTES = [
  ...['/v1/time/current?', '/v1/time/convert?unix=1776274247&', '/v1/time/add?days=0&', '/v1/time/calendar?'],
  ...['/v1/time/dst?', '/v1/timezone?'],
];

describe('a place as target', () => {
  test.each(ROUTES)('%s takes coordinates', async route => {
    const { status, body } = await send(`${route}lat=48.8566&lon=2.3522`);
    expect([status, body.timezone, body.iso_local]).toEqual([
      ...[200, 'Europe/Paris', '2026-04-15T19:30:47+02:00'],
    ]);
    expect(body.human).toEndWith('7:30 PM Europe/Paris');
  });

  test.each(ROUTES)("%s takes the caller's address", async route => {
    const places = testPlaces({ ownNetworks: ownNetworksOf('127.0.0.1,Asia/Kathmandu') });
    const app = createApp(testServer({ places }), { peerOf: () => '127.0.0.1' });
    const expected = { true: { timezone: 'Asia/Kathmandu' }, 'false&tz=UTC': { timezone: 'UTC' } };
    await expectBodies(`${route}auto_tz=`, expected, app);
  });
});

describe('coordinates', () => {
  test('in enclaves, the sea and at poles have their zones', () =>
    expectEach(timezoneOf, {
      'lat=51.443&lon=4.934': 'Europe/Brussels',
      'lat=41.9022&lon=12.4533': 'Europe/Vatican',
      'lat=-30&lon=-130': 'Etc/GMT+9',
      'lat=90&lon=0': 'Etc/GMT-12',
      'lat=-90&lon=0': 'Antarctica/McMurdo',
      'lat=0&lon=0': 'UTC',
    }));

  test('are plain decimals within range', () =>
    expectAll(async query => typeof (await timezoneOf(query)), 'string', [
      ...['lat=-0&lon=-0', 'lat=%2B48.85&lon=+2.35', 'lat=.5&lon=5.', 'lat=-90&lon=-180', 'lat=90&lon=180'],
      'lat=0.0000000000000000000000000001&lon=179.99999999999999',
    ]));
});

describe('addresses', () => {
  test('IPv4, IPv6 and IPv4-mapped addresses have their zone', () =>
    expectEach(timezoneOf, {
      'ip=2.125.160.216': 'Europe/London',
      'ip=89.160.20.112': 'Europe/Stockholm',
      'ip=2001:218::1': 'Asia/Tokyo',
      'ip=2001:218::A': 'Asia/Tokyo',
      'ip=::ffff:2.125.160.216': 'Europe/London',
      'ip=::ffff:89.160.20.112': 'Europe/Stockholm',
    }));

  test('an address without a known zone is rejected, and its class reported', () =>
    expectMessages('/v1/time/current?ip=', {
      '10.0.0.1': "Cannot read 'ip': no time zone is known for '10.0.0.1', a private address",
      '::ffff:127.0.0.1': "Cannot read 'ip': no time zone is known for '127.0.0.1', a loopback address",
      'FE80::1': "Cannot read 'ip': no time zone is known for 'fe80::1', a link-local address",
      '::8.8.8.8': "Cannot read 'ip': no time zone is known for '::808:808'",
      '2002:0a01:0203::':
        "Cannot read 'ip': no time zone is known for '2002:a01:203::', which embeds 10.1.2.3, a private address",
      '64:ff9b:1::2.125.160.216': "…'64:ff9b:1::27d:a0d8', a private translation address",
      // A Teredo address without a client; its server is in Los Angeles.
      '2001:0:d8a0:5338::': "…'2001:0:d8a0:5338::', which embeds 255.255.255.255, the broadcast address",
    }));

  test("the operator's networks take precedence", () => {
    const own = ownNetworksOf('10.0.0.0/8,Europe/Berlin\n2.125.0.0/16,Asia/Tokyo');
    const app = appWith({ ownNetworks: own });
    return expectEach(ip => timezoneOf(`ip=${ip}`, app), {
      '10.1.2.3': 'Europe/Berlin',
      '2.125.160.216': 'Asia/Tokyo',
      '89.160.20.112': 'Europe/Stockholm',
    });
  });

  test('a zone that only the database has is not a known zone', () => {
    const app = appWith({ ip: LazyData.of('ip', 'Test', { zoneNameOf: () => 'Mars/Olympus' }) });
    return expectErrors('/v1/time/current?', { '400 INVALID_PARAMETER': ['ip=8.8.8.8'] }, app);
  });

  test('a bulk has the zone of each address in order', () => {
    const list = ['89.160.20.112', '10.0.0.1', '', '010.0.0.1', '2001:218::', '89.160.20.112'].join();
    const expected = [
      { timezone: 'Europe/Stockholm' },
      ...['10.0.0.1', '', '010.0.0.1'].map(item => ({ item })),
      ...['Asia/Tokyo', 'Europe/Stockholm'].map(timezone => ({ timezone })),
    ];
    return expectBodies('/v1/time/', {
      [`current?ip=${list}`]: expected,
      [`convert?unix=0&ip=${list}`]: expected,
    });
  });
});

describe('a place as hint for a local time', () => {
  test('is given by source_ip, source_place, or source_lat with source_lon', async () => {
    const hints = ['tz=Europe/Stockholm', 'ip=89.160.20.112', 'lat=52.37&source_lon=4.9', 'place=Wien'];
    for (const route of ['convert?utc=true&', 'add?seconds=0&utc=true&', 'calendar?']) {
      const utcOf = async (hint: string) =>
        (await send(`/v1/time/${route}iso=2026-07-01T09:00&source_${hint}`)).body.utc;
      await expectAll(utcOf, '2026-07-01T07:00:00Z', hints);
    }
  });

  test('errors name its own parameter, and two are ambiguous', async () => {
    const path = '/v1/time/convert?iso=2026-07-01T09:00&utc=true&';
    await expectMessages(path, {
      'source_ip=10.0.0.1': "Cannot read 'source_ip': no time zone is known…",
      'source_lat=1': "Cannot read 'source_lat': 'source_lon' is missing…",
    });
    await expectErrors(`${path}source_ip=89.160.20.112&`, {
      '400 AMBIGUOUS_TARGET': ['source_tz=UTC', 'source_lat=1&source_lon=1'],
    });
  });
});

describe('the caller', () => {
  const ownNetworks = ownNetworksOf('10.0.0.0/8,Europe/Berlin\n20.0.0.0/8,Asia/Tokyo');
  const callerTrust = { proxies: parseTrustedProxies(['10.0.0.0/8']), header: 'X-Forwarded-For' };
  const services = testServer({ places: testPlaces({ ownNetworks }), callerTrust });

  async function zoneFor(peer: string, headers: Record<string, string>) {
    const app = createApp(services, { peerOf: () => peer });
    const { body } = await send('/v1/time/current?auto_tz=true', { headers }, app);
    return body.timezone ?? body.error.message;
  }

  test('is identified by headers only behind a trusted proxy', async () => {
    const headers = { 'X-Forwarded-For': '20.0.0.1' };
    expect(await zoneFor('10.0.0.1', headers)).toBe('Asia/Tokyo');
    expect(await zoneFor('10.0.0.1', { Forwarded: 'for=20.0.0.1' })).toBe('Europe/Berlin');
    expect(await zoneFor('89.160.20.112', headers)).toBe('Europe/Stockholm');
    expect(await zoneFor('2001:0:d8a0:5338::fd82:5f27', headers)).toBe('Europe/London');
  });

  test('without a known address or zone is an error that says so', async () => {
    const unknown = "Cannot read 'auto_tz': the client's address is not known";
    expect(await zoneFor('10.0.0.1', { 'X-Forwarded-For': 'unknown' })).toBe(unknown);
    expect(await zoneFor('', {})).toBe(unknown);
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
    const app = appWith({ boundaries });
    const paths = [
      '/v1/time/current?lat=1&lon=2',
      '/v1/time/convert?iso=2026-01-01T00:00&source_lat=1&source_lon=2&lat=1&lon=2',
    ];
    const waiting = paths.map(path => send(path, { headers: { 'X-Request-Id': path.slice(9, 16) } }, app));
    await expectBodies('/v1/time/current?', { 'tz=Europe/Paris': { timezone: 'Europe/Paris' } }, app);
    expect((await send('/readyz', {}, app)).body).toContain('boundaries ok 2026d, loading');
    open();
    for (const [index, { status, headers, body }] of (await Promise.all(waiting)).entries()) {
      expect([status, body.timezone]).toEqual([200, 'Asia/Tokyo']);
      expect(headers.get('X-Request-Id')).toBe(paths[index]!.slice(9, 16));
    }
  });

  test('that turns out broken is 501, and no longer ready', async () => {
    const { boundaries, fail } = slowBoundaries();
    const app = appWith({ boundaries });
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
    const app = appWith({ ip: new LazyData('ip', 'Test', () => promise) });
    const waiting = send('/v1/time/current?ip=1.1.1.1,x', {}, app);
    resolve({ zoneNameOf: () => 'Asia/Tokyo' });
    expect((await waiting).body).toMatchObject([{ timezone: 'Asia/Tokyo' }, { item: 'x' }]);
  });

  test('a zone that an older zoneinfo tree lacks is not ready', () => {
    const app = appWith({ boundaries: LazyData.of('boundaries', 'Test', boundariesOf('Mars/Olympus')) });
    const table = { 'lat=1&lon=2': '…Mars/Olympus…' };
    return expectMessages('/v1/time/current?', table, '501 DEPENDENCY_NOT_READY', app);
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

  test.each(routes)('selects the same zone as its coordinates on $path', async ({ path }) => {
    const request = `${path}?${REQUIRED[path] ?? ''}`;
    const byName = await send(`${request}place=Munich`);
    expect(byName.status).toBe(200);
    expect(byName.body).toEqual((await send(`${request}lat=48.13743&lon=11.57549`)).body);
    await expectErrors(request, {
      '400 AMBIGUOUS_TARGET': ['place=Portland'],
      '400 INVALID_PARAMETER': ['place=Nowheresville'],
    });
  });

  test('is a hint for both times, and a specifier', () =>
    expectBodies('/v1/time/', {
      'diff?from=iso=2026-01-01T12:00&from_place=Tokyo&to=iso=2026-01-01T12:00&to_place=Wien': { hours: 8 },
      'elapsed?iso=2026-01-01T12:00&source_place=Tokyo&compare_iso=2026-01-01T12:00&compare_source_place=Wien':
        { hours: 8 },
      'diff?from=place=Perth, GB&to=now': { direction: 'same' },
    }));

  test('excludes other selectors', () =>
    expectErrors('/v1/time/', {
      '400 AMBIGUOUS_TARGET': [
        ...['current?place=Munich&tz=UTC', 'convert?unix=0&place=Munich&utc=true'],
        'diff?from=place=Portland&to=now',
      ],
    }));

  test('may be a list separated by semicolons, with errors in place', async () => {
    const list = 'Munich;Portland, US-ME;Portland;;Mumich;Munich';
    await expectBodies('/v1/time/current?place=', {
      [list]: [
        { timezone: 'Europe/Berlin' },
        { timezone: 'America/New_York' },
        { item: 'Portland', error: { code: 'AMBIGUOUS_TARGET' } },
        { item: '', error: { code: 'INVALID_PARAMETER' } },
        { item: 'Mumich', error: { code: 'INVALID_PARAMETER' } },
        { timezone: 'Europe/Berlin' },
      ],
    });
    await expectErrors('/v1/time/', {
      '400 INVALID_PARAMETER': [`dst?place=${list}`, `current?place=${'Munich;'.repeat(100)}`],
    });
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
    expect(await timezoneOf('place=Kyiv&tzdata=2018a')).toBe('Europe/Kiev');
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

  test('that is unknown has suggestions, none of which is used', () =>
    expectMessages('/v1/timezone?place=', {
      Mumich:
        "Cannot read 'place': 'Mumich' is not a city or town in GeoNames; did you mean 'Munich, DE-BY'?",
      'Paris, TX': "…did you mean 'Paris, FR-IDF', 'Paris, US-TX'…",
      Qqqqqqqq: "Cannot read 'place': 'Qqqqqqqq' is not a city or town in GeoNames",
    }));
});

describe('/v1/places', () => {
  const namesOf = async (query: string) => column((await send(`/v1/places?${query}`)).body.places, 'name');

  test('lists places by name prefix', async () => {
    const { body } = await send('/v1/places?q=mun&limit=1');
    expect(body.places).toEqual([
      {
        name: 'Munich',
        admin_area: 'DE-BY',
        country: 'DE',
        population: 1_260_391,
        lat: 48.13743,
        lon: 11.57549,
        timezone: 'Europe/Berlin',
      },
    ]);
    await expectEach(namesOf, { 'q=lodnon&limit=1': ['London'], 'q=Qqqqqqqq': [] });
  });

  test('has ten places by default and at most fifty, for 1 to 64 characters', async () => {
    const countOf = async (query: string) => (await namesOf(query)).length;
    const longest = encodeURIComponent('\u{1f600}'.repeat(64));
    await expectEach(countOf, { 'q=san': 10, 'q=san&limit=50': 50, [`q=${longest}`]: 0 });
    const limits = ['0', '51', '-1', '1.5', 'x', ''].map(limit => `q=san&limit=${limit}`);
    await expectErrors('/v1/places?', {
      '400 INVALID_PARAMETER': [...limits, '', 'q=', `q=${'a'.repeat(65)}`],
    });
  });

  test('is unavailable if the places cannot be read', async () => {
    const damaged = () => Promise.reject(new Error('cut short'));
    const app = appWith({ gazetteer: new LazyData<never>('places', 'none', damaged) });
    await expectErrors(
      '/v1/',
      { '501 DEPENDENCY_NOT_READY': ['places?q=a', 'timezone?place=Munich'], '200': ['timezone?tz=UTC'] },
      app,
    );
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
  test("has the database's network, and the address in it, which may be embedded in the given one", async () => {
    const forms = [
      ...['2.125.160.216', '64:ff9b::2.125.160.216', '2002:27d:a0d8::1', '::ffff:2.125.160.216'],
      '2001:0:4136:e378:8000:63bf:fd82:5f27', // Teredo inverts the bits
    ];
    const place = { address: '2.125.160.216', network: '2.125.160.216/29', accuracy: 'database' };
    await expectAll(ip => placeOf(`ip=${ip}`), place, forms);
    await expectAll(ip => timezoneOf(`ip=${ip}`), 'Europe/London', forms);
    const japanese = { address: '2001:218::1', network: '2001:218::/32', accuracy: 'database' };
    expect(await placeOf('ip=2001:218::1')).toEqual(japanese);
  });

  test('is in each element of a list', async () => {
    const { body } = await send('/v1/time/current?ip=2.125.160.216,2001:218::&details=true');
    const networks = column<{ place: object }>(body, 'details').map(({ place }) => place);
    expect(networks).toMatchObject([{ network: '2.125.160.216/29' }, { network: '2001:218::/32' }]);
  });

  test("has the operator's network, and marks anycast", async () => {
    const ownNetworks = ownNetworksOf(
      '10.0.0.0/8, Europe/Berlin\n10.1.0.0/16, Asia/Tokyo\n64:ff9b::808:800/120, Asia/Seoul',
    );
    const ip = LazyData.of('ip', 'Test', { zoneNameOf: () => 'Europe/Paris' });
    const app = appWith({ ip, ownNetworks });
    const place = async (address: string) =>
      (await send(`/v1/time/current?ip=${address}&details=true`, {}, app)).body.details.place;
    await expectEach(place, {
      '10.2.0.1': { address: '10.2.0.1', network: '10.0.0.0/8', accuracy: 'operator' },
      '64:ff9b::10.1.0.1': { address: '10.1.0.1', network: '10.1.0.0/16', accuracy: 'operator' },
      '64:ff9b::8.8.8.8': {
        address: '64:ff9b::808:808',
        network: '64:ff9b::808:800/120',
        accuracy: 'operator',
      },
      '8.8.9.8': { address: '8.8.9.8', network: null, accuracy: 'database' },
    });
    const anycast = ['8.8.8.8', '1.1.1.1', '2001:4860:4860::8888', '64:ff9b::9.9.9.9', '193.0.14.129'];
    await expectAll(place, expect.objectContaining({ network: null, accuracy: 'anycast' }), anycast);
  });

  test("is absent for a hint's address", async () => {
    const hint = 'iso=2026-01-01T00:00&source_ip=2.125.160.216&tz=UTC';
    const { details } = (await send(`/v1/time/convert?${hint}&details=true`)).body;
    expect(details.place).toBeUndefined();
  });
});

describe('details.place of coordinates', () => {
  test('has all zones that claim the place, and the distance to another offset', () =>
    expectEach(placeOf, {
      'lat=43.8&lon=87.6': { candidates: ['Asia/Shanghai', 'Asia/Urumqi'], border_km: 0 },
      'lat=38.88&lon=-6.97': { candidates: ['Europe/Madrid'], border_km: 5.4 },
      'lat=48.85&lon=2.35': { candidates: ['Europe/Paris'], border_km: null },
    }));

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
    ['ip=2.125.160.216', ['tzdata', 'boundaries', 'ip']], // this database may have coordinates instead of zones
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
    const age_days = Math.floor((NOW_MS - Date.parse('2018-12-30')) / 86_400_000);
    expect((await detailsOf('tz=UTC&tzdata=2018i')).data.tzdata).toEqual({ release: '2018i', age_days });
  });

  test('has the holidays of a count, and none without a calendar', async () => {
    const namesOf = async (path: string) =>
      Object.keys((await send(`/v1/${path}&details=true`)).body.details.data);
    const range = 'from=iso=2026-01-01&to=iso=2026-02-01';
    expect(await namesOf(`time/diff?${range}&business_days=true&holiday_country=DE`)).toEqual(['holidays']);
    const hasHolidays = async (path: string) => (await namesOf(path)).includes('holidays');
    await expectAll(hasHolidays, false, [
      ...['time/add?days=1', 'time/diff?from=unix=0&to=now&business_days=true'],
      ...['time/elapsed?unix=0&business_days=true', 'recurrence?cron=0+9+*+*+*'],
      'work/diff?schedule=24/7&from=unix=0&to=unix=9',
    ]);
  });
});
