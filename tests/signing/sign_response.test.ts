import { expect, test } from 'bun:test';
import { createHash, sign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Route } from '../../src/api/route.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import {
  readEnvelope,
  type SignedResponse,
  signResponse,
  writeEnvelope,
} from '../../src/signing/signed_response.ts';
import { publicKeyOf, validateKeyPair } from '../../src/signing/signing_key.ts';
import rfc8032 from '../fixtures/ed25519/rfc8032.json';
import { hasOpenssl, type OpensslCase, opensslVerdicts } from '../support/openssl.ts';
import { given } from '../support/process.ts';
import { expectNoDifferences, runs } from '../support/proof.ts';
import { fc } from '../support/property.ts';
import { JSON_ROUTES, parsed, testServer, validateResponse } from '../support/service.ts';
import { sampleKey, sampleSeed } from '../support/signing_keys.ts';

const withOpenssl = given(hasOpenssl, 'OpenSSL 3');

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const example = {
  status: 200,
  method: 'GET',
  path: '/v1/time/current?tz=Europe%2FParis&sign=true',
  epochSeconds: 1776274247,
  sha256: 'z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c4=',
  kid: 'ed25519-2026-07-19',
};

test("an envelope equals the contract's example byte for byte", () => {
  expect(writeEnvelope(example)).toBe(
    '{"v":"v1","status":200,"method":"GET","path":"/v1/time/current?tz=Europe%2FParis&sign=true",' +
      '"timestamp":1776274247,"sha256":"z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c4=","kid":"ed25519-2026-07-19"}',
  );
});

const envelopes = fc.record({
  status: fc.integer({ min: 100, max: 599 }),
  method: fc.constantFrom('GET', 'HEAD'),
  path: fc.string({ unit: 'binary' }),
  epochSeconds: fc.maxSafeInteger(),
  sha256: fc.base64String(),
  kid: fc.date({ noInvalidDate: true }).map(date => `ed25519-${date.toISOString().slice(0, 10)}`),
});

test('an envelope equals JSON.stringify of its members', () => {
  fc.assert(
    fc.property(envelopes, ({ epochSeconds, ...rest }) => {
      const { status, method, path, sha256, kid } = rest;
      const members = { v: 'v1', status, method, path, timestamp: epochSeconds, sha256, kid };
      expect(writeEnvelope({ ...rest, epochSeconds })).toBe(JSON.stringify(members));
    }),
  );
});

test('an envelope round-trips', () => {
  fc.assert(
    fc.property(envelopes, envelope => {
      expect(readEnvelope(bytes(writeEnvelope(envelope)))).toEqual(envelope);
    }),
  );
});

test('another spelling of an envelope is rejected', () => {
  const text = writeEnvelope(example);
  const spellings = [
    '',
    'null',
    '[]',
    '{}',
    ` ${text}`,
    `${text}\n`,
    `\uFEFF${text}`,
    text.replace('"status":200', '"status": 200'),
    text.replace('"status":200', '"status":200.0'),
    text.replace('"status":200', '"status":"200"'),
    text.replace('"status":200', '"status":500,"status":200'),
    text.replace('"status":200,"method":"GET"', '"method":"GET","status":200'),
    text.replace('"v1"', '"v2"'),
    text.replace('/v1/time', '\\u002fv1/time'),
    text.replace('}', ',"host":"example.com"}'),
    text.replace('"kid":"ed25519-2026-07-19"', '"kid":null'),
  ];
  expect(spellings.filter(spelling => readEnvelope(bytes(spelling)) !== undefined)).toEqual([]);
  expect(
    readEnvelope(Buffer.concat([bytes(text.slice(0, -2)), Buffer.of(0xff), bytes('"}')])),
  ).toBeUndefined();
});

const key = sampleKey(1);

const responses: fc.Arbitrary<SignedResponse> = fc.record({
  status: fc.constantFrom(200, 400, 501),
  method: fc.constantFrom('GET', 'HEAD'),
  path: fc.webUrl({ withQueryParameters: true }).map(url => {
    const { pathname, search } = new URL(url);
    return pathname + search;
  }),
  body: fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()),
});

