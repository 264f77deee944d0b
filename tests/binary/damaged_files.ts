import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publicKeyOf } from '../../src/signing/signing_key.ts';
import { run } from '../support/process.ts';
import { sampleSeed } from '../support/signing_keys.ts';
import { zoneinfo } from '../support/zones.ts';

const MMDB = join(import.meta.dir, '../fixtures/mmdb/test-data');
const TABLES = join(import.meta.dir, '../../data/zones');
const PLACES = 20;

/** A valid file used by a server with these flags, and another version that the server has not seen before. */
export interface Subject {
  readonly args: readonly string[];
  readonly path: string;
  readonly older?: Uint8Array;
}

type Prepare = (folder: string) => Subject | Promise<Subject>;

/** The files in the table, each created in an empty folder. The state directory is `folder/state`. */
export const SUBJECTS: Readonly<Record<string, Prepare>> = {
  'zone file': folder => {
    const subject = inTree(folder, 'America/New_York');
    return { ...subject, older: readFileSync(join(dirname(subject.path), 'Detroit')) };
  },
  'zone.tab': folder => {
    const subject = inTree(folder, 'zone.tab');
    return {
      ...subject,
      older: Buffer.from(readFileSync(subject.path, 'utf8').replace(/^US\t.*Detroit.*\n/m, '')),
    };
  },
  'tzdata.zi': folder => {
    const subject = inTree(folder, 'tzdata.zi');
    return { ...subject, older: Buffer.from(readFileSync(subject.path, 'utf8').replace(/2\S+/, '2020a')) };
  },
  'iso3166.tab': folder => {
    const subject = inTree(folder, 'iso3166.tab');
    return { ...subject, older: Buffer.from(readFileSync(subject.path, 'utf8').replace(/^US\t.*\n/m, '')) };
  },
  zoneinfo: folder => ({ ...inTree(folder, 'UTC'), path: join(folder, 'tree') }),
  calendar: folder =>
    byFlag(folder, 'calendar', '2026-12-24 holiday Closing day\n', '2025-12-24 holiday Closing day\n'),
  'ip-db': folder => byFlag(folder, 'ip-db', mmdb('GeoLite2-City-Test'), mmdb('GeoIP2-City-Test')),
  schedules: folder =>
    byFlag(folder, 'schedules', 'office = "Mo-Fr 09:00-17:30; PH off"\n', 'office = "Mo-Fr 09:00-17:00"\n'),
  'ip-zones': folder =>
    byFlag(folder, 'ip-zones', '10.1.0.0/16, Europe/Berlin\n', '10.0.0.0/8, Europe/Paris\n'),
  'data-keys': folder => byFlag(folder, 'data-keys', keySetOf(2), keySetOf(1)),
  config: folder => byFlag(folder, 'config', 'max-bulk = 7\nlog-client = "network"\n', 'max-bulk = 5\n'),
  'api-key-file': folder =>
    byFlag(folder, 'api-key-file', 'first-key-of-the-test default a\n', 'older-key-of-the-test\n'),
  'marketplace-keys': folder => {
    const subject = byFlag(
      folder,
      'marketplace-keys',
      'subscribed-key-of-the-test\n',
      'older-key-of-the-test\n',
    );
    return { ...subject, args: [...subject.args, '--marketplace-host', 'time.example'] };
  },
  plans: folder =>
    byFlag(
      folder,
      'plans',
      '[plans.pro]\nrequests_per_second = 50\n',
      '[plans.pro]\nrequests_per_second = 5\n',
    ),
  'tls-cert': folder => tlsPair(folder, 'cert'),
  'tls-key': folder => tlsPair(folder, 'key'),
  'signing key': async folder => {
    const [path, older] = [
      await newSigningKey(join(folder, 'state')),
      await newSigningKey(join(folder, 'other')),
    ];
    return { args: [], path, older: readFileSync(older) };
  },
  'token store': async folder => {
    const state = join(folder, 'state');
    const path = join(state, 'access.sqlite');
    const add = () => run(['tokens', 'add', '--name', 'test', '--state-dir', state]);
    await add();
    const older = readFileSync(path);
    await add();
    return { args: [], path, older };
  },
};

/** The file of the only key in a state directory. */
async function newSigningKey(state: string): Promise<string> {
  await run(['keys', 'rotate', '--state-dir', state]);
  const keys = join(state, 'signing-keys');
  return join(keys, readdirSync(keys).find(name => name.endsWith('.json'))!);
}

