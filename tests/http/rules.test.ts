import { describe, expect, test } from 'bun:test';
import type { AccessControl } from '../../src/access/access_control.ts';
import { createApp } from '../../src/server/app.ts';
import { expectAll, expectEach, expectErrors, messageOf } from '../support/responses.ts';
import { app, JSON_ROUTES, send, testServer } from '../support/service.ts';

const CROSS_ORIGIN = { headers: { Origin: 'https://page.example' } };

describe('every route', () => {
  for (const { path, examples } of JSON_ROUTES) {
    const url = `${path}?${examples[0].query}`;

    test(`${path} returns JSON with a request id, and CORS headers for scripts of other sites`, async () => {
      const { status, headers } = await send(url);
      expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json']);
      expect(headers.get('Vary')).toBe('Accept-Encoding');
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.has('Access-Control-Expose-Headers')).toBe(false);
      const cross = (await send(url, CROSS_ORIGIN)).headers;
      expect(cross.get('Access-Control-Allow-Origin')).toBe('*');
      const exposed = cross.get('Access-Control-Expose-Headers')!.split(', ');
      expect(exposed).toContainValues(['ETag', 'Content-Digest', 'Signature', 'Signature-Input']);
    });

    test(`${path} responds to HEAD with the headers of GET and no body`, async () => {
      const headers = { 'X-Request-Id': 'same' };
      const [get, head] = [await send(url, { headers }), await send(url, { method: 'HEAD', headers })];
      expect([head.status, ...head.headers]).toEqual([200, ...get.headers]);
    });

    test(`${path} rejects other methods with 405 and an Allow header`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, headers, body } = await send(url, { ...CROSS_ORIGIN, method, body: 'x=1' });
        expect(status).toBe(405);
        expect(body.error.code).toBe('METHOD_NOT_ALLOWED');
        expect(headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
        expect(headers.get('X-Request-Id')).toBe(body.request_id);
        expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      }
    });

    test(`${path} responds to a CORS preflight`, async () => {
      const { status, headers } = await send(url, { ...CROSS_ORIGIN, method: 'OPTIONS' });
      expect(status).toBe(204);
      expect(headers.get('Access-Control-Allow-Methods')).toContain('GET');
      expect(headers.get('Access-Control-Allow-Headers')).toBe(
        'Authorization, X-API-Key, X-RapidAPI-Key, X-RapidAPI-Host, X-Request-Id, If-None-Match',
      );
      expect(headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
      expect(headers.get('Access-Control-Max-Age')).toBe('86400');
    });

    test(`${path} names the parameters it ignores`, async () => {
      const { status, headers } = await send(`${url}&timezone=x&b%0Ad=1`);
      expect(status).toBe(200);
      expect(headers.get('X-Service-Ignored-Parameters')).toBe('timezone,b%0Ad');
    });
  }
});

test('an unknown path is 404 with the error body', async () => {
  const paths = ['/v1', '/docs/', '/index.html', '/v1/time', '/v1/time/current/', '/V1/time/current'];
  for (const path of [...paths, '/v1/time/currently']) {
    const { status, headers, body } = await send(path, CROSS_ORIGIN);
    expect(`${path} ${status} ${body.error.code}`).toBe(`${path} 404 NOT_FOUND`);
    expect(headers.get('X-Request-Id')).toBe(body.request_id);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
  }
  expect((await send('/nowhere', { method: 'POST' })).status).toBe(404);
});

test("a path that only resembles a route's is 404, not 405", async () => {
  const handled = (url: string, method: string) => {
    const request = new Request('http://x/', { method });
    return app.handle(Object.defineProperty(request, 'url', { value: url }));
  };
  expect((await handled('http://x/v1/time/current#tz=UTC', 'GET')).status).toBe(404);
  expect((await handled('http://[::1/nowhere', 'GET')).status).toBe(404);
  expect((await handled('x:443', 'CONNECT')).status).toBe(404);
});

/** The value of a header of a response. */
const headerOf = async (path: string, name: string, headers: Record<string, string> = {}) =>
  (await send(path, { headers })).headers.get(name);

