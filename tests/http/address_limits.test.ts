import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { type LimitStatus, limitsOf } from '../../src/access/limiter.ts';
import type { Plan } from '../../src/access/plan.ts';
import { monthOf } from '../../src/access/usage.ts';
import {
  AddressLimited,
  AddressLimiter,
  addressRate,
  openAddressLimiter,
} from '../../src/http/address_limits.ts';
import { originFormOf, pathnameOf } from '../../src/http/exchange.ts';
import { monthlyLimitHeaders, setRequestLimitHeaders } from '../../src/http/limit_headers.ts';
import { loggedClient, metricsText } from '../../src/http/traffic.ts';
import { parseTrustedProxies } from '../../src/places/caller_address.ts';
import { isLoopback, parseAddress, readAddress } from '../../src/places/ip_address.ts';
import { createApp } from '../../src/server/app.ts';
import { addressMetrics } from '../../src/server/metrics.ts';
import { expectAll } from '../support/responses.ts';
import { checkBy, keyedAccess, NOW_MS, type ServerChanges, send, testServer } from '../support/service.ts';

const address = (text: string) => parseAddress(text, 'ip');

test('this machine is 127.0.0.0/8 and ::1, and no unknown address', () => {
  const local = ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'];
  expect(local.filter(text => isLoopback(address(text)))).toEqual(local);
  expect(['128.0.0.1', '::2', '10.0.0.1'].filter(text => isLoopback(address(text)))).toEqual([]);
  expect(isLoopback(undefined)).toBe(false);
});

test("the log has none, the network or all of a client's address", () => {
  expect(loggedClient(address('203.0.113.77'), 'network')).toBe('203.0.113.0/24');
  expect(loggedClient(address('2001:db8:1:2::3'), 'network')).toBe('2001:db8:1::/48');
  expect(loggedClient(address('2001:db8:1:2::3'), 'full')).toBe('2001:db8:1:2::3');
  expect(loggedClient(address('203.0.113.77'), 'none')).toBeNull();
  expect(loggedClient(undefined, 'full')).toBeNull();
});

test('the path of a URL follows its host; a target that is not a URL is its own path', () => {
  expect(originFormOf('http://[::1/v1/time?a=/b')).toBe('/v1/time?a=/b');
  expect(pathnameOf('https://api/v1/time?a=/b')).toBe('/v1/time');
  expect(originFormOf('example.com:443')).toBe('example.com:443');
});

const CURRENT = '/v1/time/current?tz=Asia/Tokyo';
const RATE = { perSecond: 2, burst: 3 };

/** An open server with address limits, and a client connecting from a given address. */
function limited(changes: ServerChanges = {}) {
  let nowMs = NOW_MS;
  const addresses = new AddressLimiter(RATE);
  const access = keyedAccess(() => true);
  const server = testServer({ access, addresses, now: () => nowMs, ...changes });
  let peer = '203.0.113.7';
  const app = createApp(server, { peerOf: () => peer });
  return {
    app,
    server,
    addresses,
    wait(ms: number) {
      nowMs += ms;
    },
    from(address: string, path = CURRENT, init: RequestInit = {}) {
      peer = address;
      return send(path, init, app);
    },
    /** The statuses of consecutive requests. */
    async statuses(address: string, count: number, path = CURRENT, init: RequestInit = {}) {
      const statuses: number[] = [];
      for (let i = 0; i < count; i++) statuses.push((await this.from(address, path, init)).status);
      return statuses;
    },
  };
}

/** A batch of requests. */
const batch = (count: number): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ requests: Array(count).fill(CURRENT) }),
});

