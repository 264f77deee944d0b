import { afterAll, describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { limitsOf } from '../../src/access/limiter.ts';
import type { Plan } from '../../src/access/plan.ts';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { monthOf } from '../../src/access/usage.ts';
import { AddressLimited, openPublicLimiters } from '../../src/http/address_limits.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { Responder } from '../../src/http/response.ts';
import { metricsText } from '../../src/http/traffic.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { createApp } from '../../src/server/app.ts';
import { addressMetrics } from '../../src/server/metrics.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { SIGNATURE_HEADERS } from '../../src/signing/signed_response.ts';
import { SITE_PATHS } from '../../src/site/site_paths.ts';
import { addKey, type Choices, control, openStore } from '../access/control.ts';
import { KEY, keyedApp } from '../support/keyed.ts';
import { newFolder } from '../support/process.ts';
import { expectAll, expectEach } from '../support/responses.ts';
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
const MARKET = { 'X-RapidAPI-Key': 'subscriber', 'X-RapidAPI-Host': 'time.example' };

const folder = newFolder();
const store = openStore(folder);
const right = addKey(store, 1, 'plan');
const suspended = addKey(store, 2);
store.change(suspended.id, { suspendedMs: 1 });
const operator = addKey(store, 3, 'plan', 'operator');
const { access } = control(folder, {
  plans: [{ name: 'plan', rate: { perSecond: 1000, burst: 1000 }, monthlyQuota: 1_000_000 }],
  marketplace: { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: 'time.example' },
  marketplaceKeys: [{ key: 'subscriber', plan: 'plan', name: 'market' }],
});
const services = testServer({ access, signing: fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]) });
const app = createApp(services);

