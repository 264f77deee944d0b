import { expect, test } from 'bun:test';
import { copyFileSync, cpSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, eventsOf, newFolder, onLinux, pausedFile, run, startServer } from '../support/process.ts';
import { zoneinfo } from '../support/zones.ts';

/** The status of `/readyz`, and its lines about zones and reloads. */
async function readiness(url: string): Promise<string[]> {
  const response = await fetch(`${url}/readyz`);
  const lines = (await response.text()).split('\n');
  return [String(response.status), ...lines.filter(line => /^(zones|reload|config) /.test(line))];
}

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

test('SIGHUP reloads the zoneinfo directory; a damaged one is rejected as a whole', async () => {
  const directory = zoneinfo('2099a');
  using server = await startServer(['--zoneinfo', directory]);
  const statusOf = async (zone: string) => (await fetch(`${server.url}/v1/time/current?tz=${zone}`)).status;
  expect(await statusOf('Asia/New')).toBe(400);

  cpSync(join(directory, 'Asia/Tokyo'), join(directory, 'Asia/New'));
  writeFileSync(join(directory, '+VERSION'), '2099b\n');
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded', 'zoneinfo')).toMatchObject({ now: 'tzdata 2099b' });
  expect(await statusOf('Asia/New')).toBe(200);

  const america = join(directory, 'America');
  const damages = {
    'it lacks zones of zone.tab: America/': () => renameSync(america, `${directory}-America`),
    'its Asia/Tokyo is not a valid TZif file'() {
      renameSync(`${directory}-America`, america);
      truncateSync(join(directory, 'Asia/Tokyo'), 40);
    },
    'its tzdata 2020a is older than the embedded': () => zoneinfo('2020a', undefined, directory),
  };
  for (const [reason, damage] of Object.entries(damages)) {
    damage();
    server.child.kill('SIGHUP');
    const { level, error } = await server.events.next('reload failed');
    expect(level).toBe('error');
    expect(error).toContain(reason);
    expect(await server.events.next('reload finished')).toMatchObject({ failed: 1, tzdata: '2099b' });
    expect(await readiness(server.url)).toEqual([
      '200',
      'zones ok tzdata 2099b',
      'reload warning the previous data remains in use, as the last reload failed for zoneinfo',
    ]);
    for (const zone of ['America/New_York', 'Asia/Tokyo', 'Asia/New']) expect(await statusOf(zone)).toBe(200);
  }
  expect(await metricsOf(server.url)).toContain('meridian_reload_successful 0\n');
});

for (const workers of ['1', '2']) {
  onLinux(`SIGHUP while a server of ${workers} workers starts reloads it once it serves`, async () => {
    const folder = newFolder();
    const calendar = join(folder, 'calendar');
    const paused = pausedFile(calendar);
    const command = [BINARY, 'serve', '--listen', '127.0.0.1:0', '--workers', workers];
    const flags = ['--calendar', calendar, '--state-dir', folder];
    await using server = Bun.spawn([...command, ...flags], { stdout: 'ignore', stderr: 'pipe' });
    const events = eventsOf(server.stderr);
    const { resume } = await paused;
    server.kill('SIGHUP');
    writeFileSync(`${calendar}.next`, '2026-12-24 holiday\n');
    renameSync(`${calendar}.next`, calendar);
    await resume('2026-12-31 holiday\n');
    for (let worker = 1; worker <= Number(workers); worker++) await events.next('started');
    for (let worker = 1; worker <= Number(workers); worker++) {
      await events.next('reloaded', 'calendar');
      await events.next('reload finished');
    }
  });
}

test('zones without a release, or older with --allow-older-data, are accepted', async () => {
  const [unknown, older] = [zoneinfo('none'), zoneinfo('2020a')];
  using server = await startServer(['--zoneinfo', unknown]);
  expect(await readiness(server.url)).toEqual([
    '200',
    "zones warning tzdata of an unknown release 'none', which may be old",
  ]);
  using permitted = await startServer(['--zoneinfo', older, '--allow-older-data']);
  expect(await readiness(permitted.url)).toEqual(['200', 'zones ok tzdata 2020a']);
});

