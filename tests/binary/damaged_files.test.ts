import { expect, test } from 'bun:test';
import {
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { boundariesPath } from '../../data/boundaries/embedded.ts';
import { ipZonesPath } from '../../data/ip/embedded.ts';
import { placesPath } from '../../data/places/embedded.ts';
import { checkCommand } from '../../src/cli/commands/doctor.ts';
import { publicKeyOf } from '../../src/signing/signing_key.ts';
import { hasOpenssl, selfSigned } from '../support/openssl.ts';
import { BINARY, newFolder, run } from '../support/process.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { sampleSeed } from '../support/signing_keys.ts';
import { zoneinfo } from '../support/zones.ts';

const MMDB = join(import.meta.dir, '../fixtures/mmdb/test-data');
const TABLES = join(import.meta.dir, '../../data/zones');
const PLACES = 20;

/** A valid file used by a server with these flags, and another version that the server has not seen before. */
interface Subject {
  readonly args: readonly string[];
  readonly path: string;
  readonly older?: Uint8Array;
}

type Prepare = (folder: string) => Subject | Promise<Subject>;

/** Files of flags: a valid one, another version, and further flags. */
const FILES: Readonly<Record<string, readonly [string | Uint8Array, string | Uint8Array, ...string[]]>> = {
  calendar: ['2026-12-24 holiday Closing day\n', '2025-12-24 holiday Closing day\n'],
  'ip-db': [mmdb('GeoLite2-City-Test'), mmdb('GeoIP2-City-Test')],
  schedules: ['office = "Mo-Fr 09:00-17:30; PH off"\n', 'office = "Mo-Fr 09:00-17:00"\n'],
  'ip-zones': ['10.1.0.0/16, Europe/Berlin\n', '10.0.0.0/8, Europe/Paris\n'],
  'data-keys': [keySetOf(2), keySetOf(1)],
  config: ['max-bulk = 7\nlog-client = "network"\n', 'max-bulk = 5\n'],
  'api-key-file': ['first-key-of-the-test default a\n', 'older-key-of-the-test\n'],
  'marketplace-keys': ['subscribed-key-of-the-test\n', 'older-key-of-the-test\n', '--marketplace-host=a'],
  plans: ['[plans.pro]\nrequests_per_second = 50\n', '[plans.pro]\nrequests_per_second = 5\n'],
};

function byFlag(flag: string, [good, older, ...more]: (typeof FILES)[string]): Prepare {
  return folder => {
    const path = join(folder, flag);
    writeFileSync(path, good);
    return { args: [`--${flag}`, path, ...more], path, older: Buffer.from(older) };
  };
}

/** The files in the table, each created in an empty folder. The state directory is `folder/state`. */
const SUBJECTS: Readonly<Record<string, Prepare>> = {
  'zone file': folder => {
    const subject = inTree(folder, 'America/New_York');
    return { ...subject, older: readFileSync(join(dirname(subject.path), 'Detroit')) };
  },
  'zone.tab': folder => inTree(folder, 'zone.tab', /^US\t.*Detroit.*\n/m),
  'tzdata.zi': folder => inTree(folder, 'tzdata.zi', /2\S+/, '2020a'),
  'iso3166.tab': folder => inTree(folder, 'iso3166.tab', /^US\t.*\n/m),
  zoneinfo: folder => ({ ...inTree(folder, 'tzdata.zi'), path: join(folder, 'tree') }),
  ...Object.fromEntries(Object.entries(FILES).map(([flag, files]) => [flag, byFlag(flag, files)])),
  'tls-cert': folder => tlsPair(folder, 'cert'),
  'tls-key': folder => tlsPair(folder, 'key'),
  'signing key': async folder => {
    const path = await newSigningKey(join(folder, 'state'));
    return { args: [], path, older: readFileSync(await newSigningKey(join(folder, 'other'))) };
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

/** A file in a zoneinfo tree of the embedded release with its tables; in its older version the pattern is replaced. */
function inTree(folder: string, name: string, pattern = /^/, replacement = ''): Subject {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  zoneinfo('2099a', undefined, tree);
  for (const table of ['tzdata.zi', 'zone.tab', 'iso3166.tab'])
    copyFileSync(join(TABLES, table), join(tree, table));
  const path = join(tree, name);
  const older = Buffer.from(readFileSync(path, 'utf8').replace(pattern, replacement));
  return { args: ['--zoneinfo', tree], path, older };
}

/** A pair of files, one of which is the subject; its older version belongs to another pair. */
function tlsPair(folder: string, part: 'cert' | 'key'): Subject {
  const [good, older] = ['good', 'older'].map(name => selfSigned(folder, name));
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

/** The rows of `damaged_files.txt`. */
function readTable() {
  const text = readFileSync(join(import.meta.dir, 'damaged_files.txt'), 'utf8');
  const rows = text.split('\n').filter(line => line !== '' && !/^(#|file )/.test(line));
  return rows.map(line => {
    const [file = '', damage = '', start = '', reload = '', boot = ''] = line.split(/ {2,}/);
    return { file, damage, start, reload, boot };
  });
}

type Row = ReturnType<typeof readTable>[number];

/** The bytes of an unrelated file. */
const FOREIGN = Buffer.from('\x89PNG\r\n\x1a\nsome\0other = program "\n'.repeat(8), 'latin1');

/** The variants of a damage: the replacement of the file, undefined if it is removed. */
function damages({ path, older }: Subject, damage: string): (Uint8Array | undefined)[] {
  const bytes = statSync(path).isDirectory() ? new Uint8Array() : readFileSync(path);
  const places = Array.from({ length: PLACES }, (_, index) =>
    Math.floor(((index + 1) * bytes.length) / (PLACES + 1)),
  );
  const variants: Readonly<Record<string, () => (Uint8Array | undefined)[]>> = {
    absent: () => [undefined],
    empty: () => [new Uint8Array()],
    truncated: () => places.map(length => bytes.subarray(0, length)),
    flipped: () => places.map((place, index) => flipped(bytes, place, index % 8)),
    older: () => [older!],
    foreign: () => [FOREIGN],
  };
  return variants[damage]!();
}

/** Replaces a file or folder as `mv` does, without affecting a process that has it open. Disposal restores it. */
function damaged(path: string, contents: Uint8Array | undefined): Disposable {
  const good = join(newFolder(), 'good');
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

/** A new folder with an empty state directory. */
function folderWithState(): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  return folder;
}

/** How many variants of a damage are checked, and how many of them tested with whole server lives, unless this is a proof. */
const [CHECKS, LIVES] = [5, 1];

/** Starts a server, and returns the outcome: `served`, `embedded`, `last-good` or `refused`. */
async function startedOutcome(args: readonly string[], whileRunning?: (pid: number) => Promise<void>) {
  const child = Bun.spawn([BINARY, 'serve', '--listen', '127.0.0.1:0', ...args], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const url = await listeningUrl(child.stdout);
  if (url === undefined) {
    const stderr = await new Response(child.stderr).text();
    // The error that `check` also reports, after log lines; not a crash.
    const outcome = `exit ${await child.exited}: ${stderr}`;
    expect(outcome).toMatch(/^exit [12]: (?:\{.*\n)*meridian: .+\n$/);
    // The file is the reason for the refusal, not the machine.
    expect(outcome).not.toContain('Cannot listen');
    return 'refused';
  }
  const response = await fetch(`${url}/readyz`, { tls: { rejectUnauthorized: false } });
  const degraded = /^\S+ degraded (?<detail>.*)$/m.exec(await response.text())?.groups?.['detail'];
  expect(response.status).toBe(200);
  // No request may fail because of the damage.
  const zone = await fetch(`${url}/v1/time/current?tz=America/New_York`, {
    tls: { rejectUnauthorized: false },
  });
  expect([200, 401]).toContain(zone.status);
  await whileRunning?.(child.pid);
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  if (degraded === undefined) return 'served';
  return degraded.includes('the last good copy') ? 'last-good' : 'embedded';
}

async function listeningUrl(stdout: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = '';
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk);
    const url = /^meridian listening on (\S+)\n/m.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}

/** The outcomes of one variant of a damage, in three lives of a server. */
async function outcomes(folder: string, subject: Subject, contents: Uint8Array | undefined) {
  const start = await withState(folder, subject, async ({ args, path }) => {
    using _ = damaged(path, contents);
    return await startedOutcome(args);
  });
  return await withState(folder, subject, async ({ args, path, state }) => {
    using damage = new DisposableStack();
    let reload = '';
    const before = await startedOutcome(args, async pid => {
      damage.use(damaged(path, contents));
      const { exitCode, stdout } = await run(['reload', String(pid), '--state-dir', state]);
      const successor = /^process (\d+) has taken over/m.exec(stdout)?.[1];
      if (successor !== undefined) process.kill(Number(successor));
      reload = exitCode === 0 ? 'served' : 'kept';
    });
    expect(before).toBe('served');
    return { start, reload, boot: await startedOutcome(args) };
  });
}

/** Runs with a copy of the state directory, which may contain the subject. */
async function withState<Result>(
  folder: string,
  { args, path }: Subject,
  work: (copied: Subject & { state: string }) => Promise<Result>,
): Promise<Result> {
  const copy = folderWithState();
  const [original, state] = [join(folder, 'state'), join(copy, 'state')];
  cpSync(original, state, { recursive: true });
  return await work({ args: [...args, '--state-dir', state], path: path.replace(original, state), state });
}

const AGREEING = [
  { start: 'served', reload: 'served', boot: 'served' },
  { start: 'embedded', reload: 'kept', boot: 'last-good' },
  { start: 'refused', reload: 'kept', boot: 'refused' },
];

const TABLE = Object.groupBy(readTable(), ({ file }) => file);

test('the table has every file', () => {
  expect(Object.keys(TABLE)).toEqual(Object.keys(SUBJECTS));
});

for (const [file, rows = []] of Object.entries(TABLE)) {
  const isSkipped = file.startsWith('tls-') && !hasOpenssl;
  const name = `${file}: damage has the outcomes of the table${file.startsWith('tls-') ? ' (requires openssl)' : ''}`;
  // The processes of a file run sequentially, and mostly wait.
  (isSkipped ? test.skip : test.concurrent)(name, async () => {
    const folder = folderWithState();
    const subject = await SUBJECTS[file]!(folder);
    const found = [];
    for (const row of rows) found.push(await compare(row, folder, subject));
    const lives = found.reduce((sum, each) => sum + each.lives, 0);
    const differences = found.flatMap(each => each.differences);
    expectNoDifferences(`outcomes of a damaged ${file}`, lives, differences);
  });
}

/** Compares the outcomes of variants of a damage with the table: those of `check`, and of whole server lives. */
async function compare({ file, damage, ...expected }: Row, folder: string, subject: Subject) {
  const differences: string[] = [];
  const variants = sample([...damages(subject, damage).entries()], CHECKS);
  const allowed = expected.start === 'any' ? AGREEING : [expected];
  const expectAllowed = (label: string, isAllowed: boolean, found: unknown) => {
    if (!isAllowed) differences.push(`${file}, ${damage} ${label}: ${JSON.stringify(found)}`);
  };
  const faulty = new Set<number>();
  for (const [index, contents] of variants) {
    const isFaulty = await checkedFaulty(folder, subject, contents);
    if (isFaulty) faulty.add(index);
    const isAllowed = allowed.some(({ start }) => isFaulty === (start !== 'served'));
    expectAllowed(`${index}, check`, isAllowed, { isFaulty });
  }
  const lives = sample(variants, LIVES);
  for (const [index, contents] of lives) {
    const found = await outcomes(folder, subject, contents);
    const isAllowed = allowed.some(each => Bun.deepEquals(each, found));
    expectAllowed(`${index}`, isAllowed && faulty.has(index) === (found.start !== 'served'), found);
  }
  return { lives: lives.length, differences };
}

/** Whether `check` finds a fault, in this process. */
function checkedFaulty(folder: string, subject: Subject, contents: Uint8Array | undefined): Promise<boolean> {
  return withState(folder, subject, async ({ args, path }) => {
    using _ = damaged(path, contents);
    const readConfig = (config: string) => readFileSync(config, 'utf8');
    const output = { print: () => {}, write: async () => {}, isTerminal: () => false, actAsOwner: () => {} };
    const exitCode = await checkCommand.run(args, { environment: {}, readConfig, ...output });
    expect([0, 1]).toContain(exitCode);
    return exitCode === 1;
  });
}

const DATA = join(import.meta.dir, '../../data');
const SETS = [
  { name: 'zones', path: join(DATA, 'zones/zones.pack'), query: 'tz=Europe/Paris', stopsAll: true },
  { name: 'holidays', path: join(DATA, 'holidays/holidays.pack'), query: 'tz=Europe/Paris', stopsAll: true },
  { name: 'boundaries', path: boundariesPath, query: 'lat=48.85&lon=2.35', stopsAll: false },
  { name: 'places', path: placesPath, query: 'place=Munich', stopsAll: false },
  { name: 'ip', path: ipZonesPath, query: 'ip=8.8.8.8', stopsAll: false },
];

/** Runs a program with `get`, and returns the outcome. */
function get(program: string, query: string) {
  const env = { PATH: process.env['PATH'] ?? '', MERIDIAN_STATE_DIR: '/nonexistent' };
  const { stdout, stderr, exitCode } = Bun.spawnSync([program, 'get', `/v1/time/current?${query}`], { env });
  return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode };
}

/** Writes one byte of a file and closes it: a program open for writing cannot be run. */
function poke(path: string, at: number, byte: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Uint8Array.of(byte), 0, 1, at);
  closeSync(file);
}

test('with a bit flipped anywhere in its data, the program reports damage and never returns wrong data', () => {
  const folder = newFolder();
  const program = join(folder, 'meridian');
  copyFileSync(BINARY, program);
  const bytes = readFileSync(program);
  for (const { name, path, query, stopsAll } of SETS) {
    const data = readFileSync(path);
    const start = bytes.indexOf(data);
    expect([name, start > 0]).toEqual([name, true]);
    for (const part of [0.001, 0.999]) {
      const at = start + Math.floor(part * data.length);
      poke(program, at, bytes[at]! ^ 4);
      const { stdout, stderr, exitCode } = get(program, query);
      expect([name, part, exitCode]).toEqual([name, part, 1]);
      if (stopsAll) {
        expect([stdout, stderr.trimEnd().split('\n').length]).toEqual(['', 1]);
        expect(stderr).toMatch(/data inside this program is damaged: its SHA-256/);
      } else {
        expect(JSON.parse(stdout).error.code).toBe('DEPENDENCY_NOT_READY');
        expect(get(program, 'tz=Europe/Paris').exitCode).toBe(0);
      }
      poke(program, at, bytes[at]!);
    }
    expect([name, get(program, query).exitCode]).toEqual([name, 0]);
  }
});
