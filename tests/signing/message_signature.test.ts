import { describe, expect, test } from 'bun:test';
import { createHash, createPublicKey } from 'node:crypto';
import { createVerifier, httpbis, type Request as SignedRequest } from 'http-message-signatures';
import type { Route } from '../../src/api/route.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys, type PublicKeySet, publicKeySet } from '../../src/signing/key_set.ts';
import { verifySigned } from '../../src/signing/verify_signed.ts';
import { expectNoDifferences, runs } from '../support/proof.ts';
import { JSON_ROUTES, NOW_MS, parsed, testServer, validateResponse } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const key = sampleKey(2, 'ed25519-2026-04-01');
const server = testServer({
  signing: fixedKeys([key, sampleKey(1, 'ed25519-2026-01-01')]),
  hostClock: () => ({ isSynchronized: true, maxErrorSeconds: 0.0114 }),
});
const app = createApp(server);
/** The public key as published by the service. */
const published = await app.handle(new Request('http://localhost/.well-known/time-api-public-key'));
const KEY_SET = (await published.json()) as PublicKeySet;
const ZONES = server.snapshot().zones.names();

const RESPONSES = runs(200, 1000);
/** Our own verification takes 10 ms each. */
const OUR_TURNS = 13;

/** A response in the library's form, with its body and request. */
interface Received {
  readonly request: SignedRequest;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function receive(path: string, method = 'GET'): Promise<Received> {
  const request = new Request(`http://localhost${path}`, { method });
  const response = await app.handle(request);
  const { status, headers } = response;
  const text = await response.text();
  await validateResponse(path, { status, headers, body: parsed(text, headers) });
  const body = method === 'HEAD' ? '' : text; // the app returns the body of GET, which the server does not send
  return { request: { method, url: request.url, headers: {} }, status, headers: headers.toJSON(), body };
}

/** Whether the independent library accepts the signature, with a key from the service's published key set. */
async function isAccepted({ request, status, headers }: Received, keySet = KEY_SET): Promise<boolean> {
  const keyLookup = async ({ keyid }: { keyid?: string }) => {
    const jwk = keySet.keys.find(({ kid }) => kid === keyid);
    if (jwk === undefined) return null;
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk.x }, format: 'jwk' });
    return { id: jwk.kid, algs: ['ed25519'], verify: createVerifier(publicKey, 'ed25519') };
  };
  try {
    const config = { keyLookup, notAfter: new Date(NOW_MS), requiredParams: ['created', 'keyid', 'alg'] };
    return (await httpbis.verifyMessage(config, { status, headers: { ...headers } }, request)) === true;
  } catch {
    return false; // a covered component is absent
  }
}

/** Our own verification of the response. */
function verificationOf({ request, status, headers, body }: Received) {
  const { method } = request;
  const { pathname, search } = new URL(request.url);
  const response = {
    header: (name: string) => headers[name.toLowerCase()] ?? null,
    body: method === 'HEAD' ? undefined : new TextEncoder().encode(body),
    status,
    method,
    path: pathname + search,
  };
  return verifySigned(response, KEY_SET);
}

/** Whether it accepts the response as a whole. */
function isVerified(received: Received): boolean {
  const { holds, hasMessageSignature } = verificationOf(received);
  return holds && hasMessageSignature;
}

function digestOf(body: string): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** A different header value: changes the first letter or digit of its second half. */
function altered(value: string): string {
  const middle = Math.floor(value.length / 2);
  const rest = value.slice(middle).replace(/[A-Za-z0-9]/, digit => (digit === 'A' ? 'B' : 'A'));
  return value.slice(0, middle) + rest;
}

const COVERED = [
  ...['content-digest', 'x-service-data', 'x-service-data-digest', 'x-service-clock', 'x-request-id'],
  ...['signature-input', 'signature'],
];

/** The response with each covered component changed, and without each header. */
function forgeries({ request, status, headers, body }: Received): Readonly<Record<string, Received>> {
  const received = { request, status, headers, body };
  const url = (change: (url: URL) => void) => {
    const changed = new URL(request.url);
    change(changed);
    return { ...received, request: { ...request, url: changed.href } };
  };
  const withHeaders = COVERED.flatMap(name => [
    [`another ${name}`, { ...received, headers: { ...headers, [name]: altered(headers[name]!) } }],
    [`no ${name}`, { ...received, headers: { ...headers, [name]: undefined as unknown as string } }],
  ]);
  return {
    'another status': { ...received, status: status + 1 },
    'another method': { ...received, request: { ...request, method: 'POST' } },
    'another path': url(changed => {
      changed.pathname += 's';
    }),
    'another query': url(changed => {
      changed.search += '&week=true';
    }),
    ...Object.fromEntries(withHeaders),
  };
}

