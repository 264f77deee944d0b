import { afterAll, describe, expect, test } from 'bun:test';
import { limitsOf } from '../../src/access/plan.ts';
import { monthOf } from '../../src/access/usage.ts';
import { AddressLimited, openPublicLimiters } from '../../src/http/address_limits.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { metricsText } from '../../src/http/metrics.ts';
import { Responder } from '../../src/http/response.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { createApp } from '../../src/server/app.ts';
import { addressMetrics } from '../../src/server/metrics.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { SIGNATURE_HEADERS } from '../../src/signing/signed_response.ts';
import { SITE_PATHS } from '../../src/site/site_paths.ts';
import { addKey, type Choices, control, openStore } from '../access/control.ts';
import { temporaryFolder } from '../support/process.ts';
import { JSON_ROUTES, NOW_MS, send, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

/** Everything that `service.md` names, whether or not this version has it: unauthenticated clients see no difference. */
const GUARDED = [
  ...['/v1/time/current?tz=Asia/Tokyo', '/v1/time/current?tz=Asia/Tokyo,Mars'],
  ...['/v1/time/convert?unix=0&utc=true', '/v1/time/diff?from=unix=0&to=now', '/v1/time/add?days=1'],
  ...['/v1/time/calendar?week=true', '/v1/time/dst?tz=Asia/Tokyo&next=true', '/v1/time/elapsed?unix=0'],
  ...['/v1/timezone?tz=Asia/Tokyo', '/v1/timezones', '/v1/abbreviations?name=IST', '/v1/places?q=mun'],
  ...['/v1/tzdata', '/v1/tzdata/changes?from=2026c&to=2026f', '/v1/time/transitions?tz=UTC'],
  ...['/v1/time/clock?style=analog-station', '/v1/time/clock.svg?style=analog-station'],
  ...['/embed/clock?style=analog-station', '/embed/board?style=analog-station&tz=Asia/Tokyo'],
  ...['/oembed?url=/embed/clock?style=analog-station', '/v1/holidays', '/v1/holidays.ics?country=DE'],
  ...['/v1/holidays.csv?country=DE&year=2026', '/v1/timezone.ics?tz=Asia/Tokyo', '/v1/timezones.csv'],
  ...['/v1/time/transitions.csv?tz=UTC', '/v1/recurrence?cron=0 9 * * *', '/v1/work/status?schedule=24/7'],
  ...['/v1/work/add?schedule=24/7&duration=PT8H', '/v1/work/diff?schedule=24/7&from=unix=0&to=now'],
  ...['/v1/work/days?from=2026-12-01&to=2026-12-31', '/mcp', '/v1/batch', '/api/v3/AvailableCountries'],
  ...['/api/v3/PublicHolidays/2026/DE', '/api/v3/IsTodayPublicHoliday/DE', '/api/v3/NextPublicHolidays/DE'],
  ...['/nothing', '/v1/time/current/', '/docs/'],
];
/** Paths whose errors are text, or have other services' shapes. */
const SHAPED = [
  ...['/v1/time/current.txt', '/api/timezone', '/api/timezone.txt', '/api/ip', '/api/ip.txt'],
  ...['/api/timezone/Europe/London', '/api/timezone/Europe.txt', '/api/ip/8.8.8.8', '/api/ip/8.8.8.8.txt'],
];
const PUBLIC = [
  ...['/.well-known/time-api-public-key', '/.well-known/api-catalog', '/healthz', '/readyz'],
  ...['/zone/Europe/Paris', '/v1/time/clock/assets/v1/clock.css', '/v1/time/clock/assets/v1/clock.js'],
  ...SITE_PATHS,
];
const HOST = 'time.example';

const folder = temporaryFolder();
const store = openStore(folder.path);
const right = addKey(store, 1, 'plan');
const suspended = addKey(store, 2);
store.change(suspended.id, { suspendedMs: 1 });
const operator = addKey(store, 3, 'plan', 'operator');
const choices: Choices = {
  plans: [{ name: 'plan', rate: { perSecond: 1000, burst: 1000 }, monthlyQuota: 1_000_000 }],
  marketplace: { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: HOST },
  marketplaceKeys: [{ key: 'subscriber', plan: 'plan', name: 'market' }],
};
const { access } = control(folder.path, choices);
const services = testServer({ access, signing: fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]) });
const app = createApp(services);

