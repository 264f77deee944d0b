import { describe, expect, test } from 'bun:test';
import type { Boundaries } from '../../src/places/boundaries.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { parseOwnNetworks } from '../../src/places/own_networks.ts';
import { createApp } from '../../src/server/app.ts';
import { errorOf, send, testPlaces, testServer } from '../support/service.ts';

const ADDRESSES = [
  ['2.125.160.216', 'Europe/London'],
  ['89.160.20.112', 'Europe/Stockholm'],
  ['2001:218::1', 'Asia/Tokyo'],
] as const;

/** Every route that takes a target, with its other required parameters. */
const ROUTES = [
  '/v1/time/current?',
  '/v1/time/convert?unix=1776274247&',
  '/v1/time/add?days=0&',
  '/v1/time/calendar?',
  '/v1/time/dst?',
  '/v1/timezone?',
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
        'Europe/Stockholm',
        '! 10.0.0.1',
        '! ',
        '! 010.0.0.1',
        'Asia/Tokyo',
        'Europe/Stockholm',
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
