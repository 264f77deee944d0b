import { expect, spyOn, test } from 'bun:test';
import { endpointOf } from '../../src/api/endpoint.ts';
import { currentRoute } from '../../src/api/routes/times.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { sample } from '../support/proof.ts';
import { expectBodies, expectMessages } from '../support/responses.ts';
import { NOW_MS, send, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

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