for (const workers of process.platform === 'linux' ? ['1', '2'] : ['1']) {
  test(`a start with damaged zones serves the last good copy, with a warning, with --workers ${workers}`, async () => {
    const folder = newFolder();
    const directory = zoneinfo('2099a');
    const args = ['--zoneinfo', directory, '--state-dir', folder, '--workers', workers];
    await (await startServer(args)).stop();
    truncateSync(join(directory, 'Asia/Tokyo'), 100);
    {
      using server = await startServer(args);
      expect(await server.events.next('configured data cannot be used')).toMatchObject({
        level: 'error',
        what: 'zoneinfo',
        uses: 'the last good copy',
      });
      expect(await server.events.next('started')).toMatchObject({ level: 'info', tzdata: '2099a' });
      const [status, zones] = await readiness(server.url);
      expect(status).toBe('200');
      expect(zones).toMatch(
        /^zones degraded tzdata 2099a of the last good copy, as --zoneinfo cannot be used: its Asia/,
      );
      expect(zones).not.toContain(directory);
      const metrics = await metricsOf(server.url);
      expect(metrics).toContain('meridian_data_degraded{setting="zoneinfo"} 1\n');
      expect(metrics).toContain('meridian_data_info{set="tzdata",release="2099a",source="last good"} 1\n');

      zoneinfo('2099b', undefined, directory);
      server.child.kill('SIGHUP');
      expect(await server.events.next('reload finished')).toMatchObject({ failed: 0, tzdata: '2099b' });
      if (workers === '2') await server.events.next('reload finished');
      expect(await readiness(server.url)).toEqual(['200', 'zones ok tzdata 2099b']);
    }
    truncateSync(join(directory, 'Asia/Tokyo'), 100);
    const refused = await run(['serve', ...args, '--require-configured-data']);
    expect(refused.exitCode).toBe(1);
    const lines = refused.stderr.split('\n').filter(line => line.includes('Asia/Tokyo'));
    expect(lines).toEqual([expect.stringMatching(/^meridian: Cannot use \S+ as zones: its Asia\/Tokyo /)]);
  });
}

test('a damaged copy is not used', async () => {
  const folder = newFolder();
  const calendar = join(folder, 'calendar');
  writeFileSync(calendar, '2026-12-24 holiday\n');
  const args = ['--calendar', calendar, '--state-dir', join(folder, 'state')];
  await (await startServer(args)).stop();
  for (const copy of new Bun.Glob('calendar-*').scanSync(join(folder, 'state/last-good'))) {
    writeFileSync(join(folder, 'state/last-good', copy), '2026-12-25 holiday\n');
  }
  writeFileSync(calendar, 'nonsense\n');
  using server = await startServer(args);
  expect(await server.events.next('configured data')).toMatchObject({ uses: 'the embedded data' });
});

test('a reload of the configuration applies some settings and names those that need a restart', async () => {
  const folder = newFolder();
  const config = join(folder, 'meridian.toml');
  writeFileSync(config, 'max-bulk = 2\nretain-keys = 3\ncors-origin = "https://a.example"\n');
  using server = await startServer(['--cors-origin=*', '--state-dir', folder], { MERIDIAN_CONFIG: config });
  const bulk = async () => (await fetch(`${server.url}/v1/time/current?tz=UTC,UTC,UTC`)).status;
  expect(await bulk()).toBe(400);
  writeFileSync(config, 'max-bulk = 3\nretain-keys = 4\ncors-origin = "https://b.example"\n');
  server.child.kill('SIGHUP');
  const notice = 'restart required to apply retain-keys';
  expect(await server.events.next('reloaded', 'config')).toMatchObject({
    now: `applied max-bulk; ${notice}`,
  });
  expect(await bulk()).toBe(200);
  expect(await readiness(server.url)).toContain(`config warning ${notice}`);

  writeFileSync(config, 'max-bulk = 1\nretain-keys = = 4\n');
  const reload = () => run(['reload', String(server.child.pid), '--state-dir', folder]);
  expect(await reload()).toMatchObject({
    exitCode: 1,
    stdout: 'reload failed; the previous data remains in use\n',
    stderr: `meridian: config: ${config}:2:15: invalid value\n`,
  });
  expect(await bulk()).toBe(200);
  writeFileSync(config, 'max-bulk = 3\nretain-keys = 3\n');
  expect(await reload()).toMatchObject({ exitCode: 0, stdout: 'reloaded\n' });
  expect((await readiness(server.url)).filter(line => /^(config|reload)/.test(line))).toEqual([]);
  expect(await metricsOf(server.url)).toContain('meridian_reload_successful 1\n');
});

