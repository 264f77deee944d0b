import { expect, test } from 'bun:test';
import { createAdminApp } from '../../src/http/admin.ts';
import { createApp } from '../../src/server/app.ts';
import { testServer } from '../support/service.ts';

const services = testServer();
const HANDLERS = { service: createApp(services).handle, admin: createAdminApp(services).handle };
const PATHS = [
  '/v1/time/current?tz=UTC',
  '/v1/time/current?lat=48&lon=2',
  '/healthz',
  '/metrics',
  '/nowhere',
];

for (const [name, handle] of Object.entries(HANDLERS)) {
  test(`HEAD responses have one Date header, as GET responses do: ${name}`, async () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handle });
    try {
      for (const path of PATHS) {
        for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS']) {
          const { headers } = await fetch(new URL(path, server.url), { method });
          expect([path, method, headers.get('Date')]).toEqual([
            path,
            method,
            expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
          ]);
        }
      }
    } finally {
      await server.stop(true);
    }
  });
}
