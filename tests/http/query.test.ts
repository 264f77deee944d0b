import { describe, expect, spyOn, test } from 'bun:test';
import { endpointOf } from '../../src/api/endpoint.ts';
import { currentRoute } from '../../src/api/routes/times.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { Query } from '../../src/http/query.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { sample } from '../support/proof.ts';
import { fc } from '../support/property.ts';
import { expectAll, expectBodies, expectEach, expectMessages } from '../support/responses.ts';
import { NOW_MS, send, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const KNOWN = new Map(['tz', 'format', 'sign', 'iso'].map(name => [name, { name, bits: 0 }]));

function read(search: string): Query {
  return new Query(search, KNOWN);
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('names and values are decoded', async () => {
  const decoded = (search: string) => read(search).get(search.includes('format') ? 'format' : 'tz');
  await expectEach(decoded, {
    'format=%Y-%m-%25d%': '%Y-%m-%d%', // a percent sign without two hex digits is literal
    'format=+a%20b+': ' a b ', // a plus is a space, and white space is preserved
    'format=a=b': 'a=b',
    '%74z=UTC': 'UTC',
  });
});

test('an empty value is rejected when decoded, but counts as supplied', () => {
  const query = read('tz=&format');
  expect(query.has('tz')).toBe(true);
  expect(messageOf(() => query.get('tz'))).toBe("INVALID_PARAMETER: Cannot read 'tz': it has no value");
  expect(messageOf(() => query.get('format'))).toContain("Cannot read 'format'");
});

test('a parameter without a value ends where the next one begins', () => {
  const query = read('format&tz=UTC&foo&iso=a=b');
  expect([query.has('format'), query.get('tz'), query.get('iso')]).toEqual([true, 'UTC', 'a=b']);
  expect(query.ignored).toEqual(['foo']);
});

test('a repeated parameter is rejected, including a flag', () => {
  const query = read('tz=UTC&tz=UTC&sign=true&sign=true');
  expect(messageOf(() => query.get('tz'))).toContain('more than once');
  expect(messageOf(() => query.flag('sign'))).toContain('more than once');
});

test('escapes that are not UTF-8 are rejected', () => {
  for (const bytes of ['%FF', '%C3%28', '%ED%A0%80', '%C0%80', '%F5%80%80%80']) {
    expect(messageOf(() => read(`tz=${bytes}`).get('tz'))).toContain('not UTF-8');
  }
});

test('a flag is on only if it is exactly true', async () => {
  const isOn = (search: string) => read(search).flag('sign');
  const others = ['True', 'TRUE', '1', 'yes', '', ' true', 'true '].map(value => `sign=${value}`);
  await expectAll(isOn, false, ['', ...others]);
  expect(isOn('sign=true')).toBe(true);
});

test('unknown names are listed once each, in order', () => {
  expect(read('b=1&a=2&tz=UTC&b=3&%zz=4&__proto__=5').ignored).toEqual(['b', 'a', '%zz', '__proto__']);
});

test('values round-trip through URLSearchParams', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ minLength: 1 }), (tz, format) => {
      const query = read(new URLSearchParams({ tz, format }).toString());
      expect(query.get('tz')).toBe(tz.toWellFormed());
      expect(query.get('format')).toBe(format);
    }),
  );
});

/** Everything of the API that is no route but has a query. */
const ENDPOINTS: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/batch'],
  ['GET', '/api/timezone'],
  ['GET', '/api/timezone.txt'],
  ['GET', '/api/timezone/Europe/Paris'],
  ['GET', '/api/timezone/Europe/Paris.txt'],
  ['GET', '/api/ip/89.160.20.112'],
  ['GET', '/api/v3/AvailableCountries'],
  ['GET', '/api/v3/PublicHolidays/2026/DE'],
  ['GET', '/api/v3/NextPublicHolidays/DE'],
  ['GET', '/api/v3/IsTodayPublicHoliday/DE'],
  ['GET', '/.well-known/api-catalog'],
  ['GET', '/openapi.json'],
];

const app = createApp(testServer());

async function sendTo(method: string, path: string, query: string, headers: Record<string, string> = {}) {
  const body = method === 'POST' ? '{"requests":["/v1/time/current?tz=Asia/Tokyo"]}' : null;
  const init = { method, body, headers: { ...headers, 'Content-Type': 'application/json' } };
  return await app.handle(new Request(`http://localhost${path}${query}`, init));
}

