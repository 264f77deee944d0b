import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { piecewiseBody } from '../../src/api/slices.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { app, testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const LARGE = '/v1/time/transitions?all=true&from=2020-01-01&to=2025-01-01'; // half a megabyte
const SMALL = '/v1/time/convert?unix=0&tz=Asia/Tokyo';
const MEDIUM = '/v1/timezones?country=US&iso=2026-01-01';

const DECODERS = {
  zstd: (bytes: Uint8Array) => Bun.zstdDecompressSync(bytes),
  br: (bytes: Uint8Array) => brotliDecompressSync(bytes),
  gzip: (bytes: Uint8Array) => gunzipSync(bytes),
};

async function get(path: string, accepted?: string, more: Record<string, string> = {}) {
  const headers = { ...(accepted !== undefined && { 'Accept-Encoding': accepted }), ...more };
  return await app.handle(new Request(`http://localhost${path}`, { headers }));
}

describe('JSON of more than 1 KB is compressed', () => {
  test.each(Object.keys(DECODERS) as (keyof typeof DECODERS)[])('with %s', async coding => {
    for (const path of [MEDIUM, LARGE]) {
      const plain = await get(path);
      expect(plain.headers.has('Content-Encoding')).toBe(false);
      const response = await get(path, coding);
      expect(response.headers.get('Content-Encoding')).toBe(coding);
      const bytes = await response.bytes();
      const text = await plain.text();
      expect(bytes.length).toBeLessThan(text.length / 2);
      expect(DECODERS[coding](bytes).toString()).toBe(text);
    }
  });

  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['zstd;q=0, *', 'br'],
    ['*;q=0.1', 'zstd'],
    ['deflate', null],
    ['gzip;q=0', null],
    ['gzip;q=0.5, identity', null],
  ])('as preferred by %p', async (accepted, coding) => {
    expect((await get(MEDIUM, accepted)).headers.get('Content-Encoding')).toBe(coding);
  });

  test('with its own entity tag', async () => {
    const tags = new Map<string, string>();
    for (const coding of ['identity', ...Object.keys(DECODERS)]) {
      const { headers } = await get(MEDIUM, coding);
      tags.set(coding, headers.get('ETag')!);
    }
    expect(new Set(tags.values()).size).toBe(4);
    for (const [coding, tag] of tags) {
      const { status, headers } = await get(MEDIUM, coding, { 'If-None-Match': tag });
      expect([status, headers.get('ETag')]).toEqual([304, tag]);
    }
    expect((await get(MEDIUM, 'br', { 'If-None-Match': tags.get('gzip')! })).status).toBe(200);
  });

  test('unless it is signed', async () => {
    const signing = createApp(testServer({ signing: fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]) }));
    const request = new Request(`http://localhost${MEDIUM}&sign=true`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    const { headers } = await signing.handle(request);
    expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual([null, 'Accept-Encoding']);
  });

  test('shorter JSON and other content are not', async () => {
    expect((await get(SMALL, 'gzip')).headers.get('Content-Encoding')).toBeNull();
    expect((await get(SMALL, 'gzip')).headers.get('Vary')).toBe('Accept-Encoding');
    const table = await get('/v1/timezones.csv?iso=2026-01-01', 'gzip');
    expect([table.headers.get('Content-Encoding'), table.headers.get('Vary')]).toEqual([null, null]);
  });
});

describe('errors', () => {
  const FAILING = '/v1/holidays?country=XX&year=2026'; // lists the valid countries

  test.each(Object.keys(DECODERS) as (keyof typeof DECODERS)[])(
    'of more than 1 KB are compressed with %s',
    async coding => {
      const plain = await get(FAILING, undefined, { 'X-Request-Id': 'id' });
      const response = await get(FAILING, coding, { 'X-Request-Id': 'id' });
      expect([response.status, response.headers.get('Content-Encoding')]).toEqual([400, coding]);
      const text = await plain.text();
      expect(text.length).toBeGreaterThan(1024);
      expect(DECODERS[coding](await response.bytes()).toString()).toBe(text);
    },
  );

  test('of any size in JSON vary by Accept-Encoding, and by Origin where one is configured', async () => {
    const configured = createApp(testServer({ corsOrigin: 'https://a.example' }));
    for (const path of [FAILING, '/v1/time/current?tz=x', '/v1/nothing', '/api/timezone/Mars']) {
      expect([path, (await get(path)).headers.get('Vary')]).toEqual([path, 'Accept-Encoding']);
      const { headers } = await configured.handle(new Request(`http://localhost${path}`));
      expect([path, headers.get('Vary')]).toEqual([path, 'Origin, Accept-Encoding']);
    }
    expect((await get('/v1/time/current.txt?tz=x')).headers.get('Vary')).toBeNull();
  });

  test('are not compressed if they are signed', async () => {
    const signing = createApp(testServer({ signing: fixedKeys([sampleKey(1, 'ed25519-2026-04-01')]) }));
    const request = new Request(`http://localhost${FAILING}&sign=true`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    const { headers } = await signing.handle(request);
    expect(headers.has('X-Service-Signature')).toBe(true);
    expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual([null, 'Accept-Encoding']);
  });
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
