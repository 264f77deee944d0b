import { beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { ZoneDatabase } from '../../src/zones/zone_database.ts';
import { decodeZonePack, type ZoneSource } from '../../src/zones/zone_pack.ts';
import { openReplacementZones, readZoneinfoDirectory } from '../../src/zones/zoneinfo_directory.ts';
import { newFolder } from '../support/process.ts';
import { tzifFile } from '../support/zones.ts';

const embedded = decodeZonePack(readZonePack());
const root = newFolder();

let directory = '';
let count = 0;
beforeEach(() => {
  directory = join(root, `${count++}`);
  mkdirSync(directory);
});

function put(name: string, content: string | Uint8Array): void {
  mkdirSync(join(directory, name, '..'), { recursive: true });
  writeFileSync(join(directory, name), content);
}

const PARIS = embedded.files.get('Europe/Paris')!;
const open = (path = directory) => new ZoneDatabase(readZoneinfoDirectory(path, embedded));

/** The message with which a source is rejected, or `accepted`. */
function messageOf(use: () => unknown): string {
  try {
    use();
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a tree of TZif files', () => {
  test('has the zones of its files, at any depth of names', () => {
    put('Europe/Paris', PARIS);
    put('America/Argentina/Buenos_Aires', embedded.files.get('America/Argentina/Buenos_Aires')!);
    put('EST', embedded.files.get('EST')!);
    const zones = open();
    const link = 'America/Buenos_Aires'; // from the embedded data, since the tree has no links
    expect(zones.names()).toEqual(['America/Argentina/Buenos_Aires', link, 'EST', 'Europe/Paris']);
    const cet = { offsetSeconds: 3600, abbreviation: 'CET' };
    expect(zones.find('europe/paris')?.periodAt(0)).toMatchObject(cet);
    expect(zones.version).toBe('unknown');
  });

  test('ignores other flavours, the host’s own zone and files that are not TZif', () => {
    const others = ['posix/Europe/Paris', 'right/Europe/Paris', 'posixrules', 'localtime', 'a/b/c/d/e'];
    for (const name of [...others, 'Europe/with space', 'UTC']) put(name, PARIS);
    put('tzdata.zi', '# version 2020a\n');
    put('leapseconds', 'Leap 1972 Jun 30 23:59:60 + S\n');
    put('Europe/Nowhere', '');
    expect(open().names()).toEqual(['UTC']);
  });

  test('ignores a file that is larger than any zone', () => {
    put('Europe/Paris', PARIS);
    put('Europe/Huge', Buffer.concat([PARIS, Buffer.alloc(1_000_000)]));
    expect(open().names()).toEqual(['Europe/Paris']);
  });

  test('has the links, countries and version of its own tables', () => {
    put('Test/Here', PARIS);
    const links = 'L Test/Here Test/There\nL Test/Nowhere Test/Lost\n';
    put('tzdata.zi', `# version 2020a\nZ Test/Here 1 - CET\n${links}`);
    put('zone.tab', '# a comment\nXX\t+0000+00000\tTest/Here\tcomment\n');
    put('iso3166.tab', 'XX\tXanadu\n');
    const zones = open();
    expect(zones.version).toBe('2020a');
    expect(zones.names()).toEqual(['Test/Here', 'Test/There']); // the embedded links lead to missing zones
    expect(zones.find('Test/There')).toMatchObject({ canonicalName: 'Test/Here', countryCodes: ['XX'] });
    expect(zones.canonicalZones().map(({ name }) => name)).toEqual(['Test/Here']);
    expect([...zones.countryNames]).toEqual([['XX', 'Xanadu']]);
  });

  test('without tables uses the embedded ones', () => {
    put('+VERSION', '2020a\n');
    put('Europe/Paris', PARIS);
    put('Europe/Oslo', embedded.files.get('Europe/Berlin')!);
    put('America/New_York', embedded.files.get('America/New_York')!);
    put('US/Eastern', embedded.files.get('America/New_York')!);
    const zones = open();
    expect(zones.version).toBe('2020a');
    expect(zones.find('US/Eastern')?.canonicalName).toBe('America/New_York');
    expect(zones.find('Canada/Eastern')).toBeUndefined();
    expect(zones.find('Europe/Oslo')).toMatchObject({ canonicalName: 'Europe/Oslo', countryCodes: ['NO'] });
    const names = zones.canonicalZones().map(({ name }) => name);
    expect(names).toEqual(['America/New_York', 'Europe/Oslo', 'Europe/Paris']);
  });

  test('may have symbolic links to files; links to folders and dangling links are ignored', () => {
    put('Europe/Paris', PARIS);
    symlinkSync('Paris', join(directory, 'Europe/Monaco'));
    symlinkSync('.', join(directory, 'Loop'));
    symlinkSync('nothing', join(directory, 'Lost'));
    expect(open().names()).toEqual(['Europe/Monaco', 'Europe/Paris']);
  });
});

describe('an invalid zoneinfo tree is rejected in one line', () => {
  const refusal = (path = directory) => messageOf(() => open(path)).replaceAll(directory, 'DIR');

  test('if it does not exist, is not a folder, or has no zones', () => {
    const absent = "ENOENT: no such file or directory, scandir 'DIR/absent'";
    expect(refusal(join(directory, 'absent'))).toBe(absent);
    put('file', 'text');
    expect(refusal(join(directory, 'file'))).toBe("ENOTDIR: not a directory, stat 'DIR/file/tzdata.zi'");
    expect(refusal()).toBe('it contains no TZif files');
  });

  test('if a file is invalid or counts leap seconds', () => {
    put('Europe/Paris', PARIS.subarray(0, 1000));
    expect(refusal()).toBe('its Europe/Paris is not a valid TZif file: it is shorter than its header says');
    put('Europe/Paris', tzifFile({ version: 2, leapSeconds: 27, footer: 'UTC0' }));
    expect(refusal()).toBe('its Europe/Paris is not a valid TZif file: it counts leap seconds');
  });

  test('if a zone file is truncated anywhere, even within the header', () => {
    for (const bytes of [0, 3, 4, 40, 43, 44, 100, PARIS.length - 1]) {
      put('Europe/Paris', PARIS.subarray(0, bytes));
      expect(refusal()).toStartWith('its Europe/Paris is not a valid TZif file: it ');
    }
    put('Test/Own', PARIS.subarray(0, 40)); // recognisable by its magic
    expect(refusal()).toStartWith('its Europe/Paris');
    put('Europe/Paris', PARIS);
    expect(refusal()).toBe('its Test/Own is not a valid TZif file: it ends before its first header');
  });

  test('if a table is truncated', () => {
    put('Europe/Paris', PARIS);
    put('zone.tab', 'FR\t+4852+00220\tEurope/Par');
    expect(refusal()).toBe('its zone.tab is truncated: it does not end with a line feed');
  });

  test('if a file cannot be read', () => {
    put('Europe/Paris', PARIS);
    symlinkSync('Ring', join(directory, 'Ring'));
    expect(refusal()).toContain('ELOOP');
  });
});

describe('zones that replace the embedded ones', () => {
  const newer = { ...embedded, version: '2099a' };
  const source = (changes: Partial<ZoneSource> = {}): ZoneSource => ({ ...newer, ...changes });
  const without = (...names: readonly string[]) =>
    new Map([...embedded.files].filter(([name]) => !names.some(omitted => name.startsWith(omitted))));
  const rejection = (replacement: ZoneSource, allowOlder = false) =>
    messageOf(() => openReplacementZones(replacement, embedded, { allowOlder }));

  test('must have every zone in zone.tab, as a file or a link', () => {
    expect(rejection(source())).toBe('accepted');
    expect(rejection(source({ files: without('America/') }))).toMatch(
      /^it lacks zones of zone\.tab: America\/\w+, America\/[\w/]+, America\/[\w/]+ and \d+ more$/,
    );
    const lacking = source({ files: without('Asia/Tokyo') });
    expect(rejection(lacking)).toBe('it lacks zones of zone.tab: Asia/Tokyo');
    const rows = new Map([...embedded.countryOfZone].filter(([name]) => name !== 'Asia/Tokyo'));
    expect(rejection(source({ countryOfZone: rows }))).toBe('it has no row in zone.tab for: Asia/Tokyo');
    const renamed = source({
      files: new Map([...without('Asia/Tokyo'), ['Asia/Edo', embedded.files.get('Asia/Tokyo')!]]),
      countryOfZone: new Map([...rows, ['Asia/Edo', 'JP']]),
      links: new Map([...embedded.links, ['Asia/Tokyo', 'Asia/Edo']]),
    });
    expect(rejection(renamed)).toBe('accepted');
    const names = new Map([...embedded.countryNames].filter(([code]) => code !== 'JP'));
    expect(rejection(source({ countryNames: names }))).toBe('it has no row in iso3166.tab for: JP');
  });

  test('must not be older unless permitted; an unknown release is not considered older', () => {
    for (const version of ['1996n', '2025b', '2025z-rearguard']) {
      expect(rejection(source({ version }))).toBe(
        `its tzdata ${version} is older than the embedded ${embedded.version}; --allow-older-data permits it`,
      );
      expect(rejection(source({ version }), true)).toBe('accepted');
    }
    // After z comes za.
    for (const version of [embedded.version, `${embedded.version.slice(0, 4)}za`, 'unknown', '2099a']) {
      expect(rejection(source({ version }))).toBe('accepted');
    }
  });

  test('of an older release may lack newer zones, but none in their own zone.tab', () => {
    const countryOfZone = new Map([...embedded.countryOfZone].filter(([name]) => name !== 'Asia/Tokyo'));
    const older = { version: '2025a', countryOfZone, files: without('Asia/Tokyo', 'Asia/Seoul') };
    expect(rejection(source(older), true)).toBe('it lacks zones of zone.tab: Asia/Seoul');
    expect(rejection(source({ ...older, files: without('Asia/Tokyo') }), true)).toBe('accepted');
  });

  test('use embedded links that a distribution moved to another package', () => {
    put('tzdata.zi', '# version 2099a\nZ Europe/Paris 1 - CET\nZ US/Pacific -8 - PST\n');
    put('Europe/Paris', PARIS);
    const { links } = readZoneinfoDirectory(directory, embedded);
    expect(links.get('US/Eastern')).toBe('America/New_York');
    expect(embedded.links.get('US/Pacific')).toBe('America/Los_Angeles');
    expect(links.has('US/Pacific')).toBe(false); // a zone of its own here
  });
});

const HOST = '/usr/share/zoneinfo';

test.skipIf(!existsSync(join(HOST, 'tzdata.zi')))(
  "this host's zoneinfo has all names of its tzdata.zi (requires Debian's tzdata)",
  () => {
    const zones = open(HOST);
    const zi = readFileSync(join(HOST, 'tzdata.zi'), 'utf8');
    expect(zones.version).toBe(/^# version (.+)$/m.exec(zi)![1]!);
    const names = [...zi.matchAll(/^(?:Z (\S+)|L \S+ (\S+))/gm)].map(match => match[1] ?? match[2]!);
    expect(zones.names().filter(name => names.includes(name))).toEqual(
      names.filter(name => existsSync(join(HOST, name))).sort(),
    );
    expect(zones.canonicalZones().length).toBeGreaterThan(400);
    for (const name of zones.names()) expect(zones.find(name)!.periodAt(0).abbreviation).not.toBe('');
  },
);
