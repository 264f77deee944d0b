import { describe, expect, spyOn, test } from 'bun:test';
import * as nodeCrypto from 'node:crypto';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { createHttpApp } from '../../src/http/app.ts';
import type { HostClock } from '../../src/http/snapshot.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys, publicKeySet } from '../../src/signing/key_set.ts';
import { MESSAGE_SIGNATURE_HEADERS, PROOF_HEADERS } from '../../src/signing/message_signature.ts';
import { SIGNATURE_HEADERS } from '../../src/signing/signed_response.ts';
import { verifySigned } from '../../src/signing/verify_signed.ts';
import { expectAll, expectEach, expectErrors, expectMessages, get } from '../support/responses.ts';
import { JSON_ROUTES, NOW_MS, parsed, send, testServer, validateResponse } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const active = sampleKey(2, 'ed25519-2026-04-01');
const retired = { ...sampleKey(1, 'ed25519-2026-01-01'), privateKey: undefined };
const signing = fixedKeys([active, retired]);
const app = createApp(testServer({ signing }));
const KEY_SET = publicKeySet([active, retired]);
const KEYS_PATH = '/.well-known/time-api-public-key';

/** Sends a request and verifies that the signature covers the response and its request. */
async function sendSigned(path: string, method = 'GET', target = app, known = KEY_SET) {
  const response = await target.handle(new Request(`http://localhost${path}`, { method }));
  const { status, headers } = response;
  const bytes = await response.bytes();
  const body = parsed(new TextDecoder().decode(bytes), headers);
  await validateResponse(path, { status, headers, body });
  const { pathname, search } = new URL(path, 'http://localhost');
  const received = {
    header: (name: string) => headers.get(name),
    body: method === 'HEAD' ? undefined : bytes,
    status,
    method,
    path: pathname + search,
  };
  const verification = verifySigned(received, known);
  return { ...verification, status, headers, failed: verification.checks.filter(({ holds }) => !holds) };
}

const HOLIDAYS = EMBEDDED_DATA.find(({ name }) => name === 'holidays')!.version;

const isUnsigned = (headers: Headers): boolean => SIGNATURE_HEADERS.every(name => !headers.has(name));

describe('every route', () => {
  test.each(JSON_ROUTES)('$path signs responses and errors to GET and HEAD on request', async ({ path }) => {
    // Routes with required parameters return 400; all responses must be signed.
    for (const query of ['?sign=true', '?tz=Asia/Tokyo&unix=0&days=1&sign=true', '?tz=Mars&sign=true']) {
      for (const method of ['GET', 'HEAD']) {
        const { failed, envelope } = await sendSigned(path + query, method);
        expect([path + query, method, failed]).toEqual([path + query, method, []]);
        expect(envelope?.epochSeconds).toBe(Math.floor(NOW_MS / 1000));
      }
    }
    const hasNone = async (query: string) => isUnsigned((await send(path + query, {}, app)).headers);
    await expectAll(hasNone, true, ['', '?sign=false', '?sign=1', '?sign=TRUE', '?Sign=true']);
  });
});

test('identical responses share a signature, and no others do', async () => {
  let nowMs = NOW_MS;
  const keys = { ...fixedKeys([active, retired]) };
  const target = createApp(testServer({ now: () => nowMs, signing: keys }));
  const signatureAt = async (query: string, laterMs: number, known = KEY_SET) => {
    nowMs = NOW_MS + laterMs;
    const { headers, failed, envelope } = await sendSigned(`${query}&sign=true`, 'GET', target, known);
    expect([query, failed, envelope?.epochSeconds]).toEqual([query, [], Math.floor(nowMs / 1000)]);
    return headers.get('X-Service-Signature')!;
  };
  using sign = spyOn(nodeCrypto, 'sign');
  const signaturesAt = async (query: string, laterMs: readonly number[]) => {
    for (let time = 0; time < 2; time++) await signatureAt(query, 0); // cached from here on
    sign.mockClear();
    const signatures: string[] = [];
    for (const ms of laterMs) signatures.push(await signatureAt(query, ms));
    return { made: sign.mock.calls.length, different: new Set(signatures).size };
  };
  // The current time changes every millisecond, a fixed time only with the second of the signature.
  const moments = [0, 0, 1, 1, 1, 1000, 1000, 0];
  expect(await signaturesAt('/v1/time/current?tz=Asia/Tokyo', moments)).toEqual({ made: 3, different: 3 });
  expect(await signaturesAt('/v1/time/convert?unix=0&tz=UTC', moments)).toEqual({ made: 2, different: 2 });
  const long = `/v1/time/convert?unix=0&tz=${'UTC,'.repeat(20)}UTC`;
  expect(await signaturesAt(long, [0, 0, 0])).toEqual({ made: 3, different: 1 });
  // A new key, even with the same name, is used at once.
  for (const next of [sampleKey(3, active.kid), sampleKey(3, 'ed25519-2026-07-01')]) {
    Object.assign(keys, fixedKeys([next]));
    await signatureAt('/v1/time/convert?unix=0&tz=UTC', 0, publicKeySet([next]));
  }
});

