import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { Route } from '../../src/api/route.ts';
import { createApp } from '../../src/server/app.ts';
import { readEnvelope, writeEnvelope } from '../../src/signing/envelope.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { holdAgainstDescription, JSON_ROUTES, parsed, testServer } from '../http/service.ts';
import { expectNoDifferences, runs } from '../proof.ts';
import { hasOpenssl, type OpensslCase, opensslVerdicts } from './openssl.ts';
import { sampleKey } from './sample_keys.ts';

const ANSWERS = runs(200, 1000);

const key = sampleKey(2, 'ed25519-2026-04-01');
const services = testServer({ signing: fixedKeys([key]) });
const app = createApp(services);
const ZONES = services.snapshot().zones.names();

/** A query that succeeds for routes with a zone; of others the first example is taken. */
const QUESTIONS: Readonly<Record<string, string>> = {
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

/** What the service signs for a route, a zone and a method. */
async function signedAnswer({ path: route, examples }: Route, zone: string, method: string): Promise<Signed> {
  const query = QUESTIONS[route] ?? examples[0]!.query;
  const request = new Request(`http://localhost${route}?${query.replace('ZONE', zone)}&sign=true`, {
    method,
  });
  const path = request.url.slice('http://localhost'.length);
  const response = await app.handle(request);
  const { status, headers } = response;
  const body = await response.text();
  await holdAgainstDescription(path, { status, headers, body: parsed(body, headers) });
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

function manyAnswers(): Promise<Signed[]> {
  return Promise.all(
    Array.from({ length: ANSWERS }, (_, index) => {
      const route = JSON_ROUTES[index % JSON_ROUTES.length]!;
      // Every fifth round names a zone that does not exist, whose response is an error.
      const zone =
        Math.floor(index / JSON_ROUTES.length) % 5 === 4 ? 'Mars/Olympus' : ZONES[index % ZONES.length]!;
      return signedAnswer(route, zone, index % 7 === 6 ? 'HEAD' : 'GET');
    }),
  );
}

/** The envelope of a response with some changes. */
function envelopeOf({ message }: Signed, changes: object): Uint8Array {
  return Buffer.from(writeEnvelope({ ...readEnvelope(message)!, ...changes }));
}

const sha256 = (body: string): string => createHash('sha256').update(body).digest('base64');

test.skipIf(!hasOpenssl)(
  `OpenSSL accepts ${ANSWERS} signed responses of all routes (requires OpenSSL 3)`,
  async () => {
    const answers = await manyAnswers();
    const succeeded = new Set(answers.filter(({ status }) => status === 200).map(({ route }) => route));
    expect([...succeeded].sort()).toEqual(JSON_ROUTES.map(({ path }) => path).sort());
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThan(ANSWERS / 20);
    const verdicts = opensslVerdicts(answers);
    const rejected = answers.filter((_, index) => !verdicts[index]).map(({ path }) => path);
    expectNoDifferences('signatures verified by OpenSSL', answers.length, rejected, 1000);
    // What OpenSSL accepted is what was requested and sent.
    for (const answer of answers) {
      const { status, path, sha256: signed } = readEnvelope(answer.message)!;
      expect({ status, path, signed }).toEqual({
        status: answer.status,
        path: answer.path,
        signed: sha256(answer.body),
      });
    }
  },
  60_000,
);

test.skipIf(!hasOpenssl)(
  'OpenSSL rejects each of them with a single thing changed (requires OpenSSL 3)',
  async () => {
    const answers = await Promise.all(
      JSON_ROUTES.map(route => signedAnswer(route, 'Pacific/Auckland', 'GET')),
    );
    const forgeries = answers.flatMap(answer => {
      const reordered = `${answer.route}?sign=true&${answer.path.split('?')[1]!.replace('&sign=true', '')}`;
      const changed = [
        { sha256: sha256(` ${answer.body}`) },
        { path: answer.path.replace('/', '//') },
        { path: reordered },
        { status: answer.status + 1 },
        { kid: 'ed25519-2026-04-02' },
        { epochSeconds: 0 },
      ].map(changes => ({ ...answer, message: envelopeOf(answer, changes), what: JSON.stringify(changes) }));
      const underAnotherKey = {
        ...answer,
        x: sampleKey(3).x,
        what: "an old key's signature under a new key",
      };
      return [...changed, underAnotherKey];
    });
    const verdicts = opensslVerdicts(forgeries);
    expect(forgeries.filter((_, index) => verdicts[index]).map(({ what }) => what)).toEqual([]);
    // The envelopes that were not changed are accepted: what was rejected was the change.
    expect(opensslVerdicts(answers.map(answer => ({ ...answer, message: envelopeOf(answer, {}) })))).toEqual(
      answers.map(() => true),
    );
  },
);
