import { beforeAll, describe, expect, test } from 'bun:test';
import { compileReleases, encodeReleasePack, type ReleaseSource } from '../../data/releases/compile.ts';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { compileZones } from '../../data/zones/compile.ts';
import { readZonePack, zonesManifest } from '../../data/zones/embedded.ts';
import { decodeReleasePack, type ReleasePack } from '../../src/zones/release_pack.ts';
import { ReleaseHistory } from '../../src/zones/releases.ts';
import { ZoneDatabase } from '../../src/zones/zone_database.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../../src/zones/zone_pack.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { periodsOf } from '../support/zones.ts';

const zonePack = readZonePack();

describe('the pack', () => {
  test('round-trips in both directions', () => {
    expect(Buffer.compare(encodeZonePack(decodeZonePack(zonePack)), zonePack)).toBe(0);
  });

  test('does not depend on the order in which files and links are found', () => {
    const source = decodeZonePack(zonePack);
    const files = new Map([...source.files].reverse());
    const links = new Map([...source.links].reverse());
    expect(Buffer.compare(encodeZonePack({ ...source, files, links }), zonePack)).toBe(0);
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
    expect(() => decodeZonePack(zonePack.subarray(0, -1))).toThrow('truncated');
    expect(() => decodeZonePack(Buffer.concat([zonePack, Buffer.from('x')]))).toThrow('trailing bytes');
  });
});

describe('the embedded pack', () => {
  test('is of the version in its manifest', () => {
    expect(decodeZonePack(zonePack).version).toBe(zonesManifest.version);
  });

  test.skipIf(Bun.which('zic') === null)('equals the output of zic for the sources (requires zic)', () => {
    const made = compileZones();
    const committed = decodeZonePack(zonePack);
    // Other versions of zic write different bytes with the same meaning.
    if (Buffer.compare(encodeZonePack(made), zonePack) === 0) return;
    expect({ ...made, files: [...made.files.keys()].sort() }).toEqual({
      ...committed,
      files: [...committed.files.keys()],
    });
    for (const [name, file] of made.files) {
      expect(`${name}\n${periodsOf(file)}`).toBe(`${name}\n${periodsOf(committed.files.get(name)!)}`);
    }
  });

  test('has a file, or a link to one, for every name', () => {
    const source = decodeZonePack(zonePack);
    expect(new ZoneDatabase(source).names().length).toBe(source.files.size + source.links.size);
  });
});

const bytes = readReleasePack();
const canCompile = ['zic', 'tar', 'xz'].every(program => Bun.which(program) !== null);

let pack: ReleasePack;
let versions: readonly string[];
beforeAll(async () => {
  pack = await decodeReleasePack(bytes);
  versions = pack.releases.map(({ version }) => version);
});

function sourceOf(version: string): ZoneSource {
  return pack.sourceOf(versions.indexOf(version));
}

/** Two small releases: a zone is renamed and one is removed. */
function smallReleases(): ReleaseSource[] {
  const countries = { countryOfZone: new Map([['A', 'XX']]), countryNames: new Map([['XX', 'Côte d’Azur']]) };
  const old: ZoneSource = {
    version: '2001a',
    files: new Map([
      ['A', Uint8Array.of(1, 2, 3)],
      ['Gone', Uint8Array.of(4)],
    ]),
    links: new Map([['constructor', 'A']]),
    ...countries,
  };
  const recent: ZoneSource = {
    ...old,
    version: '2001b',
    files: new Map([['__proto__', Uint8Array.of(1, 2, 3)]]),
    links: new Map([
      ['A', '__proto__'],
      ['constructor', '__proto__'],
    ]),
  };
  return [old, recent].map(source => ({ version: source.version, released: '2001-01-01', source }));
}