afterAll(async () => {
  await access.stop();
  store.close();
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
  ['the host alone', { 'X-RapidAPI-Host': 'time.example' }, '401 INVALID_AUTH'],
  ['the pair with a wrong key', { ...MARKET, 'X-RapidAPI-Key': 'x' }, '401 INVALID_AUTH'],
  ['the pair with a wrong host', { ...MARKET, 'X-RapidAPI-Host': 'x' }, '401 INVALID_AUTH'],
  ['the subscription key as a bearer', bearer('subscriber'), '401 INVALID_AUTH'],
];
const ADMITTED: readonly (readonly [string, Record<string, string>])[] = [
  ['a bearer key', bearer(right.key)],
  ['a key in X-API-Key', { 'X-API-Key': right.key }],
  ['the same key twice in X-API-Key', { 'X-API-Key': `${right.key}, ${right.key}` }],
  ['the same key in both', { ...bearer(right.key), 'X-API-Key': right.key }],
  ['the marketplace pair', MARKET],
];

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

describe('every route of the API', () => {
  test.each(REFUSED)('with %s is refused before anything else is validated', async (_, headers, code) => {
    const paths = GUARDED.flatMap(path => [path, withQuery(path, 'tz=Mars&tz=Venus')]);
    await expectAll(path => codeOf(path, headers), code, paths);
    await expectAll(path => codeOf(path, headers, 'POST'), code, GUARDED);
    const statusOf = async (path: string) => (await send(path, { headers, method: 'HEAD' }, app)).status;
    await expectAll(statusOf, Number(code.slice(0, 3)), GUARDED);
  });

  test.each(ADMITTED)('admits %s, and every response has its limits', async (_, headers) => {
    for (const path of GUARDED) {
      const response = await send(path, { headers }, app);
      expect([path, [401, 403, 429].includes(response.status)]).toEqual([path, false]);
      expect(response.headers.toJSON()).toMatchObject({
        'x-service-plan': 'plan',
        'x-service-quota-state': 'active',
        'x-service-quota-limit': '1000000',
        'x-service-quota-remaining': expect.stringMatching(/^9\d{5}$/),
        'ratelimit-policy': '"rate";q=1000;w=1, "month";q=1000000;w=2592000',
        ratelimit: expect.stringMatching(/^"rate";r=\d+;t=1, "month";r=9\d{5};t=\d+$/),
      });
    }
  });

  test('a cached query requires credentials like any other', async () => {
    const path = '/v1/time/convert?unix=7&tz=Asia/Tokyo';
    for (let time = 0; time < 4; time++) expect(await codeOf(path, bearer(right.key))).toBe('200');
    for (const [, headers, code] of REFUSED) expect(await codeOf(path, headers)).toBe(code);
  });

  test('public paths need no credential, whatever is sent; one that redirects looks nothing up', async () => {
    for (const headers of [{}, ...REFUSED.map(([, refused]) => refused)]) {
      const outcomeOf = async (path: string) => {
        const { status, headers: answered } = await send(path, { headers }, app);
        return [status, answered.has('X-Service-Plan')];
      };
      await expectAll(outcomeOf, [200, false], PUBLIC);
      const moved = await send(LEADING, { headers }, app);
      expect([moved.status, moved.headers.get('Location')]).toEqual([303, '/planner?place=Berlin%2C+DE']);
    }
    await expectAll(path => codeOf(path, {}, 'POST'), '405 METHOD_NOT_ALLOWED', PUBLIC);
  });

  test("a missing credential is 401 on routes with other services' error shapes, too", () =>
    expectAll(async path => (await send(path, {}, app)).status, 401, SHAPED));

  test('a key in a URL is not a credential, whatever its parameter is called', async () => {
    const names = ['key', 'api_key', 'apikey', 'access_token', 'token', 'X-API-Key', 'authorization'];
    const query = names.map(name => `${name}=${right.key}`).join('&');
    for (const path of [...GUARDED, ...SHAPED]) {
      for (const [method, url] of [
        ['GET', `http://localhost${withQuery(path, query)}`],
        ['POST', `http://localhost${withQuery(path, query)}`],
        ['GET', `http://${right.key}@localhost${path}`],
      ] as const) {
        const { status } = await app.handle(new Request(url, { method }));
        expect({ method, url, status }).toEqual({ method, url, status: 401 });
      }
    }
  });

  test('these tests cover every route', () => {
    const tested = new Set([...GUARDED, ...SHAPED, ...PUBLIC, LEADING].map(path => path.split('?')[0]!));
    const isTested = (path: string) =>
      path.endsWith('/*') ? [...tested].some(other => other.startsWith(path.slice(0, -1))) : tested.has(path);
    expect(app.paths.length).toBeGreaterThan(JSON_ROUTES.length);
    expect(app.paths.filter(path => !isTested(path))).toEqual([]);
  });
});

test('public routes need no key but reject an invalid one, and are limited by address', async () => {
  let peer = '192.0.2.9';
  let nowMs = NOW_MS;
  const publicLimiters = openPublicLimiters({ index: 0, count: 1 });
  const opened = testServer({ access, now: () => nowMs, publicRoutes: ['clock'], publicLimiters });
  const target = createApp(opened, { peerOf: () => peer });
  const clock = '/v1/time/clock?style=analog-station';
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await send(path, { headers }, target)).status;
  await expectEach(statusOf, {
    '/embed/clock?style=analog-station': 200,
    '/v1/time/current': 401,
    '/v1/holidays.ics?country=DE': 401,
  });
  expect(await statusOf(clock, bearer('wrong'))).toBe(401);
  expect(await statusOf(clock, { 'X-RapidAPI-Host': 'time.example' })).toBe(401);
  for (const [network, others] of [
    ['192.0.2.1', ['192.0.2.2']],
    ['2001:db8::1', ['2001:db8:0:1::1']],
  ] as const) {
    peer = network;
    for (let count = 0; count < 100; count++) expect(await statusOf(clock)).toBe(200);
    const limited = await send(clock, {}, target);
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
  const publicLimiters = openPublicLimiters({ index: 0, count: 1 });
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
  for (const index of [0, 1, 2, 3, 4, 5, 6, 7]) {
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

const CROSS_ORIGIN = { Origin: 'https://page.example' };

test('a preflight, which carries no credential, succeeds', async () => {
  const init = { method: 'OPTIONS', headers: CROSS_ORIGIN };
  const { status, headers } = await send('/v1/time/current', init, app);
  expect(status).toBe(204);
  expect(headers.get('Access-Control-Allow-Headers')).toContain('Authorization, X-API-Key');
});

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
  /** A function that sends requests with the key of a separate app. */
  function limited(plan: Partial<Plan>, now = () => NOW_MS) {
    const target = keyedApp(plan, { now, signing: services.signing }).app;
    return (path: string, init: RequestInit = {}) => send(path, { ...init, headers: KEY }, target);
  }
  const remaining = async (request: ReturnType<typeof limited>, path: string) =>
    Number((await request(path)).headers.get('X-Service-Quota-Remaining'));

  test('beyond the rate, requests are 429 RATE_LIMITED until the bucket refills', async () => {
    let nowMs = NOW_MS;
    const request = limited({ rate: { perSecond: 0.5, burst: 2 } }, () => nowMs);
    expect((await request('/v1/time/current')).status).toBe(200);
    expect((await request('/v1/time/current')).headers.get('RateLimit')).toBe('"rate";r=0;t=2');
    const { status, headers, body } = await request('/v1/time/current');
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.error.message).toBe(
      "The rate limit of plan 'small' is 0.5 per second with a burst of 2; retry in 2000 ms",
    );
    const policy = { 'retry-after': '2', 'ratelimit-policy': '"rate";q=2;w=4' };
    expect(headers.toJSON()).toMatchObject({ ...policy, 'x-service-quota-state': 'active' });
    nowMs += 2000;
    expect((await request('/v1/time/current')).status).toBe(200);
  });

  test('beyond the quota, requests are 429 QUOTA_EXCEEDED until the month ends in UTC', async () => {
    let nowMs = Date.UTC(2026, 10, 30, 23, 59, 58);
    const request = limited({ monthlyQuota: 2 }, () => nowMs);
    expect(await remaining(request, '/v1/time/current?tz=Pacific/Apia')).toBe(1);
    expect(await remaining(request, '/v1/time/current?tz=Pacific/Apia')).toBe(0);
    const { status, headers, body } = await request('/v1/time/current');
    expect([status, body.error.code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect(body.error.message).toContain('2026-12-01, 00:00 UTC');
    const limit = { 'retry-after': '2', ratelimit: '"month";r=0;t=2' };
    expect(headers.toJSON()).toMatchObject({ ...limit, 'x-service-quota-state': 'exceeded' });
    nowMs += 2000;
    expect(await remaining(request, '/v1/time/current')).toBe(1);
  });

  test('bulks, HEAD and most 4xx count as one request; 404, 5xx and rejections do not count', async () => {
    const request = limited({ monthlyQuota: 100 });
    let left = 100;
    for (const [path, init, count] of [
      ['/v1/time/current', {}, 1],
      ['/v1/time/current', { method: 'HEAD' }, 1],
      ['/v1/time/current?tz=Mars', {}, 1],
      ['/v1/time/current', { method: 'POST' }, 1],
      [`/v1/time/current?x=${'x'.repeat(9000)}`, {}, 1],
      ['/v1/time/current?tz=Asia/Tokyo&sign=true', {}, 1],
      ['/nothing', {}, 0],
      ['/healthz', {}, 0],
      ['/v1/time/current', { method: 'OPTIONS' }, 0],
      ['/v1/time/current', { method: 'OPTIONS' }, 0],
    ] as const) {
      await request(path, init);
      left -= count;
      expect([path, await remaining(request, '/nothing')]).toEqual([path, left]);
    }
  });

  test('a response that failed on our side does not count', async () => {
    const { app: unsigned } = keyedApp({ monthlyQuota: 10 });
    const { status, headers } = await send('/v1/time/current?sign=true', { headers: KEY }, unsigned);
    expect([status, headers.get('X-Service-Quota-Remaining')]).toEqual([501, '10']);
  });

  test('a plan without limits says so', async () => {
    const { headers } = await limited({})('/v1/time/current');
    expect(headers.get('X-Service-Quota-Limit')).toBe('unlimited');
    expect(headers.get('X-Service-Quota-Remaining')).toBe('unlimited');
    expect(headers.get('X-Service-Quota-State')).toBe('active');
    expect(headers.has('RateLimit')).toBe(false);
  });

  test('a rejection is signed on request for an authenticated client only', async () => {
    const request = limited({ monthlyQuota: 0 });
    const isSigned = ({ headers }: { headers: Headers }) =>
      SIGNATURE_HEADERS.every(name => headers.has(name));
    expect(isSigned(await request('/v1/time/current?sign=true'))).toBe(true);
    expect(isSigned(await request('/v1/time/current'))).toBe(false);
    expect(isSigned(await request('/nothing?sign=true'))).toBe(false);
    const signedFor = async (headers: Record<string, string>) =>
      isSigned(await send('/v1/time/current?sign=true', { headers }, app));
    for (const [, headers] of REFUSED) expect(await signedFor(headers)).toBe(false);
    expect(await signedFor(bearer(right.key))).toBe(true);
  });

  test("one client's headers never appear in another's response", async () => {
    const { headers: first } = await send('/v1/time/current', { headers: bearer(right.key) }, app);
    expect(first.get('X-Service-Plan')).toBe('plan');
    const signed = await send('/v1/time/current?sign=true&zone=x', { headers: MARKET }, app);
    expect(signed.headers.get('X-Service-Ignored-Parameters')).toBe('zone');
    const { headers: after } = await send('/v1/time/current', { headers: MARKET }, app);
    const ofRequest = [...SIGNATURE_HEADERS, 'X-Service-Ignored-Parameters'];
    expect(ofRequest.filter(name => after.has(name))).toEqual([]);
    // Once the query is cached they share the signature as well.
    for (let time = 0; time < 3; time++) {
      const sent = [bearer(right.key), MARKET].map(headers =>
        send('/v1/time/current?sign=true', { headers }, app),
      );
      const responses = await Promise.all(sent);
      const valuesOf = (name: string) => responses.map(({ headers }) => headers.get(name));
      expect(new Set(valuesOf('X-Service-Signature')).size).toBe(1);
      for (const own of ['X-Service-Quota-Remaining', 'X-Request-Id']) {
        expect([own, new Set(valuesOf(own)).size]).toEqual([own, 2]);
      }
    }
    const { headers: open } = await send('/v1/time/current');
    const limits = [...open.keys()].filter(name => name.startsWith('ratelimit') || name.includes('quota'));
    expect(limits).toEqual([]);
  });
});

test('an open server requires no credential and ignores any', async () => {
  const open = createApp(testServer({ access: control(newFolder()).access }));
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
      const statusOf = (address: string) => statusFor(peer, { 'X-Forwarded-For': address });
      await expectAll(statusOf, 401, ['127.0.0.1', '::1', '127.0.0.9', 'unknown']);
    }
  });

  test('are not for pages of sites whose name resolves to this machine, nor for clients of an unknown proxy', () => {
    const statusOf = async (peer: string) => {
      const served = createApp(testServer({ access }), { hasMetrics: true, peerOf: () => peer });
      return (await send('/metrics', { headers: { Host: 'time.example' } }, served)).status;
    };
    return expectAll(statusOf, 401, ['127.0.0.1', 'unix']);
  });
});

