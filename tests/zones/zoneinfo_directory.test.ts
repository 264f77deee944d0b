import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';
import { openZoneinfoDirectory } from '../../src/zones/zoneinfo_directory.ts';
import { tzifFile } from './tzif_file.ts';

const embedded = decodeZonePack(readZonePack());
const root = mkdtempSync(join(tmpdir(), 'zoneinfo-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

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
const open = () => openZoneinfoDirectory(directory, embedded);

describe('a tree of TZif files', () => {
  test('gives the zones of its files, at any depth that names have', () => {
    put('Europe/Paris', PARIS);
    put('America/Argentina/Buenos_Aires', embedded.files.get('America/Argentina/Buenos_Aires')!);
    put('EST', embedded.files.get('EST')!);
    const zones = open();
    const link = 'America/Buenos_Aires'; // of the embedded data, since the tree has no links
    expect(zones.names()).toEqual(['America/Argentina/Buenos_Aires', link, 'EST', 'Europe/Paris']);
    expect(zones.find('europe/paris')?.periodAt(0)).toMatchObject({
      offsetSeconds: 3600,
      abbreviation: 'CET',
    });
    expect(zones.version).toBe('unknown');
  });

  test('ignores other flavours, the host’s own zone and files that are not TZif', () => {
    for (const name of ['posix/Europe/Paris', 'right/Europe/Paris', 'posixrules', 'localtime', 'UTC']) {
      put(name, PARIS);
    }
    put('tzdata.zi', '# version 2020a\n');
    put('leapseconds', 'Leap 1972 Jun 30 23:59:60 + S\n');
    put('Europe/empty', '');
    put('Europe/with space', PARIS);
    put('a/b/c/d/e', PARIS);
    expect(open().names()).toEqual(['UTC']);
  });

  test('has no zone in a file that is larger than any zone', () => {
    put('Europe/Paris', PARIS);
    put('Europe/Huge', Buffer.concat([PARIS, Buffer.alloc(1_000_000)]));
    expect(open().names()).toEqual(['Europe/Paris']);
  });

  test('has the links, countries and version of its own tables', () => {
    put('Test/Here', PARIS);
    put(
      'tzdata.zi',
      '# version 2020a\nZ Test/Here 1 - CET\nL Test/Here Test/There\nL Test/Nowhere Test/Lost\n',
    );
    put('zone.tab', '# a comment\nXX\t+0000+00000\tTest/Here\tcomment\n');
    put('iso3166.tab', 'XX\tXanadu\n');
    const zones = open();
    expect(zones.version).toBe('2020a');
    expect(zones.names()).toEqual(['Test/Here', 'Test/There']);
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
    expect(zones.canonicalZones().map(({ name }) => name)).toEqual([
      'America/New_York',
      'Europe/Oslo',
      'Europe/Paris',
    ]);
  });

  test('may have symbolic links to files; those to folders and to nothing are left alone', () => {
    put('Europe/Paris', PARIS);
    symlinkSync('Paris', join(directory, 'Europe/Monaco'));
    symlinkSync('.', join(directory, 'Loop'));
    symlinkSync('nothing', join(directory, 'Lost'));
    expect(open().names()).toEqual(['Europe/Monaco', 'Europe/Paris']);
  });
});

describe('an invalid zoneinfo tree is rejected in one line', () => {
  const refusal = (path = directory) => {
    try {
      openZoneinfoDirectory(path, embedded);
      return 'no refusal';
    } catch (error) {
      return (error as Error).message.replaceAll(directory, 'DIR');
    }
  };

  test('when it is not there, no folder, or holds none', () => {
    expect(refusal(join(directory, 'absent'))).toBe("Cannot read zones from 'DIR/absent': it does not exist");
    put('file', 'text');
    expect(refusal(join(directory, 'file'))).toBe("Cannot read zones from 'DIR/file': it is not a directory");
    expect(refusal()).toBe("Cannot read zones from 'DIR': it contains no TZif files");
  });

  test('when a file is broken or counts leap seconds', () => {
    put('Europe/Paris', PARIS.subarray(0, 1000));
    expect(refusal()).toBe(
      "Cannot read zones from 'DIR': its Europe/Paris is not a valid TZif file: it is shorter than its header says",
    );
    put('Europe/Paris', tzifFile({ version: 2, leapSeconds: 27, footer: 'UTC0' }));
    expect(refusal()).toBe(
      "Cannot read zones from 'DIR': its Europe/Paris is not a valid TZif file: it counts leap seconds",
    );
  });

  test('when a file cannot be read', () => {
    put('Europe/Paris', PARIS);
    symlinkSync('Ring', join(directory, 'Ring'));
    expect(refusal()).toContain("Cannot read zones from 'DIR': ELOOP");
  });
});

const HOST = '/usr/share/zoneinfo';

test.skipIf(!existsSync(join(HOST, 'tzdata.zi')))(
  'the zoneinfo of this host, where Debian’s tzdata is installed, gives all its names',
  () => {
    const zones = openZoneinfoDirectory(HOST, embedded);
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