describe('a pack of releases', () => {
  test('round-trips', async () => {
    const releases = smallReleases();
    const decoded = await decodeReleasePack(encodeReleasePack(releases));
    expect(decoded.releases).toEqual([
      { version: '2001a', released: '2001-01-01' },
      { version: '2001b', released: '2001-01-01' },
    ]);
    for (const [index, { source }] of releases.entries()) {
      const { files, ...tables } = decoded.sourceOf(index);
      const plain: ZoneSource = {
        ...tables,
        files: new Map([...files].map(([name, file]) => [name, Uint8Array.from(file)])),
      };
      expect(plain).toEqual(source);
    }
  });

  test('stores equal files once', async () => {
    const decoded = await decodeReleasePack(encodeReleasePack(smallReleases()));
    expect(decoded.sourceOf(1).files.get('__proto__')).toBe(decoded.sourceOf(0).files.get('A')!);
  });

  test('that is truncated, damaged or something else is rejected', async () => {
    await expect(decodeReleasePack(new Uint8Array())).rejects.toThrow('Not a pack of releases');
    await expect(decodeReleasePack(bytes.subarray(0, -1))).rejects.toThrow();
    await expect(decodeReleasePack(bytes.with(5000, bytes[5000]! ^ 1))).rejects.toThrow();
  });
});

describe('the embedded pack of releases', () => {
  test('has 56 releases in date order', () => {
    expect(versions.length).toBe(56);
    expect([versions[0], versions.at(-1)]).toEqual(['2016a', '2026f']);
    const dates = pack.releases.map(({ released }) => released);
    expect(dates).toEqual(dates.toSorted());
    for (const date of dates) expect(date).toMatch(/^20[12]\d-[01]\d-[0-3]\d$/);
  });

  test('ends with the embedded zones', () => {
    const embedded = decodeZonePack(readZonePack());
    const { files } = sourceOf('2026f');
    expect(sorted(sourceOf('2026f'))).toEqual(sorted(embedded));
    expect([...files.keys()].sort()).toEqual([...embedded.files.keys()].sort());
    for (const [name, file] of embedded.files) expect(Buffer.compare(files.get(name)!, file)).toBe(0);
  });

  test.skipIf(!canCompile)("equals zic's output for the sources (requires zic, tar, xz)", () => {
    const drawn = sample(versions, 3);
    const differences: string[] = [];
    let comparisons = 0;
    for (const { version, released, source } of compileReleases(name => drawn.includes(name))) {
      const { files } = sourceOf(version);
      expect(pack.releases.find(release => release.version === version)?.released).toBe(released);
      expect(sorted(sourceOf(version))).toEqual(sorted(source));
      expect([...files.keys()].sort()).toEqual([...source.files.keys()].sort());
      for (const [name, file] of source.files) {
        comparisons++;
        const packed = files.get(name)!;
        // Other versions of zic write different bytes with the same meaning.
        const isEqual = Buffer.compare(packed, file) === 0 || periodsOf(packed) === periodsOf(file);
        if (!isEqual) differences.push(`${name} of ${version}`);
      }
    }
    expectNoDifferences('past releases against zic', comparisons, differences, 25_000);
  });
});

/** The tables of a release with their entries sorted, since order has no meaning. */
function sorted(tables: ZoneSource) {
  const entries = (map: ReadonlyMap<string, string>) =>
    [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    version: tables.version,
    links: entries(tables.links),
    countryOfZone: entries(tables.countryOfZone),
    countryNames: entries(tables.countryNames),
  };
}

const BRAZIL = 'Brazil: DST of 1965 began a day later, that of 1966 ended an hour later';
const ALASKA =
  'the calendar change of 1867 is written in UTC: the same instant, with another indicator in the file';

/** The zones whose file differs between 2026c and 2026f, and why. */
const CHANGED_AFTER_2026C: Readonly<Record<string, string>> = {
  'America/Winnipeg': 'Manitoba stays at UTC−5 from 2026-11-01',
  'America/Inuvik': 'Inuvik stays at UTC−6 from 2026-11-01',
  'America/Havana': 'Cuba does not end DST in 2026',
  'America/Bogota': 'Colombia: DST of 1992 began a day earlier',
  'Asia/Tehran': 'Iran: DST of 1979 began a day earlier',
  'Europe/Dublin': 'Ireland: summer time of 1925 ended two weeks earlier',
  ...Object.fromEntries(
    'Araguaina Bahia Belem Boa_Vista Campo_Grande Cuiaba Eirunepe Fortaleza Maceio Manaus Noronha Porto_Velho Recife Rio_Branco Santarem Sao_Paulo'
      .split(' ')
      .map(city => [`America/${city}`, BRAZIL]),
  ),
  ...Object.fromEntries(
    'Adak Anchorage Juneau Metlakatla Nome Sitka Yakutat'.split(' ').map(city => [`America/${city}`, ALASKA]),
  ),
  Factory: 'a placeholder without a zone, which only the package of 2026f includes',
};

