import { describe, expect, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { testServer } from '../support/service.ts';

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
  ])('rejects %.30s', async (query, message) => {
    const response = await send(method, path, query);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
  });

  test('rejects a query of more than 8 KB', async () => {
    expect((await send(method, path, `?foo=${'x'.repeat(8200)}`)).status).toBe(414);
  });

  test('accepts the common parameters', async () => {
    const response = await send(method, path, `?strict=true&nonce=${'n'.repeat(128)}`);
    expect([200, 204]).toContain(response.status);
    expect(response.headers.has('X-Service-Ignored-Parameters')).toBe(false);
  });
});

test('a batch cannot be signed', async () => {
  for (const [query, message] of [
    ['?sign=true', "Cannot read 'sign': a batch cannot be signed, but requests sent on their own can"],
    ['?signature=rfc9421', "Cannot read 'signature': it requires 'sign=true'"],
    [
      '?signature=rfc9421&sign=true',
      "Cannot read 'sign': a batch cannot be signed, but requests sent on their own can",
    ],
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