afterAll(async () => {
  await access.stop();
  store.close();
  folder[Symbol.dispose]();
});

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const unknown = right.key.slice(0, -7) + (right.key.at(-7) === 'a' ? 'b' : 'a') + right.key.slice(-6);

/** A path that redirects. */
const LEADING = '/find?q=Berlin,+DE';

async function codeOf(path: string, headers: Record<string, string>, method = 'GET'): Promise<string> {
  const { status, body } = await send(path, { headers, method }, app);
  return body?.error === undefined ? `${status}` : `${status} ${body.error.code}`;
}

const REFUSED: readonly (readonly [string, Record<string, string>, string])[] = [
  ['no credential', {}, '401 UNAUTHORIZED'],
  ['a wrong key', bearer('wrong'), '401 INVALID_AUTH'],
  ['a key with one character wrong', bearer(unknown), '401 INVALID_AUTH'],
  ['another scheme', { Authorization: 'Basic YTpi' }, '401 INVALID_AUTH'],
  ['two different keys', { ...bearer(right.key), 'X-API-Key': 'other' }, '401 INVALID_AUTH'],
  ['a suspended key', bearer(suspended.key), '403 SUBSCRIPTION_INACTIVE'],
  ['the subscription key alone', { 'X-RapidAPI-Key': 'subscriber' }, '401 INVALID_AUTH'],
  ['the host alone', { 'X-RapidAPI-Host': HOST }, '401 INVALID_AUTH'],
  ['the pair with a wrong key', { 'X-RapidAPI-Key': 'x', 'X-RapidAPI-Host': HOST }, '401 INVALID_AUTH'],
  [
    'the pair with a wrong host',
    { 'X-RapidAPI-Key': 'subscriber', 'X-RapidAPI-Host': 'x' },
    '401 INVALID_AUTH',
  ],
  ['the subscription key as a bearer', bearer('subscriber'), '401 INVALID_AUTH'],
];
const ADMITTED: readonly (readonly [string, Record<string, string>])[] = [
  ['a bearer key', bearer(right.key)],
  ['a key in X-API-Key', { 'X-API-Key': right.key }],
  ['the same key in both', { ...bearer(right.key), 'X-API-Key': right.key }],
  ['the marketplace pair', { 'X-RapidAPI-Key': 'subscriber', 'X-RapidAPI-Host': HOST }],
];

