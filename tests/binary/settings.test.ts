import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectFailures, newFolder, run, startServer } from '../support/process.ts';

const PATH = '/v1/time/current';

test('--cors-origin is the origin in responses and preflights', async () => {
  using server = await startServer(['--cors-origin', 'https://a.example']);
  for (const method of ['GET', 'OPTIONS']) {
    const init = { method, headers: { Origin: 'https://a.example' } };
    const { headers } = await fetch(server.url + PATH, init);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('https://a.example');
  }
});

test('the marketplace headers can be renamed', async () => {
  const folder = newFolder();
  const keys = join(folder, 'keys');
  writeFileSync(keys, 'the-subscription-key\n');
  using server = await startServer([
    ...['--marketplace-keys', keys, '--marketplace-host', 'time.example'],
    ...['--marketplace-key-header', 'X-Market-Key', '--marketplace-host-header', 'X-Market-Host'],
  ]);
  const status = async (key: string, host: string) =>
    (await fetch(server.url + PATH, { headers: { [key]: 'the-subscription-key', [host]: 'time.example' } }))
      .status;
  expect(await status('X-Market-Key', 'X-Market-Host')).toBe(200);
  expect(await status('X-RapidAPI-Key', 'X-RapidAPI-Host')).toBe(401);
});

test('an unsynchronized clock is a failure only with --require-clock-sync', async () => {
  const { clock } = JSON.parse((await run(['doctor', '--json'])).stdout);
  for (const flags of [[], ['--require-clock-sync']]) {
    using server = await startServer(flags);
    const isFailure = flags.length > 0 && clock !== null && !clock.is_synchronized;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(isFailure ? 503 : 200);
  }
});

test('the client IP is not logged, logged as its network, or in full', async () => {
  for (const [mode, client] of [
    ['none', undefined],
    ['network', '127.0.0.0/24'],
    ['full', '127.0.0.1'],
  ] as const) {
    using server = await startServer(['--access-log', 'all', '--log-client', mode]);
    await fetch(server.url + PATH);
    expect((await server.events.next('request'))['client']).toBe(client);
  }
});

test('--log-format text writes a readable line', async () => {
  const server = await startServer(['--access-log', 'all', '--log-format', 'text']);
  await fetch(`${server.url}${PATH}?tz=Asia/Tokyo`, { headers: { 'X-Request-Id': 'mine' } });
  server.child.kill('SIGTERM');
  const log = await new Response(server.child.stderr).text();
  expect(log).toMatch(/^\S+Z info {2}200 GET \/v1\/time\/current [\d.]+ms mine$/m);
  expect(log).not.toContain('Tokyo');
});

test('a server warns once of a stray variable, and starts', async () => {
  for (const workers of ['1', '2']) {
    using server = await startServer(['--workers', workers], { MERIDIAN_API_KEYS: 'secret' });
    server.child.kill('SIGTERM');
    const log = await new Response(server.child.stderr).text();
    expect(log.match(/MERIDIAN_API_KEYS is set, but is not a setting/g)).toHaveLength(1);
    expect(log).not.toContain('secret');
  }
});
test('conflicting settings are rejected by serve and systemd-unit', () =>
  expectFailures(
    ['serve', 'systemd-unit'].map(command => [
      [command, '--quota-fail', 'closed'],
      2,
      'meridian: --quota-fail closed requires --redis\n',
    ]),
    { env: { MERIDIAN_STATE_DIR: '' } },
  ));

const ASKED = '/v1/time/diff?from=iso=2026-12-21&to=iso=2027-01-04&business_days=true&holiday_country=DE';

function calendarFile(text: string, path = join(newFolder(), 'calendar')): string {
  writeFileSync(path, text);
  return path;
}

test('get counts with the embedded holidays, and with a calendar that overrides them', async () => {
  const days = async (...flags: string[]) =>
    JSON.parse((await run(['get', ASKED, ...flags])).stdout).business_days;
  expect(await days()).toBe(8);
  expect(await days('--calendar', calendarFile('2026-12-24 holiday Closing day\n'))).toBe(7);
});

test('an invalid calendar is reported with its line', async () => {
  const path = calendarFile('# ours\n2026-12-24 holiday\n2026-12-32 holiday\n');
  const fault = `${path}:3:1: there is no 2026-12-32`;
  await expectFailures([
    [['serve', '--calendar', path, '--require-configured-data'], 1, `meridian: ${fault}\n`],
    [
      ['get', '/', '--calendar', '/none'],
      1,
      'Cannot use /none as calendar: no such file or directory (ENOENT)',
    ],
  ]);
  const doctor = await run(['doctor', '--calendar', path]);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain(`fault      ${fault}\n`);
});