function mmdb(name: string): Uint8Array {
  return readFileSync(join(MMDB, `${name}.mmdb`));
}

function byFlag(
  folder: string,
  flag: string,
  good: string | Uint8Array,
  older: string | Uint8Array,
): Subject {
  const path = join(folder, flag);
  writeFileSync(path, good);
  return { args: [`--${flag}`, path], path, older: Buffer.from(older) };
}

/** A zoneinfo tree of the embedded release, with its tables. */
function inTree(folder: string, name: string): Subject {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  zoneinfo('2099a', undefined, tree);
  for (const table of ['tzdata.zi', 'zone.tab', 'iso3166.tab'])
    copyFileSync(join(TABLES, table), join(tree, table));
  return { args: ['--zoneinfo', tree], path: join(tree, name) };
}

/** A pair of files, one of which is the subject; its older version belongs to another pair. */
function tlsPair(folder: string, part: 'cert' | 'key'): Subject {
  const [good, older] = ['good', 'older'].map(name => {
    const [cert, key] = [join(folder, `${name}.cert`), join(folder, `${name}.key`)];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    Bun.spawnSync(['openssl', 'req', '-x509', ...kind, '-keyout', key, '-out', cert, '-subj', '/CN=a'], {
      stderr: 'ignore',
    });
    return { cert, key };
  });
  return {
    args: ['--tls-cert', good!.cert, '--tls-key', good!.key],
    path: good![part],
    older: readFileSync(older![part]),
  };
}

/** The JSON of a set with a number of keys. */
function keySetOf(count: number): string {
  const keys = Array.from({ length: count }, (_, index) => publicKeyOf(sampleSeed(index)));
  return JSON.stringify({ version: count, threshold: count, keys });
}

/** A row of the table. */
export interface Row {
  readonly file: string;
  readonly damage: string;
  readonly start: string;
  readonly reload: string;
  readonly boot: string;
}

/** The rows of `damaged_files.txt`. */
export function readTable(): Row[] {
  const text = readFileSync(join(import.meta.dir, 'damaged_files.txt'), 'utf8');
  const rows = text.split('\n').filter(line => line !== '' && !/^(#|file )/.test(line));
  return rows.map(line => {
    const [file = '', damage = '', start = '', reload = '', boot = ''] = line.split(/ {2,}/);
    return { file, damage, start, reload, boot };
  });
}

/** The bytes of an unrelated file. */
const FOREIGN = Buffer.from('\x89PNG\r\n\x1a\nsome\0other = program "\n'.repeat(8), 'latin1');

/** The variants of a damage: the replacement of the file, undefined if it is removed. */
export function damages({ path, older }: Subject, damage: string): (Uint8Array | undefined)[] {
  const bytes = statSync(path).isDirectory() ? new Uint8Array() : readFileSync(path);
  const placeAt = (index: number) => Math.floor(((index + 1) * bytes.length) / (PLACES + 1));
  const places = Array.from({ length: PLACES }, (_, index) => placeAt(index));
  switch (damage) {
    case 'absent':
      return [undefined];
    case 'empty':
      return [new Uint8Array()];
    case 'truncated':
      return places.map(length => bytes.subarray(0, length));
    case 'flipped':
      return places.map((place, index) => flipped(bytes, place, index % 8));
    case 'older':
      return [older!];
    case 'foreign':
      return [FOREIGN];
    default:
      throw new Error(`Unknown damage '${damage}'`);
  }
}

/** Replaces a file or folder as `mv` does, without affecting a process that has it open. Disposal restores it. */
export function damaged(path: string, contents: Uint8Array | undefined): Disposable {
  const good = join(mkdtempSync(join(tmpdir(), 'meridian-good-')), 'good');
  const isFolder = statSync(path).isDirectory();
  renameSync(path, good);
  if (isFolder && contents?.length === 0) mkdirSync(path);
  else if (contents !== undefined) writeFileSync(path, contents, { mode: 0o600 });
  return {
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
      renameSync(good, path);
      rmSync(dirname(good), { recursive: true });
    },
  };
}

function flipped(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at]! ^= 1 << bit;
  return copy;
}

/** A new empty folder. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-damaged-'));
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  return folder;
}