describe('2026c', () => {
  test('differs from the current release only as explained', () => {
    const [old, recent] = [sourceOf('2026c'), sourceOf('2026f')];
    const changed = [...recent.files.keys()].filter(name => old.files.get(name) !== recent.files.get(name));
    expect(changed.sort()).toEqual(Object.keys(CHANGED_AFTER_2026C).sort());
    expect([...old.files.keys()].filter(name => !recent.files.has(name))).toEqual([]);
    expect(sorted({ ...old, version: '2026f' })).toEqual(sorted(recent));
  });

  test('has the same times in Alaska, in different bytes', () => {
    const alaskan = Object.entries(CHANGED_AFTER_2026C).filter(([, reason]) => reason === ALASKA);
    expect(alaskan.length).toBe(7);
    for (const [name] of alaskan) {
      const [old, recent] = ['2026c', '2026f'].map(version => sourceOf(version).files.get(name)!);
      expect(periodsOf(old!)).toBe(periodsOf(recent!));
    }
  });
});

describe('an opened release', () => {
  const history = () => new ReleaseHistory(pack);

  test("resolves a missing name through the latest release's links", async () => {
    const zones = (await history().open('2022a'))!;
    expect(zones.find('Europe/Kyiv')!.canonicalName).toBe('Europe/Kiev');
    expect((await history().open('2022b'))!.find('Europe/Kyiv')!.canonicalName).toBe('Europe/Kyiv');
    const oldest = (await history().open('2016a'))!;
    expect(oldest.find('Asia/Yangon')!.canonicalName).toBe('Asia/Rangoon');
    expect(oldest.find('america/nuuk')!.canonicalName).toBe('America/Godthab');
    expect(oldest.find('Pacific/Kanton')!.canonicalName).toBe('Pacific/Enderbury');
    expect(oldest.find('America/Coyhaique')).toBeUndefined();
  });

  test('has the canonical zones of its time', async () => {
    const zones = (await history().open('2016a'))!;
    const names = zones.canonicalZones().map(({ name }) => name);
    expect(names).toContain('Europe/Kiev');
    expect(names).not.toContain('Europe/Kyiv');
  });

  test('is the same database while cached, and shares timelines with other releases', async () => {
    const opened = history();
    const first = (await opened.open('2024a'))!;
    expect(await opened.open('2024a')).toBe(first);
    const other = (await opened.open('2024b'))!;
    expect(other.find('Europe/Paris')!.sharesTimelineWith(first.find('Europe/Paris')!)).toBe(true);
    expect(other.find('America/Mexico_City')!.sharesTimelineWith(first.find('America/Mexico_City')!)).toBe(
      false,
    );
    for (const version of versions.slice(0, 20)) await opened.open(version);
    expect(await opened.open('2024a')).not.toBe(first);
  });

  test('has every name of the current release, except those of newer zones', async () => {
    const missing: Record<string, string[]> = {};
    const opened = history();
    const names = (await opened.open('2026f'))!.names();
    for (const version of ['2016a', '2020a', '2024a']) {
      const zones = (await opened.open(version))!;
      missing[version] = names.filter(name => zones.find(name) === undefined);
    }
    expect(missing).toEqual({
      '2016a': [
        ...['America/Ciudad_Juarez', 'America/Coyhaique', 'America/Punta_Arenas', 'Asia/Atyrau'],
        ...['Asia/Barnaul', 'Asia/Famagusta', 'Asia/Qostanay', 'Asia/Tomsk', 'Europe/Astrakhan'],
        ...['Europe/Kirov', 'Europe/Saratov', 'Europe/Ulyanovsk', 'Factory'],
      ],
      '2020a': ['America/Ciudad_Juarez', 'America/Coyhaique', 'Factory'],
      '2024a': ['America/Coyhaique', 'Factory'],
    });
  });

  test('is undefined for an unknown version', async () => {
    expect(await history().open('2015a')).toBeUndefined();
  });
});
