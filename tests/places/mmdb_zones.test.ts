import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import type { Boundaries } from '../../src/places/boundaries.ts';
import { type IpAddress, readAddress } from '../../src/places/ip_address.ts';
import { checkIpFile, checkMmdb } from '../../src/places/mmdb_check.ts';
import { firstZoneOf, mmdbZones, placementOf } from '../../src/places/mmdb_zones.ts';
import { NetworkMap, parseNetwork } from '../../src/places/network.ts';
import { fc } from '../support/property.ts';

const FIXTURES = `${import.meta.dir}/../fixtures/mmdb`;

/** Returns the coordinates as the name of a zone. */
const places: Pick<Boundaries, 'zoneNameAt'> = {
  zoneNameAt: (latitude, longitude) => `Place/${latitude},${longitude}`,
};

interface SourceRecord {
  readonly location?: Partial<Record<'latitude' | 'longitude', number>> & { readonly time_zone?: string };
}

/** A network in the sources, which write some IPv4 networks as in an IPv6 tree: `::214.0.0.0/120`. */
function networkOf(text: string) {
  const [, address, length] = /^::(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(text) ?? [];
  return parseNetwork(address === undefined ? text : `${address}/${Number(length) - 96}`);
}

const read = (path: string) => new Uint8Array(readFileSync(`${FIXTURES}/${path}`));

/** The zones in a test database, which has coordinates in {@link places}. */
const zonesIn = async (name: string) =>
  mmdbZones(await checkIpFile(read(`test-data/${name}.mmdb`)), () => places);

describe('MaxMind’s test databases match their sources', () => {
  for (const name of ['GeoIP2-City-Test', 'GeoLite2-City-Test']) {
    test(name, async () => {
      const zones = await zonesIn(name);
      const source: Record<string, SourceRecord>[] = await Bun.file(
        `${FIXTURES}/source-data/${name}.json`,
      ).json();
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
  const zones = await zonesIn('GeoLite2-City-Test');
  const texts = ['2.125.160.216', '::ffff:2.125.160.216', '::2.125.160.216', '10.0.0.1'];
  const names = texts.map(text => zones.zoneNameOf(readAddress(text)!));
  expect(names).toEqual(['Europe/London', 'Europe/London', undefined, undefined]);
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
  const contents = read('test-data/GeoLite2-ASN-Test.mmdb');
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
  const found = ['192.0.2.1', '2001:db8::1', '192.0.2.2'].map(zoneOf);
  expect(found).toEqual(['Europe/Paris', 'Asia/Tokyo', undefined]);
  expect(zones.needsBoundaries).toBe(true);
});

const filesIn = (folder: string) =>
  readdirSync(`${FIXTURES}/${folder}`)
    .filter(name => name.endsWith('.mmdb'))
    .map(name => `${folder}/${name}`);

/** Checks a file without pausing. */
function check(bytes: Uint8Array) {
  const steps = checkMmdb(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The reason why a file is rejected, or null for a valid one. */
function reasonAgainst(bytes: Uint8Array): string | null {
  try {
    check(bytes);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const BROKEN = [
  ...['libmaxminddb', 'maxminddb-golang', 'maxminddb-python'].flatMap(folder =>
    filesIn(`bad-data/${folder}`),
  ),
  ...filesIn('test-data').filter(path => /Broken|Invalid|broken/.test(path)),
];
const GOOD = filesIn('test-data').filter(path => !BROKEN.includes(path));
const PLACES = GOOD.filter(path => /GeoIP2-(City|(Precision-)?Enterprise)|GeoLite2-City/.test(path));

describe('every broken file is rejected with one line', () => {
  test('there are 25 of them', () => expect(BROKEN).toHaveLength(25));
  for (const path of BROKEN) {
    test(path, () => {
      const reason = reasonAgainst(read(path));
      expect(reason).toBeString();
      expect(reason).not.toContain('\n');
    });
  }
});

describe('a location database is accepted', () => {
  test('there are 7 of them', () => expect(PLACES).toHaveLength(7));
  for (const path of PLACES) {
    test(path, () => expect(check(read(path)).metadata.nodeCount).toBeGreaterThan(0));
  }
});

describe('a valid database of another kind is rejected as such', () => {
  for (const path of GOOD.filter(path => !PLACES.includes(path))) {
    test(path, () => expect(reasonAgainst(read(path))).toContain('neither time zones nor coordinates'));
  }
});

const CITY = read('test-data/GeoLite2-City-Test.mmdb');

test('a file truncated anywhere is rejected', () => {
  for (let length = 0; length < CITY.length; length += 97) {
    expect(reasonAgainst(CITY.subarray(0, length))).toBeString();
  }
  expect(reasonAgainst(CITY.subarray(0, CITY.length - 1))).toBeString();
});

test('a file that is not a database is rejected', () => {
  expect(reasonAgainst(new Uint8Array(0))).toContain('no MMDB metadata');
  expect(reasonAgainst(new TextEncoder().encode('10.0.0.0/8,Europe/Berlin\n'))).toContain('no MMDB metadata');
});

test('with any bits flipped, a file is rejected or has a result for every address', () => {
  const flips = fc.array(fc.tuple(fc.nat(CITY.length - 1), fc.nat(7)), { minLength: 1, maxLength: 4 });
  const addresses = fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 20 });
  let rejected = 0;
  fc.assert(
    fc.property(flips, addresses, (positions, lookups) => {
      const bytes = CITY.slice();
      for (const [position, bit] of positions) bytes[position]! ^= 1 << bit;
      const reason = reasonAgainst(bytes);
      if (reason !== null) {
        rejected++;
        return;
      }
      const reader = check(bytes);
      for (const address of lookups) reader.get(address);
    }),
    { numRuns: 1_000 },
  );
  expect(rejected).toBeGreaterThan(50);
});

/** The City database with these bytes at the start of its data, to which the left half of all addresses points. */
function cityWith(data: readonly number[], offset: number): Uint8Array {
  const { nodeCount, searchTreeSize } = check(CITY).metadata;
  const bytes = CITY.slice();
  bytes.set(data, searchTreeSize + 16);
  const record = nodeCount + 16 + offset;
  bytes.set([record >> 16, record >> 8, record], 0); // the left record of the root
  return bytes;
}

test('a record that would be slow to decode is rejected', () => {
  // An empty map, and three arrays of 28 pointers each to the value before: 22,765 values in 175 bytes.
  const bomb = [0xe0];
  for (let target = 0; bomb.length < 175; ) {
    const next = bomb.length;
    bomb.push(28, 4, ...Array.from({ length: 28 }, () => [0x20, target]).flat());
    target = next;
  }
  expect(reasonAgainst(cityWith(bomb, 1 + 2 * 58))).toContain('it is too large');
});

test('a record that repeats long text through pointers is rejected', () => {
  // A text of 4,096 bytes, and an array of 28 pointers to it.
  const length = 4096 - 285;
  const text = [0x40 | 30, length >> 8, length & 0xff, ...Array.from({ length: 4096 }, () => 0x61)];
  const pointers = Array.from({ length: 28 }, () => [0x20, 0]).flat();
  expect(reasonAgainst(cityWith([...text, 28, 4, ...pointers], text.length))).toContain('it is too large');
});

test('a value of an unknown type is rejected', () => {
  for (const value of [
    [0x00, 0x00], // a map, encoded like types above 7
    [0x00, 0x05], // the obsolete cache container
    [0x00, 0x06], // an end marker
    [0x00, 0x09],
    [0x00, 0xff],
  ]) {
    expect(reasonAgainst(cityWith(value, 0))).toMatch(/unknown type|extended type/i);
  }
});

test('a check pauses repeatedly', () => {
  let pauses = 0;
  for (const steps = checkMmdb(CITY); !steps.next().done; ) pauses++;
  expect(pauses).toBeGreaterThan(1);
});