test('HEAD signs the hash of the GET body', async () => {
  const path = '/v1/time/current?tz=Asia/Tokyo&sign=true';
  const [get, head] = [await sendSigned(path), await sendSigned(path, 'HEAD')];
  expect(head.envelope).toEqual({ ...get.envelope!, method: 'HEAD' });
});

test('the path is signed as it was received', async () => {
  for (const query of [
    ...['tz=Europe%2FParis&sign=true', 'sign=true&tz=Europe/Paris', "format=%Y-%m-%dT'%H'&sign=true"],
    ...['format=%22%7B%5C&sign=%74rue', 'x=%F0%9F%95%90&sign=true&&'],
  ]) {
    const { holds, envelope } = await sendSigned(`/v1/time/current?${query}`);
    expect([query, holds]).toEqual([query, true]);
    expect(envelope?.path).toBe(`/v1/time/current?${query.replaceAll("'", '%27')}`);
  }
});

test('all errors under /v1 are signed, including unknown paths and methods', async () => {
  const outcomeOf = async (request: string) => {
    const [method, path] = request.split(' ') as [string, string];
    const { status, failed } = await sendSigned(path, method);
    return [status, ...failed];
  };
  await expectEach(outcomeOf, {
    'GET /v1/nothing?sign=true': [404],
    'POST /v1/time/current?sign=true': [405],
    'GET /v1/time/current?sign=true&tz=a&offset=b': [400],
  });
});

test('nothing outside /v1 is signed, nor clocks and preflights', async () => {
  const hasNone = async (request: string) => {
    const [method, path] = request.split(' ') as [string, string];
    return isUnsigned((await send(`${path}sign=true`, { method }, app)).headers);
  };
  await expectAll(hasNone, true, [
    ...['GET /nothing?', 'GET /healthz?', 'POST /healthz?', `GET ${KEYS_PATH}?`],
    ...[
      `GET ${KEYS_PATH}?kid=none&`,
      'GET /v1/time/clock?',
      'GET /v1/time/clock/assets/v1/clock.js?',
      'OPTIONS /v1/time/current?',
    ],
  ]);
});

test('rejected clients get no signature', async () => {
  const server = testServer({ signing, logError: () => undefined });
  const isSigned = async (code: string) => {
    const failing = {
      path: '/v1/failing',
      access: 'public',
      isSignable: () => true,
      handle() {
        throw new ServiceError(code as ServiceError['code'], 'of the test');
      },
    } as const;
    return !isUnsigned((await get('/v1/failing?sign=true', {}, createHttpApp(server, [failing]))).headers);
  };
  await expectAll(isSigned, false, ['UNAUTHORIZED', 'INVALID_AUTH', 'SUBSCRIPTION_INACTIVE']);
  await expectAll(isSigned, true, ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'INTERNAL_ERROR']);
});

test('scripts on other origins may read the headers of signatures', async () => {
  const { headers } = await send('/v1/time/current?sign=true', { headers: { Origin: 'https://a.b' } }, app);
  const exposed = headers.get('Access-Control-Expose-Headers')?.split(', ') ?? [];
  const names = [...SIGNATURE_HEADERS, ...PROOF_HEADERS, ...MESSAGE_SIGNATURE_HEADERS];
  expect(names.filter(name => !exposed.includes(name))).toEqual([]);
});

test('a signed response names the data it was computed from', async () => {
  const dataOf = async (path: string) => {
    const headers: (string | null)[] = [];
    for (let time = 0; time < 3; time++)
      headers.push((await send(`${path}&sign=true`, {}, app)).headers.get('X-Service-Data'));
    return [...new Set(headers)].join(' or ');
  };
  await expectEach(dataOf, {
    '/v1/time/current?tz=Asia/Tokyo': 'tzdata=2026f',
    '/v1/time/current?ip=2.125.160.216': 'tzdata=2026f, boundaries=2026d, ip=GeoLite2-City',
    '/v1/time/current?lat=48.1&lon=11.6': 'tzdata=2026f, boundaries=2026d',
    '/v1/time/convert?unix=0&tz=Asia/Tokyo&tzdata=2020a': 'tzdata=2020a',
    '/v1/tzdata?details=true': 'tzdata=2026f, releases=2016a%20to%202026f, holidays=3.37.0',
    '/v1/holidays?country=DE&year=2026': `holidays=${HOLIDAYS}`,
    '/v1/time/diff?from=unix=0&to=unix=1': 'none',
    '/v1/recurrence?rrule=DTSTART;tzid=Asia/Tokyo:20260901T090000%0ARRULE:FREQ=DAILY;COUNT=1': 'tzdata=2026f',
    '/v1/time/current?tz=Mars': 'tzdata=2026f, windows=48.2, populations=3.1.0',
    '/v1/time/current?tz=Asia/Tokyo,Mars': 'tzdata=2026f, windows=48.2, populations=3.1.0',
    '/v1/nothing?x': 'none',
  });
});

