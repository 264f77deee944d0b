import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { API_ROUTES } from '../../src/api/routes.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys, publicKeySet } from '../../src/signing/key_set.ts';
import { verifySigned } from '../../src/signing/verify_signed.ts';
import { exchange, faultOf, isRejection } from '../support/clients.ts';
import { type RunningServer, startServer } from '../support/process.ts';
import { sample } from '../support/proof.ts';
import { fc } from '../support/property.ts';
import { type ParsedResponse, send, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';
import { mixedQuery, NAUGHTY, type Pair, queryOf } from './grammar.ts';
import { WELL_FORMED, withOneFault } from './well_formed.ts';

/**
 * An inconsistency within a time payload, or one in an array, or null: the instant is the same in
 * all of its forms, and the names are those of its date. Other payloads have no such invariants.
 */
function faultOfPayload(payload: unknown): string | null {
  if (Array.isArray(payload)) return payload.map(faultOfPayload).find(fault => fault !== null) ?? null;
  if (typeof payload !== 'object' || payload === null || !('rfc2822' in payload)) return null;
  const time = payload as TimeFields;
  const local = wallClockOf(time.iso_local ?? time.utc);
  if (local === null) return `${time.iso_local} is no local time`;
  const laws: Readonly<Record<string, boolean>> = {
    'unix is unix_ms in whole seconds': time.unix === Math.floor(time.unix_ms / 1000),
    'utc is unix': Date.parse(time.utc) === time.unix * 1000,
    'iso_local is unix': local.epochMs === time.unix * 1000,
    'day_number is that of the local date': time.day_number === local.date.getUTCDay() + 1,
    'day_full begins with day_short': time.day_full.startsWith(time.day_short),
    'rfc2822 begins with day_short': time.rfc2822.startsWith(`${time.day_short}, `),
    'iso_local and timezone are null together, but for offsets':
      time.iso_local !== null || time.timezone === null,
  };
  const broken = Object.entries(laws).find(([, holds]) => !holds);
  return broken === undefined ? null : `not so: ${broken[0]}`;
}

interface TimeFields {
  readonly unix: number;
  readonly unix_ms: number;
  readonly utc: string;
  readonly iso_local: string | null;
  readonly timezone: string | null;
  readonly rfc2822: string;
  readonly day_number: number;
  readonly day_short: string;
  readonly day_full: string;
}

/** Days of 400 years, after which the calendar repeats, weekdays too. */
const CYCLE_MS = 146_097 * 86_400_000;

/** A local time as a `Date` with the same weekday, and its instant. */
function wallClockOf(iso: string): { date: Date; epochMs: number } | null {
  const [, year, clock, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^([+-]?\d{4,6})(-\d\d-\d\dT\d\d:\d\d:\d\d)(?:Z|([+-])(\d\d):(\d\d)(?::(\d\d))?)$/.exec(iso) ?? [];
  if (clock === undefined) return null;
  // Local times extend up to a day beyond the range of `Date`; shifted toward 0 they all fit.
  const shift = Number(year) > 0 ? -1 : 1;
  const [digits, minus] = [
    `${Math.abs(Number(year) + shift * 400)}`,
    Number(year) + shift * 400 < 0 ? '-' : '+',
  ];
  const date = new Date(`${minus}${digits.padStart(6, '0')}${clock}Z`.replace('-000000', '+000000'));
  const offsetSeconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const epochMs = date.getTime() - shift * CYCLE_MS - Number(`${sign}1`) * offsetSeconds * 1000;
  return { date, epochMs };
}

const KEY = sampleKey(1, 'ed25519-2026-04-01');
const app = createApp(testServer({ signing: fixedKeys([KEY]) }));
const RUNS = Number(process.env['FC_RUNS'] ?? 150);

/** Sends a request and throws if the response violates the contract; `send` validates it against the API description too. */
async function sendValid(path: string, init: RequestInit = {}): Promise<ParsedResponse> {
  const response = await send(path, init, app);
  const { status, headers, body } = response;
  const fail = (reason: string) => new Error(`${path}: ${status} ${reason} ${JSON.stringify(body)}`);
  if (status >= 500) throw fail('is never right here');
  if (!headers.has('X-Request-Id')) throw fail('without X-Request-Id');
  if (status < 400 || init.method === 'HEAD') return response;
  if (headers.get('Content-Type')?.startsWith('text/plain')) return response;
  if (typeof body.error?.message !== 'string') throw fail('without a message');
  if (body.request_id !== headers.get('X-Request-Id')) throw fail('names another request');
  return response;
}

describe('every response to any request follows the contract', () => {
  for (const {
    path,
    inputs: { parameters },
  } of API_ROUTES) {
    const names = Object.keys(parameters);

    test(`${path} with naughty strings in its parameters`, async () => {
      const pairs = names.flatMap(name => NAUGHTY.map((value): Pair => [name, value]));
      for (const pair of sample(pairs, 500)) await sendValid(`${path}?${queryOf([pair])}`);
    });

    test(`${path} with well-formed, slightly malformed and arbitrary parameters`, async () => {
      await fc.assert(
        fc.asyncProperty(mixedQuery(names), async search => {
          await sendValid(`${path}?${search.replaceAll('#', '%23')}`);
        }),
        { numRuns: RUNS },
      );
    });

    test(`${path} with arbitrary characters in the query string`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async search => {
          await sendValid(`${path}?${search.toWellFormed().replaceAll('#', '')}`);
        }),
      );
    });
  }

  for (const [path, request] of WELL_FORMED) {
    test(`${path} with one invalid parameter`, async () => {
      await fc.assert(
        fc.asyncProperty(withOneFault(request), async pairs => {
          const { body } = await sendValid(`${path}?${queryOf(pairs)}`);
          expect(faultOfPayload(body)).toBeNull();
        }),
        { numRuns: RUNS },
      );
    });
  }

  test('with any method and any headers', async () => {
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
    const value = fc
      .oneof(fc.constantFrom(...NAUGHTY), fc.string({ unit: 'binary', maxLength: 300 }))
      .map(text =>
        Buffer.from(text)
          .toString('latin1')
          .replace(/[\0\r\n]/g, '')
          .trim(),
      );
    const name = fc.constantFrom(
      'X-Request-Id',
      'Authorization',
      'X-API-Key',
      'X-Forwarded-For',
      'Forwarded',
      'Accept-Encoding',
      'If-None-Match',
      'Origin',
      'Range',
      'Cookie',
      'Content-Type',
    );
    const path = fc.constantFrom(...API_ROUTES.map(({ path }) => path), '/nowhere', '/', '/openapi.json');
    await fc.assert(
      fc.asyncProperty(path, method, fc.array(fc.tuple(name, value)), async (path, method, headers) => {
        const response = await sendValid(path, { method, headers: Object.fromEntries(headers) });
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
  });

  test('at any path', async () => {
    await fc.assert(
      fc.asyncProperty(fc.webPath(), async path => {
        expect([200, 404]).toContain((await sendValid(path)).status);
      }),
    );
  });
});

describe('valid requests succeed with consistent responses', () => {
  test('of every route', () => {
    const routes = API_ROUTES.filter(({ isPublic }) => !isPublic).map(({ path }) => path);
    expect(WELL_FORMED.map(([path]) => path)).toEqual(routes);
  });

  for (const [path, request] of WELL_FORMED) {
    test(path, async () => {
      await fc.assert(
        fc.asyncProperty(request, async pairs => {
          const url = `${path}?${queryOf(pairs)}`;
          const { status, headers, body } = await send(url, {}, app);
          expect([status, status === 200 ? '' : body]).toEqual([200, '']);
          expect(faultOfPayload(body)).toBeNull();
          if (!pairs.some(([name]) => name === 'sign')) return;
          const text = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
          const received = { header: (name: string) => headers.get(name), body: text, status, path: url };
          const { checks } = verifySigned(received, publicKeySet([KEY]));
          expect(checks.filter(({ holds }) => !holds)).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    });
  }
});

/** One change to bytes, at a place between 0 and 1 of their length. */
interface Mutation {
  readonly kind: 'flip' | 'insert' | 'delete' | 'repeat' | 'move' | 'cut';
  readonly at: number;
  readonly length: number;
  readonly inserted: string;
}

/** Pieces with a meaning for an HTTP parser. */
const PIECES = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', '\0', ' ', '\t', ':', '/', '?', '#', '%', '%0d%0a', '\\', '..'],
  ...['//[::1', 'http://', '\x7f', '\x80', '\xff', 'Content-Length: 7\r\n', 'Transfer-Encoding: chunked\r\n'],
  ...['Host: y\r\n', 'Connection: close\r\n', 'Expect: 100-continue\r\n', 'Upgrade: h2c\r\n', '0\r\n\r\n'],
  ...['ffffffffffffffff\r\n', ' HTTP/1.0\r\n'],
  'a'.repeat(5000),
];

/** Uniformly distributed changes; fast-check's numbers between 0 and 1 are nearly always close to 0. */
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('flip', 'insert', 'delete', 'repeat', 'move', 'cut'),
  at: fc.nat(9999).map(part => part / 10_000),
  length: fc.integer({ min: 1, max: 40 }),
  inserted: fc.oneof(
    fc.constantFrom(...PIECES),
    fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 8,
    }),
  ),
});

