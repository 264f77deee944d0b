import { expect, test } from 'bun:test';
import { parseMinisignKey, verifyMinisign } from '../../src/signing/minisign.ts';

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