describe.each(ENDPOINTS)('%s %s', (method, path) => {
  test('names the parameters that it ignores', async () => {
    const response = await sendTo(method, path, '?foo=1&details=true&nonce=a');
    expect([200, 204]).toContain(response.status);
    expect(response.headers.get('X-Service-Ignored-Parameters')).toBe('foo,details');
    const HEAD = await sendTo('HEAD', path, '?foo=1');
    if (method === 'GET') expect(HEAD.headers.get('X-Service-Ignored-Parameters')).toBe('foo');
  });

  test.each([
    ['?strict=true&foo=1', "Cannot read 'foo': this route has no such parameter"],
    ['?nonce=', "Cannot read 'nonce': it has no value"],
    [`?nonce=${'n'.repeat(129)}`, "Cannot read 'nonce': it has 129 characters; the maximum is 128"],
    ['?nonce=1&nonce=2', "Cannot read 'nonce': it is given more than once"],
    [`?foo=${'x'.repeat(8200)}`, ''],
  ])('rejects %.30s', async (query, message) => {
    const response = await sendTo(method, path, query);
    expect(response.status).toBe(message === '' ? 414 : 400);
    expect(await response.text()).toContain(message);
  });

  test('accepts the common parameters', async () => {
    const response = await sendTo(method, path, `?strict=true&nonce=${'n'.repeat(128)}`);
    expect([200, 204]).toContain(response.status);
    expect(response.headers.has('X-Service-Ignored-Parameters')).toBe(false);
  });
});

test('a batch cannot be signed', async () => {
  const unsigned = "Cannot read 'sign': a batch cannot be signed, but requests sent on their own can";
  for (const [query, message] of [
    ['?sign=true', unsigned],
    ['?signature=rfc9421', "Cannot read 'signature': it requires 'sign=true'"],
    ['?signature=rfc9421&sign=true', unsigned],
  ] as const) {
    const response = await sendTo('POST', '/v1/batch', query);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_PARAMETER', message } });
  }
  expect((await sendTo('POST', '/v1/batch', '?strict=true&sign=false')).status).toBe(200);
});

test('errors have the form of the other service', async () => {
  const json = await (await sendTo('GET', '/api/timezone/Europe/Paris', '?nonce=')).json();
  expect(json).toEqual({ error: "Cannot read 'nonce': it has no value" });
  const text = await (await sendTo('GET', '/api/timezone/Europe/Paris.txt', '?nonce=')).text();
  expect(text).toBe("error: Cannot read 'nonce': it has no value\n");
});

test('a response that the client has already names ignored parameters too', async () => {
  for (const path of ['/openapi.json', '/api/v3/PublicHolidays/2026/DE']) {
    const tag = (await sendTo('GET', path, '?foo=1')).headers.get('ETag')!;
    const { status, headers } = await sendTo('GET', path, '?foo=1', { 'If-None-Match': tag });
    expect([path, status, headers.get('X-Service-Ignored-Parameters')]).toEqual([path, 304, 'foo']);
  }
});

const signing = fixedKeys([sampleKey(1)]);
const MOMENTS_MS = [0, 0, 0, 1, 999, 1000, 86_400_000, 15_552_000_000, 0].map(later => NOW_MS + later);

const QUERIES = [
  ...API_ROUTES.flatMap(({ path, examples }) => examples.map(({ query }) => `${path}?${query}`)),
  ...['/v1/time/current', '/v1/time/current?tz=Europe/Paris,Mars/Olympus'],
  '/v1/time/current?lat=48.8566&lon=2.3522&unknown=1',
  '/v1/time/current?ip=2.125.160.216&format=%25H:%25M:%25S.%25L',
  '/v1/time/convert?unix=0&tz=Asia/Tokyo,Asia/Nowhere',
  ...['/v1/time/add?hours=1&tz=Asia/Tokyo', '/v1/time/add?unix=0&hours=1&tz=Asia/Tokyo'],
  ...['/v1/time/calendar?tz=Asia/Tokyo&week=true', '/v1/time/calendar?unix_ms=1&utc=true&week=true'],
  ...['/v1/time/dst?tz=America/New_York&next=true', '/v1/time/diff?from=now&to=iso=2030-01-01'],
  '/v1/time/diff?from=tz=Asia/Tokyo&to=now&business_days=true',
  ...['/v1/time/elapsed?unix=0&tz=Asia/Tokyo', '/v1/time/elapsed?unix=0&compare_unix=86400'],
  ...['/v1/timezone?offset=%2B01:00', '/v1/timezones?country=nz'],
];

