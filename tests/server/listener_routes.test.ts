import { expect, test } from 'bun:test';
import type { App } from '../../src/http/app.ts';
import { createApp } from '../../src/server/app.ts';
import { claimAddress, listen } from '../../src/server/listener.ts';
import { exchange, type RawResponse } from '../support/clients.ts';
import { testServer } from '../support/service.ts';

const ANY_PORT = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;
const QUERY = '?unix=0&tz=Asia/Tokyo';

const TARGETS = [
  `/v1/time/convert${QUERY}`,
  '/v1/time/convert',
  '/v1/time/convert?',
  `/v1/time/convert/${QUERY}`,
  `//v1/time/convert${QUERY}`,
  `/v1//time/convert${QUERY}`,
  `/v1/./time/convert${QUERY}`,
  `/v1/x/../time/convert${QUERY}`,
  `/v1/time/CONVERT${QUERY}`,
  `/v1/time/conver%74${QUERY}`,
  `/v1%2Ftime%2Fconvert${QUERY}`,
  `/v1/time/convert;x${QUERY}`,
  `/v1/time/convert%00${QUERY}`,
  `/v1/time/convert${QUERY}#fragment`,
  `http://localhost/v1/time/convert${QUERY}`,
  `v1/time/convert${QUERY}`,
  ...['/zone/Europe/Paris', '/healthz', '/', '//', '/?tz=UTC', '*'],
];
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'TRACE', 'get'];
const HOSTS = ['Host: localhost\r\n', 'Host: a\r\n', 'Host: a,b\r\n', 'Host: [::1\r\n', ''];

/** Opens a listener on a port of its own. */
async function openListener(app: Pick<App, 'handle' | 'routes'>) {
  const { address, release } = await claimAddress(ANY_PORT);
  const listener = listen(address, () => app);
  release();
  return { port: Number(new URL(listener.url).port), ...listener };
}

const NO_RESPONSE: RawResponse = { status: 0, headers: new Map(), body: '' };

/** The response to a request on a connection of its own, without its date. */
async function responseTo(request: string, port: number) {
  const { responses, rest } = await exchange(port, request);
  const [{ status, headers, body } = NO_RESPONSE] = responses;
  return { status, headers: [...headers].filter(([name]) => name !== 'date'), body, rest };
}

test("Bun's router finds the endpoints that Elysia finds, and no others", async () => {
  const app = createApp(testServer(), { isAllowedHost: host => host !== 'a' });
  const routed = await openListener(app);
  const unrouted = await openListener({ ...app, routes: {} });
  const statuses = new Set<number>();
  const heads = ['1.1', '1.0'].flatMap(version => HOSTS.map(host => ` HTTP/${version}\r\n${host}`));
  for (const method of METHODS) {
    const requests = TARGETS.flatMap(target =>
      heads.map(head => `${method} ${target}${head}X-Request-Id: one\r\nConnection: close\r\n\r\n`),
    );
    await Promise.all(
      requests.map(async request => {
        const expected = await responseTo(request, unrouted.port);
        const response = await responseTo(request, routed.port);
        expect({ request, response }).toEqual({ request, response: expected });
        statuses.add(response.status);
      }),
    );
  }
  await Promise.all([routed.stop(), unrouted.stop()]);
  for (const status of [200, 204, 400, 404, 405, 421]) expect(statuses).toContain(status);
});
