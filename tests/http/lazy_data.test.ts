import { expect, test } from 'bun:test';
import { createHttpApp } from '../../src/http/app.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { send, testPlaces, testServer } from '../support/service.ts';

test('a request waits for the data it needs', async () => {
  const { promise, resolve } = Promise.withResolvers<{ zoneNameOf: () => string }>();
  const ip = new LazyData('ip', 'of the test', () => promise);
  const app = createApp(testServer({ places: testPlaces({ ip }) }));
  const response = send('/v1/time/current?ip=8.8.8.8', {}, app);
  resolve({ zoneNameOf: () => 'Asia/Tokyo' });
  expect((await response).body.timezone).toBe('Asia/Tokyo');
});

test('an invalid request loads nothing', async () => {
  const ip = new LazyData('ip', 'of the test', () => Promise.reject(new Error('was loaded')));
  const app = createApp(testServer({ places: testPlaces({ ip }) }));
  expect((await send('/v1/time/current?tz=UTC&nothing=1&strict=true', {}, app)).status).toBe(400);
  expect(ip.state.kind).toBe('unread');
});

test('every request that needs unloadable data is 501', async () => {
  const ip = new LazyData('ip', 'of the test', () => Promise.reject(new Error('secret')));
  const app = createApp(testServer({ places: testPlaces({ ip }) }));
  for (let time = 0; time < 2; time++) {
    const { status, body } = await send('/v1/time/current?ip=8.8.8.8', {}, app);
    expect([status, body.error.code]).toEqual([501, 'DEPENDENCY_NOT_READY']);
    expect(JSON.stringify(body)).not.toContain('secret');
  }
});

test('a handler that throws or rejects is a 500 without the reason, which is logged', async () => {
  const logged: string[] = [];
  const server = testServer({
    logError: (message, cause) => logged.push(`${message}: ${(cause as Error).message}`),
  });
  const app = createHttpApp(server, [
    {
      path: '/throws',
      access: 'public',
      handle() {
        throw new Error('secret');
      },
    },
    { path: '/rejects', access: 'public', handle: () => Promise.reject(new Error('secret')) },
  ]);
  for (const path of ['throws', 'rejects']) {
    const request = new Request(`http://localhost/${path}`, { headers: { 'X-Request-Id': path } });
    const response = await app.handle(request);
    expect(response.status).toBe(500);
    expect(response.headers.get('X-Request-Id')).toBe(path);
    expect(await response.text()).not.toContain('secret');
  }
  expect(logged).toEqual(['request throws failed: secret', 'request rejects failed: secret']);
});
