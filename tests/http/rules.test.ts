import { describe, expect, test } from 'bun:test';
import type { AccessControl } from '../../src/access/access_control.ts';
import { createApp } from '../../src/server/app.ts';
import { app, errorOf, JSON_ROUTES, send, testServer } from '../support/service.ts';

const CROSS_ORIGIN = { headers: { Origin: 'https://page.example' } };

describe('every route', () => {
  for (const { path, examples } of JSON_ROUTES) {
    const url = `${path}?${examples[0].query}`;

    test(`${path} returns JSON with a request id, and CORS headers for scripts of other sites`, async () => {
      const { status, headers } = await send(url);
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toBe('application/json');
      expect(headers.get('Vary')).toBe('Accept-Encoding');
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.has('Access-Control-Expose-Headers')).toBe(false);
      const cross = await send(url, CROSS_ORIGIN);
      expect(cross.headers.get('Access-Control-Allow-Origin')).toBe('*');
      const exposed = cross.headers.get('Access-Control-Expose-Headers')!.split(', ');
      expect(exposed).toContainValues(['ETag', 'Content-Digest', 'Signature', 'Signature-Input']);
    });

    test(`${path} responds to HEAD with the headers of GET and no body`, async () => {
      const head = await send(url, { method: 'HEAD', headers: { 'X-Request-Id': 'same' } });
      const get = await send(url, { headers: { 'X-Request-Id': 'same' } });
      expect(head.status).toBe(200);
      expect([...head.headers]).toEqual([...get.headers]);
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

test('a host of any length finds the route', async () => {
  for (const host of ['x', 'api', 'time', 'tz:80', '[::1]:8080', 'time.example.com']) {
    const response = await app.handle(new Request(`http://${host}/v1/time/current?tz=UTC`));
    expect(`${host} ${response.status}`).toBe(`${host} 200`);
  }
});

test('an unknown path is 404 with the error body', async () => {
  for (const path of [
    ...['/v1', '/docs/', '/index.html', '/v1/time', '/v1/time/current/', '/V1/time/current'],
    '/v1/time/currently',
  ]) {
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

test("a client's request id is used if it is valid in a header", async () => {
  const kept = await send('/v1/time/current', { headers: { 'X-Request-Id': 'Trace_1.a-Z' } });
  expect(kept.headers.get('X-Request-Id')).toBe('Trace_1.a-Z');
  for (const id of ['with space', 'a'.repeat(129), 'é', '<script>']) {
    const replaced = await send('/v1/time/current', { headers: { 'X-Request-Id': id } });
    expect(replaced.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('concurrent responses have their own request ids', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`);
  const responses = await Promise.all(
    ids.map(id => send('/v1/time/current?tz=UTC', { headers: { 'X-Request-Id': id } })),
  );
  expect(responses.map(({ headers }) => headers.get('X-Request-Id'))).toEqual(ids);
});

test('ignored parameters are named on errors, where a typo may be the cause', async () => {
  for (const path of ['/v1/timezone?timezone=Europe/Paris', '/v1/time/convert?unix=0&timezone=UTC']) {
    const { status, headers } = await send(path);
    expect(status).toBe(400);
    expect(headers.get('X-Service-Ignored-Parameters')).toBe('timezone');
  }
});

test('an invalid flag is reported even if another parameter takes precedence', async () => {
  for (const query of [
    'tz=UTC&auto_tz=x&auto_tz=y',
    'tz=UTC&auto_tz=%ff',
    'tz=UTC,UTC&auto_tz=x&auto_tz=y',
  ]) {
    expect(await errorOf(`/v1/time/current?${query}`)).toBe('400 INVALID_PARAMETER');
  }
  expect(await errorOf('/v1/time/convert?unix=0&tz=UTC&utc=a&utc=b')).toBe('400 INVALID_PARAMETER');
});

test('a quoted value is never truncated within a character', async () => {
  const { body } = await send(`/v1/time/current?tz=${'a'.repeat(76)}${encodeURIComponent('😀')}bbbbbb`);
  expect(body.error.message.isWellFormed()).toBe(true);
});

test('the list of ignored parameters is bounded', async () => {
  const many = Array.from({ length: 50 }, (_, index) => `p${index}=1`).join('&');
  const { headers } = await send(`/v1/time/current?${many}`);
  expect(headers.get('X-Service-Ignored-Parameters')!.split(',')).toHaveLength(20);
  const long = await send(`/v1/time/current?a=1&${'ü'.repeat(400)}=1&b=1&=2`);
  expect(long.headers.get('X-Service-Ignored-Parameters')).toBe('a,b');
  const tooLong = await send(`/v1/time/current?${'a'.repeat(2000)}=1`);
  expect(tooLong.headers.has('X-Service-Ignored-Parameters')).toBe(false);
});

test('a query string of more than 8 KiB is 414', async () => {
  const fits = `/v1/time/current?x=${'a'.repeat(8190)}`;
  expect((await send(fits)).status).toBe(200);
  const { status, body } = await send(`${fits}a`);
  expect(status).toBe(414);
  expect(body.error.code).toBe('INVALID_PARAMETER');
});

test('a bug is a 500 without details, and is logged', async () => {
  const logged: unknown[] = [];
  const broken = createApp(
    testServer({
      now: () => {
        throw new Error('secret');
      },
      logError: (_message, cause) => logged.push(cause),
    }),
  );
  const { status, headers, body } = await send('/v1/time/current', {}, broken);
  expect(status).toBe(500);
  expect(body.error.code).toBe('INTERNAL_ERROR');
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(headers.get('X-Request-Id')).toBe(body.request_id);
  expect(String(logged[0])).toContain('secret');
});

test('a bug outside the routes is also a 500 with the error body', async () => {
  const logged: unknown[] = [];
  const access = {
    isOpen: false,
    authorise() {
      throw new Error('secret');
    },
  } as unknown as AccessControl;
  const broken = createApp(testServer({ access, logError: (_message, cause) => logged.push(cause) }));
  for (const path of ['/v1/time/current', '/nowhere']) {
    const { status, headers, body } = await send(path, {}, broken);
    expect([path, status, body.error.code]).toEqual([path, 500, 'INTERNAL_ERROR']);
    expect(headers.get('X-Request-Id')).toBe(body.request_id);
  }
  expect(logged.map(String)).toEqual(['Error: secret', 'Error: secret']);
});

test('ambiguity is reported before invalid values', async () => {
  expect(await errorOf('/v1/time/current?tz=Mars/Olympus&offset=99')).toBe('400 AMBIGUOUS_TARGET');
  expect(await errorOf('/v1/time/convert?unix=1.5&iso=junk')).toBe('400 AMBIGUOUS_TARGET');
  expect(await errorOf('/v1/time/current?tz=a&tz=b&offset=x')).toBe('400 AMBIGUOUS_TARGET');
});

test("the first invalid parameter in the order of the route's table is reported", async () => {
  const first = async (path: string) => (await send(path)).body.error.message.split(':')[0];
  expect(await first('/v1/time/convert?format=%25Q&tz=Mars/Olympus&unix=x')).toBe("Cannot read 'unix'");
  expect(await first('/v1/time/convert?format=%25Q&tz=Mars/Olympus&unix=1')).toBe("Cannot read 'tz'");
  expect(await first('/v1/time/convert?format=%25Q&tz=UTC&unix=1')).toBe("Cannot read 'format'");
  expect(await first('/v1/time/add?offset=1&days=x')).toBe("Cannot read 'days'");
  expect(await first('/v1/time/convert?iso=bad&disambiguation=bad&tz=UTC')).toBe("Cannot read 'iso'");
  expect(await first('/v1/time/convert?unix=bad&source_tz=UTC&tz=UTC')).toBe("Cannot read 'unix'");
});

test('sign=true without a key is 501', async () => {
  expect(await errorOf('/v1/time/current?sign=true')).toBe('501 SIGNING_NOT_READY');
});

test('health and readiness respond with plain text', async () => {
  expect((await send('/healthz')).body).toBe('ok\n');
  expect((await send('/readyz')).body).toMatch(/^zones ok tzdata 20\d\d[a-z]/);
  expect((await send('/readyz')).body).toMatch(
    /^holidays ok date-holidays \d+\.\d+\.\d+, python-holidays [\d-]+$/m,
  );
});
