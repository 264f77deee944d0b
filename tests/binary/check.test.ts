import { expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { BINARY, newFolder, run } from '../support/process.ts';
import { zoneinfo } from '../support/zones.ts';

/** A configuration in a folder, with some invalid files. */
function configuration(folder: string, isFaulty: boolean) {
  const at = (name: string, good: string, bad: string) => {
    const path = join(folder, name);
    writeFileSync(path, isFaulty ? bad : good, { mode: 0o600 });
    return path;
  };
  const calendar = at('calendar', '2026-12-24 holiday\n', '2026-12-24 holliday\n\nXX 2026-12-24 workday\n');
  const networks = at('networks', '10.0.0.0/8, Europe/Paris\n', '10.0.0.0/8, Europe/Pariss\n1.0.0.0,A\n');
  const plan = '[plans.pro]\nrequests_per_month = ';
  const plans = at('plans', `${plan}5\n`, `${plan}= 5\n`);
  const keys = at(
    'keys',
    'an-api-key-of-the-test pro\n',
    'short\nan-api-key-of-the-test\nan-api-key-of-the-test pro\n',
  );
  const schedules = at('schedules', 'office = "24/7"\n', 'Office = "24/7"\nnight = "25:00"\n');
  const files = `schedules = "${schedules}"\ncalendar = "${calendar}"\nip-zones = "${networks}"\nplans = "${plans}"\n`;
  const faulty = 'max-bulk = 0\nlog_levle = "debug"\nquota-fail = "closed"\n[server]\n';
  const keyFile = `api-key-file = "${keys}"\n`;
  const config = at('meridian.toml', files + keyFile, files + keyFile + faulty);
  return { calendar, networks, plans, keys, schedules, config };
}

test('check and doctor report all errors in the configuration and its files, and change nothing', async () => {
  const folder = newFolder();
  const { calendar, networks, plans, keys, schedules, config } = configuration(folder, true);
  const state = join(folder, 'state');
  const faults = [
    `${config}:7:1: Unknown key 'log_levle'; did you mean 'log-level'?`,
    `${config}:9:1: Unknown table 'server'; settings are not in tables`,
    `${config}:6:12: max-bulk: '0' is not an integer of at least 1`,
    `${config}:8:14: --quota-fail closed requires --redis`,
    expect.stringContaining(`${calendar}:1:1: '2026-12-24 holliday' is not like `),
    `${calendar}:3:1: no country 'XX' is known`,
    `${schedules}:1:1: 'Office': a name is lower-case letters, digits and '-', a letter first`,
    expect.stringContaining(`${schedules}:2:9: Cannot read 'night': '25:00' `),
    `${networks}:1:13: 'Europe/Pariss' is not a time zone`,
    `${networks}:2:9: 'A' is not a time zone`,
    `${plans}:2:22: invalid value`,
    `${keys}:1:1: a key is 16 to 512 visible ASCII characters without a comma`,
    `${keys}:3:1: this key is already on line 2`,
  ];
  const { stdout, ...check } = await run(['check', '--config', config, '--state-dir', state]);
  expect(check).toEqual({ exitCode: 1, stderr: '' });
  expect(
    stdout
      .trimEnd()
      .replace(/^fault {4}/gm, '')
      .split('\n'),
  ).toEqual(faults);
  const doctor = await run(['doctor', '--json', '--config', config, '--state-dir', state]);
  expect(doctor.exitCode).toBe(1);
  expect(JSON.parse(doctor.stdout).faults).toEqual(faults);
  expect(existsSync(state)).toBe(false);
});

test('check reports every file that does not exist', async () => {
  const names = [
    ...['zoneinfo', 'data-keys', 'schedules', 'calendar', 'ip-db', 'ip-zones', 'plans', 'api-key-file'],
    ...['marketplace-keys', 'tls-cert', 'tls-key'],
  ];
  const args = names.flatMap(name => [`--${name}`, `/none/${name}`]);
  const { stdout, exitCode } = await run(['check', '--marketplace-host', 'host.example', ...args]);
  expect(exitCode).toBe(1);
  for (const name of names) expect(stdout).toContain(`/none/${name}`);
  expect(stdout.trimEnd().split('\n')).toHaveLength(names.length);
});

test('check parses bundle keys, and does not show them', async () => {
  const folder = newFolder();
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, '{"version":1,"threshold":2,"keys":[]}');
  expect(await run(['check', '--data-keys', keys, '--state-dir', folder])).toEqual({
    exitCode: 1,
    stdout: `fault    Cannot use ${keys}: The trusted keys: its 0 keys are fewer than the threshold of 2\n`,
    stderr: '',
  });
  for (const [text, fault] of [
    ['secret-token\n', ': it is not JSON'],
    [
      '{"version":1,"threshold":1,"keys":["SECRET"]}'.replace('SECRET', 'A'.repeat(43)),
      ': key 1 is not an Ed25519 public key',
    ],
  ] as const) {
    writeFileSync(keys, text);
    const { stdout } = await run(['check', '--data-keys', keys, '--state-dir', folder]);
    expect(stdout).toBe(`fault    Cannot use ${keys}: The trusted keys${fault}\n`);
  }
});

