import { expect, test } from 'bun:test';
import { readEnvelope, writeEnvelope } from '../../src/signing/signed_response.ts';
import { fc } from '../support/property.ts';

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
