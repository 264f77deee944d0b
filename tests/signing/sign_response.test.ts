import { expect, test } from 'bun:test';
import { createHash, sign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { readEnvelope, type SignedResponse, signResponse } from '../../src/signing/signed_response.ts';
import { publicKeyOf, validateKeyPair } from '../../src/signing/signing_key.ts';
import rfc8032 from '../fixtures/ed25519/rfc8032.json';
import { hasOpenssl, opensslVerdicts } from '../support/openssl.ts';
import { fc } from '../support/property.ts';
import { sampleKey, sampleSeed } from '../support/signing_keys.ts';

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

test.skipIf(!hasOpenssl)(
  'OpenSSL accepts a signed response, but not with a byte changed (requires OpenSSL 3)',
  () => {
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
  },
);
