import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { readAddress } from '../../src/places/ip_address.ts';
import { parseOwnNetworks } from '../../src/places/own_networks.ts';

const isZoneName = (name: string) => /^[A-Z][a-z]+\/[A-Z][A-Za-z_]+$/.test(name);
const zonesOf = (text: string) => parseOwnNetworks(text, isZoneName);

test('the smallest network that contains an address is used', () => {
  const zones = zonesOf(`# our offices
10.0.0.0/8, Europe/Berlin
10.1.0.0/16,America/New_York   # the branch
10.1.2.3,Asia/Tokyo

fd00:17::/32\t,\tAsia/Kolkata
`);
  const zoneOf = (address: string) => zones.zoneNameOf(readAddress(address)!);
  expect(zoneOf('10.200.0.1')).toBe('Europe/Berlin');
  expect(zoneOf('10.1.0.1')).toBe('America/New_York');
  expect(zoneOf('10.1.2.3')).toBe('Asia/Tokyo');
  expect(zoneOf('::ffff:10.1.2.3')).toBe('Asia/Tokyo');
  expect(zoneOf('fd00:17:ffff::1')).toBe('Asia/Kolkata');
  expect(zoneOf('11.0.0.0')).toBeUndefined();
  expect(zoneOf('fd00:18::')).toBeUndefined();
});

test('::/0 contains IPv6 addresses only', () => {
  const zones = zonesOf('::/0,Asia/Tokyo');
  expect(zones.zoneNameOf(readAddress('2001:db8::1')!)).toBe('Asia/Tokyo');
  expect(zones.zoneNameOf(readAddress('8.8.8.8')!)).toBeUndefined();
});

test('a byte order mark and CR LF line ends are accepted', () => {
  const zones = zonesOf('\uFEFF10.0.0.0/8,Europe/Berlin\r\n\r\n11.0.0.0/8,Asia/Tokyo\r\n');
  expect(zones.zoneNameOf(readAddress('10.0.0.1')!)).toBe('Europe/Berlin');
  expect(zones.zoneNameOf(readAddress('11.0.0.1')!)).toBe('Asia/Tokyo');
});

test('the error for an invalid line has its number', () => {
  for (const [line, advice] of [
    ['10.0.0.0/8', 'is not a network and a zone'],
    ['10.0.0.0/8,Europe/Berlin,x', 'is not a network and a zone'],
    ['10.0.0.0/8,Mars', "'Mars' is not a time zone"],
    ['10.0.0.0/8,', "'' is not a time zone"],
    [',Europe/Berlin', "'' is not a network"],
    ['10.0.0.0/40,Europe/Berlin', 'prefix length'],
    ['10.0.0.1/8,Europe/Berlin', 'bits set beyond'],
    ['12.0.0.0/8,Europe/Paris', 'is already on line 1'],
  ] as const) {
    const file = `12.0.0.0/8,Europe/Berlin\n# comment\n\n${line}\n13.0.0.0/8,nonsense`;
    expect(() => zonesOf(file)).toThrow(/^line 4: /);
    expect(() => zonesOf(file)).toThrow(advice);
  }
});

test('100,000 scattered networks take less than 40 MB', () => {
  const bytes = new Uint16Array(8);
  const randomAddress = () => [...crypto.getRandomValues(bytes)].map(group => group.toString(16)).join(':');
  const text = Array.from({ length: 100_000 }, () => `${randomAddress()},Asia/Tokyo`).join('\n');
  const usedBytes = () => {
    Bun.gc(true);
    const { heapSize, extraMemorySize } = heapStats();
    return heapSize + extraMemorySize;
  };
  const before = usedBytes();
  const zones = zonesOf(text);
  expect(usedBytes() - before).toBeLessThan(40e6);
  expect(zones.zoneNameOf(readAddress(text.slice(0, text.indexOf(',')))!)).toBe('Asia/Tokyo');
});