function mutate(bytes: string, { kind, at, length, inserted }: Mutation): string {
  const place = Math.floor(at * bytes.length);
  const [before, piece, after] = [
    bytes.slice(0, place),
    bytes.slice(place, place + length),
    bytes.slice(place + length),
  ];
  switch (kind) {
    case 'flip':
      return `${before}${String.fromCharCode(bytes.charCodeAt(place) ^ (1 << (length % 8)) || 0)}${bytes.slice(place + 1)}`;
    case 'insert':
      return before + inserted + piece + after;
    case 'delete':
      return before + after;
    case 'repeat':
      return before + piece + piece + after;
    case 'move':
      return before + after + piece;
    case 'cut':
      return before;
  }
}

const SEEDS = [
  'GET /v1/time/current?tz=Europe/Paris&format=%25H:%25M HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n',
  'HEAD /v1/time/convert?iso=2026-04-15T13:30:47&source_tz=America/New_York&tz=Asia/Tokyo HTTP/1.1\r\nHost: [::1]:80\r\nX-Request-Id: abc\r\n\r\n',
  'GET /v1/time/diff?from=unix=0&to=now&sign=true HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello',
  'POST /v1/time/add?days=1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'OPTIONS /v1/timezone HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.com\r\n\r\n',
  'GET http://a/.well-known/time-api-public-key?kid=x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'GET /nowhere HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n',
];