test('the data digest is over sorted lines of name, release and digest', async () => {
  const digestOf = async (query: string, changes: object = {}) => {
    const changed = createApp(testServer({ signing, ...changes }));
    const { headers } = await send(`${query}&sign=true`, {}, changed);
    return headers.get('X-Service-Data-Digest');
  };
  const digest = (lines: string) => `sha-256=:${nodeCrypto.hash('sha256', lines, 'base64')}:`;
  const sha256 = (name: string) => EMBEDDED_DATA.find(set => set.name === name)!.sha256;
  const place = '/v1/time/current?lat=48.1&lon=11.6';
  const lines = [`boundaries 2026d ${sha256('boundaries')}\n`, `tzdata 2026f ${sha256('tzdata')}\n`];
  expect(await digestOf(place)).toBe(digest(lines.join('')));
  expect(await digestOf('/v1/nothing?x')).toBe(digest(''));
  const past = '/v1/time/convert?unix=0&tz=Asia/Tokyo&tzdata=2020a';
  expect(await digestOf(past)).toBe(digest(`tzdata 2020a ${sha256('tzdata releases')}\n`));
  // The operator's files instead of the embedded data.
  expect(await digestOf(place, { digests: { zones: 'ab', holidays: 'cd' } })).toBe(
    digest(`${lines[0]}tzdata 2026f ab\n`),
  );
});

test('a signed response has the quality of the clock, read when it was signed', async () => {
  let clock: HostClock | null = null;
  let nowMs = NOW_MS;
  const clocked = createApp(testServer({ signing, now: () => nowMs, hostClock: () => clock }));
  const clockOf = async () => {
    nowMs += 1000; // within a second a signature is reused
    return (await send('/v1/time/current?sign=true', {}, clocked)).headers.get('X-Service-Clock');
  };
  expect(await clockOf()).toBe('unknown');
  clock = { isSynchronized: true, maxErrorSeconds: 0.0114 };
  expect(await clockOf()).toBe('synchronised;max-error=12');
  clock = { isSynchronized: false, maxErrorSeconds: 16 };
  expect(await clockOf()).toBe('unsynchronised;max-error=16000');
});

test('unsigned responses name no data, and have no signature by RFC 9421', async () => {
  const names = [...PROOF_HEADERS, ...MESSAGE_SIGNATURE_HEADERS];
  const { headers } = await send('/v1/time/current?tz=UTC&details=true', {}, app);
  expect(names.filter(name => headers.has(name))).toEqual([]);
  const signed = await send('/v1/time/current?tz=UTC&sign=true', {}, app);
  expect(names.filter(name => signed.headers.has(name))).toEqual([...PROOF_HEADERS]);
});

test('signature takes one value, and requires sign=true', () =>
  expectMessages(
    '/v1/time/current?tz=UTC&',
    {
      'sign=true&signature=rfc9422': "Cannot read 'signature': 'rfc9422' is not 'rfc9421'",
      'sign=true&signature=': "Cannot read 'signature': it has no value",
      'signature=rfc9421': "Cannot read 'signature': it requires 'sign=true'",
      'sign=1&signature=rfc9421': "Cannot read 'signature': it requires 'sign=true'",
    },
    '400 INVALID_PARAMETER signature',
    app,
  ));

test.each(API_ROUTES.map(route => [route.path, route] as const))(
  '%s knows a nonce of 1 to 128 characters, which is signed',
  async (path, { examples: [{ query }], inputs: { parameters } }) => {
    const longest = '\u{1f550}'.repeat(128);
    for (const nonce of ['1', 'a b&c', longest]) {
      const target = `${path}?${query}&strict=true&nonce=${encodeURIComponent(nonce)}`;
      if (!('sign' in parameters)) expect((await send(target, {}, app)).status).toBe(200);
      else expect((await sendSigned(`${target}&sign=true`)).failed).toEqual([]);
    }
    for (const nonce of ['', encodeURIComponent(`${longest}x`)]) {
      const { status, body } = await send(`${path}?${query}&nonce=${nonce}`, {}, app);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("Cannot read 'nonce'")]);
    }
  },
);