test('the private keys of RFC 8032 create its signatures', () => {
  for (const { name, secretKey, publicKey, message, signature } of rfc8032) {
    const [d, x] = [secretKey, publicKey].map(hex => Buffer.from(hex, 'hex').toString('base64url'));
    const record = { kid: 'ed25519-2017-01-01', sequence: 1, createdMs: 0, d: d!, x: x! };
    const made = sign(null, Buffer.from(message, 'hex'), validateKeyPair(record).privateKey).toString('hex');
    expect([name, made]).toEqual([name, signature]);
  }
});

test('any seed has the same public key in @noble/curves', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), seed => {
      expect(publicKeyOf(seed)).toBe(Buffer.from(ed25519.getPublicKey(seed)).toString('base64url'));
    }),
    { numRuns: 100 },
  );
});

test('the headers carry the envelope, its hash, and the same signature as from @noble/curves', () => {
  fc.assert(
    fc.property(responses, fc.nat(), (response, epochSeconds) => {
      const headers = signResponse(key, response, epochSeconds);
      const input = Buffer.from(headers['X-Service-Signature-Input'], 'base64url');
      const sha256 = createHash('sha256').update(response.body).digest('base64');
      const { status, method, path } = response;
      expect(readEnvelope(input)).toEqual({ status, method, path, epochSeconds, sha256, kid: key.kid });
      expect(headers).toEqual({
        'X-Service-Key-Id': key.kid,
        'X-Service-Signature-Alg': 'Ed25519',
        'X-Service-Signature-Timestamp': `${epochSeconds}`,
        'X-Service-Content-SHA256': sha256,
        'X-Service-Signature-Input': input.toString('base64url'),
        'X-Service-Signature': Buffer.from(ed25519.sign(input, sampleSeed(1))).toString('base64'),
      });
    }),
    { numRuns: 50 },
  );
});

withOpenssl('OpenSSL accepts a signed response, but not with a byte changed', () => {
  const response: SignedResponse = {
    status: 200,
    method: 'GET',
    path: '/v1/time/current?sign=true',
    body: '{}',
  };
  const headers = signResponse(key, response, 1776274247);
  const message = Buffer.from(headers['X-Service-Signature-Input'], 'base64url');
  const signature = Buffer.from(headers['X-Service-Signature'], 'base64');
  const changed = Buffer.from(message);
  changed[20]! ^= 1;
  const verdicts = opensslVerdicts([
    { x: key.x, message, signature },
    { x: key.x, message: changed, signature },
    { x: sampleKey(2).x, message, signature },
  ]);
  expect(verdicts).toEqual([true, false, false]);
});

const RESPONSES = runs(200, 1000);

const signer = sampleKey(2, 'ed25519-2026-04-01');
const services = testServer({ signing: fixedKeys([signer]) });
const app = createApp(services);
const ZONES = services.snapshot().zones.names();

/** A successful query for each route with a zone; other routes use their first example. */
const QUERIES: Readonly<Record<string, string>> = {
  '/v1/time/current': 'tz=ZONE',
  '/v1/timezone': 'tz=ZONE',
  '/v1/time/convert': 'unix=86399&tz=ZONE',
  '/v1/time/add': 'days=-40&tz=ZONE',
  '/v1/time/calendar': 'week=true&tz=ZONE',
  '/v1/time/dst': 'next=true&tz=ZONE',
  '/v1/time/diff': 'from=unix=0&to=tz=ZONE',
  '/v1/time/elapsed': 'unix=0&tz=ZONE',
  '/v1/timezones': 'country=NZ',
  '/v1/holidays': 'country=DE&year=2026',
};

interface Signed extends OpensslCase {
  readonly route: string;
  readonly status: number;
  readonly path: string;
  readonly body: string;
}

