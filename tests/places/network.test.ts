import { expect, test } from 'bun:test';
import { addressOf, readAddress } from '../../src/places/ip_address.ts';
import { addressClassOf, NetworkMap, parseNetwork } from '../../src/places/network.ts';
import { fc } from '../support/property.ts';

const prefixOf = (bytes: Uint8Array, length: number) =>
  [...bytes]
    .map(byte => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, length);

/** Networks with few distinct first bytes, so that they nest. */
const networks = fc
  .record({
    size: fc.constantFrom(4, 16),
    prefixLength: fc.nat(24),
    first: fc.constantFrom(0, 0x80, 0x20, 0xff),
  })
  .map(({ size, prefixLength, first }) => {
    const bytes = new Uint8Array(size);
    bytes[0] = first;
    for (let bit = prefixLength; bit < 8; bit++) bytes[0]! &= ~(0x80 >> bit);
    return { address: addressOf(bytes), prefixLength };
  });

test('an address has the value of the longest matching prefix', () => {
  const addresses = fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
    networks.map(({ address }) => address.bytes),
  );
  fc.assert(
    fc.property(fc.array(networks, { maxLength: 30 }), fc.array(addresses), (list, lookedUp) => {
      const map = new NetworkMap(list.map((network, index) => [network, index]));
      for (const address of lookedUp.map(addressOf)) {
        let best: number | undefined;
        for (const [index, { address: base, prefixLength }] of list.entries()) {
          const holds =
            base.version === address.version &&
            prefixOf(base.bytes, prefixLength) === prefixOf(address.bytes, prefixLength);
          if (holds && (best === undefined || prefixLength >= list[best]!.prefixLength)) best = index;
        }
        expect(map.get(address)).toBe(best as number);
      }
    }),
  );
});

test('networks are parsed in CIDR notation, and a bare address as a single-address network', () => {
  const read = (text: string) => {
    const { address, prefixLength } = parseNetwork(text);
    return `${address.text}/${prefixLength}`;
  };
  expect(read('10.0.0.0/8')).toBe('10.0.0.0/8');
  expect(read('10.1.2.3')).toBe('10.1.2.3/32');
  expect(read('0.0.0.0/0')).toBe('0.0.0.0/0');
  expect(read('FD00:17::/32')).toBe('fd00:17::/32');
  expect(read('::/0')).toBe('::/0');
  expect(read('::1')).toBe('::1/128');
  expect(read('::ffff:10.0.0.0/104')).toBe('10.0.0.0/8');
});

test('what is not a network is rejected', () => {
  for (const text of [
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.1/8',
    '::/129',
    'fd00::1/64',
    '::ffff:0.0.0.0/95',
    'fe80::%eth0/64',
    '10.0/8',
    'localhost',
  ]) {
    expect(() => parseNetwork(text)).toThrow();
  }
});

test('special addresses have a name for messages, public ones do not', () => {
  const classOf = (text: string) => addressClassOf(readAddress(text)!);
  for (const text of ['10.0.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', '::ffff:10.0.0.1']) {
    expect(classOf(text)).toBe('a private address');
  }
  expect(classOf('127.0.0.1')).toBe('a loopback address');
  expect(classOf('::1')).toBe('the loopback address');
  expect(classOf('255.255.255.255')).toBe('the broadcast address');
  expect(classOf('2001:db8::1')).toBe('a documentation address');
  for (const text of ['8.8.8.8', '172.32.0.1', '2001:4860:4860::8888', '2002:808:808::1']) {
    expect(classOf(text)).toBeUndefined();
  }
});