function queryOf({ examples }: Route, index: number): string {
  const { query } = examples[index % examples.length]!;
  return `${query}${query === '' ? '' : '&'}sign=true&signature=rfc9421&nonce=${index}`;
}

test('an altered body is shown by its digest, and the signed one by the header', async () => {
  const received = await receive('/v1/time/current?tz=Asia/Tokyo&sign=true&signature=rfc9421');
  const body = received.body.replace('"unix":1', '"unix":2');
  const failed = verificationOf({ ...received, body }).checks.filter(({ holds }) => !holds);
  const base64 = (text: string) => text.slice('sha-256=:'.length, -1);
  const [ofBody, signed] = [digestOf(body), received.headers['content-digest']!];
  expect(failed.map(({ what, found }) => `${what} ${found}`)).toEqual([
    `body '${base64(ofBody)}', signed '${base64(signed)}'`,
    `content digest '${ofBody}', signed '${signed}'`,
  ]);
});

test(`http-message-signatures accepts ${RESPONSES} responses and rejects each changed component`, async () => {
  const differences: string[] = [];
  let comparisons = 0;
  for (let index = 0; index < RESPONSES; index++) {
    const route = JSON_ROUTES[index % JSON_ROUTES.length]!;
    const zone = encodeURIComponent(ZONES[(index * 37) % ZONES.length]!);
    const query = queryOf(route, Math.floor(index / JSON_ROUTES.length)).replace(
      'tz=Asia/Tokyo',
      `tz=${zone}`,
    );
    const path = `${route.path}?${query}`;
    const received = await receive(path, index % 5 === 4 ? 'HEAD' : 'GET');
    comparisons += 1;
    if (!(await isAccepted(received))) differences.push(`${path}: rejected`);
    const isOurTurn = index % OUR_TURNS === 0;
    if (isOurTurn && !isVerified(received)) differences.push(`${path}: not verified by us`);
    if (received.headers['content-digest'] !== digestOf(received.body)) differences.push(`${path}: digest`);
    for (const [what, forgery] of Object.entries(forgeries(received))) {
      comparisons += 1;
      if (await isAccepted(forgery)) differences.push(`${path}: ${what} accepted`);
      if (isOurTurn && isVerified(forgery)) differences.push(`${path}: ${what} verified by us`);
    }
  }
  expectNoDifferences(
    'RFC 9421 signatures against http-message-signatures',
    comparisons,
    differences,
    18_000,
  );
});

test('errors are signed as well, and only with the key published under that name', async () => {
  for (const path of ['/v1/time/current?tz=Mars', '/v1/nothing?x=1']) {
    const received = await receive(`${path}&sign=true&signature=rfc9421`);
    expect(received.status).toBeGreaterThanOrEqual(400);
    expect([path, await isAccepted(received), isVerified(received)]).toEqual([path, true, true]);
    const others = publicKeySet([{ ...key, x: sampleKey(3).x }]);
    expect(await isAccepted(received, others)).toBe(false);
  }
});

test('the published keys are the signing keys', () => {
  expect(KEY_SET.keys.map(({ kid, x }) => [kid, x])).toEqual([
    ['ed25519-2026-04-01', key.x],
    ['ed25519-2026-01-01', sampleKey(1).x],
  ]);
});

describe('the parameters of a signature', () => {
  test('match the envelope', async () => {
    const { headers } = await receive('/v1/time/current?sign=true&signature=rfc9421');
    expect(headers['signature-input']).toBe(
      'meridian=("@status" "@method";req "@path";req "@query";req "content-digest" "x-service-data" ' +
        '"x-service-data-digest" "x-service-clock" "x-request-id")' +
        `;created=${Math.floor(NOW_MS / 1000)};keyid="ed25519-2026-04-01";alg="ed25519"`,
    );
    expect(headers['x-service-signature-timestamp']).toBe(String(Math.floor(NOW_MS / 1000)));
  });

  test('are verified alongside third-party signatures', async () => {
    const received = await receive('/v1/time/current?sign=true&signature=rfc9421');
    const { headers } = received;
    const proxied = {
      ...received,
      headers: {
        ...headers,
        'signature-input': `cdn=("@status");created=1, ${headers['signature-input']}`,
        signature: `cdn=:AAAA:, ${headers['signature']}`,
      },
    };
    expect(isVerified(proxied)).toBe(true);
  });
});

test('a requested signature that was removed is reported, although the envelope verifies', async () => {
  const received = await receive('/v1/time/current?sign=true&signature=rfc9421');
  const headers = Object.fromEntries(
    Object.entries(received.headers).filter(([name]) => !/^(signature|content-digest)/.test(name)),
  );
  expect(isVerified({ ...received, headers })).toBe(false);
});
