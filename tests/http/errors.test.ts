import { describe, expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { prefersHtml } from '../../src/http/content_coding.ts';
import type { ErrorWriter } from '../../src/http/exchange.ts';
import { createApp } from '../../src/server/app.ts';
import { keyedApp } from '../support/keyed.ts';
import { expectAll, expectEach, expectErrors, messageOf as messageAt } from '../support/responses.ts';
import { app, send, testServer } from '../support/service.ts';

const LOCAL = '2026-04-16T09:00';
const COUNT = 'business_days=true&holiday_country=DE';

/** Valid queries of each route, to which faults are added; hints need a local `iso`. */
const GOOD_QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/v1/time/current': ['tz=UTC', 'tz=UTC,UTC'],
  '/v1/time/convert': [`iso=${LOCAL}&tz=UTC`, `iso=${LOCAL}&tz=UTC,UTC`],
  '/v1/time/diff': [`from=iso=${LOCAL}&to=iso=${LOCAL}&${COUNT}`],
  '/v1/time/add': [`iso=${LOCAL}&days=1&tz=UTC`],
  '/v1/time/calendar': [`iso=${LOCAL}&tz=UTC`],
  '/v1/time/dst': [`iso=${LOCAL}&tz=UTC`],
  '/v1/time/transitions': ['tz=UTC,UTC&from=2026-01-01', 'country=NZ&from=2026-01-01'],
  '/v1/time/elapsed': [`iso=${LOCAL}&compare_iso=${LOCAL}&${COUNT}`, `iso=${LOCAL}&tz=UTC&${COUNT}`],
  '/v1/timezone': [`iso=${LOCAL}&tz=UTC`],
  '/v1/timezones': [`iso=${LOCAL}`],
  '/v1/holidays': ['country=DE&year=2026', ''],
  '/v1/time/clock': [`style=analog-station&iso=${LOCAL}&tz=UTC`],
};

/** Faults found at different stages: a parameter without a value, given twice, or with an invalid value. */
const faultsOf = (name: string) => [`${name}=`, `${name}=x&${name}=y`, `${name}=zz~`];

/** A query without some of its parameters. */
function without(query: string, ...names: string[]): string[] {
  return query.split('&').filter(part => part !== '' && !names.includes(part.slice(0, part.indexOf('='))));
}

/** The error of a query; null if it is valid, or if its parameters are ambiguous, which precedes. */
async function messageOf(path: string, parts: readonly string[]): Promise<string | null> {
  const { error } = (await send(`${path}?${parts.join('&')}`)).body;
  return error === undefined || error.code === 'AMBIGUOUS_TARGET' ? null : error.message;
}

/** The queries with two faults; the one in `first` is reported if it is the only one. */
async function* faultyQueries(path: string, names: readonly string[]) {
  for (const query of GOOD_QUERIES[path]!) {
    for (const [index, first] of names.entries()) {
      for (const fault of faultsOf(first)) {
        const alone = await messageOf(path, [...without(query, first), fault]);
        if (!alone?.startsWith(`Cannot read '${first}'`)) continue; // such as a flag that is just off
        for (const second of names.slice(index + 1)) {
          yield { first, parts: [`${second}=`, ...without(query, first, second), fault, `${second}=`] };
        }
      }
    }
  }
}

test.each(
  API_ROUTES.filter(({ path }) => path in GOOD_QUERIES).map(
    route => [route.path, Object.keys(route.inputs.parameters)] as const,
  ),
)('of two invalid parameters of %s, the first in its table is reported', async (path, names) => {
  let checked = 0;
  for await (const { first, parts } of faultyQueries(path, names)) {
    const message = await messageOf(path, parts);
    if (message === null) continue;
    expect(`${parts.join('&')}: ${message}`).toStartWith(`${parts.join('&')}: Cannot read '${first}'`);
    checked++;
  }
  expect(checked).toBeGreaterThan(0);
});

test('of faults that are found together, the first in the table is reported', () => {
  const business = 'business_days=true&holiday_country=XX&holiday_subdivision=';
  return expectEach(async path => (await messageAt(`/v1/${path}`)).split(':')[0], {
    [`time/diff?from=now&to=now&${business}`]: "Cannot read 'holiday_country'",
    [`time/elapsed?unix=1&${business}`]: "Cannot read 'holiday_country'",
    'holidays?country=XX&subdivision=&year=2026': "Cannot read 'country'",
    'holidays?country=XX&year=': "Cannot read 'country'",
    'time/current?lat=91&lon=': "Cannot read 'lat'",
    'time/diff?from=iso=2026-04-16T09:00[Mars/Olympus]&to=junk': "Cannot read 'from'",
    'time/diff?from=iso=2026-04-16T09:00%2B05:00[Europe/Paris]&to=junk': "Cannot read 'from'",
    'time/diff?from=iso=2026-04-16&to=iso=2026-04-16&to_tz=Mars/Olympus&disambiguation=x':
      "Cannot read 'to_tz'",
    'time/convert?iso=2026-04-16&source_tz=Mars/Olympus&disambiguation=x&tz=UTC': "Cannot read 'source_tz'",
    'time/transitions?tz=UTC&from=2027-01-01&to=2026-01-01&signature=x': "Cannot read 'to'",
    'time/convert?iso=2026-04-16T09:00Z&tz=UTC&signature=x': "Cannot read 'signature'",
    'time/current?tz=UTC,UTC&auto_tz=x&auto_tz=y&format=%25Q': "Cannot read 'auto_tz'",
  });
});