test('a response is the same however often its query was sent before', async () => {
  let nowMs = NOW_MS;
  const now = () => nowMs;
  const target = createApp(testServer({ now, signing }));
  for (const path of sample(QUERIES, 15).flatMap(query => [query, `${query}&sign=true`])) {
    for (const [index, momentMs] of MOMENTS_MS.entries()) {
      nowMs = momentMs;
      const init = { headers: { 'X-Request-Id': `request-${index}` }, method: index === 2 ? 'HEAD' : 'GET' };
      const before = await send(path, init, target);
      const anew = await send(path, init, createApp(testServer({ now, signing })));
      const observed = ({ status, headers, body }: typeof anew) => ({
        status,
        headers: headers.toJSON(),
        body: typeof body === 'string' ? body.replaceAll(/service-clock-\w{12}/g, '') : body,
      });
      expect({ path, ...observed(before) }).toEqual({ path, ...observed(anew) });
    }
  }
});

test('a cached query is used only for GET and HEAD', async () => {
  const target = createApp(testServer());
  const statusOf = async (method: string) =>
    (await send('/v1/time/current?tz=UTC', { method }, target)).status;
  for (const method of ['GET', 'GET', 'GET', 'HEAD']) expect(await statusOf(method)).toBe(200);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(await statusOf(method)).toBe(405);
  expect(await statusOf('OPTIONS')).toBe(204);
});

test('clocks of the same query have different ids', async () => {
  const target = createApp(testServer());
  const ids = new Set<string>();
  for (let time = 0; time < 5; time++) {
    const { body } = await send('/v1/time/clock?style=analog-station&tz=Europe/Zurich', {}, target);
    ids.add(/service-clock-\w{12}/.exec(body)![0]);
  }
  expect(ids.size).toBe(5);
});

test('errors are reported in the order of the table, cached or not', async () => {
  const target = createApp(testServer());
  const twice = 'sign=true&sign=true';
  const counted = `business_days=true&holiday_country=DE&${twice}`;
  for (let time = 0; time < 3; time++) {
    await expectMessages(
      '/v1/time/',
      {
        [`diff?from=now&to=iso=9999-12-31&${counted}`]: "…'holiday_country'…",
        [`elapsed?iso=9999-12-31&${counted}`]: "…'holiday_country'…",
        [`current?tz=UTC&${twice}`]: "…'sign'…",
      },
      '400',
      target,
    );
  }
});

test("what depends on a client's address is not cached for others", async () => {
  let peer = '2.125.160.216';
  const target = createApp(testServer(), { peerOf: () => peer });
  const zones: string[] = [];
  for (const address of ['2.125.160.216', '2.125.160.216', '2.125.160.216', '89.160.20.112']) {
    peer = address;
    zones.push((await send('/v1/time/current?auto_tz=true', {}, target)).body.timezone);
  }
  expect(zones).toEqual(['Europe/London', 'Europe/London', 'Europe/London', 'Europe/Stockholm']);
});

test('new data is used at once', async () => {
  const services = testServer();
  const target = createApp(services);
  const zoneIs = (timezone: string) =>
    expectBodies('/v1/time/current?', { 'ip=2.125.160.216': { timezone } }, target);
  for (let time = 0; time < 3; time++) await zoneIs('Europe/London');
  const tokyo = { version: '', countryCount: 0, zoneNameOf: () => 'Asia/Tokyo' };
  services.replace({ ownNetworks: tokyo });
  for (let time = 0; time < 3; time++) await zoneIs('Asia/Tokyo');
  const ip = new LazyData('ip', 'other', () => Promise.resolve(tokyo));
  services.replace({ ownNetworks: null, ip });
  await zoneIs('Asia/Tokyo');
  const located = { ...tokyo, needsBoundaries: true };
  services.replace({ ip: new LazyData('ip', 'located', () => Promise.resolve(located)) });
  const { body } = await send('/v1/time/convert?unix=0&ip=2.125.160.216&details=true', {}, target);
  expect(Object.keys(body.details.data)).toContain('boundaries');
});

