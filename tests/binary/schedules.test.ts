import { expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsOf, run, startServer } from '../support/process.ts';

const PATH = '/v1/work/diff?schedule=office&from=unix=0&to=unix=604800';

function scheduleFile(
  text: string,
  path = join(mkdtempSync(join(tmpdir(), 'meridian-')), 'schedules.toml'),
): string {
  writeFileSync(path, text);
  return path;
}

test('get and doctor read the --schedules file', async () => {
  const path = scheduleFile('office = "Mo-Fr 09:00-17:00"\nnight-2 = "22:00-06:00"\n');
  expect(JSON.parse((await run(['get', PATH, '--schedules', path])).stdout).work_hours).toBe(40);
  expect((await run(['get', PATH])).stdout).toContain("this server has no schedule 'office'");
  expect((await run(['doctor', '--schedules', path])).stdout).toContain(
    `schedules  office, night-2 from ${path}`,
  );
});

test('a file with an error is reported with its path and the entry', async () => {
  for (const [text, reason] of [
    ['office = "Mo 9-17"\n', "Cannot read 'office': 'Mo 9-17' has '9-17' at character 4"],
    ['Office = "24/7"\n', "'Office': a name is lower-case letters"],
    ['office = \n', ''],
  ] as const) {
    const path = scheduleFile(text);
    const args = ['--schedules', path, '--require-configured-data'];
    const { exitCode, stdout, stderr } = await run(['serve', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(`Cannot use ${path} as schedules: ${reason}`);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  }
});

test('SIGHUP reloads schedules; an invalid file is reported and the old ones remain', async () => {
  const path = scheduleFile('office = "Mo-Fr 09:00-17:00"\n');
  using server = await startServer(['--schedules', path]);
  const events = eventsOf(server.child.stderr);
  const hours = async () =>
    ((await (await fetch(server.url + PATH)).json()) as { work_hours: number }).work_hours;
  expect(await hours()).toBe(40);

  scheduleFile('office = "24/7"\nshop = "10:00-11:00"\n', path);
  server.child.kill('SIGHUP');
  expect(await events.next('reloaded')).toMatchObject({ what: 'schedules', now: '2 schedules' });
  expect(await hours()).toBe(168);

  scheduleFile('office = "sometimes"\n', path);
  server.child.kill('SIGHUP');
  const { level, error } = await events.next('reload failed');
  expect(level).toBe('error');
  expect(error).toContain("Cannot read 'office'");
  expect(await hours()).toBe(168);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('2 schedules');
});
