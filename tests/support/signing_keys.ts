import { publicKeyOf, validateKeyPair } from '../../src/signing/signing_key.ts';

/** A 32-byte seed that is the same on every run and different for each `number`. */
export function sampleSeed(number: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => (number * 31 + index * 7) & 0xff);
}

/** A signing key created from `sampleSeed(number)`. */
export function sampleKey(number: number, kid = 'ed25519-2026-07-19') {
  const seed = sampleSeed(number);
  return validateKeyPair({
    kid,
    sequence: number,
    createdMs: Date.UTC(2026, 6, 19),
    x: publicKeyOf(seed),
    d: Buffer.from(seed).toString('base64url'),
  });
}
