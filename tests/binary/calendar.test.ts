import { expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsOf, run, startServer } from '../support/process.ts';

const ASKED = '/v1/time/diff?from=iso=2026-12-21&to=iso=2027-01-04&business_days=true&holiday_country=DE';

function calendarFile(
  text: string,
  path = join(mkdtempSync(join(tmpdir(), 'meridian-')), 'calendar'),
): string {
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
  const fault = `Cannot use ${path} as calendar: line 3: there is no 2026-12-32`;
  const { exitCode, stdout, stderr } = await run(['serve', '--calendar', path, '--require-configured-data']);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 1, stdout: '', stderr: `meridian: ${fault}\n` });
  const doctor = await run(['doctor', '--calendar', path]);
  expect(doctor.exitCode).toBe(1);
  expect(doctor.stdout).toContain(`fault      ${fault}\n`);
  const missing = await run(['get', '/', '--calendar', '/nonexistent']);
  expect(missing.exitCode).toBe(1);
  expect(missing.stderr).toContain('Cannot use /nonexistent as calendar: no such file or directory (ENOENT)');
});

test('doctor reports until when announced holidays are included, and the calendar that overrides them', async () => {
  const path = calendarFile('2026-12-24 holiday\n2026-02-14 workday\n');
  const { stdout } = await run(['doctor', '--json', '--calendar', path]);
  const { holidays, embedded } = JSON.parse(stdout);
  expect(holidays).toMatchObject({ years: '1970-2100', calendars: 1021, calendar: { from: path, days: 2 } });
  expect(holidays.version).toMatch(/^date-holidays \d/);
  expect(holidays.announced_through['2026']).toContain('CN');
  expect(embedded.map(({ name }: { name: string }) => name)).toContain('holidays');
  expect((await run(['doctor', '--calendar', path])).stdout).toContain(`2 days from ${path}`);
  expect((await run(['doctor'])).stdout).toMatch(/through 2026: .*CN/);
});

test('SIGHUP reloads the calendar; an invalid line is reported by number and the old days remain', async () => {
  const path = calendarFile('2026-12-24 holiday\n');
  using server = await startServer(['--calendar', path]);
  const events = eventsOf(server.child.stderr);
  const days = async () =>
    ((await (await fetch(server.url + ASKED)).json()) as { business_days: number }).business_days;
  expect(await days()).toBe(7);

  calendarFile('2026-12-24 holiday\n2026-12-28 holiday\n', path);
  server.child.kill('SIGHUP');
  expect(await events.next('reloaded')).toMatchObject({ what: 'calendar', now: '2 days' });
  expect(await days()).toBe(6);

  calendarFile('2026-12-24 workday\nDE-XX 2026-12-28 holiday\n', path);
  server.child.kill('SIGHUP');
  const { level, error } = await events.next('reload failed');
  expect(level).toBe('error');
  expect(error).toContain("line 2: Germany has no subdivision 'XX'");
  expect(await days()).toBe(6);

  calendarFile('2026-12-24 holiday\n', path);
  server.child.kill('SIGHUP');
  expect(await events.next('reloaded', 'calendar')).toMatchObject({ now: '1 day' });
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain(', with 1 day of the organisation\n');
  expect((await run(['doctor', '--calendar', path])).stdout).toContain(`calendar   1 day from ${path}`);
});