test('check opens a certificate without its key, and a key without its certificate', async () => {
  for (const [flag, other] of [
    ['tls-cert', 'tls-key'],
    ['tls-key', 'tls-cert'],
  ] as const) {
    const { stdout, exitCode } = await run(['check', `--${flag}`, '/none']);
    expect({ exitCode, lines: stdout.trimEnd().split('\n') }).toEqual({
      exitCode: 1,
      lines: [
        `fault    --${flag} requires --${other}`,
        'fault    Cannot read /none: no such file or directory (ENOENT)',
      ],
    });
  }
});

/** The warnings of `check` or `doctor`, which are no faults. */
async function warningsOf(command: 'check' | 'doctor', ...args: readonly string[]): Promise<string[]> {
  const { stdout, exitCode } = await run([command, ...args]);
  expect(exitCode).toBe(0);
  return [...stdout.matchAll(/^warning +(.*)$/gm)].map(([, warning]) => warning!);
}

test('check and doctor warn of files with secrets that every user can read', async () => {
  const folder = newFolder();
  const { config, keys } = configuration(folder, false);
  const flags = ['--config', config, '--state-dir', folder];
  const warningOf = (path: string, mode: string) =>
    `${path} contains secrets and is readable by every user (mode ${mode}); run 'chmod o-r ${path}'`;
  for (const path of [config, keys]) chmodSync(path, 0o644);
  expect(await warningsOf('check', ...flags)).toEqual([warningOf(keys, '644')]);
  writeFileSync(config, `${readFileSync(config, 'utf8')}api-key = "another-key-of-the-test"\n`);
  const both = [warningOf(keys, '644'), warningOf(config, '644')];
  expect(await warningsOf('check', ...flags)).toEqual(both);
  expect(await warningsOf('doctor', ...flags)).toEqual(both);
  for (const path of [config, keys]) chmodSync(path, 0o640);
  expect(await warningsOf('check', ...flags)).toEqual([]);
});

test('check and doctor warn of a state directory to which the server cannot write', async () => {
  const parent = newFolder();
  chmodSync(parent, 0o755);
  const state = join(parent, 'state');
  mkdirSync(state);
  chmodSync(state, 0o555);
  if (process.getuid?.() === 0) chownSync(state, 65_532, 65_532); // commands act as the owner
  const reason = 'permission denied (EACCES)';
  for (const [command, path] of [
    ['check', state],
    ['doctor', state],
    ['check', join(state, 'deeper/one')],
  ] as const)
    expect(await warningsOf(command, '--state-dir', path)).toEqual([
      expect.stringContaining(`${path} is not writable: ${reason}; signing keys, API keys, usage`),
    ]);
});

test('the error for one of several IP databases names its file', async () => {
  const good = join(import.meta.dir, '../fixtures/mmdb/test-data/GeoLite2-City-Test.mmdb');
  const { stdout } = await run(['check', '--ip-db', good, '--ip-db', '/none']);
  expect(stdout).toContain(" as IP database: '/none': no such file or directory (ENOENT)");
});

test('check accepts a valid configuration, and rejects exposed addresses without keys', async () => {
  const folder = newFolder();
  const { config } = configuration(folder, false);
  const check = (...flags: readonly string[]) => run(['check', '--state-dir', folder, ...flags]);
  expect(await check('--config', config)).toEqual({ exitCode: 0, stdout: 'no faults found\n', stderr: '' });
  const exposed = await check('--listen', '0.0.0.0:8080');
  expect(exposed.exitCode).toBe(1);
  expect(exposed.stdout).toStartWith('fault    Cannot listen on 0.0.0.0:8080 without API keys');
  expect((await check('--listen', '0.0.0.0:8080', '--config', config)).exitCode).toBe(0);
});