describe('every route of the API', () => {
  for (const [name, headers, code] of REFUSED) {
    test(`${name} is ${code} everywhere, before anything else in the request is validated`, async () => {
      for (const path of GUARDED) {
        for (const target of [path, `${path}${path.includes('?') ? '&' : '?'}tz=Mars&tz=Venus`]) {
          expect([target, await codeOf(target, headers)]).toEqual([target, code]);
        }
        expect([path, await codeOf(path, headers, 'POST')]).toEqual([path, code]);
        expect([path, (await send(path, { headers, method: 'HEAD' }, app)).status]).toEqual([
          path,
          Number(code.slice(0, 3)),
        ]);
      }
    });
  }

  for (const [name, headers] of ADMITTED) {
    test(`${name} is admitted everywhere, and every response has its limits`, async () => {
      for (const path of GUARDED) {
        const response = await send(path, { headers }, app);
        expect([path, [401, 403, 429].includes(response.status)]).toEqual([path, false]);
        expect(response.headers.get('X-Service-Plan')).toBe('plan');
        expect(response.headers.get('X-Service-Quota-State')).toBe('active');
        expect(response.headers.get('X-Service-Quota-Limit')).toBe('1000000');
        expect(response.headers.get('X-Service-Quota-Remaining')).toMatch(/^9\d{5}$/);
        expect(response.headers.get('RateLimit-Policy')).toBe(
          '"rate";q=1000;w=1, "month";q=1000000;w=2592000',
        );
        expect(response.headers.get('RateLimit')).toMatch(/^"rate";r=\d+;t=1, "month";r=9\d{5};t=\d+$/);
      }
    });
  }

  test('a cached query requires credentials like any other', async () => {
    const path = '/v1/time/convert?unix=7&tz=Asia/Tokyo';
    for (let time = 0; time < 4; time++) expect(await codeOf(path, bearer(right.key))).toBe('200');
    for (const [, headers, code] of REFUSED) expect(await codeOf(path, headers)).toBe(code);
  });

  test('public paths need no credential, whatever is sent', async () => {
    for (const path of PUBLIC) {
      for (const headers of [{}, ...REFUSED.map(([, refused]) => refused)]) {
        const { status, headers: answered } = await send(path, { headers }, app);
        expect([path, status]).toEqual([path, 200]);
        expect(answered.has('X-Service-Plan')).toBe(false);
      }
      expect([path, await codeOf(path, {}, 'POST')]).toEqual([path, '405 METHOD_NOT_ALLOWED']);
    }
  });

  test('a path that redirects to a page needs no credential, and looks nothing up', async () => {
    for (const headers of [{}, ...REFUSED.map(([, refused]) => refused)]) {
      const { status, headers: answered } = await send(LEADING, { headers }, app);
      expect([status, answered.get('Location')]).toEqual([303, '/planner?place=Berlin%2C+DE']);
    }
  });

  test("a missing credential is 401 on routes with other services' error shapes, too", async () => {
    for (const path of SHAPED) expect([path, (await send(path, {}, app)).status]).toEqual([path, 401]);
  });

  test('a key in a URL is not a credential, whatever its parameter is called', async () => {
    for (const path of [...GUARDED, ...SHAPED]) {
      const mark = path.includes('?') ? '&' : '?';
      const names = ['key', 'api_key', 'apikey', 'access_token', 'token', 'X-API-Key', 'authorization'];
      const query = names.map(name => `${name}=${right.key}`).join('&');
      for (const method of ['GET', 'POST']) {
        const { status } = await app.handle(
          new Request(`http://localhost${path}${mark}${query}`, { method }),
        );
        expect([path, method, status]).toEqual([path, method, 401]);
      }
      const inAuthority = new Request(`http://${right.key}@localhost${path}`);
      expect([path, (await app.handle(inAuthority)).status]).toEqual([path, 401]);
    }
  });

  test('these tests cover every route', () => {
    const tested = new Set([...GUARDED, ...SHAPED, ...PUBLIC, LEADING].map(path => path.split('?')[0]));
    const isTested = (path: string) =>
      path.endsWith('/*')
        ? [...tested].some(other => other!.startsWith(path.slice(0, -1)))
        : tested.has(path);
    expect(app.paths.length).toBeGreaterThan(JSON_ROUTES.length);
    expect(app.paths.filter(path => !isTested(path))).toEqual([]);
  });
});

