import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Boundaries } from '../../src/places/boundaries.ts';
import { type IpAddress, readAddress } from '../../src/places/ip_address.ts';
import { checkIpFile } from '../../src/places/ip_file.ts';
import { firstZoneOf, mmdbZones, placementOf } from '../../src/places/mmdb_zones.ts';
import { NetworkMap, parseNetwork } from '../../src/places/network.ts';

const FIXTURES = `${import.meta.dir}/../fixtures/mmdb`;

/** Returns the coordinates as the name of a zone. */
const places: Pick<Boundaries, 'zoneNameAt'> = {
  zoneNameAt: (latitude, longitude) => `Place/${latitude},${longitude}`,
};

interface SourceRecord {
  readonly location?: {
    readonly time_zone?: string;
    readonly latitude?: number;
    readonly longitude?: number;
  };
}

/** A network in the sources, which write some IPv4 networks as in an IPv6 tree: `::214.0.0.0/120`. */
function networkOf(text: string) {
  const [, address, length] = /^::(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(text) ?? [];
  return parseNetwork(address === undefined ? text : `${address}/${Number(length) - 96}`);
}

describe('MaxMind’s test databases match their sources', () => {
  for (const name of ['GeoIP2-City-Test', 'GeoLite2-City-Test']) {
    test(name, async () => {
      const zones = mmdbZones(
        await checkIpFile(await Bun.file(`${FIXTURES}/test-data/${name}.mmdb`).bytes()),
        () => places,
      );
      const source = JSON.parse(readFileSync(`${FIXTURES}/source-data/${name}.json`, 'utf8')) as Record<
        string,
        SourceRecord
      >[];
      const entries = source.flatMap(entry => Object.entries(entry));
      const networks = new NetworkMap(entries.map(([network, record]) => [networkOf(network), record]));
      let placed = 0;
      for (const [network] of entries) {
        const { address } = networkOf(network);
        const { time_zone, latitude, longitude } = networks.get(address)!.location ?? {};
        const coordinates = latitude === undefined ? undefined : places.zoneNameAt(latitude, longitude!);
        expect(`${network} ${zones.zoneNameOf(address)}`).toBe(`${network} ${time_zone ?? coordinates}`);
        if (time_zone !== undefined) placed++;
      }
      expect(placed).toBeGreaterThan(150);
    });
  }
});

test('an IPv4-mapped address is found like the IPv4 address, but not an IPv4-compatible one', async () => {
  const zones = mmdbZones(
    await checkIpFile(await Bun.file(`${FIXTURES}/test-data/GeoLite2-City-Test.mmdb`).bytes()),
    () => places,
  );
  expect(zones.zoneNameOf(readAddress('2.125.160.216')!)).toBe('Europe/London');
  expect(zones.zoneNameOf(readAddress('::ffff:2.125.160.216')!)).toBe('Europe/London');
  expect(zones.zoneNameOf(readAddress('::2.125.160.216')!)).toBeUndefined();
  expect(zones.zoneNameOf(readAddress('10.0.0.1')!)).toBeUndefined();
});

test('a zone is found in every layout, with coordinates as the fallback', () => {
  for (const [record, expected] of [
    [{ time_zone: 'Asia/Tokyo', latitude: 1, longitude: 2 }, { zoneName: 'Asia/Tokyo' }],
    [{ location: { time_zone: 'Asia/Tokyo', latitude: 1, longitude: 2 } }, { zoneName: 'Asia/Tokyo' }],
    [{ timezone: 'Asia/Tokyo', latitude: 1, longitude: 2 }, { zoneName: 'Asia/Tokyo' }],
    [
      { timezone: '', latitude: 1, longitude: 2 },
      { latitude: 1, longitude: 2 },
    ],
    [{ location: { latitude: -90, longitude: 180 } }, { latitude: -90, longitude: 180 }],
    [{ latitude: 91, longitude: 0 }, undefined],
    [{ latitude: Number.NaN, longitude: 0 }, undefined],
    [{ latitude: '1', longitude: '2' }, undefined],
    [{ latitude: 1 }, undefined],
    [{ location: 'Tokyo', time_zone: 9 }, undefined],
    ['Asia/Tokyo', undefined],
    [null, undefined],
  ] as const) {
    expect(placementOf(record)).toEqual(expected);
  }
});

test('a database without any located address is rejected', async () => {
  const contents = await Bun.file(`${FIXTURES}/test-data/GeoLite2-ASN-Test.mmdb`).bytes();
  await expect(checkIpFile(contents)).rejects.toThrow(/^it contains neither/);
});

test('among several databases, the first one with the address is used', () => {
  const knows = (text: string, zoneName: string) => ({
    zoneNameOf: (address: IpAddress) => (address.text === text ? zoneName : undefined),
  });
  const zones = firstZoneOf([
    knows('192.0.2.1', 'Europe/Paris'),
    { ...knows('2001:db8::1', 'Asia/Tokyo'), needsBoundaries: true },
  ]);
  const zoneOf = (text: string) => zones.zoneNameOf(readAddress(text)!);
  expect([zoneOf('192.0.2.1'), zoneOf('2001:db8::1'), zoneOf('192.0.2.2')]).toEqual([
    'Europe/Paris',
    'Asia/Tokyo',
    undefined,
  ]);
  expect(zones.needsBoundaries).toBe(true);
});
