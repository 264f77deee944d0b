import { expect, test } from 'bun:test';
import type { ErrorBody } from '../../src/http/errors.ts';
import { createApp } from '../../src/server/app.ts';
import { testServer } from './service.ts';

test('a path is found behind every host, however short', async () => {
  const overHttp = createApp(testServer());
  const overHttps = createApp(testServer(), { isHttps: true });
  for (const host of [
    't',
    'tz',
    'api',
    'a.b',
    'x:1',
    't.co',
    'localhost',
    '[::1]:8080',
    'time.example.com',
  ]) {
    for (let time = 0; time < 3; time++) {
      const response = await overHttp.handle(new Request(`http://${host}/v1/time/current?tz=UTC`));
      expect({ host, status: response.status }).toEqual({ host, status: 200 });
      const secured = await overHttps.handle(new Request(`https://${host}/v1/time/current?tz=UTC`));
      expect({ host, secured: secured.status }).toEqual({ host, secured: 200 });
    }
  }
});

/** A request as Bun hands it on: its URL is without a host where the header `Host` gives none. */
function received(url: string, host?: string): Request {
  const request = new Request('http://localhost/', { headers: host === undefined ? {} : { Host: host } });
  return Object.defineProperty(request, 'url', { value: url, configurable: true });
}

test('without a Host, or with an empty one, a request is answered', async () => {
  const { handle } = createApp(testServer());
  for (const host of [undefined, '']) {
    const response = await handle(received('/v1/time/convert?unix=0&tz=UTC', host));
    expect([host, response.status]).toEqual([host, 200]);
  }
});

test('a Host that is none, or several, is refused, though the query is kept', async () => {
  const { handle } = createApp(testServer());
  for (let time = 0; time < 3; time++) {
    const response = await handle(received('http://a/v1/timezones', 'a'));
    expect(response.status).toBe(200);
  }
  for (const [url, host] of [
    ['/v1/timezones', 'a b'],
    ['http://a/v1/timezones', 'a, b'],
  ] as const) {
    const response = await handle(received(url, host));
    const { error, request_id } = (await response.json()) as ErrorBody;
    expect([response.status, error.code, error.message]).toEqual([
      400,
      'INVALID_PARAMETER',
      `Cannot read the header 'Host': '${host}' is not one host with or without a port`,
    ]);
    expect(response.headers.get('X-Request-Id')).toBe(request_id);
  }
});