test('journal lines have their priority', async () => {
  const folder = newFolder();
  const path = join(folder, 'journal');
  const linesOf = async (args: readonly string[], isJournal: boolean): Promise<string[]> => {
    writeFileSync(path, '');
    const { dev, ino } = statSync(path);
    const child = Bun.spawn([BINARY, 'serve', '--listen', '127.0.0.1:0', '--state-dir', folder, ...args], {
      env: { PATH: process.env['PATH'] ?? '', JOURNAL_STREAM: isJournal ? `${dev}:${ino}` : '1:1' },
      stdout: 'pipe',
      stderr: openSync(path, 'a'),
    });
    for await (const _ of child.stdout) child.kill('SIGTERM'); // once it listens
    await child.exited;
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  };
  const missing = ['--calendar', join(folder, 'none')];
  const lines = await linesOf(missing, true);
  expect(lines.map(line => /^(<\d>)\{.*"level":"(\w+)","message":"(.*?)"/.exec(line)?.slice(1))).toEqual([
    ['<3>', 'error', 'configured data cannot be used'],
    ['<6>', 'info', 'started'],
    ['<6>', 'info', 'stopped'],
  ]);
  for (const line of lines.slice(1)) {
    const { version, commit, tzdata, holidays, boundaries, ip } = JSON.parse(line.slice(3));
    for (const value of [version, commit, tzdata, holidays, boundaries, ip]) expect(value).toMatch(/^\S/);
  }
  const [failure] = await linesOf([...missing, '--require-configured-data'], true);
  expect(failure).toStartWith('<3>meridian: Cannot use ');
  for (const line of await linesOf(missing, false)) expect(line).toStartWith('{');
});

async function doctor(args: readonly string[] = [], env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = await run(['doctor', '--json', ...args], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

const REPORT = doctor();
test('doctor reports the tzdata release, the age of every data set, and the state of the clock', async () => {
  const report = await REPORT;
  expect(report.zones.version).toMatch(/^20\d\d[a-z]/);
  expect(report.embedded.map(({ name }: { name: string }) => name)).toEqual(
    EMBEDDED_DATA.map(({ name }) => name),
  );
  for (const { date, age_days } of report.embedded) {
    expect(age_days).toBe(Math.floor((Date.now() - Date.parse(date)) / 86_400_000));
  }
  if (process.platform === 'linux') expect(typeof report.clock.is_synchronized).toBe('boolean');
});

test("doctor finds where the host's zoneinfo differs: zone, since when, both offsets", async () => {
  const directory = zoneinfo('2026x', ['Europe/London', 'Europe/Berlin']);
  copyFileSync(join(directory, 'Europe/London'), join(directory, 'Europe/Paris'));
  const { comparisons } = await doctor([], { TZDIR: directory });
  const host = comparisons.find((comparison: { with: string }) => comparison.with === directory);
  expect(host.version).toBe('2026x');
  const of = (name: string) => host.differences.find(({ zone }: { zone: string }) => zone === name);
  expect(of('Europe/Berlin')).toBeUndefined();
  // Until then London was on summer time all year.
  expect(of('Europe/Paris')).toEqual({
    zone: 'Europe/Paris',
    since: '1971-10-31T02:00:00Z',
    offset: '+01:00',
    other_offset: '+00:00',
    is_past: false,
  });
  expect(of('Asia/Tokyo')).toMatchObject({ since: null });
});

test("doctor compares the embedded zones with the runtime's, which are older", async () => {
  const { comparisons } = await REPORT;
  const { differences } = comparisons.find((comparison: { with: string }) => comparison.with.includes('ICU'));
  expect(differences).toContainEqual({
    zone: 'America/Vancouver',
    since: '2026-11-01T09:00:00Z',
    offset: '-07:00',
    other_offset: '-08:00',
    is_past: false,
  });
  expect(differences.map(({ zone }: { zone: string }) => zone)).not.toContain('Africa/Monrovia');
});

test('doctor compares a zoneinfo directory in use with the embedded zones', async () => {
  const directory = zoneinfo('2099a');
  const report = await doctor(['--zoneinfo', directory], { TZDIR: '/nonexistent' });
  const [embedded, host] = report.comparisons;
  expect(embedded).toMatchObject({ with: 'the embedded zones', differences: [] });
  expect(host).toMatchObject({ with: '/nonexistent', problem: 'not present on this host' });
});

test('doctor exits 1 and names what is broken', async () => {
  const state = newFolder();
  expect(await run(['doctor', '--state-dir', state])).toMatchObject({ exitCode: 0, stderr: '' });
  writeFileSync(join(state, 'access.sqlite'), 'not a database');
  for (const flags of [[], ['--json']]) {
    const { exitCode, stdout } = await run(['doctor', '--state-dir', state, ...flags]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(join(state, 'access.sqlite'));
  }
});

test('doctor warns of variables that resemble settings, and of a world-writable directory', async () => {
  const state = newFolder();
  chmodSync(state, 0o777);
  const env = { MERIDIAN_API_KEYS: 'secret', MERIDIAN_SERVICE_HOST: '10.0.0.1' };
  const { exitCode, stdout } = await run(['doctor', '--state-dir', state], { env });
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').filter(line => line.startsWith('warning'))).toEqual([
    `warning    ${state} is writable by every user (mode 777); run 'chmod 700 ${state}'`,
    "warning    MERIDIAN_API_KEYS is set, but is not a setting; did you mean 'MERIDIAN_API_KEY'?",
  ]);
  expect(stdout).not.toContain('secret');
  const report = await doctor(['--state-dir', state], env);
  expect(report.stray_variables).toEqual([{ name: 'MERIDIAN_API_KEYS', nearest: 'MERIDIAN_API_KEY' }]);
  expect(report.state.warning).toContain('777');
});
