import { expect, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { app, testServer } from '../support/service.ts';

const CLOCK_SCRIPT = '/v1/time/clock/assets/v1/clock.js';

async function corsOf(method: string, path: string, origin?: string, asked = app) {
  const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
  const response = await asked.handle(new Request(`http://localhost${path}`, { method, headers }));
  return [...response.headers.keys()].filter(name => name.startsWith('access-control-'));
}

test('without an origin, only responses that caches may store have CORS headers: the origin', async () => {
  for (const path of ['/.well-known/api-catalog', '/openapi.json', CLOCK_SCRIPT]) {
    for (const method of ['GET', 'HEAD']) {
      expect([path, await corsOf(method, path)]).toEqual([path, ['access-control-allow-origin']]);
    }
  }
  for (const path of ['/v1/batch', '/v1/time/current', '/mcp', '/openapi.json', '/nowhere']) {
    expect([path, await corsOf('OPTIONS', path)]).toEqual([path, []]);
  }
  const configured = createApp(testServer({ corsOrigin: 'https://a.example' }));
  expect(await corsOf('GET', '/openapi.json', undefined, configured)).toEqual([]);
});

test('with an origin, scripts may read our headers', async () => {
  for (const path of ['/.well-known/api-catalog', '/openapi.json', CLOCK_SCRIPT]) {
    const names = await corsOf('GET', path, 'https://a.example');
    expect(names).toEqual(['access-control-allow-origin', 'access-control-expose-headers']);
  }
  const allowed = await corsOf('OPTIONS', '/v1/batch', 'https://a.example');
  expect(allowed).toContain('access-control-allow-methods');
});
