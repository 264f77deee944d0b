import { expect, test } from 'bun:test';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { always, at, atInstant } from '../../src/api/answer.ts';
import { PreparedQueries, type PreparedQuery } from '../../src/api/prepared_queries.ts';
import { currentRoute } from '../../src/api/routes/current.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { createApp } from '../../src/http/app.ts';
import { newExchange } from '../../src/http/observe.ts';
import { Query } from '../../src/http/query.ts';
import { createResponder } from '../../src/http/respond.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { sampleKey } from '../signing/sample_keys.ts';
import { ask, NOW_MS, testPlaces, testServices } from './service.ts';

const signing = fixedKeys([sampleKey(1)]);
const MOMENTS_MS = [0, 0, 0, 1, 999, 1000, 86_400_000, 15_552_000_000, 0].map(later => NOW_MS + later);

const QUERIES = [
  ...API_ROUTES.flatMap(({ path, examples }) => examples.map(({ query }) => `${path}?${query}`)),
  '/v1/time/current',
  '/v1/time/current?tz=Europe/Paris,Mars/Olympus',
  '/v1/time/current?lat=48.8566&lon=2.3522&unknown=1',
  '/v1/time/current?ip=2.125.160.216&format=%25H:%25M:%25S.%25L',
  '/v1/time/convert?unix=0&tz=Asia/Tokyo,Asia/Nowhere',
  '/v1/time/add?hours=1&tz=Asia/Tokyo',
  '/v1/time/add?unix=0&hours=1&tz=Asia/Tokyo',
  '/v1/time/calendar?tz=Asia/Tokyo&week=true',
  '/v1/time/calendar?unix_ms=1&utc=true&week=true',
  '/v1/time/dst?tz=America/New_York&next=true',
  '/v1/time/diff?from=now&to=iso=2030-01-01',
  '/v1/time/diff?from=tz=Asia/Tokyo&to=now&business_days=true',
  '/v1/time/elapsed?unix=0&tz=Asia/Tokyo',
  '/v1/time/elapsed?unix=0&compare_unix=86400',
  '/v1/timezone?offset=%2B01:00',
  '/v1/timezones?country=nz',
];

test('a query is answered the same however often it was asked before', async () => {
  let nowMs = NOW_MS;
  const now = () => nowMs;
  const asked = createApp(testServices({ now, signing }));
  for (const path of QUERIES.flatMap(query => [query, `${query}&sign=true`])) {
    for (const [index, momentMs] of MOMENTS_MS.entries()) {
      nowMs = momentMs;
      const init = { headers: { 'X-Request-Id': `request-${index}` }, method: index === 2 ? 'HEAD' : 'GET' };
      const before = await ask(path, init, asked);
      const anew = await ask(path, init, createApp(testServices({ now, signing })));
      const told = ({ status, headers, body }: typeof anew) => ({
        status,
        headers: headers.toJSON(),
        body: typeof body === 'string' ? body.replaceAll(/service-clock-\w{12}/g, '') : body,
      });
      expect({ path, ...told(before) }).toEqual({ path, ...told(anew) });
    }
  }
});

test('a query that is kept answers no method but GET and HEAD', async () => {
  const asked = createApp(testServices());
  const statusOf = async (method: string) => (await ask('/v1/time/current?tz=UTC', { method }, asked)).status;
  for (const method of ['GET', 'GET', 'GET', 'HEAD']) expect(await statusOf(method)).toBe(200);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(await statusOf(method)).toBe(405);
  expect(await statusOf('OPTIONS')).toBe(204);
});

test('clocks of one query each have an id of their own', async () => {
  const asked = createApp(testServices());
  const ids = new Set<string>();
  for (let time = 0; time < 5; time++) {
    const { body } = await ask('/v1/time/clock?style=analog-station&tz=Europe/Zurich', {}, asked);
    ids.add(/service-clock-\w{12}/.exec(body)![0]);
  }
  expect(ids.size).toBe(5);
});

test('faults are told in the order of the table, kept or not', async () => {
  const asked = createApp(testServices());
  const twice = 'sign=true&sign=true';
  for (const [path, parameter] of [
    [
      `/v1/time/diff?from=now&to=iso=9999-12-31&business_days=true&holiday_country=DE&${twice}`,
      'holiday_country',
    ],
    [`/v1/time/elapsed?iso=9999-12-31&business_days=true&holiday_country=DE&${twice}`, 'holiday_country'],
    [`/v1/time/current?tz=UTC&${twice}`, 'sign'],
  ] as const) {
    for (let time = 0; time < 3; time++) {
      const { status, body } = await ask(path, {}, asked);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(`'${parameter}'`)]);
    }
  }
});

test('what one caller is told of its own place no other is told', async () => {
  let peer = '2.125.160.216';
  const asked = createApp(testServices(), { peerOf: () => peer });
  const zones: string[] = [];
  for (const address of ['2.125.160.216', '2.125.160.216', '2.125.160.216', '89.160.20.112']) {
    peer = address;
    zones.push((await ask('/v1/time/current?auto_tz=true', {}, asked)).body.timezone);
  }
  expect(zones).toEqual(['Europe/London', 'Europe/London', 'Europe/London', 'Europe/Stockholm']);
});