test('public routes need no key but reject an invalid one, and are limited by address', async () => {
  let peer = '192.0.2.9';
  let nowMs = NOW_MS;
  const publicLimiters = openPublicLimiters({ index: 1, count: 1 });
  const opened = testServer({ access, now: () => nowMs, publicRoutes: ['clock'], publicLimiters });
  const target = createApp(opened, { peerOf: () => peer });
  const clock = '/v1/time/clock?style=analog-station';
  const request = (path: string, headers: Record<string, string> = {}) => send(path, { headers }, target);
  const statusOf = async (path: string, headers?: Record<string, string>) =>
    (await request(path, headers)).status;
  expect(await statusOf('/embed/clock?style=analog-station')).toBe(200);
  expect(await statusOf('/v1/time/current')).toBe(401);
  expect(await statusOf('/v1/holidays.ics?country=DE')).toBe(401);
  expect(await statusOf(clock, bearer('wrong'))).toBe(401);
  expect(await statusOf(clock, { 'X-RapidAPI-Host': HOST })).toBe(401);
  for (const [network, others] of [
    ['192.0.2.1', ['192.0.2.2']],
    ['2001:db8::1', ['2001:db8:0:1::1']],
  ] as const) {
    peer = network;
    for (let count = 0; count < 100; count++) expect(await statusOf(clock)).toBe(200);
    const limited = await request(clock);
    expect([limited.status, limited.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(limited.headers.get('Retry-After')).toBe('1');
    expect(await statusOf(clock, bearer(right.key))).toBe(200);
    for (peer of others) expect(await statusOf(clock)).toBe(200);
  }
  peer = '2001:db8::2';
  expect(await statusOf(clock)).toBe(429);
  nowMs += 200;
  expect(await statusOf(clock)).toBe(200);
});

test("public routes of a group share an address's limit across listeners; groups do not", async () => {
  const publicLimiters = openPublicLimiters({ index: 1, count: 1 });
  const opened = testServer({ access, publicRoutes: ['clock', 'feeds'], publicLimiters });
  const listeners = [createApp(opened), createApp(opened)];
  const statuses = new Map<number, number>();
  for (let count = 0; count < 120; count++) {
    const path = count % 4 < 2 ? '/v1/time/clock.svg' : '/embed/clock';
    const { status } = await send(`${path}?style=analog-station`, {}, listeners[count % 2]);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(Object.fromEntries(statuses)).toEqual({ 200: 100, 429: 20 });
  expect((await send('/v1/holidays.ics?country=DE', {}, listeners[0])).status).toBe(200);
  expect(publicLimiters.clock.counts).toEqual({ granted: 100, rejected: 20 });
  const metrics = metricsText(addressMetrics(Object.values(publicLimiters))());
  expect(metrics).toContain('meridian_address_requests_total{decision="granted"} 101\n');
});

test('workers share the address limits of public routes', () => {
  let granted = 0;
  for (const index of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const { clock } = openPublicLimiters({ index, count: 8 });
    for (let count = 0; count < 100; count++) {
      try {
        clock.admit(undefined, NOW_MS);
        granted += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(AddressLimited);
      }
    }
  }
  expect(granted).toBe(100);
});

test('a preflight, which carries no credential, succeeds', async () => {
  const { status, headers } = await send(
    '/v1/time/current',
    { method: 'OPTIONS', headers: CROSS_ORIGIN },
    app,
  );
  expect(status).toBe(204);
  expect(headers.get('Access-Control-Allow-Headers')).toContain('Authorization, X-API-Key');
});

const CROSS_ORIGIN = { Origin: 'https://page.example' };

test('401 says how to send a key, and is readable by scripts of other origins', async () => {
  const none = await send('/v1/time/current', { headers: CROSS_ORIGIN }, app);
  expect(none.headers.get('WWW-Authenticate')).toBe('Bearer');
  expect(none.headers.get('Access-Control-Allow-Origin')).toBe('*');
  const wrong = await send('/v1/time/current', { headers: bearer('wrong') }, app);
  expect(wrong.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
  const exposed = none.headers.get('Access-Control-Expose-Headers')!.split(', ');
  const { headers } = await send('/v1/time/current', { headers: bearer(right.key) }, app);
  const ours = [...headers.keys()].filter(name => /^(x-|ratelimit)/.test(name));
  expect(ours.length).toBeGreaterThan(5);
  expect(ours.filter(name => !exposed.some(one => one.toLowerCase() === name))).toEqual([]);
});

describe('limits', () => {
  /** A separate app, with one key on a plan. */
  async function limited(plan: Partial<NonNullable<Choices['plans']>[number]>, nowMs = () => NOW_MS) {
    using own = temporaryFolder();
    const keys = [{ key: 'key', plan: 'small', name: 'key' }];
    const plans = [{ name: 'small', rate: undefined, monthlyQuota: undefined, ...plan }];
    const { access: ownAccess } = control(own.path, { keys, plans });
    const target = createApp(testServer({ access: ownAccess, now: nowMs, signing: services.signing }));
    const request = (path: string, init: RequestInit = {}) =>
      send(path, { ...init, headers: { 'X-API-Key': 'key' } }, target);
    return { request, access: ownAccess };
  }
  const remaining = async (
    request: Awaited<ReturnType<typeof limited>>['request'],
    path: string,
    init?: RequestInit,
  ) => Number((await request(path, init)).headers.get('X-Service-Quota-Remaining'));

  test('beyond the rate, requests are 429 RATE_LIMITED until the bucket refills', async () => {
    let nowMs = NOW_MS;
    const { request } = await limited({ rate: { perSecond: 0.5, burst: 2 } }, () => nowMs);
    expect((await request('/v1/time/current')).status).toBe(200);
    expect((await request('/v1/time/current')).headers.get('RateLimit')).toBe('"rate";r=0;t=2');
    const refused = await request('/v1/time/current');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.body.error.message).toBe(
      "The rate limit of plan 'small' is 0.5 per second with a burst of 2; retry in 2000 ms",
    );
    expect(refused.headers.get('Retry-After')).toBe('2');
    expect(refused.headers.get('RateLimit-Policy')).toBe('"rate";q=2;w=4');
    expect(refused.headers.get('X-Service-Quota-State')).toBe('active');
    nowMs += 2000;
    expect((await request('/v1/time/current')).status).toBe(200);
  });

  test('beyond the quota, requests are 429 QUOTA_EXCEEDED until the month ends in UTC', async () => {
    let nowMs = Date.UTC(2026, 10, 30, 23, 59, 58);
    const { request } = await limited({ monthlyQuota: 2 }, () => nowMs);
    expect(await remaining(request, '/v1/time/current?tz=Pacific/Apia')).toBe(1);
    expect(await remaining(request, '/v1/time/current?tz=Pacific/Apia')).toBe(0);
    const refused = await request('/v1/time/current');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect(refused.body.error.message).toContain('2026-12-01, 00:00 UTC');
    expect(refused.headers.get('Retry-After')).toBe('2');
    expect(refused.headers.get('X-Service-Quota-State')).toBe('exceeded');
    expect(refused.headers.get('RateLimit')).toBe('"month";r=0;t=2');
    nowMs += 2000;
    expect(await remaining(request, '/v1/time/current')).toBe(1);
  });

  test('bulks, HEAD and most 4xx count as one request; 404, 5xx and rejections do not count', async () => {
    const { request } = await limited({ monthlyQuota: 100 });
    const counts: [string, RequestInit, number][] = [
      ['/v1/time/current', {}, 1],
      ['/v1/time/current?tz=UTC,Asia/Tokyo,Mars', {}, 1],
      ['/v1/time/current', { method: 'HEAD' }, 1],
      ['/v1/time/current?tz=Mars', {}, 1],
      ['/v1/time/current', { method: 'POST' }, 1],
      [`/v1/time/current?x=${'x'.repeat(9000)}`, {}, 1],
      ['/v1/time/current?tz=Asia/Tokyo&sign=true', {}, 1],
      ['/nothing', {}, 0],
      ['/healthz', {}, 0],
      ['/v1/time/current', { method: 'OPTIONS' }, 0],
    ];
    let left = 100;
    for (const [path, init, count] of counts) {
      await request(path, init);
      left -= count;
      expect([path, await remaining(request, '/nothing')]).toEqual([path, left]);
    }
  });

  test('a response that failed on our side does not count', async () => {
    using own = temporaryFolder();
    const keys = [{ key: 'key', plan: 'small', name: 'key' }];
    const plans = [{ name: 'small', rate: undefined, monthlyQuota: 10 }];
    const { access: ownAccess } = control(own.path, { keys, plans });
    const target = createApp(testServer({ access: ownAccess }));
    const { status, headers } = await send(
      '/v1/time/current?sign=true',
      { headers: { 'X-API-Key': 'key' } },
      target,
    );
    expect([status, headers.get('X-Service-Quota-Remaining')]).toEqual([501, '10']);
    await ownAccess.stop();
  });

  test('a plan without limits says so', async () => {
    const { request } = await limited({});
    const { headers } = await request('/v1/time/current');
    expect(headers.get('X-Service-Quota-Limit')).toBe('unlimited');
    expect(headers.get('X-Service-Quota-Remaining')).toBe('unlimited');
    expect(headers.get('X-Service-Quota-State')).toBe('active');
    expect(headers.has('RateLimit')).toBe(false);
  });

  test('a rejection is signed on request for an authenticated client only', async () => {
    const { request } = await limited({ monthlyQuota: 0 });
    const isSigned = ({ headers }: { headers: Headers }) =>
      SIGNATURE_HEADERS.every(name => headers.has(name));
    expect(isSigned(await request('/v1/time/current?sign=true'))).toBe(true);
    expect(isSigned(await request('/v1/time/current'))).toBe(false);
    expect(isSigned(await request('/nothing?sign=true'))).toBe(false);
    for (const [, headers] of REFUSED) {
      expect(isSigned(await send('/v1/time/current?sign=true', { headers }, app))).toBe(false);
    }
    expect(isSigned(await send('/v1/time/current?sign=true', { headers: bearer(right.key) }, app))).toBe(
      true,
    );
  });

  test("one client's headers never appear in another's response", async () => {
    const { headers: first } = await send('/v1/time/current', { headers: bearer(right.key) }, app);
    expect(first.get('X-Service-Plan')).toBe('plan');
    const pair = { 'X-RapidAPI-Key': 'subscriber', 'X-RapidAPI-Host': HOST };
    const signed = await send('/v1/time/current?sign=true&zone=x', { headers: pair }, app);
    expect(signed.headers.get('X-Service-Ignored-Parameters')).toBe('zone');
    const { headers: after } = await send('/v1/time/current', { headers: pair }, app);
    expect([...SIGNATURE_HEADERS, 'X-Service-Ignored-Parameters'].filter(name => after.has(name))).toEqual(
      [],
    );
    // Once the query is cached they share the signature as well.
    for (let time = 0; time < 3; time++) {
      const callers = [bearer(right.key), pair];
      const responses = await Promise.all(
        callers.map(headers => send('/v1/time/current?sign=true', { headers }, app)),
      );
      const valuesOf = (name: string) => responses.map(({ headers }) => headers.get(name));
      expect(new Set(valuesOf('X-Service-Signature')).size).toBe(1);
      for (const own of ['X-Service-Quota-Remaining', 'X-Request-Id']) {
        expect([own, new Set(valuesOf(own)).size]).toEqual([own, 2]);
      }
    }
    const { headers: open } = await send('/v1/time/current');
    expect([...open.keys()].filter(name => name.startsWith('ratelimit') || name.includes('quota'))).toEqual(
      [],
    );
  });
});

test('an open server requires no credential and ignores any', async () => {
  using own = temporaryFolder();
  const { access: openAccess } = control(own.path);
  const open = createApp(testServer({ access: openAccess }));
  for (const [, headers] of REFUSED) {
    const { status, headers: answered } = await send('/v1/time/current', { headers }, open);
    expect([status, answered.has('X-Service-Plan')]).toEqual([200, false]);
  }
});

describe('metrics', () => {
  const TRUSTED = { proxies: parseTrustedProxies(['127.0.0.9', '::1', 'unix']), header: 'X-Forwarded-For' };
  const trusting = testServer({ access, callerTrust: TRUSTED, metrics: () => Promise.resolve('up 1\n') });
  const statusFor = async (peer: string, headers: Record<string, string> = {}) => {
    const served = createApp(trusting, { hasMetrics: true, peerOf: () => peer });
    return (await send('/metrics', { headers }, served)).status;
  };

  test('are for operators, wherever they are', async () => {
    for (const peer of ['10.0.0.1', '127.0.0.9', 'unix']) {
      expect([peer, await statusFor(peer, bearer(operator.key))]).toEqual([peer, 200]);
      for (const [name, headers] of [...REFUSED, ...ADMITTED]) {
        expect([peer, name, await statusFor(peer, headers)]).toEqual([peer, name, 401]);
      }
    }
  });

  test('are for clients on this machine that are not trusted proxies', async () => {
    const local = { X: 'none', 'X-Forwarded-For': '203.0.113.9', Host: 'localhost:8080' };
    for (const [name, value] of Object.entries(local)) {
      expect([name, await statusFor('127.0.0.1', { [name]: value })]).toEqual([name, 200]);
    }
    const untrusting = createApp(testServer({ access }), { hasMetrics: true, peerOf: () => 'unix' });
    expect((await send('/metrics', {}, untrusting)).status).toBe(200);
  });

  test('are not for clients on this machine only by a header', async () => {
    for (const peer of ['127.0.0.9', '::1', 'unix', '10.0.0.1']) {
      for (const address of ['127.0.0.1', '::1', '127.0.0.9', 'unknown']) {
        const status = await statusFor(peer, { 'X-Forwarded-For': address });
        expect([peer, address, status]).toEqual([peer, address, 401]);
      }
    }
  });

  test('are not for pages of sites whose name resolves to this machine, nor for clients of an unknown proxy', async () => {
    const untrusting = testServer({ access });
    for (const peer of ['127.0.0.1', 'unix']) {
      const served = createApp(untrusting, { hasMetrics: true, peerOf: () => peer });
      const { status } = await send('/metrics', { headers: { Host: 'time.example' } }, served);
      expect([peer, status]).toEqual([peer, 401]);
    }
  });
});

test('no response contains a key that was sent', async () => {
  for (const path of [...GUARDED, ...PUBLIC]) {
    for (const headers of [
      ...REFUSED.map(([, refused]) => refused),
      ...ADMITTED.map(([, admitted]) => admitted),
    ]) {
      const response = await send(path, { headers }, app);
      const text = JSON.stringify([[...response.headers], response.body]);
      for (const secret of [right.key, suspended.key, unknown, 'subscriber'])
        expect(text).not.toContain(secret);
    }
  }
});

test('readiness reports the store, and fails only if requests are rejected because of it', async () => {
  using own = temporaryFolder();
  const down = {
    connect: () => Promise.reject(new Error('away')),
    consume: () => Promise.reject(new Error('away')),
    addUsage: () => Promise.reject(new Error('away')),
    settleUsage: () => Promise.reject(new Error('away')),
    close: () => {},
  };
  const keys = [{ key: 'key', plan: 'default', name: 'key' }];
  const readiness = async (choices: Choices) => {
    const { access: checked } = control(own.path, { keys, ...choices });
    await checked.start();
    const { status, body } = await send('/readyz', {}, createApp(testServer({ access: checked })));
    const text = `${status} ${body.split('\n').find((line: string) => line.startsWith('store'))}`;
    await checked.stop();
    return text;
  };
  expect(await readiness({})).toBe('200 store ok');
  expect(await readiness({ open: true })).toBe('200 store ok open to all');
  expect(await readiness({ shared: down })).toBe('200 store warning the shared store is unavailable');
  expect(await readiness({ shared: down, failMode: 'closed' })).toBe(
    '503 store broken the shared store is unavailable',
  );
});

const LIMITS = limitsOf({ name: 'small', rate: undefined, monthlyQuota: 10 }, { index: 0, count: 1 });

test('the monthly limit headers are replaced when the month ends', () => {
  const responder = new Responder({ corsOrigin: '*', headers: {} });
  const policyAt = (nowMs: number) => {
    const exchange = new Exchange(new Request('http://localhost/'), testServer(), () => '');
    const status = {
      verdict: 'granted',
      nowMs,
      month: monthOf(nowMs),
      used: 1,
      rateLeft: 0,
      rateWaitMs: 0,
    } as const;
    exchange.admission = { error: undefined, key: undefined, limits: LIMITS, status };
    return responder.respond('', exchange).headers.get('RateLimit-Policy');
  };
  expect(policyAt(Date.UTC(2026, 10, 30))).toBe(`"month";q=10;w=${30 * 86_400}`);
  expect(policyAt(Date.UTC(2026, 11, 1))).toBe(`"month";q=10;w=${31 * 86_400}`);
});
