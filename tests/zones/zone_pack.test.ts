import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { compileZones } from '../../data/zones/compile.ts';
import { readZonePack, zonesManifest } from '../../data/zones/embedded.ts';
import { ZoneDatabase } from '../../src/zones/zone_database.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../../src/zones/zone_pack.ts';
import { periodsOf } from '../support/zones.ts';

const pack = readZonePack();

describe('the pack', () => {
  test('round-trips in both directions', () => {
    expect(Buffer.compare(encodeZonePack(decodeZonePack(pack)), pack)).toBe(0);
  });

  test('does not depend on the order in which files and links are found', () => {
    const source = decodeZonePack(pack);
    const files = new Map([...source.files].reverse());
    const links = new Map([...source.links].reverse());
    expect(Buffer.compare(encodeZonePack({ ...source, files, links }), pack)).toBe(0);
  });

  test('supports names that are special in objects', () => {
    const source: ZoneSource = {
      version: 'test',
      files: new Map([['__proto__', Uint8Array.of(1, 2, 3)]]),
      links: new Map([['constructor', '__proto__']]),
      countryOfZone: new Map(),
      countryNames: new Map([['XX', 'Côte d’Azur']]),
    };
    expect(decodeZonePack(encodeZonePack(source))).toEqual(source);
  });

  test('that is truncated, has trailing bytes or is something else is rejected', () => {
    expect(() => decodeZonePack(new Uint8Array())).toThrow('Not a pack of zones');
    expect(() => decodeZonePack(Buffer.from('MZONES2\n0000{}'))).toThrow('Not a pack of zones');
    expect(() => decodeZonePack(pack.subarray(0, -1))).toThrow('truncated');
    expect(() => decodeZonePack(Buffer.concat([pack, Buffer.from('x')]))).toThrow('trailing bytes');
  });
});

describe('the embedded pack', () => {
  test('matches its manifest', () => {
    expect(createHash('sha256').update(pack).digest('hex')).toBe(zonesManifest.sha256);
    expect(pack.length).toBe(zonesManifest.bytes);
    expect(decodeZonePack(pack).version).toBe(zonesManifest.version);
  });

  test.skipIf(Bun.which('zic') === null)('equals the output of zic for the sources (requires zic)', () => {
    const made = compileZones();
    const committed = decodeZonePack(pack);
    // Other versions of zic write different bytes with the same meaning.
    if (Buffer.compare(encodeZonePack(made), pack) === 0) return;
    expect({ ...made, files: [...made.files.keys()].sort() }).toEqual({
      ...committed,
      files: [...committed.files.keys()],
    });
    for (const [name, file] of made.files) {
      expect(`${name}\n${periodsOf(file)}`).toBe(`${name}\n${periodsOf(committed.files.get(name)!)}`);
    }
  });

  test('has a file, or a link to one, for every name', () => {
    const source = decodeZonePack(pack);
    expect(new ZoneDatabase(source).names().length).toBe(source.files.size + source.links.size);
  });
});
