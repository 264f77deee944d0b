import { describe, expect, test } from 'bun:test';
import { isIPv4, isIPv6 } from 'node:net';
import { parseAddress, readAddress } from '../../src/places/ip_address.ts';
import ipv4Suite from '../fixtures/ip_addresses/ipv4.json' with { type: 'json' };
import ipv6Suite from '../fixtures/ip_addresses/ipv6.json' with { type: 'json' };
import { fc } from '../support/property.ts';

describe('the JSON-Schema-Test-Suite agrees', () => {
  for (const [version, suite] of [
    [4, ipv4Suite],
    [6, ipv6Suite],
  ] as const) {
    for (const { data, description, valid } of suite.flatMap(({ tests }) => tests)) {
      if (typeof data !== 'string') continue;
      test(`IPv${version}: ${description}: ${data}`, () => {
        const isOfVersion = data.includes(':') === (version === 6);
        expect(isOfVersion && readAddress(data) !== undefined).toBe(valid);
      });
    }
  }
});

test('the same texts are addresses as in Node, except for those with zone ids', () => {
  const likely = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefABCDEF', ':', '::', '.', '%', '/', '[', ' '),
    maxLength: 24,
  });
  const octets = fc.array(fc.integer({ min: 0, max: 299 }), { minLength: 3, maxLength: 5 });
  const texts = fc.oneof(
    likely,
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4Extended(),
    octets.map(numbers => numbers.join('.')),
  );
  fc.assert(
    fc.property(texts, text => {
      const isAddress = isIPv4(text) || (isIPv6(text) && !text.includes('%'));
      expect(readAddress(text) !== undefined).toBe(isAddress);
    }),
    { numRuns: 5_000 },
  );
});

test('an IPv6 address is written as in RFC 5952 and the URL standard', () => {
  const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, numbers => {
      const written = numbers.map(number => number.toString(16)).join(':');
      const address = readAddress(written)!;
      if (address.version === 4) return;
      expect(address.text).toBe(new URL(`http://[${written}]/`).hostname.slice(1, -1));
      expect(readAddress(address.text)).toEqual(address);
    }),
    { numRuns: 2_000 },
  );
});

test('every spelling of an address is parsed to the same value', () => {
  for (const spellings of [
    ['8.8.8.8', '::ffff:8.8.8.8', '::FFFF:808:808', '0:0:0:0:0:ffff:0808:0808', '0::ffff:8.8.8.8'],
    ['2001:db8::1', '2001:DB8::1', '2001:0db8:0:0:0:0:0:1', '2001:db8:0:0::0.0.0.1', '2001:db8::0:1'],
    ['::', '0:0:0:0:0:0:0:0', '0::', '::0', '::0.0.0.0'],
  ]) {
    for (const spelling of spellings) expect(readAddress(spelling)).toEqual(readAddress(spellings[0]!)!);
  }
});

test('an IPv4-compatible address is not the IPv4 address', () => {
  expect(readAddress('::8.8.8.8')).toMatchObject({ version: 6, text: '::808:808' });
});

test('the error says what is wrong with a text', () => {
  for (const [text, advice] of [
    ['010.0.0.1', 'leading zero'],
    ['fe80::1%eth0', "leave out '%eth0'"],
    ['10.0.0.0/8', 'is a network'],
    ['[::1]', 'without brackets'],
    ['8.8.8.8:53', 'port'],
    ['1.2.3.4.5', 'is not an IPv4 or IPv6 address'],
    ['0x8.8.8.8', 'is not an IPv4 or IPv6 address'],
    ['8.8.8.8\n', 'is not an IPv4 or IPv6 address'],
    [' 8.8.8.8', 'is not an IPv4 or IPv6 address'],
    ['٨.8.8.8', 'is not an IPv4 or IPv6 address'],
    ['1::2::3', 'is not an IPv4 or IPv6 address'],
  ] as const) {
    expect(() => parseAddress(text, 'source_ip')).toThrow(advice);
    expect(() => parseAddress(text, 'source_ip')).toThrow("Cannot read 'source_ip'");
  }
});

test('a text of any length is rejected quickly', () => {
  for (const text of [':'.repeat(1e6), '1.'.repeat(1e6), 'f'.repeat(1e6), '::1%'.repeat(1e6)]) {
    expect(readAddress(text)).toBeUndefined();
    expect(() => parseAddress(text, 'ip')).toThrow();
  }
});

test('a `::` that replaces no group is rejected', () => {
  expect(readAddress('1:2:3:4::5:6:7:8')).toBeUndefined();
  expect(readAddress('1:2:3:4:5:6:7::')?.text).toBe('1:2:3:4:5:6:7:0');
});
