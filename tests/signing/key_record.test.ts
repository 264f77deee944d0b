import { expect, test } from 'bun:test';
import {
  type KeyRecord,
  publicKeyOf,
  readKeyRecord,
  validateKey,
  writeKeyRecord,
} from '../../src/signing/signing_key.ts';
import { sampleSeed } from '../support/signing_keys.ts';

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const record: KeyRecord = {
  kid: 'ed25519-2026-07-19',
  sequence: 3,
  createdMs: Date.UTC(2026, 6, 19, 8, 30),
  x: publicKeyOf(sampleSeed(1)),
  d: base64url(sampleSeed(1)),
};

test('a key file is a JWK that any library can read, and round-trips', async () => {
  const jwk = JSON.parse(writeKeyRecord(record));
  const imported = await crypto.subtle.importKey('jwk', { ...jwk, ext: true }, 'Ed25519', false, ['sign']);
  expect(imported.type).toBe('private');
  expect(readKeyRecord(writeKeyRecord(record))).toEqual(record);
});

test("a retired key's file has no private key", () => {
  const retired = { ...record, d: undefined };
  expect(JSON.parse(writeKeyRecord(retired))).not.toHaveProperty('d');
  expect(readKeyRecord(writeKeyRecord(retired))).toEqual(retired);
});

test('invalid text is rejected with the reason', () => {
  const text = writeKeyRecord(record);
  const change = (changes: object): string => JSON.stringify({ ...JSON.parse(text), ...changes });
  const reasons: [string, string][] = [
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['\0'.repeat(300), 'it is not JSON'],
    [text.slice(0, -20), 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    [change({ kty: 'EC' }), "its 'kty' is missing or malformed"],
    [change({ crv: 'Ed448' }), "its 'crv' is missing or malformed"],
    [change({ kid: '../../etc/passwd' }), "its 'kid' is malformed"],
    [change({ x: `${record.x}=` }), "its 'x' is missing or malformed"],
    [change({ x: `${record.x.slice(0, 42)}B` }), "its 'x' is missing or malformed"],
    [change({ d: '' }), "its 'd' is missing or malformed"],
    [change({ d: null }), "its 'd' is missing or malformed"],
    [change({ sequence: 0 }), "its 'sequence' is missing or malformed"],
    [change({ sequence: undefined }), "its 'sequence' is missing or malformed"],
    [change({ created: 'yesterday' }), "its 'created' is missing or malformed"],
    [change({ created: '2026-13-41T00:00:00.000Z' }), "its 'created' is not a date"],
  ];
  for (const [given, reason] of reasons) expect(() => readKeyRecord(given)).toThrow(new Error(reason));
});

test('a key is validated: mismatched pairs and unusable points are rejected', async () => {
  expect((await validateKey(record)).privateKey?.asymmetricKeyType).toBe('ed25519');
  await expect(validateKey({ ...record, x: publicKeyOf(sampleSeed(2)) })).rejects.toThrow(
    "'x' is not the public key of 'd'",
  );
  const noPoint = Buffer.alloc(32, 0xff);
  const neutralPoint = Buffer.from([1, ...Buffer.alloc(31)]); // order 1: it accepts forgeries
  for (const bytes of [noPoint, neutralPoint]) {
    const retired = { ...record, d: undefined, x: base64url(bytes) };
    await expect(validateKey(retired)).rejects.toThrow("'x' is not an Ed25519 public key");
  }
});
