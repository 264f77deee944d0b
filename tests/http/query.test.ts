import { describe, expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import { Query } from '../../src/http/query.ts';
import { createApp } from '../../src/server/app.ts';
import { fc } from '../support/property.ts';
import { expectAll, expectEach } from '../support/responses.ts';
import { testServer } from '../support/service.ts';

const KNOWN = new Set(['tz', 'format', 'sign', 'iso']);

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

async function send(method: string, path: string, query: string, headers: Record<string, string> = {}) {
  const body = method === 'POST' ? '{"requests":["/v1/time/current?tz=Asia/Tokyo"]}' : null;
  const init = { method, body, headers: { ...headers, 'Content-Type': 'application/json' } };
  return await app.handle(new Request(`http://localhost${path}${query}`, init));
}

describe.each(ENDPOINTS)('%s %s', (method, path) => {
  test('names the parameters that it ignores', async () => {
    const response = await send(method, path, '?foo=1&details=true&nonce=a');
    expect([200, 204]).toContain(response.status);
    expect(response.headers.get('X-Service-Ignored-Parameters')).toBe('foo,details');
    const HEAD = await send('HEAD', path, '?foo=1');
    if (method === 'GET') expect(HEAD.headers.get('X-Service-Ignored-Parameters')).toBe('foo');
  });

  test.each([
    ['?strict=true&foo=1', "Cannot read 'foo': this route has no such parameter"],
    ['?nonce=', "Cannot read 'nonce': it has no value"],
    [`?nonce=${'n'.repeat(129)}`, "Cannot read 'nonce': it has 129 characters; the maximum is 128"],
    ['?nonce=1&nonce=2', "Cannot read 'nonce': it is given more than once"],
    [`?foo=${'x'.repeat(8200)}`, ''],
  ])('rejects %.30s', async (query, message) => {
    const response = await send(method, path, query);
    expect(response.status).toBe(message === '' ? 414 : 400);
    expect(await response.text()).toContain(message);
  });

  test('accepts the common parameters', async () => {
    const response = await send(method, path, `?strict=true&nonce=${'n'.repeat(128)}`);
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
    const response = await send('POST', '/v1/batch', query);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_PARAMETER', message } });
  }
  expect((await send('POST', '/v1/batch', '?strict=true&sign=false')).status).toBe(200);
});

test('errors have the form of the other service', async () => {
  const json = await (await send('GET', '/api/timezone/Europe/Paris', '?nonce=')).json();
  expect(json).toEqual({ error: "Cannot read 'nonce': it has no value" });
  const text = await (await send('GET', '/api/timezone/Europe/Paris.txt', '?nonce=')).text();
  expect(text).toBe("error: Cannot read 'nonce': it has no value\n");
});

test('a response that the client has already names ignored parameters too', async () => {
  for (const path of ['/openapi.json', '/api/v3/PublicHolidays/2026/DE']) {
    const tag = (await send('GET', path, '?foo=1')).headers.get('ETag')!;
    const { status, headers } = await send('GET', path, '?foo=1', { 'If-None-Match': tag });
    expect([path, status, headers.get('X-Service-Ignored-Parameters')]).toEqual([path, 304, 'foo']);
  }
});