test('doctor reports until when holidays are certain, and the calendar that overrides them', async () => {
  const path = calendarFile('2026-12-24 holiday\n2026-02-14 workday\n');
  const { stdout } = await run(['doctor', '--json', '--calendar', path]);
  const { holidays, embedded, uncertain_holidays } = JSON.parse(stdout);
  expect(holidays).toMatchObject({ years: '1970-2100', calendars: 1021, calendar: { from: path, days: 2 } });
  expect(holidays.version).toMatch(/^date-holidays \d/);
  expect(holidays.certain_through).toBeGreaterThanOrEqual(2029);
  expect(holidays.calendars_by_law).toBeGreaterThan(200);
  expect(holidays.calendars_by_list).toBeGreaterThan(100);
  expect(embedded.map(({ name }: { name: string }) => name)).toContain('holidays');
  expect((await run(['doctor', '--calendar', path])).stdout).toContain(`2 days from ${path}`);
  const { certain_through, calendars_by_law, calendars_by_list } = holidays;
  const line = ` {11}certain through ${certain_through} in ${calendars_by_law} calendars that follow from law; ${calendars_by_list} held against lists, ${1021 - calendars_by_law - calendars_by_list} not compared`;
  expect((await run(['doctor'])).stdout).toMatch(new RegExp(`^${line}$`, 'm'));
  const isNear = Date.UTC(certain_through + 1, 0) - Date.now() < 183 * 86_400_000;
  expect(uncertain_holidays !== null).toBe(isNear);
});

test('SIGHUP reloads the calendar; an invalid line is reported by number and the old days remain', async () => {
  const path = calendarFile('2026-12-24 holiday\n');
  using server = await startServer(['--calendar', path]);
  const days = async () =>
    ((await (await fetch(server.url + ASKED)).json()) as { business_days: number }).business_days;
  expect(await days()).toBe(7);

  calendarFile('2026-12-24 holiday\n2026-12-28 holiday\n', path);
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded')).toMatchObject({ what: 'calendar', now: '2 days' });
  expect(await days()).toBe(6);

  calendarFile('2026-12-24 workday\nDE-XX 2026-12-28 holiday\n', path);
  server.child.kill('SIGHUP');
  const { level, error } = await server.events.next('reload failed');
  expect(level).toBe('error');
  expect(error).toContain(":2:4: Germany has no subdivision 'XX'");
  expect(await days()).toBe(6);

  calendarFile('2026-12-24 holiday\n', path);
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded', 'calendar')).toMatchObject({ now: '1 day' });
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain(', with 1 day of the organisation\n');
  expect((await run(['doctor', '--calendar', path])).stdout).toContain(`calendar   1 day from ${path}`);
});

const WORK_PATH = '/v1/work/diff?schedule=office&from=unix=0&to=unix=604800';

function scheduleFile(text: string, path = join(newFolder(), 'schedules.toml')): string {
  writeFileSync(path, text);
  return path;
}

test('get and doctor read the --schedules file', async () => {
  const path = scheduleFile('office = "Mo-Fr 09:00-17:00"\nnight-2 = "22:00-06:00"\n');
  expect(JSON.parse((await run(['get', WORK_PATH, '--schedules', path])).stdout).work_hours).toBe(40);
  expect((await run(['get', WORK_PATH])).stdout).toContain("this server has no schedule 'office'");
  expect((await run(['doctor', '--schedules', path])).stdout).toContain(
    `schedules  office, night-2 from ${path}`,
  );
});

test('a file with an error is reported with its path and the entry', async () => {
  const failure = (text: string, reason: string) => {
    const path = scheduleFile(text);
    const serve = ['serve', '--schedules', path, '--require-configured-data'];
    return [serve, 1, `meridian: ${path}:1:${reason}`] as const;
  };
  await expectFailures([
    failure('office = "Mo 9-17"\n', "10: Cannot read 'office': 'Mo 9-17' has '9-17' at character 4"),
    failure('Office = "24/7"\n', "1: 'Office': a name is lower-case letters"),
    failure('office = \n', '10: invalid value'),
  ]);
});

test('SIGHUP reloads schedules; an invalid file is reported and the old ones remain', async () => {
  const path = scheduleFile('office = "Mo-Fr 09:00-17:00"\n');
  using server = await startServer(['--schedules', path]);
  const hours = async () =>
    ((await (await fetch(server.url + WORK_PATH)).json()) as { work_hours: number }).work_hours;
  expect(await hours()).toBe(40);

  scheduleFile('office = "24/7"\nshop = "10:00-11:00"\n', path);
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded')).toMatchObject({ what: 'schedules', now: '2 schedules' });
  expect(await hours()).toBe(168);

  scheduleFile('office = "sometimes"\n', path);
  server.child.kill('SIGHUP');
  const { level, error } = await server.events.next('reload failed');
  expect(level).toBe('error');
  expect(error).toContain("Cannot read 'office'");
  expect(await hours()).toBe(168);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('2 schedules');
});