/** The signed response of a route for a zone and a method. */
async function signedResponse(
  { path: route, examples }: Route,
  zone: string,
  method: string,
): Promise<Signed> {
  const query = QUERIES[route] ?? examples[0]!.query;
  const request = new Request(`http://localhost${route}?${query.replace('ZONE', zone)}&sign=true`, {
    method,
  });
  const path = request.url.slice('http://localhost'.length);
  const response = await app.handle(request);
  const { status, headers } = response;
  const body = await response.text();
  await validateResponse(path, { status, headers, body: parsed(body, headers) });
  return {
    route,
    status,
    path,
    body,
    x: signer.x,
    message: Buffer.from(headers.get('X-Service-Signature-Input') ?? '', 'base64url'),
    signature: Buffer.from(headers.get('X-Service-Signature') ?? '', 'base64'),
  };
}

function manyResponses(): Promise<Signed[]> {
  return Promise.all(
    Array.from({ length: RESPONSES }, (_, index) => {
      const route = JSON_ROUTES[index % JSON_ROUTES.length]!;
      // Every fifth round names a zone that does not exist, whose response is an error.
      const zone =
        Math.floor(index / JSON_ROUTES.length) % 5 === 4 ? 'Mars/Olympus' : ZONES[index % ZONES.length]!;
      return signedResponse(route, zone, index % 7 === 6 ? 'HEAD' : 'GET');
    }),
  );
}

/** The envelope of a response with some changes. */
function envelopeOf({ message }: Signed, changes: object): Uint8Array {
  return Buffer.from(writeEnvelope({ ...readEnvelope(message)!, ...changes }));
}

const sha256 = (body: string): string => createHash('sha256').update(body).digest('base64');

withOpenssl(`OpenSSL accepts ${RESPONSES} signed responses of all routes`, async () => {
  const responses = await manyResponses();
  const succeeded = new Set(responses.filter(({ status }) => status === 200).map(({ route }) => route));
  expect([...succeeded].sort()).toEqual(JSON_ROUTES.map(({ path }) => path).sort());
  expect(responses.filter(({ status }) => status === 400).length).toBeGreaterThan(RESPONSES / 20);
  const verdicts = opensslVerdicts(responses);
  const rejected = responses.filter((_, index) => !verdicts[index]).map(({ path }) => path);
  expectNoDifferences('signatures verified by OpenSSL', responses.length, rejected, 1000);
  // The accepted envelopes match what was requested and sent.
  for (const response of responses) {
    const { status, path, sha256: signed } = readEnvelope(response.message)!;
    expect({ status, path, signed }).toEqual({
      status: response.status,
      path: response.path,
      signed: sha256(response.body),
    });
  }
});

withOpenssl('OpenSSL rejects each of them with any one member changed', async () => {
  const responses = await Promise.all(
    JSON_ROUTES.map(route => signedResponse(route, 'Pacific/Auckland', 'GET')),
  );
  const forgeries = responses.flatMap(response => {
    const reordered = `${response.route}?sign=true&${response.path.split('?')[1]!.replace('&sign=true', '')}`;
    const changed = [
      { sha256: sha256(` ${response.body}`) },
      { path: response.path.replace('/', '//') },
      { path: reordered },
      { status: response.status + 1 },
      { kid: 'ed25519-2026-04-02' },
      { epochSeconds: 0 },
    ].map(changes => ({
      ...response,
      message: envelopeOf(response, changes),
      what: JSON.stringify(changes),
    }));
    const underAnotherKey = {
      ...response,
      x: sampleKey(3).x,
      what: "an old key's signature under a new key",
    };
    return [...changed, underAnotherKey];
  });
  const verdicts = opensslVerdicts(forgeries);
  expect(forgeries.filter((_, index) => verdicts[index]).map(({ what }) => what)).toEqual([]);
  // Unchanged envelopes are accepted, so that each rejection is due to the change.
  expect(
    opensslVerdicts(responses.map(response => ({ ...response, message: envelopeOf(response, {}) }))),
  ).toEqual(responses.map(() => true));
});
