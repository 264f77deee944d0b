import { describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { LazyData } from '../../src/common/lazy_data.ts';
import type { ErrorBody } from '../../src/http/errors.ts';
import { createApp } from '../../src/server/app.ts';
import { KEY, keyedApp } from '../support/keyed.ts';
import { CODINGS, decodedText, expectAll, expectEach, turnsDuring } from '../support/responses.ts';
import { app, NOW_MS, send, testPlaces, testServer } from '../support/service.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function post(body: unknown, headers: Record<string, string> = {}, target = app) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: text };
  return await target.handle(new Request('http://localhost/v1/batch', init));
}

interface Element {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape.
  readonly body: any;
}

async function run(requests: readonly string[], headers = {}, target = app): Promise<Element[]> {
  const response = await post({ requests }, headers, target);
  expect(response.status).toBe(200);
  return (await response.json()) as Element[];
}

const TOKYO = '/v1/time/current?tz=Asia/Tokyo';

describe('a batch', () => {
  test('has the responses to its requests, in order', async () => {
    const requests = [
      TOKYO,
      ...['/v1/time/current?tz=Europe/Paris,Mars/Olympus', '/v1/holidays?country=DE&year=2026'],
      ...['/v1/time/convert?unix=0&place=Portland, US-ME', '/v1/tzdata', '/v1/time/convert?unix=x&utc=true'],
      '/v1/nothing',
    ];
    const elements = await run(requests, { 'X-Request-Id': 'id' });
    for (const [index, path] of requests.entries()) {
      const { status, body } = await send(path, { headers: { 'X-Request-Id': 'id' } });
      expect(elements[index]).toEqual({ status, body });
    }
  });

  test('has text as a string, and the address of its client', async () => {
    const london = createApp(testServer(), { peerOf: () => '2.125.160.216' });
    const requests = ['/v1/time/current.txt?tz=Asia/Tokyo', '/v1/time/current?auto_tz=true'];
    expect(await run(requests, {}, london)).toMatchObject([
      { status: 200, body: '2026-04-16T02:30:47+09:00\n' },
      { body: { timezone: 'Europe/London' } },
    ]);
  });

  test('uses one instant', async () => {
    let nowMs = NOW_MS;
    const moving = createApp(testServer({ now: () => nowMs++ }));
    const elements = await run(Array(50).fill(TOKYO), {}, moving);
    expect(new Set(elements.map(({ body }) => body.unix_ms)).size).toBe(1);
  });

  test('ignores its own conditional and encoding headers for its requests, but is compressed itself', async () => {
    const requests = ['/v1/timezones?country=US&iso=2026-01-01'];
    const response = await post({ requests }, { 'Accept-Encoding': 'gzip', 'If-None-Match': '*' });
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
    expect(JSON.parse(await decodedText(response))).toEqual(await run(requests));
  });

  test('cannot have itself, clocks, tables, signatures and other paths', async () => {
    const table = {
      '/v1/batch': 404,
      '/v1/time/clock?style=analog-station': 400,
      '/v1/holidays.ics?country=DE': 400,
      '/v1/timezones.csv': 400,
      [`${TOKYO}&sign=true`]: 400,
      [`${TOKYO}&s%69gn=tru%65`]: 400,
      '/healthz': 404,
      'http://localhost/v1/time/current': 404,
      '/v1/../healthz': 404,
      '': 404,
      '/v1/time/current?t\tz=UTC,UTC': 400, // parsing a URL removes tabs
      '/v1/time/current?tz=UTC#&': 400,
      [`/v1/time/current?x=${'a'.repeat(9000)}`]: 414,
    };
    const elements = await run([...Object.keys(table), TOKYO]);
    expect(elements.map(({ status }) => status)).toEqual([...Object.values(table), 200]);
    const rejection = { error: {}, request_id: expect.any(String) };
    for (const { body } of elements.slice(0, -1)) expect(body).toMatchObject(rejection);
  });

  test('is rejected with another body, or one that is too long', async () => {
    const many = JSON.stringify({ requests: Array(1001).fill(TOKYO) });
    const long = JSON.stringify({ requests: [TOKYO], padding: 'x'.repeat(262_144) });
    const errorIn = async (body: string) => {
      const response = await post(body);
      return { status: response.status, ...((await response.json()) as ErrorBody).error };
    };
    const errorOf = async (body: string) =>
      Object.values(await errorIn(body))
        .slice(0, 2)
        .join(' ');
    await expectAll(errorOf, '400 INVALID_PARAMETER', ['{', '{}', 'null', '{"requests":[1]}', many]);
    expect(await errorOf(long)).toBe('413 INVALID_PARAMETER');
    const expected = '; expected {"requests": ["/v1/time/current?tz=UTC"]}';
    await expectEach(async body => (await errorIn(body)).message, {
      '{}': `Cannot read 'requests': the body has no such member${expected}`,
      null: `Cannot read 'requests': the body is not an object${expected}`,
      '[]': `Cannot read 'requests': the body is not an object${expected}`,
      '{"requests":[],"requests":["/v1/tzdata"]}': "Cannot read the body: it has the member 'requests' twice",
      [many]: "Cannot read 'requests': it has 1001 entries; the maximum is 1000",
      [`{"x":{}${',"x":{}'.repeat(1000)}}`]:
        'Cannot read the body: it has more than 2000 commas and colons; the maximum is 1000 entries',
      '{"requests":"x"}': `Cannot read 'requests': it is not an array${expected}`,
      '{"requests":[]}': `Cannot read 'requests': it is empty${expected}`,
      '{"requests":["/v1/tzdata",5]}': `Cannot read 'requests': its entry 2 is not a string${expected}`,
    });
  });

  test('is JSON, and says so', () =>
    expectEach(async type => (await post({ requests: [TOKYO] }, { 'Content-Type': type })).status, {
      'application/json': 200,
      'application/json; charset=utf-8': 200,
      'Application/JSON': 200,
      'application/jsonp': 415,
      'text/plain': 415,
    }));

  test('allows only POST, as does the preflight', async () => {
    const outcomeOf = async (method: string) => {
      const { status, headers } = await send('/v1/batch', { method });
      return [status, headers.get('Allow')];
    };
    await expectAll(outcomeOf, [405, 'POST, OPTIONS'], ['GET', 'HEAD', 'PUT', 'DELETE']);
    const preflight = { method: 'OPTIONS', headers: { Origin: 'https://a.example' } };
    const { headers } = await send('/v1/batch', preflight);
    expect(headers.get('Access-Control-Allow-Methods')).toBe('POST, OPTIONS');
    expect(headers.get('Access-Control-Allow-Headers')).toContain('Content-Type');
  });

  test('has at most 8 MB: the first response that does not fit, and all after it, are 413', async () => {
    const large = '/v1/time/transitions?all=true&from=2020-01-01&to=2025-01-01';
    const response = await post({ requests: [...Array(40).fill(large), TOKYO] });
    const text = await response.text();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_388_608);
    const statuses = (JSON.parse(text) as Element[]).map(({ status }) => status);
    const fitting = statuses.indexOf(413);
    expect(fitting).toBeGreaterThan(3);
    expect(statuses).toEqual([...Array(fitting).fill(200), ...Array(41 - fitting).fill(413)]);
    // One more would have been too many bytes.
    const elements = (JSON.parse(text) as Element[]).map(element =>
      Buffer.byteLength(JSON.stringify(element)),
    );
    expect(Buffer.byteLength(text) - elements[fitting]! + elements[0]!).toBeGreaterThan(8_388_608);
  });

  test('has up to --max-batch requests in up to 262,144 bytes', async () => {
    const few = createApp(testServer({ maxBatch: 3 }));
    const padded = (bytes: number) => {
      const body = JSON.stringify({ requests: [TOKYO], padding: '' });
      return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`);
    };
    for (const [body, status] of [
      [{ requests: Array(3).fill(TOKYO) }, 200],
      [{ requests: Array(4).fill(TOKYO) }, 400],
      [padded(262_144), 200],
      [padded(262_145), 413],
    ] as const) {
      expect((await post(body, {}, few)).status).toBe(status);
    }
    expect(await run(Array(1000).fill(TOKYO))).toHaveLength(1000);
  });

  test('lets other requests run in between', async () => {
    const zones = Array.from({ length: 100 }, (_, index) => `-00:${String(index % 60).padStart(2, '0')}`);
    const before = process.cpuUsage();
    const turns = await turnsDuring(() => run(Array(300).fill(`/v1/time/current?offset=${zones}`)));
    const { user, system } = process.cpuUsage(before);
    // It yields after each millisecond of work; an item takes less.
    expect(turns).toBeGreaterThan((user + system) / 1000 / 20);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('a large batch', () => {
  const requests = Array.from({ length: 60 }, (_, month) => `/v1/timezones?unix=${month * 2_592_000}`);

  /** The chunks of a body, and whether other requests had a turn before each. */
  async function chunksOf(body: ReadableStream<Uint8Array>) {
    const chunks: { readonly bytes: Uint8Array; readonly hadTurn: boolean }[] = [];
    const reader = body.getReader();
    for (;;) {
      let hadTurn = false;
      setImmediate(() => {
        hadTurn = true;
      });
      const { done, value } = await reader.read();
      if (done) return chunks;
      chunks.push({ bytes: value, hadTurn });
    }
  }

  test('is sent in chunks, between which other requests are served', async () => {
    const response = await post({ requests });
    const chunks = await chunksOf(response.body!);
    expect(chunks.map(({ bytes }) => bytes.length).slice(0, -1)).toEqual(
      Array(chunks.length - 1).fill(65_536),
    );
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.every(({ hadTurn }) => hadTurn)).toBeTrue();
    const elements = JSON.parse(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()) as Element[];
    expect(elements).toHaveLength(requests.length);
    for (const index of [0, 31, 59])
      expect(elements[index]!.body).toEqual((await send(requests[index]!)).body);
  });

  test('is correct with multi-byte characters at chunk boundaries', async () => {
    const starts = [...'aeiou', '東', 'москва', 'łódź'];
    const searches = starts.map(start => `/v1/places?q=${encodeURIComponent(start)}&limit=50`);
    const alone = await Promise.all(
      searches.map(async path => ({ status: 200, body: (await send(path)).body })),
    );
    // Unknown zones of increasing length shift what follows by a byte each.
    for (let length = 1; length <= 12; length++) {
      const first = `/v1/time/current?tz=${'x'.repeat(length)}`;
      const [unknown, ...elements] = await run([first, ...Array(8).fill(searches).flat()]);
      expect(unknown!.status).toBe(400);
      expect(elements).toEqual(Array(8).fill(alone).flat());
    }
  });

  test('has the same content in every coding', async () => {
    const plain = await (await post({ requests })).text();
    for (const coding of CODINGS) {
      const response = await post({ requests }, { 'Accept-Encoding': coding });
      expect(response.headers.get('Content-Encoding')).toBe(coding);
      expect((await decodedText(response)) === plain).toBe(true);
    }
  });

  test('is aborted when the client disconnects', async () => {
    const response = await post({ requests });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  test('is complete in any HTTP version while other clients disconnect', async () => {
    await using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: request => app.handle(request) });
    const body = JSON.stringify({ requests });
    const framing = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const send = (version: string, onData: (chunk: Buffer, socket: Socket) => void) =>
      new Promise(resolve => {
        const socket = connect(server.port!, '127.0.0.1', () => {
          socket.write(`POST /v1/batch ${version}\r\nHost: localhost\r\n${framing}`);
        });
        socket.on('data', (chunk: Buffer) => onData(chunk, socket));
        socket.on('close', resolve);
      });
    const received: Buffer[] = [];
    const [response] = await Promise.all([
      fetch(`${server.url}v1/batch`, { method: 'POST', headers: JSON_TYPE, body }),
      send('HTTP/1.0', chunk => received.push(chunk)),
      ...Array.from({ length: 20 }, () => send('HTTP/1.1', (_, socket) => socket.destroy())),
    ]);
    const expected = await (await post({ requests })).text();
    expect(await response.text()).toBe(expected);
    const old = Buffer.concat(received).toString();
    expect(old).not.toContain('Transfer-Encoding');
    expect(old.slice(old.indexOf('\r\n\r\n') + 4)).toBe(expected);
    while (server.pendingRequests > 0) await new Promise(setImmediate);
  });
});

describe('counting', () => {
  function limited(...[plan, changes]: Parameters<typeof keyedApp>) {
    const { app: target } = keyedApp(plan, changes);
    const left = async () => {
      const { headers } = await send(TOKYO, { headers: KEY }, target);
      return Number(headers.get('X-Service-Quota-Remaining'));
    };
    const batch = (requests: readonly string[]) => post({ requests }, KEY, target);
    return { target, left, batch };
  }

  test('a batch counts each request and each entry of a list; server errors and unknown paths do not count', async () => {
    const { left, batch } = limited({ monthlyQuota: 100 });
    const response = await batch([
      TOKYO,
      '/v1/time/current?tz=Asia/Tokyo,Europe/Paris,Mars',
      '/v1/time/current?place=Berlin;Paris',
      '/v1/time/current?tz=Mars',
      '/v1/nothing',
    ]);
    expect(response.headers.get('X-Service-Quota-Remaining')).toBe('92'); // as before the refund of the missing path
    expect(await left()).toBe(92);
  });

  test('a list that fails as a whole does not count, whether in a batch or by entries', async () => {
    const gazetteer = new LazyData<never>('places', 'none', () => Promise.reject(new Error('cut short')));
    const changes = { places: testPlaces({ gazetteer }) };
    const list = '/v1/time/current?place=Berlin;Paris;Rome';
    const { left, batch } = limited({ monthlyQuota: 100 }, changes);
    expect(await (await batch([list, TOKYO, list])).json()).toMatchObject([
      { status: 501 },
      { status: 200 },
      { status: 501 },
    ]);
    expect(await left()).toBe(98);
    const byEntries = limited({ monthlyQuota: 100, countsEntries: true }, changes);
    expect((await send(list, { headers: KEY }, byEntries.target)).status).toBe(501);
    expect(await byEntries.left()).toBe(99);
  });

  test('a list of more than --max-bulk entries is rejected, and counts as one request', async () => {
    const { left, batch } = limited({ monthlyQuota: 100 }, { maxBulk: 2 });
    const elements = await (await batch(['/v1/time/current?tz=UTC,UTC,UTC'])).json();
    expect(elements).toMatchObject([{ status: 400 }]);
    expect(await left()).toBe(98);
  });

  test('beyond the quota nothing is executed or counted', async () => {
    const { left, batch } = limited({ monthlyQuota: 10 });
    const rejected = await batch(Array(11).fill(TOKYO));
    expect(rejected.status).toBe(429);
    expect(await rejected.json()).toMatchObject({ error: { code: 'QUOTA_EXCEEDED' } });
    expect(Number(rejected.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await batch(Array(10).fill(TOKYO))).status).toBe(200);
    expect((await batch([TOKYO])).status).toBe(429);
    expect(await left()).toBe(0);
  });

  test('nor beyond the rate', async () => {
    const { left, batch } = limited({ rate: { perSecond: 1, burst: 10 }, monthlyQuota: 100 });
    const rejected = await batch(Array(11).fill(TOKYO));
    expect(rejected.status).toBe(429);
    expect(await rejected.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect(rejected.headers.has('Retry-After')).toBe(false); // it would be rejected again
    const again = (await (await batch(Array(11).fill(TOKYO))).json()) as ErrorBody;
    expect(again.error.message).toMatch(
      /^A client of plan '.*' may send at most 10 requests at once, and this one counts as 11: send it in parts$/,
    );
    expect((await batch(Array(8).fill(TOKYO))).status).toBe(200); // two were spent on the rejections
    const later = await batch(Array(10).fill(TOKYO));
    expect([later.status, later.headers.has('Retry-After')]).toEqual([429, true]);
    expect((await batch([TOKYO])).status).toBe(429);
    expect(await left()).toBe(92);
  });

  test('a rejected batch counts as one request', async () => {
    const { left, target } = limited({ monthlyQuota: 10 });
    expect((await post('{', KEY, target)).status).toBe(400);
    expect(await left()).toBe(8);
  });

  test('a plan can count the entries of a list', async () => {
    for (const [countsEntries, remaining] of [
      [true, 6],
      [false, 8],
    ] as const) {
      const { left, target } = limited({ monthlyQuota: 10, countsEntries });
      await send('/v1/time/current?tz=Asia/Tokyo,Europe/Paris,Mars', { headers: KEY }, target);
      expect(await left()).toBe(remaining);
      const beyond = await send(
        '/v1/time/current?tz=UTC,UTC,UTC,UTC,UTC,UTC,UTC,UTC',
        { headers: KEY },
        target,
      );
      expect(beyond.status).toBe(countsEntries ? 429 : 200);
    }
  });

  test('without a key the body is not read', async () => {
    const { target } = limited({});
    expect((await post('{', {}, target)).status).toBe(401);
  });
});