onLinux('a successor serves even if nobody reads stdout any more', async () => {
  const folder = newFolder();
  const config = join(folder, 'meridian.toml');
  writeFileSync(config, 'retain-keys = 3\n');
  const state = ['--state-dir', folder];
  using server = await startServer([...state, '--config', config]);
  await server.child.stdout.cancel();
  // The public port remains public when the operator's app gets one.
  writeFileSync(config, 'retain-keys = 3\nadmin-listen = "127.0.0.1:0"\n');
  const { exitCode, stdout, stderr } = await run(['reload', String(server.child.pid), ...state]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const successor = Number(/^process (?<pid>\d+) has taken over to apply admin-listen$/m.exec(stdout)![1]);
  expect(await server.child.exited).toBe(0);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  process.kill(successor);
  expect(await server.events.next('cannot write to stdout')).toMatchObject({
    level: 'warn',
    text: expect.stringContaining(`meridian listening on ${server.url}; meridian metrics and health on `),
  });
});

onLinux('SIGUSR2 without a request for an upgrade is logged, and the server goes on', async () => {
  using server = await startServer(['--state-dir', newFolder()]);
  server.child.kill('SIGUSR2');
  expect(await server.events.next('SIGUSR2 ignored')).toMatchObject({ level: 'warn' });
  expect(await server.stop()).toBe(0);
});

test("reload does not signal a process that is not the state directory's server", async () => {
  const folder = newFolder();
  const other = Bun.spawn(['sleep', '60']);
  const { exitCode, stderr } = await run(['reload', String(other.pid), '--state-dir', folder]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`Process ${other.pid} is not a server with the state directory`);
  expect(other.signalCode).toBeNull();
  other.kill();
  await other.exited;
  const ended = await run(['reload', String(other.pid), '--state-dir', folder]);
  expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('; no server is running\n') });
  expect((await run(['reload'])).exitCode).toBe(2);
});

const DATABASES = join(import.meta.dir, '../fixtures/mmdb/test-data');

/** Queries with the settings whose files they depend on; the calendar belongs to the holidays data set. */
const READS: Readonly<Record<string, readonly string[]>> = {
  '/v1/time/convert?unix=0&tz=Europe/Paris': ['zoneinfo'],
  '/v1/time/convert?unix=0&ip=2.125.160.216': ['zoneinfo', 'ip-db'],
  '/v1/time/convert?unix=0&offset=%2B05:45': [],
  '/v1/time/diff?from=unix=0&to=unix=86400': [],
  '/v1/time/diff?from=iso=2026-12-01&to=iso=2027-01-10&business_days=true&holiday_country=DE': ['calendar'],
  '/v1/work/diff?schedule=office&from=iso=2026-04-13&to=iso=2026-04-20': ['schedules'],
  '/v1/holidays?country=DE&year=2026': ['calendar'],
};

test('a reload changes exactly the entity tags of responses that depend on a changed file', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const zones = zoneinfo('2099a');
  const changes: Readonly<Record<string, (name: string) => void>> = {
    zoneinfo: () => writeFileSync(join(zones, '+VERSION'), '2099b\n'),
    'ip-db': () => copyFileSync(join(DATABASES, 'GeoLite2-City-Test.mmdb'), at('ip-db')),
    calendar: () => writeFileSync(at('calendar'), '2026-12-28 holiday\n'),
    schedules: () => writeFileSync(at('schedules'), 'office = "Mo-Fr 09:00-18:00"\n'),
  };
  copyFileSync(join(DATABASES, 'GeoIP2-City-Test.mmdb'), at('ip-db'));
  writeFileSync(at('calendar'), '2026-12-24 holiday\n');
  writeFileSync(at('schedules'), 'office = "Mo-Fr 09:00-17:00"\n');
  const files = ['ip-db', 'calendar', 'schedules'].flatMap(name => [`--${name}`, at(name)]);
  using server = await startServer(['--zoneinfo', zones, ...files]);
  const tags = () =>
    Promise.all(
      Object.keys(READS).map(async path => {
        const { status, headers } = await fetch(server.url + path);
        expect({ path, status }).toEqual({ path, status: 200 });
        return headers.get('ETag');
      }),
    );
  let before = await tags();
  expect(before).not.toContain(null);
  for (const [name, change] of Object.entries(changes)) {
    change(name);
    server.child.kill('SIGHUP');
    expect(await server.events.next('reload finished')).toMatchObject({ failed: 0 });
    const after = await tags();
    const changed = Object.keys(READS).filter((_, index) => before[index] !== after[index]);
    expect({ name, changed }).toEqual({
      name,
      changed: Object.keys(READS).filter(path => READS[path]!.includes(name)),
    });
    before = after;
  }
});
