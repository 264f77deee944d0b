import { expect, test } from 'bun:test';
import { publicKeySet } from '../../src/signing/key_set.ts';
import { parseMinisignKey, verifyMinisign } from '../../src/signing/minisign.ts';
import { signResponse, writeEnvelope } from '../../src/signing/signed_response.ts';
import { verifySignature } from '../../src/signing/verify_signature.ts';
import { type ReceivedResponse, verifySigned } from '../../src/signing/verify_signed.ts';
import rfc8032 from '../fixtures/ed25519/rfc8032.json';
import wycheproof from '../fixtures/ed25519/wycheproof-ed25519.json';
import { sampleKey } from '../support/signing_keys.ts';

/** Made by minisign 0.11: `minisign -G -W`, `minisign -S -t 'meridian 1.0.0'`; the secret keys are deleted. */
const PUBLIC_KEY = `untrusted comment: minisign public key 63C534D7380C935B
RWRbkww41zTFYw6YsIRQRoQfNkGniunuiIyQbi6+slQevyI73teBtFu1
`;
const OTHER_KEY = 'RWQ0XndNePcnWP5wi2xNKbjaDAdvyCgwlEF/0mVEvsNLxSPb+eWW89az';
const MESSAGE = Buffer.from('abc  meridian.tar.xz\n');
const SIGNATURE = `untrusted comment: signature from minisign secret key
RURbkww41zTFYwa4Twkf+D6yDORuw4k5g6mxWwJ0rLq1RJKFUssi4hH73eXFdsUC6t5RabV+AORIRXZAGNSp5Cv4czOKEjVCxwI=
trusted comment: meridian 1.0.0
3VixuP2AUDaNFKVPcqff/huhHw0WA8C1BLTA3t0mtoJ6YKb89h+Ip8hgFhDVOvnbqvNoKpC4viWxuCIdPV4FAQ==
`;
const KEY = parseMinisignKey(PUBLIC_KEY);

test('a minisign signature is verified, and its trusted comment returned', () => {
  expect(verifyMinisign(MESSAGE, SIGNATURE, KEY)).toBe('meridian 1.0.0');
  expect(verifyMinisign(MESSAGE, SIGNATURE.replaceAll('\n', '\r\n'), KEY)).toBe('meridian 1.0.0');
});

test('another message, key, comment or format is rejected with the failed check', () => {
  const rejected = (message: Uint8Array, signature: string, key = KEY) =>
    expect(() => verifyMinisign(message, signature, key)).toThrow();
  rejected(Buffer.from('abd  meridian.tar.xz\n'), SIGNATURE);
  expect(() => verifyMinisign(MESSAGE, SIGNATURE, parseMinisignKey(OTHER_KEY))).toThrow('another key');
  expect(() => verifyMinisign(MESSAGE, SIGNATURE.replace('1.0.0', '1.0.1'), KEY)).toThrow('trusted comment');
  const lines = SIGNATURE.split('\n');
  for (const index of [0, 1, 2, 3]) rejected(MESSAGE, lines.filter((_, at) => at !== index).join('\n'));
  rejected(MESSAGE, '');
});

test('each flipped bit of a signature is rejected', () => {
  const [untrusted, signed = '', trusted, global = ''] = SIGNATURE.split('\n');
  const flipped = (base64: string, bit: number) => {
    const bytes = Buffer.from(base64, 'base64');
    bytes[bit >> 3]! ^= 1 << (bit & 7); // within its length
    return bytes.toString('base64');
  };
  for (let bit = 0; bit < 74 * 8; bit += 5) {
    const changed = [untrusted, flipped(signed, bit), trusted, global].join('\n');
    expect(() => verifyMinisign(MESSAGE, changed, KEY)).toThrow();
  }
  for (let bit = 0; bit < 64 * 8; bit += 5) {
    const changed = [untrusted, signed, trusted, flipped(global, bit)].join('\n');
    expect(() => verifyMinisign(MESSAGE, changed, KEY)).toThrow();
  }
});

test('anything that is not a minisign public key is rejected', () => {
  for (const text of ['', 'untrusted comment: x', PUBLIC_KEY.slice(0, -3), `${PUBLIC_KEY}AAAA`])
    expect(() => parseMinisignKey(text)).toThrow('expected a minisign public key');
});

/** Verifies a hexadecimal case with the function used by `verifySigned`, including header encodings. */
function verifies(publicKey: string, message: string, signature: string): boolean {
  const [x, input, given] = [publicKey, message, signature].map(hex => Buffer.from(hex, 'hex'));
  return verifySignature(input!.toString('base64url'), given!.toString('base64'), x!.toString('base64url'));
}

test('the five signatures of RFC 8032 verify, and with any byte changed do not', () => {
  for (const { name, publicKey, message, signature } of rfc8032) {
    expect([name, verifies(publicKey, message, signature)]).toEqual([name, true]);
    for (let at = 0; at < 64; at += 7) {
      const forged = Buffer.from(signature, 'hex');
      forged[at]! ^= 1;
      expect([name, at, verifies(publicKey, message, forged.toString('hex'))]).toEqual([name, at, false]);
    }
    expect([name, verifies(publicKey, `${message}00`, signature)]).toEqual([name, false]);
  }
});

test('all 151 Wycheproof cases get their expected verdict', () => {
  const cases = wycheproof.testGroups.flatMap(({ publicKey, tests }) =>
    tests.map(one => ({ ...one, publicKey: publicKey.pk })),
  );
  expect(cases.length).toBe(151);
  const wrong = cases.filter(one => verifies(one.publicKey, one.msg, one.sig) !== (one.result === 'valid'));
  expect(wrong.map(({ tcId, comment }) => `${tcId} ${comment}`)).toEqual([]);
});

test('a header that is not in its one canonical encoding does not verify', () => {
  const { publicKey, message, signature } = rfc8032[2]!;
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const input = Buffer.from(message, 'hex').toString('base64url'); // r4I
  const given = Buffer.from(signature, 'hex').toString('base64');
  expect(verifySignature(input, given, x)).toBe(true);
  for (const [otherInput, otherGiven, otherX] of [
    [`${input}=`, given, x],
    ['r4J', given, x], // the same two bytes to a lenient decoder
    [` ${input}`, given, x],
    [input, given.replaceAll('=', ''), x],
    [input, given.replaceAll('+', '-').replaceAll('/', '_'), x],
    [input, `${given}\n`, x],
    [input, `${given}, ${given}`, x],
    [input, given, `${x}=`],
    [input, given, ''],
    [input, '', x],
  ] as const) {
    expect([otherInput, otherGiven, otherX, verifySignature(otherInput, otherGiven, otherX)]).toEqual([
      otherInput,
      otherGiven,
      otherX,
      false,
    ]);
  }
});

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