describe('an open server with --address-rate', () => {
  test('grants each address its burst, and then its rate', async () => {
    const client = limited();
    expect(await client.statuses('203.0.113.7', 5)).toEqual([200, 200, 200, 429, 429]);
    expect(await client.statuses('203.0.113.8', 1)).toEqual([200]);
    client.wait(500);
    expect(await client.statuses('203.0.113.7', 2)).toEqual([200, 429]);
    client.wait(60_000);
    expect(await client.statuses('203.0.113.7', 4)).toEqual([200, 200, 200, 429]);
  });

  test('says in the error when to retry', async () => {
    const client = limited();
    await client.statuses('203.0.113.7', 3);
    const { status, headers, body } = await client.from('203.0.113.7');
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.error.message).toBe(
      'Without an API key, an address is limited to 2 requests a second with a burst of 3; retry in 500 ms',
    );
    expect(headers.get('Retry-After')).toBe('1');
    expect(headers.get('RateLimit-Policy')).toBe('"address";q=3;w=2');
    expect(headers.get('RateLimit')).toBe('"address";r=0;t=1');
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  test('immediately rejects what it can never grant', async () => {
    const client = limited();
    const { status, headers, body } = await client.from('203.0.113.7', '/v1/batch', batch(4));
    expect([status, headers.has('Retry-After')]).toEqual([429, false]);
    expect(body.error.message).toBe(
      'A client without an API key may send at most 3 requests at once, and this one counts as 4: send it in parts',
    );
    expect(client.addresses.counts).toEqual({ granted: 1, rejected: 3 });
  });

  test('adds no header to granted responses, which caches may share', async () => {
    const { headers } = await limited().from('203.0.113.7');
    expect(headers.has('RateLimit')).toBe(false);
    expect(headers.has('RateLimit-Policy')).toBe(false);
  });

  test('identifies an IPv6 client by the first 64 bits, and treats a mapped address as IPv4', async () => {
    const client = limited();
    expect(await client.statuses('2001:db8:1:2::1', 3)).toEqual([200, 200, 200]);
    expect(await client.statuses('2001:db8:1:2:ffff::9', 1)).toEqual([429]);
    expect(await client.statuses('2001:db8:1:3::1', 1)).toEqual([200]);
    await client.statuses('198.51.100.1', 3);
    expect(await client.statuses('::ffff:198.51.100.1', 1)).toEqual([429]);
  });

  test('counts unknown paths and errors', async () => {
    const client = limited();
    expect(await client.statuses('203.0.113.7', 2, '/v1/nothing')).toEqual([404, 404]);
    expect(await client.statuses('203.0.113.7', 1, '/v1/time/current?tz=Mars')).toEqual([400]);
    expect(await client.statuses('203.0.113.7', 1)).toEqual([429]);
  });

  test('counts a batch as its requests, and runs none beyond the limit', async () => {
    const client = limited();
    expect(await client.statuses('203.0.113.7', 1, '/v1/batch', batch(4))).toEqual([429]);
    client.wait(60_000);
    expect(await client.statuses('203.0.113.7', 1, '/v1/batch', batch(2))).toEqual([200]);
    expect(await client.statuses('203.0.113.7', 2)).toEqual([200, 429]);
  });

  test('exempts health, pages, the public key set and preflights', async () => {
    const client = limited();
    await client.statuses('203.0.113.7', 4);
    const isLimited = async (path: string) => (await client.from('203.0.113.7', path)).status === 429;
    const exempt = ['/healthz', '/readyz', '/openapi.json', '/docs', '/.well-known/time-api-public-key'];
    await expectAll(isLimited, false, exempt);
    expect(await client.statuses('203.0.113.7', 1, CURRENT, { method: 'OPTIONS' })).toEqual([204]);
  });

  test('exempts this machine, but not what a proxy on it forwards', async () => {
    const client = limited();
    for (const peer of ['127.0.0.1', '::1', 'unix']) {
      expect(await client.statuses(peer, 10)).toEqual(Array(10).fill(200));
    }
    const forwarded = { headers: { Host: 'time.example' } };
    expect(await client.statuses('127.0.0.1', 4, CURRENT, forwarded)).toEqual([200, 200, 200, 429]);
  });

  test("takes the client from a trusted proxy's header, and from no other", async () => {
    const callerTrust = { proxies: parseTrustedProxies(['127.0.0.1']), header: 'X-Forwarded-For' };
    const client = limited({ callerTrust });
    const by = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
    expect(await client.statuses('127.0.0.1', 4, CURRENT, by('203.0.113.7'))).toEqual([200, 200, 200, 429]);
    expect(await client.statuses('127.0.0.1', 1, CURRENT, by('203.0.113.8'))).toEqual([200]);
    const forwarded = by('127.0.0.2, 198.51.100.1');
    expect(await client.statuses('127.0.0.1', 4, CURRENT, forwarded)).toEqual([200, 200, 200, 429]);
    expect(await client.statuses('192.0.2.1', 3, CURRENT, by('1.1.1.1'))).toEqual([200, 200, 200]);
    expect(await client.statuses('192.0.2.1', 1, CURRENT, by('1.1.1.2'))).toEqual([429]);
  });

  test('describes this error, and none of the others of servers with keys', async () => {
    const client = limited();
    const { body: document } = await client.from('127.0.0.1', '/openapi.json');
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    const responses = document.paths['/v1/time/current'].get.responses;
    expect(Object.keys(responses)).toContain('429');
    expect(Object.keys(responses)).not.toContain('401');
    await client.statuses('203.0.113.7', 3);
    const { status, headers, body } = await client.from('203.0.113.7');
    expect(checkBy(document)('/v1/time/current', status, headers, body)).toBeNull();
    const { body: unlimited } = await send('/openapi.json', {}, createApp(testServer()));
    expect(Object.keys(unlimited.components.headers)).not.toContain('RateLimit');
  });

  test('counts its decisions', async () => {
    const client = limited();
    await client.statuses('203.0.113.7', 5);
    await client.statuses('127.0.0.1', 5);
    const text = metricsText(addressMetrics([client.addresses])());
    expect(text).toContain('meridian_address_requests_total{decision="granted"} 3\n');
    expect(text).toContain('meridian_address_requests_total{decision="rejected"} 2\n');
    expect(text).toContain('meridian_address_limits 1\n');
    expect(addressMetrics([])()).toEqual([]);
  });
});

test('the burst is the rate, rounded up, unless it is given; workers have shares', () => {
  expect(addressRate({ 'address-rate': null, 'address-burst': null })).toBeNull();
  expect(addressRate({ 'address-rate': 0.5, 'address-burst': null })).toEqual({ perSecond: 0.5, burst: 1 });
  expect(addressRate({ 'address-rate': 2.5, 'address-burst': 9 })).toEqual({ perSecond: 2.5, burst: 9 });
  const settings = { 'address-rate': 10, 'address-burst': 7 };
  const bursts = [0, 1].map(index => {
    const limiter = openAddressLimiter(settings, { index, count: 2 })!;
    for (let granted = 0; ; granted++) {
      try {
        limiter.admit(readAddress('203.0.113.7'), NOW_MS);
      } catch (error) {
        expect(error).toBeInstanceOf(AddressLimited);
        return granted;
      }
    }
  });
  expect(bursts).toEqual([4, 3]);
});

test('a million addresses take no more memory than a hundred thousand', () => {
  const limiter = new AddressLimiter(RATE);
  const addressOf = (n: number) =>
    readAddress(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`);
  const heapAfter = (from: number, to: number) => {
    for (let n = from; n < to; n++) limiter.admit(addressOf(n), NOW_MS);
    Bun.gc(true);
    return heapStats().heapSize;
  };
  const before = heapAfter(0, 100_000);
  const after = heapAfter(100_000, 1_000_000);
  expect(limiter.size).toBeLessThanOrEqual(100_000);
  expect(after - before).toBeLessThan(10_000_000);
  // The most recent ones are still limited.
  const latest = addressOf(999_999);
  for (let i = 0; i < 2; i++) limiter.admit(latest, NOW_MS);
  expect(() => limiter.admit(latest, NOW_MS)).toThrow(AddressLimited);
});

const CHARGED_MS = Date.UTC(2026, 10, 21, 2, 3, 4, 500);
const PLAN: Plan = { name: 'pro', rate: { perSecond: 10, burst: 25 }, monthlyQuota: 1000 };

function headersOf(plan: Plan, status: Partial<LimitStatus>, counted = true): Record<string, string> {
  const limits = limitsOf(plan, { index: 0, count: 1 });
  const month = monthOf(CHARGED_MS);
  const usual = {
    verdict: 'granted',
    nowMs: CHARGED_MS,
    month,
    used: 10,
    rateLeft: 7,
    rateWaitMs: 60,
  } as const;
  const headers = new Headers(monthlyLimitHeaders(limits, month));
  setRequestLimitHeaders(headers, limits, { ...usual, ...status }, counted);
  return Object.fromEntries(headers);
}

/** Seconds until December begins. */
const MONTH_SECONDS = Math.ceil((Date.UTC(2026, 11) - CHARGED_MS) / 1000);

test('a granted request has its policies, with what remains of each and until when', () => {
  expect(headersOf(PLAN, {})).toEqual({
    'ratelimit-policy': '"rate";q=25;w=3, "month";q=1000;w=2592000',
    ratelimit: `"rate";r=7;t=1, "month";r=990;t=${MONTH_SECONDS}`,
    'x-service-plan': 'pro',
    'x-service-quota-limit': '1000',
    'x-service-quota-remaining': '990',
    'x-service-quota-state': 'active',
  });
});

test('a response that does not count refunds its request in its own headers', () => {
  expect(headersOf(PLAN, {}, false)['x-service-quota-remaining']).toBe('991');
});

test('a rejection has the time until a request is granted again, in whole seconds', () => {
  const rate = headersOf(PLAN, { verdict: 'rate', rateLeft: 0, rateWaitMs: 2001 });
  expect(rate).toMatchObject({ 'retry-after': '3', 'x-service-quota-state': 'active' });
  expect(rate['ratelimit']).toStartWith('"rate";r=0;t=3, ');
  expect(headersOf(PLAN, { rateWaitMs: 0 })['ratelimit']).toStartWith('"rate";r=7;t=1, '); // at least one
  const quota = headersOf(PLAN, { verdict: 'quota', used: 1000 });
  expect(quota).toMatchObject({
    'retry-after': String(MONTH_SECONDS),
    'x-service-quota-remaining': '0',
    'x-service-quota-state': 'exceeded',
  });
});

test('a quota lowered below the usage leaves 0 requests', () => {
  expect(headersOf(PLAN, { verdict: 'quota', used: 1500 })['x-service-quota-remaining']).toBe('0');
});

test('policies that a plan lacks are absent', () => {
  expect(headersOf({ name: 'free', rate: undefined, monthlyQuota: undefined }, {})).toEqual({
    'x-service-plan': 'free',
    'x-service-quota-limit': 'unlimited',
    'x-service-quota-remaining': 'unlimited',
    'x-service-quota-state': 'active',
  });
  expect(headersOf({ ...PLAN, rate: undefined }, {})['ratelimit-policy']).toBe('"month";q=1000;w=2592000');
  expect(headersOf({ ...PLAN, monthlyQuota: undefined }, {})['ratelimit']).toBe('"rate";r=7;t=1');
});