test('sign=true without a key is 501, reported after all other errors', () =>
  expectErrors('/v1/time/current?sign=true', {
    '501 SIGNING_NOT_READY': [''],
    '400 INVALID_PARAMETER': ['&tz=Mars', '&sign=true'],
  }));

test('a signature that fails is a 500 without one, and is logged', async () => {
  const logged: string[] = [];
  const broken = { ...active, privateKey: active.privateKey.export } as unknown as typeof active;
  const logError = (message: string) => logged.push(message);
  const failing = createApp(testServer({ signing: fixedKeys([broken]), logError }));
  const { status, headers, body } = await send('/v1/time/current?sign=true', {}, failing);
  expect([status, body.error.code, isUnsigned(headers)]).toEqual([500, 'INTERNAL_ERROR', true]);
  expect(logged).toHaveLength(2);
});

describe('the key set', () => {
  test('is open to scripts of every origin, preflight included, even if the API is not', async () => {
    const closed = createApp(testServer({ signing, corsOrigin: 'https://a.b' }));
    const originsOf = (path: string) => {
      const origins = ['GET', 'OPTIONS'].map(async method => {
        const { headers } = await send(path, { method, headers: { Origin: 'https://a.b' } }, closed);
        return headers.get('Access-Control-Allow-Origin');
      });
      return Promise.all(origins);
    };
    await expectEach(originsOf, {
      [KEYS_PATH]: ['*', '*'],
      '/v1/time/clock/assets/v1/clock.js': ['*', '*'],
      '/v1/time/current': ['https://a.b', 'https://a.b'],
    });
    expect((await send(KEYS_PATH, {}, closed)).headers.get('Access-Control-Allow-Origin')).toBe('*');
  });

  test('lists the active key first, without private keys, and may be cached for five minutes', async () => {
    const { status, headers, body } = await send(KEYS_PATH, {}, app);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json']);
    expect(headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    const curve = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' };
    const constant = { ...curve, use: 'sig', key_ops: ['verify'], ext: true };
    expect(body).toEqual({
      keys: [
        { ...constant, kid: 'ed25519-2026-04-01', x: active.x },
        { ...constant, kid: 'ed25519-2026-01-01', x: retired.x },
      ],
    });
  });

  test('with kid has only that key, in a format that other libraries can use', async () => {
    const { body } = await send(`${KEYS_PATH}?kid=${retired.kid}`, {}, app);
    expect(body).toEqual({ keys: [KEY_SET.keys[1]] });
    const key = await crypto.subtle.importKey('jwk', body.keys[0], 'Ed25519', true, ['verify']);
    expect(key.type).toBe('public');
  });

  test('is an uncacheable 404 for an unknown kid, and 400 for one that is empty or given twice', async () => {
    const unknown = ['ed25519-1999-01-01', 'x', '../secret', '%00'].map(kid => `?kid=${kid}`);
    const cachingOf = async (query: string) =>
      (await send(KEYS_PATH + query, {}, app)).headers.get('Cache-Control');
    await expectAll(cachingOf, 'no-store', unknown);
    const invalid = ['?kid=', '?kid', `?kid=${active.kid}&kid=${active.kid}`];
    await expectErrors(KEYS_PATH, { '404 NOT_FOUND': unknown, '400 INVALID_PARAMETER': invalid }, app);
  });

  test('is 500 without keys', () =>
    expectErrors(KEYS_PATH, { '500 INTERNAL_ERROR': ['', `?kid=${active.kid}`] }));

  test('responds to HEAD, rejects POST, and names ignored parameters', async () => {
    const same = { headers: { 'X-Request-Id': 'same' } };
    const head = await send(KEYS_PATH, { method: 'HEAD', ...same }, app);
    expect([...head.headers]).toEqual([...(await send(KEYS_PATH, same, app)).headers]);
    const post = await send(KEYS_PATH, { method: 'POST' }, app);
    expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const { headers } = await send(`${KEYS_PATH}?KID=x`, {}, app);
    expect(headers.get('X-Service-Ignored-Parameters')).toBe('KID');
  });
});

test('readiness names the active key, or says that there is none', async () => {
  expect((await send('/readyz', {}, app)).body).toContain('signing ok ed25519-2026-04-01\n');
  const { status, body } = await send('/readyz');
  expect([status, body.split('\n')]).toEqual([200, expect.arrayContaining(['signing absent'])]);
});