test('two places for one timestamp are ambiguous, which is reported before an invalid value', () =>
  expectErrors('/v1/time/diff?from=iso=2026-04-16T09:00[Mars/Olympus]&from_tz=UTC', {
    '400 AMBIGUOUS_TARGET': ['&to=junk'],
  }));

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

const typeOf = async (path: string, accept: string) =>
  (await request(path, accept)).headers.get('Content-Type');

function request(path: string, accept: string, target = app, init: RequestInit = {}) {
  return target.handle(new Request(`http://localhost${path}`, { ...init, headers: { Accept: accept } }));
}

describe('an error outside the API', () => {
  test('is a page for clients that prefer HTML, with the status, the reason and the request id', async () => {
    const response = await request('/nowhere/<b>', BROWSER);
    const html = await response.text();
    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('Vary')).toBe('Accept');
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'self'");
    expect(html).toContain('There is nothing at');
    expect(html).not.toContain('<b>');
    expect(html).toContain(response.headers.get('X-Request-Id')!);
    expect(html).toContain('name="robots" content="noindex"');
  });

  test('is JSON for all other clients', () =>
    expectAll(accept => typeOf('/nowhere', accept), 'application/json', [
      ...['*/*', 'application/json', 'text/plain', 'text/html;q=0.5, */*;q=0.5'],
    ]));

  test('is a page even on a server that requires keys', async () => {
    const { app: keyed } = keyedApp({});
    expect((await request('/nowhere', BROWSER, keyed)).status).toBe(404);
    expect((await request('/nowhere', '*/*', keyed)).status).toBe(401);
    expect((await request('/v1/nowhere', BROWSER, keyed)).status).toBe(401);
  });

  test('is a page for an unsupported method', async () => {
    const response = await request('/docs', BROWSER, app, { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect(await response.text()).toStartWith('<!doctype html>');
  });

  test("is a page for a Host that is not this server's", async () => {
    const strict = createApp(testServer(), { isAllowedHost: () => false });
    const response = await request('/', BROWSER, strict);
    expect(response.status).toBe(421);
    expect(await response.text()).toStartWith('<!doctype html>');
  });
});

describe('an error on a standalone clock page', () => {
  test('is a page that may be framed, for clients that prefer HTML', async () => {
    const response = await request('/embed/clock?style=analog-cuckoo', BROWSER);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('&#x27;analog-cuckoo&#x27; is not one of the 30 styles');
    expect(response.headers.get('Content-Security-Policy')).not.toContain('frame-ancestors');
  });

  test('is JSON for programs', async () => {
    expect(await typeOf('/embed/clock?style=analog-cuckoo', '*/*')).toBe('application/json');
  });
});

test('an error page has the status of the response', async () => {
  const response = await request(`/embed/clock?label=${'x'.repeat(9000)}`, BROWSER);
  expect(response.status).toBe(414);
  expect(await response.text()).toContain('<p class="error-status">414</p>');
});

test('errors of the API are JSON whatever the client prefers', async () => {
  const paths = ['/v1/nowhere', '/v1/time/convert', '/api/nowhere', '/mcp', '/.well-known/nowhere', '/v1'];
  await expectAll(async path => (await request(path, BROWSER)).status >= 400, true, paths);
  await expectAll(path => typeOf(path, BROWSER), 'application/json', paths);
});

test('HTML is preferred if it has a greater weight than JSON', async () => {
  const preferring = [BROWSER, 'text/html', 'text/*, application/*;q=0.5', 'TEXT/HTML, */*;q=0.1'];
  await expectAll(prefersHtml, true, preferring);
  const others = ['', '*/*', 'text/html, application/json', 'text/html;q=0', 'text/html, */*'];
  await expectAll(prefersHtml, false, others);
  expect(prefersHtml(null)).toBe(false);
});

const CAUSE = new Error('secret of the writer');

const WRITERS: readonly (readonly [how: string, writeError: ErrorWriter])[] = [
  [
    'throws',
    () => {
      throw CAUSE;
    },
  ],
  ['rejects', () => Promise.reject(CAUSE)],
];

test.each(WRITERS)('an error is JSON if its writer %s, and the log has the cause', async (_, writeError) => {
  const logged: unknown[] = [];
  const server = testServer({ logError: (message, cause) => logged.push([message, cause]) });
  const app = createHttpApp(server, [
    {
      path: '/failing',
      access: 'public',
      writeError,
      handle() {
        throw new ServiceError('INVALID_PARAMETER', 'of the test');
      },
    },
  ]);
  const request = new Request('http://localhost/failing', { headers: { 'X-Request-Id': 'id' } });
  const response = await app.handle(request);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([400, 'application/json']);
  expect(await response.json()).toEqual({
    error: { code: 'INVALID_PARAMETER', message: 'of the test' },
    request_id: 'id',
  });
  expect(logged).toEqual([['the error of request id could not be written', CAUSE]]);
});