test("a client's request id is used if it is valid in a header", async () => {
  const idFor = (id: string) => headerOf('/v1/time/current', 'X-Request-Id', { 'X-Request-Id': id });
  expect(await idFor('Trace_1.a-Z')).toBe('Trace_1.a-Z');
  for (const id of ['with space', 'a'.repeat(129), 'é', '<script>']) {
    expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('concurrent responses have their own request ids', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`);
  const path = '/v1/time/current?tz=UTC';
  const used = ids.map(id => headerOf(path, 'X-Request-Id', { 'X-Request-Id': id }));
  expect(await Promise.all(used)).toEqual(ids);
});

test('ignored parameters are named on errors, where a typo may be the cause', async () => {
  const paths = ['/v1/timezone?timezone=Europe/Paris', '/v1/time/convert?unix=0&timezone=UTC'];
  await expectErrors('', { '400': paths });
  await expectAll(path => headerOf(path, 'X-Service-Ignored-Parameters'), 'timezone', paths);
});

test('an invalid flag is reported even if another parameter takes precedence', () =>
  expectErrors('/v1/time/', {
    '400 INVALID_PARAMETER': [
      ...['current?tz=UTC&auto_tz=x&auto_tz=y', 'current?tz=UTC&auto_tz=%ff'],
      ...['current?tz=UTC,UTC&auto_tz=x&auto_tz=y', 'convert?unix=0&tz=UTC&utc=a&utc=b'],
    ],
  }));

test('a quoted value is never truncated within a character', async () => {
  const { body } = await send(`/v1/time/current?tz=${'a'.repeat(76)}${encodeURIComponent('😀')}bbbbbb`);
  expect(body.error.message.isWellFormed()).toBe(true);
});

test('the list of ignored parameters is bounded', async () => {
  const ignored = (query: string) => headerOf(`/v1/time/current?${query}`, 'X-Service-Ignored-Parameters');
  const many = Array.from({ length: 50 }, (_, index) => `p${index}=1`).join('&');
  expect((await ignored(many))!.split(',')).toHaveLength(20);
  expect(await ignored(`a=1&${'ü'.repeat(400)}=1&b=1&=2`)).toBe('a,b');
  expect(await ignored(`${'a'.repeat(2000)}=1`)).toBeNull();
});

test('a query string of more than 8 KiB is 414', () => {
  const fits = `x=${'a'.repeat(8190)}`;
  return expectErrors('/v1/time/current?', { '200': [fits], '414 INVALID_PARAMETER': [`${fits}a`] });
});

test('a bug is a 500 without details, and is logged, within the routes and outside', async () => {
  const fail = () => {
    throw new Error('secret');
  };
  for (const [changes, path] of [
    [{ now: fail }, '/v1/time/current'],
    [{ access: { isOpen: false, authorise: fail } as unknown as AccessControl }, '/v1/time/current'],
    [{ access: { isOpen: false, authorise: fail } as unknown as AccessControl }, '/nowhere'],
  ] as const) {
    const logged: string[] = [];
    const logError = (_message: string, cause: unknown) => logged.push(String(cause));
    const { status, headers, body } = await send(path, {}, createApp(testServer({ ...changes, logError })));
    expect([path, status, body.error.code]).toEqual([path, 500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(headers.get('X-Request-Id')).toBe(body.request_id);
    expect(logged).toEqual(['Error: secret']);
  }
});

test('ambiguity is reported before invalid values', () =>
  expectErrors('/v1/time/', {
    '400 AMBIGUOUS_TARGET': [
      ...['current?tz=Mars/Olympus&offset=99', 'convert?unix=1.5&iso=junk', 'current?tz=a&tz=b&offset=x'],
    ],
  }));

test("the first invalid parameter in the order of the route's table is reported", () =>
  expectEach(async query => (await messageOf(`/v1/time/${query}`)).split(':')[0], {
    'convert?format=%25Q&tz=Mars/Olympus&unix=x': "Cannot read 'unix'",
    'convert?format=%25Q&tz=Mars/Olympus&unix=1': "Cannot read 'tz'",
    'convert?format=%25Q&tz=UTC&unix=1': "Cannot read 'format'",
    'add?offset=1&days=x': "Cannot read 'days'",
    'convert?iso=bad&disambiguation=bad&tz=UTC': "Cannot read 'iso'",
    'convert?unix=bad&source_tz=UTC&tz=UTC': "Cannot read 'unix'",
  }));

test('health and readiness respond with plain text', async () => {
  expect((await send('/healthz')).body).toBe('ok\n');
  expect((await send('/readyz')).body).toMatch(/^zones ok tzdata 20\d\d[a-z]/);
  expect((await send('/readyz')).body).toMatch(
    /^holidays ok date-holidays \d+\.\d+\.\d+, python-holidays [\d-]+$/m,
  );
});
