import { afterAll, expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { createApp, loadCode } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { steadySpan } from '../../src/zones/steady_span.ts';
import { NOW_MS, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const REQUESTS = 12;
/** Larger bodies can be sent in parts, and requests behind them are lost. */
const MAX_BODY_BYTES = 65_536;

/** Work in slices, such as suggestions for entries of a list: requests behind it are lost. */
const SLICED =
  /^\/(v1\/abbreviations|v1\/tzdata\/changes|embed\/board|planner|api\/v3\/(Next)?PublicHolidays)|,Mars\//;
/** Pages that are rendered in slices for the first request. */
const RENDERED_LATER = /^\/(zone\/|clocks|docs|map|assets\/outlines|openapi|$)/;

const server = testServer({ signing: fixedKeys([sampleKey(1)]) });
const { gazetteer, ip, releases, outlines, boundaries, zones } = server.snapshot();
for (const data of [gazetteer, ip, releases, outlines, boundaries]) await data.load();
await steadySpan(zones, Math.floor(NOW_MS / 1000)); // parses all zones
await loadCode(); // a server loads all this after its start

const app = createApp(server, { peerOf: () => '2.125.160.216', hasMetrics: false });
const listener = Bun.serve({ port: 0, routes: app.routes, fetch: app.handle });
afterAll(() => listener.stop(true));

const EXAMPLES = API_ROUTES.flatMap(({ path, examples }) => examples.map(({ query }) => `${path}?${query}`));
const FIXED = app.paths.filter(path => !/[:*]/.test(path) && !['/v1/batch', '/mcp'].includes(path));
const TARGETS = [
  ...EXAMPLES,
  ...FIXED,
  '/v1/time/current?auto_tz=true',
  '/v1/time/current?tz=Europe/Paris&sign=true&details=true',
  '/v1/time/convert?unix=0&tz=Asia/Tokyo,Europe/Paris',
  '/zone/Europe/Paris',
  '/find?q=Berlin',
  '/nothing',
  '/api/timezone/Europe/Paris',
  '/api/v3/IsTodayPublicHoliday/DE',
].filter(target => !SLICED.test(target));

/** The ids of the responses to requests that are sent at once on a connection, in order. */
async function answered(target: string): Promise<string[]> {
  let received = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  const idsIn = () => [...received.matchAll(/^x-request-id: (\d+)\r$/gim)].map(([, id]) => id!);
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: listener.port!, // it listens on TCP
    socket: {
      data(_, bytes) {
        received += Buffer.from(bytes).toString('latin1');
        if (idsIn().length === REQUESTS) resolve();
      },
      close: () => resolve(),
    },
  });
  const [path, query] = target.split('?');
  const url = query === undefined ? path : `${path}?${encodeURI(query).replaceAll('%25', '%')}`;
  const sent = Array.from(
    { length: REQUESTS },
    (_, index) => `GET ${url} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${index}\r\n\r\n`,
  );
  socket.write(sent.join(''));
  const timeout = setTimeout(resolve, 2000);
  await promise;
  clearTimeout(timeout);
  socket.end();
  return idsIn();
}

test.each(TARGETS)('twelve requests sent at once have twelve responses: %s', async target => {
  const whole = async () => (await fetch(new URL(target, listener.url), { redirect: 'manual' })).bytes();
  if (RENDERED_LATER.test(target) && (await whole()).length > MAX_BODY_BYTES) return;
  expect(await answered(target)).toEqual(Array.from({ length: REQUESTS }, (_, index) => String(index)));
});
