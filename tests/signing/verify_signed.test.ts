import { expect, test } from 'bun:test';
import { publicKeySet } from '../../src/signing/key_set.ts';
import { signResponse, writeEnvelope } from '../../src/signing/signed_response.ts';
import { type ReceivedResponse, verifySigned } from '../../src/signing/verify_signed.ts';
import { sampleKey } from '../support/signing_keys.ts';

const key = sampleKey(1);
const keySet = publicKeySet([key]);
const path = '/v1/time/current?tz=Europe%2FParis&sign=true';
const body = new TextEncoder().encode('{"unix":1776274247}');
const signature = signResponse(key, { status: 200, method: 'GET', path, body }, 1776274247);

const headersOf = (headers: Record<string, string>) => (name: string) => new Headers(headers).get(name);
const received: ReceivedResponse = {
  header: headersOf({ ...signature }),
  body,
  status: 200,
  method: 'GET',
  path,
};

/** The failed checks of a response with these changes. */
function failures(changes: Partial<ReceivedResponse>, keys: unknown = keySet): string[] {
  const { holds, checks } = verifySigned({ ...received, ...changes }, keys);
  const failed = checks.filter(check => !check.holds).map(({ what }) => what);
  expect(holds).toBe(failed.length === 0);
  return failed;
}

/** The same with changed headers. */
const withHeaders = (changes: Record<string, string>): string[] =>
  failures({ header: headersOf({ ...signature, ...changes }) });

test('a signed response verifies, and all checks are listed', () => {
  const { holds, checks, envelope } = verifySigned(received, keySet);
  expect(holds).toBe(true);
  expect(checks.map(({ what }) => what)).toEqual([
    ...['key', 'signature', 'algorithm', 'key header', 'timestamp header', 'hash header', 'body', 'status'],
    ...['method', 'path'],
  ]);
  expect(envelope?.path).toBe(path);
});

test('a changed byte anywhere in the body is detected', () => {
  for (let at = 0; at < body.length; at++) {
    const changed = Uint8Array.from(body);
    changed[at]! ^= 1;
    expect(failures({ body: changed })).toEqual(['body']);
  }
  expect(failures({ body: body.subarray(1) })).toEqual(['body']);
});

test('another path, query order, status or method is detected', () => {
  expect(failures({ path: path.replace('current', 'dst') })).toEqual(['path']);
  expect(failures({ path: '/v1/time/current?sign=true&tz=Europe%2FParis' })).toEqual(['path']);
  expect(failures({ status: 201 })).toEqual(['status']);
  expect(failures({ method: 'HEAD' })).toEqual(['method']);
});

test('an envelope changed in transit does not verify', () => {
  const envelope = {
    status: 200,
    method: 'GET',
    path,
    epochSeconds: 1776274247,
    sha256: signature['X-Service-Content-SHA256'],
    kid: key.kid,
  };
  const forge = (changes: object): string[] => {
    const input = Buffer.from(writeEnvelope({ ...envelope, ...changes })).toString('base64url');
    return withHeaders({ 'X-Service-Signature-Input': input });
  };
  expect(forge({})).toEqual([]);
  expect(forge({ status: 404 })).toEqual(['signature', 'status']);
  expect(forge({ path: '/v1/time/current?sign=true&tz=Europe%2FParis' })).toEqual(['signature', 'path']);
  expect(forge({ epochSeconds: 1776274248 })).toEqual(['signature', 'timestamp header']);
  expect(forge({ kid: 'ed25519-2026-07-20' })).toEqual(['key', 'signature', 'key header']);
});

test('a header that contradicts the envelope is detected', () => {
  expect(withHeaders({ 'X-Service-Key-Id': 'ed25519-2026-07-20' })).toEqual(['key header']);
  expect(withHeaders({ 'X-Service-Signature-Alg': 'none' })).toEqual(['algorithm']);
  expect(withHeaders({ 'X-Service-Signature-Timestamp': '1776274248' })).toEqual(['timestamp header']);
  expect(withHeaders({ 'X-Service-Content-SHA256': 'AAAA' })).toEqual(['hash header']);
  expect(withHeaders({ 'X-Service-Signature-Input': 'e30' })).toEqual(['envelope']);
  expect(withHeaders({ 'X-Service-Signature-Input': '****' })).toEqual(['envelope']);
});

test('a missing header is named', () => {
  for (const name of Object.keys(signature)) {
    const rest = new Headers({ ...signature });
    rest.delete(name);
    const { holds, checks } = verifySigned({ ...received, header: each => rest.get(each) }, keySet);
    expect([holds, checks]).toEqual([false, [{ what: 'headers', holds: false, found: `without ${name}` }]]);
  }
});

test("an old key's signature does not verify under a new key of the same name", () => {
  expect(failures({}, publicKeySet([sampleKey(2)]))).toEqual(['signature']);
});

test('a response from before a rotation verifies while its key is published', () => {
  const younger = sampleKey(2, 'ed25519-2026-10-17');
  expect(failures({}, publicKeySet([younger, key]))).toEqual([]);
  expect(failures({}, publicKeySet([younger]))).toEqual(['key', 'signature']);
});

test('keys of other types in a key set are skipped, and anything else has no keys', () => {
  const other = { kty: 'RSA', kid: key.kid, n: 'AQAB', e: 'AQAB' };
  expect(failures({}, { keys: [null, 7, other, ...keySet.keys] })).toEqual([]);
  for (const keys of [null, [], {}, { keys: {} }, { keys: [other] }, 'keys']) {
    expect(failures({}, keys)).toEqual(['key', 'signature']);
  }
});

test('a response without a body verifies for HEAD only', () => {
  expect(failures({ body: undefined })).toEqual(['body']);
  const head = signResponse(key, { status: 200, method: 'HEAD', path, body }, 1776274247);
  expect(failures({ header: headersOf({ ...head }), body: undefined, method: 'HEAD' })).toEqual([]);
});