/** One or two requests, as bytes in Latin 1, with some changes. */
const mutatedRequests: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom(...SEEDS), { minLength: 1, maxLength: 2 }),
    fc.array(mutation, { minLength: 1, maxLength: 3 }),
  )
  .map(([seeds, mutations]) => mutations.reduce(mutate, seeds.join('')));

/** The maximum number of requests in some bytes: each has a line that ends with its protocol. */
function mostRequests(bytes: string): number {
  return bytes.match(/ HTTP\/1\.[01]\r\n/g)?.length ?? 0;
}

let server: RunningServer;
let port = 0;
beforeAll(async () => {
  server = await startServer();
  port = Number(new URL(server.url).port);
});
afterAll(() => server[Symbol.dispose]());

const MUTATIONS = Number(process.env['FC_RUNS'] ?? 1000);

test('whatever bytes are sent, each request gets at most one response, which follows the contract, and the connection ends', async () => {
  await fc.assert(
    fc.asyncProperty(mutatedRequests, async bytes => {
      const { responses, rest } = await exchange(port, bytes);
      expect(rest).toBe('');
      expect(responses.map(faultOf)).toEqual(responses.map(() => null));
      const handled = responses.filter(response => !isRejection(response));
      expect(handled.length).toBeLessThanOrEqual(mostRequests(bytes));
      // Nothing after a rejected request is read.
      expect(responses.slice(0, -1).filter(isRejection)).toEqual([]);
    }),
    { numRuns: MUTATIONS },
  );
  const response = await fetch(`${server.url}/v1/time/convert?unix=0&tz=Asia/Tokyo`);
  expect(await response.json()).toMatchObject({ iso_local: '1970-01-01T09:00:00+09:00' });
});
