import { expect, test } from 'bun:test';
import { writeMmdb } from '../../data/ip/mmdb_writer.ts';
import { EMPTY, NetworkTree, type Subtree } from '../../data/ip/network_tree.ts';
import { addressOf } from '../../src/places/ip_address.ts';
import { checkMmdb } from '../../src/places/mmdb_check.ts';
import { type Network, NetworkMap } from '../../src/places/network.ts';
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