test('new zones and holidays are used at once', async () => {
  const services = testServer();
  const target = createApp(services);
  const worked = '/v1/time/diff?from=iso=2026-12-21&to=iso=2026-12-28&business_days=true&holiday_country=DE';
  const expectations = (timezone: string, business_days: number) => {
    const table = { '/v1/time/current?tz=Europe/Paris': { timezone }, [worked]: { business_days } };
    return expectBodies('', table, target);
  };
  for (let time = 0; time < 3; time++) await expectations('Europe/Paris', 4);
  const { zones, holidays } = services.snapshot();
  services.replace({
    zones: Object.create(zones, { find: { value: () => zones.find('Asia/Tokyo') } }),
    holidays: Object.create(holidays, {
      country: { value: () => holidays.country('CN') },
      calendarOf: { value: holidays.calendarOf.bind(holidays) },
    }),
  });
  await expectations('Asia/Tokyo', 5);
});

/** An app with only `current`, and a function that returns how often it decoded a query since the last call. */
function countingApp(server = testServer()) {
  const decode = spyOn(currentRoute.inputs, 'decode');
  const app = createHttpApp(server, [endpointOf(currentRoute, server)]);
  return {
    get: (query: string) => app.handle(new Request(`http://localhost/v1/time/current?${query}`)),
    decoded() {
      const { length } = decode.mock.calls;
      decode.mockClear();
      return length;
    },
    [Symbol.dispose]: () => decode.mockRestore(),
  };
}

test('a query is cached when decoded for the second time, until the snapshot is replaced', async () => {
  const server = testServer();
  using app = countingApp(server);
  for (let time = 0; time < 4; time++) await app.get('tz=UTC');
  expect(app.decoded()).toBe(2);
  server.replace({});
  for (let time = 0; time < 4; time++) await app.get('tz=UTC');
  expect(app.decoded()).toBe(2);
});

test('queries that depend on the client, and long ones, are never cached', async () => {
  using app = countingApp();
  for (const query of ['auto_tz=true', `tz=UTC&x=${'x'.repeat(512)}`]) {
    for (let time = 0; time < 3; time++) await app.get(query);
    expect([query, app.decoded()]).toEqual([query, 3]);
  }
});

test('queries with ignored parameters are not cached', async () => {
  using app = countingApp();
  for (let time = 0; time < 3; time++) await app.get('tz=UTC&x=1');
  expect(app.decoded()).toBe(3);
});

test('a bounded number of queries is cached', async () => {
  using app = countingApp();
  const queries = Array.from({ length: 5000 }, (_, number) => `tz=UTC&nonce=${number}`);
  for (const query of queries) for (let time = 0; time < 2; time++) await app.get(query);
  app.decoded();
  for (const query of queries.toReversed()) await app.get(query);
  const cached = queries.length - app.decoded();
  expect(cached).toBeGreaterThan(0);
  expect(cached).toBeLessThanOrEqual(2048);
});

test('most of a thousand queries repeated in rotation are cached', async () => {
  using app = countingApp();
  const queries = Array.from({ length: 1000 }, (_, number) => `tz=UTC&nonce=${number}`);
  for (let turn = 0; turn < 2; turn++) for (const query of queries) await app.get(query);
  app.decoded();
  for (const query of queries) await app.get(query);
  // The others' hashes collide.
  expect(app.decoded()).toBeLessThan(150);
});

test('queries that do not recur leave those that do in the cache', async () => {
  using app = countingApp();
  const recurring = Array.from({ length: 500 }, (_, number) => `tz=UTC&nonce=${number}`);
  let others = 0;
  const sendAll = async () => {
    for (const query of recurring) {
      await app.get(query);
      for (let other = 0; other < 8; other++) await app.get(`tz=UTC&nonce=other-${others++}`);
    }
  };
  for (let turn = 0; turn < 3; turn++) await sendAll();
  app.decoded();
  await sendAll();
  expect(app.decoded() - 8 * recurring.length).toBeLessThan(50);
});
