import { expect, test } from 'bun:test';
import { verifySignature } from '../../src/signing/verify_signature.ts';
import rfc8032 from '../fixtures/ed25519/rfc8032.json';
import wycheproof from '../fixtures/ed25519/wycheproof-ed25519.json';

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