test('new data is answered from at once', async () => {
  const services = testServices();
  const asked = createApp(services);
  const answers = async (path: string) => {
    const times: unknown[] = [];
    for (let time = 0; time < 3; time++) times.push((await ask(path, {}, asked)).body);
    return times;
  };
  const [, , kept] = await answers('/v1/time/current?ip=2.125.160.216');
  expect(kept).toMatchObject({ timezone: 'Europe/London' });
  const tokyo = { version: '', countryCount: 0, zoneNameOf: () => 'Asia/Tokyo' };
  services.places.ownNetworks = tokyo as unknown as NonNullable<typeof services.places.ownNetworks>;
  expect((await answers('/v1/time/current?ip=2.125.160.216'))[0]).toMatchObject({ timezone: 'Asia/Tokyo' });
  services.places.ownNetworks = null;
  services.places.ip = new LazyData('ip', 'other', () => Promise.resolve(tokyo as never));
  expect((await answers('/v1/time/current?ip=2.125.160.216'))[0]).toMatchObject({ timezone: 'Asia/Tokyo' });
});

test('new zones and holidays are answered from at once', async () => {
  const services = testServices();
  const asked = createApp(services);
  const worked = '/v1/time/diff?from=iso=2026-12-21&to=iso=2026-12-28&business_days=true&holiday_country=DE';
  const askThrice = async (path: string) => {
    for (let time = 0; time < 2; time++) await ask(path, {}, asked);
    return (await ask(path, {}, asked)).body;
  };
  expect(await askThrice('/v1/time/current?tz=Europe/Paris')).toMatchObject({ timezone: 'Europe/Paris' });
  expect(await askThrice(worked)).toMatchObject({ business_days: 4 });
  const { zones, holidays } = services;
  services.zones = Object.create(zones, { find: { value: () => zones.find('Asia/Tokyo') } });
  services.holidays = Object.create(holidays, {
    country: { value: () => holidays.country('CN') },
    calendarOf: { value: holidays.calendarOf.bind(holidays) },
  });
  const changed = await ask('/v1/time/current?tz=Europe/Paris', {}, asked);
  expect(changed.body).toMatchObject({ timezone: 'Asia/Tokyo' });
  expect((await ask(worked, {}, asked)).body).toMatchObject({ business_days: 5 });
});

const prepared: PreparedQuery = {
  route: currentRoute,
  query: new Query('', new Set()),
  isSigned: false,
  answer: () => '',
};

test('a query is kept from the second time on, and forgotten with any of the data', () => {
  const replacements: ((services: ReturnType<typeof testServices>) => void)[] = [
    services => {
      services.zones = openZonePack(readZonePack());
    },
    services => {
      services.holidays = new HolidayCalendars(readHolidayPack());
    },
    services => {
      services.places.ip = new LazyData('ip', '', () => new Promise(() => undefined));
    },
    services => {
      services.places.ownNetworks = {} as NonNullable<typeof services.places.ownNetworks>;
    },
  ];
  for (const replace of replacements) {
    const services = testServices({ places: testPlaces() });
    const queries = new PreparedQueries(services);
    const keep = () => queries.set('a', prepared);
    expect(queries.get('a')).toBeUndefined();
    keep();
    expect(queries.get('a')).toBeUndefined();
    keep();
    expect(queries.get('a')).toBe(prepared);
    replace(services);
    expect(queries.get('a')).toBeUndefined();
  }
});

test('however many queries are asked, a bounded number of bounded length is kept', () => {
  const queries = new PreparedQueries(testServices());
  const urls = Array.from({ length: 5000 }, (_, number) => `http://localhost/${number}`);
  for (const url of urls) for (let time = 0; time < 2; time++) queries.set(url, prepared);
  const kept = urls.filter(url => queries.get(url) !== undefined);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThanOrEqual(1024);
  const long = `http://localhost/${'x'.repeat(512)}`;
  for (let time = 0; time < 3; time++) queries.set(long, prepared);
  expect(queries.get(long)).toBeUndefined();
});

test('a body is made once a millisecond, unless it is long', () => {
  for (const [length, made] of [
    [100, 2],
    [5000, 4],
  ] as const) {
    let count = 0;
    let nowMs = 1;
    const answer = at(ms => {
      count++;
      return `${ms}${'x'.repeat(length)}`;
    });
    for (const ms of [1, 1, 2, 2]) {
      nowMs = ms;
      expect(answer(() => nowMs, '')).toStartWith(`${ms}x`);
    }
    expect(count).toBe(made);
  }
});

test('a body that is always the same is kept unless it is long', () => {
  for (const [length, made] of [
    [100, 1],
    [5000, 2],
  ] as const) {
    let count = 0;
    const answer = always(() => `${++count}`.repeat(length));
    for (let time = 0; time < 2; time++) expect(answer(Date.now, '')).toHaveLength(length);
    expect(count).toBe(made);
  }
});

test('a list with an entry that names no place is not kept', () => {
  const kept: string[] = [];
  const queries = new PreparedQueries(testServices());
  queries.set = url => kept.push(url);
  const responder = createResponder(testServices(), currentRoute, () => '', queries);
  for (const query of ['tz=UTC', 'tz=UTC,Asia/Tokyo', 'tz=UTC,Asia/Nowhere', 'auto_tz=true']) {
    responder(newExchange(new Request(`http://localhost/v1/time/current?${query}`)));
  }
  expect(kept).toEqual(
    ['tz=UTC', 'tz=UTC,Asia/Tokyo'].map(query => `http://localhost/v1/time/current?${query}`),
  );
});

test('a body of an instant that the query says is made once, else for each instant', () => {
  let count = 0;
  const bodyAt = (epochMs: number) => `${epochMs} ${++count}`;
  const answer = atInstant(5, bodyAt);
  expect([answer(() => 1, ''), answer(() => 2, '')]).toEqual(['5 1', '5 1']);
  const present = atInstant(undefined, bodyAt);
  expect([present(() => 1, ''), present(() => 2, '')]).toEqual(['1 2', '2 3']);
});