test('no response contains a key that was sent', async () => {
  for (const path of [...GUARDED, ...PUBLIC]) {
    for (const [, headers] of [...REFUSED, ...ADMITTED]) {
      const response = await send(path, { headers }, app);
      const text = JSON.stringify([[...response.headers], response.body]);
      for (const secret of [right.key, suspended.key, unknown, 'subscriber'])
        expect(text).not.toContain(secret);
    }
  }
});

test('readiness reports the store, and fails only if requests are rejected because of it', async () => {
  const down = new RedisStore('redis://127.0.0.1:1', 200);
  const keys = [{ key: 'key', plan: 'default', name: 'key' }];
  const readiness = async (choices: Choices) => {
    const { access: checked } = control(newFolder(), { keys, ...choices });
    await checked.start();
    const { status, body } = await send('/readyz', {}, createApp(testServer({ access: checked })));
    await checked.stop();
    return `${status} ${body.split('\n').find((line: string) => line.startsWith('store'))}`;
  };
  const unavailable = 'the shared store is unavailable: connection refused';
  expect(await readiness({})).toBe('200 store ok');
  expect(await readiness({ open: true })).toBe('200 store ok open to all');
  expect(await readiness({ shared: down })).toBe(`200 store warning ${unavailable}`);
  expect(await readiness({ shared: down, failMode: 'closed' })).toBe(`503 store broken ${unavailable}`);
});

