import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { Route } from '../../src/api/route.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { readEnvelope, writeEnvelope } from '../../src/signing/signed_response.ts';
import { hasOpenssl, type OpensslCase, opensslVerdicts } from '../support/openssl.ts';
import { expectNoDifferences, runs } from '../support/proof.ts';
import { JSON_ROUTES, parsed, testServer, validateResponse } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

const RESPONSES = runs(200, 1000);

const key = sampleKey(2, 'ed25519-2026-04-01');
const services = testServer({ signing: fixedKeys([key]) });
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
    x: key.x,
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

test.skipIf(!hasOpenssl)(
  `OpenSSL accepts ${RESPONSES} signed responses of all routes (requires OpenSSL 3)`,
  async () => {
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
  },
);

test.skipIf(!hasOpenssl)(
  'OpenSSL rejects each of them with any one member changed (requires OpenSSL 3)',
  async () => {
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
  },
);
