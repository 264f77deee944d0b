import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { piecewiseBody } from '../../src/api/sliced_body.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { CODINGS, decodedText, expectAll, expectEach, get } from '../support/responses.ts';
import { app, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const LARGE = '/v1/time/transitions?all=true&from=2020-01-01&to=2025-01-01'; // half a megabyte
const SMALL = '/v1/time/convert?unix=0&tz=Asia/Tokyo';
const MEDIUM = '/v1/timezones?country=US&iso=2026-01-01';
const FAILING = '/v1/holidays?country=XX&year=2026'; // lists the valid countries

const signing = createApp(testServer({ signing: fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]) }));

/** The coding and `Vary` of a response to a client that accepts gzip. */
const packing = async (path: string, target = app) => {
  const { headers } = await get(path, { 'Accept-Encoding': 'gzip' }, target);
  return [headers.get('Content-Encoding'), headers.get('Vary')];
};

describe('JSON of more than 1 KB, errors included, is compressed', () => {
  test.each(CODINGS)('with %s', async coding => {
    for (const path of [MEDIUM, LARGE, FAILING]) {
      const status = path === FAILING ? 400 : 200;
      const same = { 'X-Request-Id': 'id' };
      const plain = await get(path, same);
      expect(plain.headers.has('Content-Encoding')).toBe(false);
      const response = await get(path, { ...same, 'Accept-Encoding': coding });
      expect([response.status, response.headers.get('Content-Encoding')]).toEqual([status, coding]);
      const [length, text] = [(await response.clone().bytes()).length, await plain.text()];
      expect(text.length).toBeGreaterThan(status === 200 ? 2 * length : 1024);
      expect((await decodedText(response)) === text).toBe(true);
    }
  });

  test('as preferred', () =>
    expectEach(
      async accepted => (await get(MEDIUM, { 'Accept-Encoding': accepted })).headers.get('Content-Encoding'),
      {
        'gzip, deflate, br, zstd': 'zstd',
        'gzip, br': 'br',
        'br;q=0.5, gzip;q=0.8': 'gzip',
        'zstd;q=0, *': 'br',
        '*;q=0.1': 'zstd',
        deflate: null,
        'gzip;q=0': null,
        'gzip;q=0.5, identity': null,
      },
    ));

  test('with its own entity tag', async () => {
    const tags = new Map<string, string>();
    for (const coding of ['identity', ...CODINGS]) {
      const { headers } = await get(MEDIUM, { 'Accept-Encoding': coding });
      tags.set(coding, headers.get('ETag')!);
    }
    expect(new Set(tags.values()).size).toBe(4);
    for (const [coding, tag] of tags) {
      const { status, headers } = await get(MEDIUM, { 'Accept-Encoding': coding, 'If-None-Match': tag });
      expect([status, headers.get('ETag')]).toEqual([304, tag]);
    }
    const other = { 'Accept-Encoding': 'br', 'If-None-Match': tags.get('gzip')! };
    expect((await get(MEDIUM, other)).status).toBe(200);
  });

  test('unless it is signed; shorter JSON and other content are not', async () => {
    await expectAll(
      path => packing(path, signing),
      [null, 'Accept-Encoding'],
      [...[`${MEDIUM}&sign=true`, `${FAILING}&sign=true`]],
    );
    await expectEach(packing, {
      [SMALL]: [null, 'Accept-Encoding'],
      '/v1/timezones.csv?iso=2026-01-01': [null, null],
    });
    const { headers } = await get(`${FAILING}&sign=true`, { 'Accept-Encoding': 'gzip' }, signing);
    expect(headers.has('X-Service-Signature')).toBe(true);
  });
});

test('errors of any size in JSON vary by Accept-Encoding, and by Origin where one is configured', async () => {
  const configured = createApp(testServer({ corsOrigin: 'https://a.example' }));
  const paths = [FAILING, '/v1/time/current?tz=x', '/v1/nothing', '/api/timezone/Mars'];
  const varyOf = (target: typeof app) => async (path: string) =>
    (await get(path, {}, target)).headers.get('Vary');
  await expectAll(varyOf(app), 'Accept-Encoding', paths);
  await expectAll(varyOf(configured), 'Origin, Accept-Encoding', paths);
  expect(await varyOf(app)('/v1/time/current.txt?tz=x')).toBeNull();
});

test('the headers of a current-time response are at most 220 bytes', async () => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.handle });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(server.port!, '127.0.0.1', () => {
    socket.write(
      'GET /v1/time/current?tz=Europe/Paris HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
  });
  let received = '';
  socket.on('data', bytes => {
    received += bytes.toString('latin1');
  });
  socket.on('error', reject);
  socket.on('close', () => resolve(received));
  const text = await promise;
  const end = text.indexOf('\r\n\r\n') + 4;
  expect(text).toStartWith('HTTP/1.1 200 OK\r\n');
  expect(end).toBeGreaterThan(4);
  expect(end).toBeLessThanOrEqual(220);
});

const PIECE = 'é'.repeat(1000);

function* pieces(count: number, failure?: Error): Generator<string> {
  for (let i = 0; i < count; i++) yield PIECE;
  if (failure !== undefined) throw failure;
}

function unexpected(error: unknown): never {
  throw error;
}

test('a short body is sent whole, and a long one as a stream of the same text', async () => {
  for (const [count, isStream] of [
    [0, false],
    [1, false],
    [300, true],
  ] as const) {
    const body = await piecewiseBody(pieces(count), unexpected);
    expect(body instanceof ReadableStream).toBe(isStream);
    expect(await new Response(body).text()).toBe(PIECE.repeat(count));
  }
});

test('an early error rejects, and a late one is reported and aborts the stream', async () => {
  const failure = new Error('the store is gone');
  expect(piecewiseBody(pieces(3, failure), unexpected)).rejects.toThrow('the store is gone');
  const reported: unknown[] = [];
  const body = await piecewiseBody(pieces(300, failure), error => reported.push(error));
  expect(await new Response(body).text().catch(error => error)).toBe(failure);
  expect(reported).toEqual([failure]);
});

test('a disconnecting client stops the work', async () => {
  let isEnded = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield PIECE;
    } finally {
      isEnded = true;
    }
  }
  const body = await piecewiseBody(endless(), unexpected);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  expect(isEnded).toBe(true);
});