const SECRET = 'OOM|secret';
const LOGIN_REFUSALS: [reply: string[], reason: string][] = [
  [
    [
      `-ERR unknown command \`HELLO\`, with args beginning with: \`3\`, \`AUTH\`, \`user\`, \`${SECRET}\`, \r\n`,
    ],
    'it does not know HELLO: Redis 6 or newer is required (ERR)',
  ],
  [[`-ERR bad arguments: HELLO 3 AUTH user ${SECRET}\r\n`], 'it rejects the login (ERR)'],
  [[`-${SECRET} is not a password\r\n`], 'it rejects the login (ERR)'],
  [[`-NOPERM may not run '${SECRET}'\r\n`], 'the ACL user lacks a permission (NOPERM)'],
  [['-WRONG', `PASS user:${SECRET}\r\n`], 'wrong password or user (WRONGPASS)'],
];

test.each(LOGIN_REFUSALS)(
  'a Redis whose reply %p quotes the login does not reveal it',
  async (reply, reason) => {
    const data = async (socket: Socket) => {
      for (const part of reply) {
        socket.write(part);
        await Bun.sleep(20);
      }
    };
    using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data } });
    const url = `redis://user:${encodeURIComponent(SECRET)}@127.0.0.1:${server.port}`;
    const shared = new RedisStore(url, 200);
    const { access: checked, log } = control(newFolder(), { shared });
    await checked.start();
    const { body } = await send('/readyz', {}, createApp(testServer({ access: checked })));
    await checked.stop();
    expect(log[0]).toStartWith(`error: The shared quota store is unavailable: ${reason}; `);
    expect(body).toContain(`the shared store is unavailable: ${reason}\n`);
    expect(`${log} ${body}`).not.toContain('secret');
  },
);

const LIMITS = limitsOf({ name: 'small', rate: undefined, monthlyQuota: 10 }, { index: 0, count: 1 });

test('the monthly limit headers are replaced when the month ends', () => {
  const responder = new Responder({ corsOrigin: '*', isStorable: true, headers: {} });
  const policyAt = (nowMs: number) => {
    const exchange = new Exchange(new Request('http://localhost/'), testServer(), () => '');
    const usage = { verdict: 'granted', used: 1, rateLeft: 0, rateWaitMs: 0 } as const;
    const status = { ...usage, nowMs, month: monthOf(nowMs) };
    exchange.admission = { error: undefined, key: undefined, limits: LIMITS, status };
    return responder.respond('', exchange, undefined, undefined).headers.get('RateLimit-Policy');
  };
  expect(policyAt(Date.UTC(2026, 10, 30))).toBe(`"month";q=10;w=${30 * 86_400}`);
  expect(policyAt(Date.UTC(2026, 11, 1))).toBe(`"month";q=10;w=${31 * 86_400}`);
});
