import { afterAll, beforeAll, expect, test } from 'bun:test';
import { exchange, faultOf, isRejection } from '../support/clients.ts';
import { type RunningServer, startServer } from '../support/process.ts';
import { fc } from '../support/property.ts';

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

const RUNS = Number(process.env['FC_RUNS'] ?? 1000);

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
    { numRuns: RUNS },
  );
  const response = await fetch(`${server.url}/v1/time/convert?unix=0&tz=Asia/Tokyo`);
  expect(await response.json()).toMatchObject({ iso_local: '1970-01-01T09:00:00+09:00' });
});
