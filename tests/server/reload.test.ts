import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../src/common/errors.ts';
import {
  ownControlFiles,
  readServerReport,
  removeLeftovers,
  runningServers,
  takeUpgradeRequest,
  writeControlFile,
} from '../../src/server/control_files.ts';
import { Reloader } from '../../src/server/reload.ts';
import { stateDirectory } from '../../src/server/state_directory.ts';
import { watchFiles } from '../../src/server/watch_files.ts';
import { newFolder, onLinux, recordedEvents } from '../support/process.ts';

test('a failing item is reported and does not prevent the others from reloading', async () => {
  const { log, lines } = recordedEvents();
  const reloader = new Reloader(log);
  reloader.add({ name: 'plans', reload: () => Promise.reject(new Error('Cannot read plans.toml: ENOENT')) });
  reloader.add({ name: 'zoneinfo', reload: () => 'tzdata 2026f' });
  const { failures } = await reloader.run();
  expect(failures).toEqual([{ what: 'plans', error: 'Cannot read plans.toml: ENOENT' }]);
  expect(reloader.last?.failures).toEqual(failures);
  const detail = 'the previous data remains in use, as the last reload failed for plans';
  expect(reloader.status()).toEqual([{ name: 'reload', state: 'warning', detail }]);
  expect(lines).toMatchObject([
    { level: 'error', what: 'plans', error: 'Cannot read plans.toml: ENOENT' },
    { level: 'info', what: 'zoneinfo', now: 'tzdata 2026f' },
    { level: 'info', message: 'reload finished', failed: 1 },
  ]);
});

test('calls during a reload share one more reload after it', async () => {
  const reloader = new Reloader(recordedEvents().log);
  const gates: (() => void)[] = [];
  let running = 0;
  reloader.add({
    name: 'keys',
    async reload() {
      running++;
      expect(running).toBe(1);
      await new Promise<void>(resolve => gates.push(resolve));
      running--;
      return 'one key';
    },
  });
  const first = reloader.run();
  await Promise.resolve();
  const later = [reloader.run(), reloader.run(), reloader.run()];
  expect(gates).toHaveLength(1);
  gates[0]!();
  await first;
  await Promise.resolve();
  gates[1]!();
  await Promise.all(later);
  expect(gates).toHaveLength(2);
});

test('a report replaces a symbolic link at its path, and leaves the target unchanged', () => {
  const folder = newFolder();
  const [path, target] = [join(folder, 'reload.json'), join(folder, 'target')];
  writeFileSync(target, 'unchanged');
  const none = { failures: [], pending: [], failedUpgrades: 0, upgradeError: '' };
  const report = { pid: 7, started: 1, finished: 1, ...none };
  for (const place of [path, `${path}.${process.pid}.tmp`]) symlinkSync(target, place);
  writeControlFile(path, report);
  expect(readServerReport(path)).toEqual(report);
  expect(() => takeUpgradeRequest(path)).toThrow("'program' is malformed"); // it would be executed
  expect(takeUpgradeRequest(path)).toBeUndefined();
  expect(readFileSync(target, 'utf8')).toBe('unchanged');
});

onLinux('control files of another pid namespace are neither those of a running server nor leftovers', () => {
  const folder = newFolder();
  const own = ownControlFiles(folder)!;
  writeFileSync(own.report, 'damaged, but of a server that is running');
  const foreign = [own.report, own.report.replace(/\d+-\d+-/, '99999999-1-')].map(path =>
    path.replace(/\d+\.json$/, '1.json'),
  );
  for (const path of foreign) writeFileSync(path, '{}');
  const killed = own.report.replace(/server-\d+/, 'server-99999999');
  writeFileSync(killed, '{}');
  expect(runningServers(folder)).toEqual([own]);
  removeLeftovers(folder);
  expect(
    readdirSync(folder)
      .map(name => join(folder, name))
      .toSorted(),
  ).toEqual([own.report, ...foreign].toSorted());
});

test('no process is a server because of a malformed control file', () => {
  const results = { started: 0, finished: 0, failures: [], pending: [], failedUpgrades: 0, upgradeError: '' };
  // Signals to these would reach init, the own group, or all processes.
  for (const pid of [1, 0, -1, 'text', 1.5]) {
    const folder = newFolder();
    const [, namespace] = /-(\d+)\.json$/.exec(ownControlFiles(folder)?.report ?? '-0.json')!;
    const names = [
      'reload.json',
      `server-${pid}-99999999999-${namespace}.json`,
      `server-${pid}--${namespace}.json`,
      `server-${pid}.json`,
    ];
    for (const name of names) writeFileSync(join(folder, name), JSON.stringify({ pid, ...results }));
    expect(runningServers(folder)).toEqual([]);
  }
});

test('a file that is written, replaced, removed or created is reported once, and an unchanged one never', async () => {
  const folder = newFolder();
  const pathOf = (name: string) => join(folder, name);
  const [calendar, networks, next] = [pathOf('calendar'), pathOf('networks'), pathOf('next')];
  writeFileSync(calendar, '2026-12-24 holiday\n');
  let noticed = Promise.withResolvers<void>();
  let changes = 0;
  const onChange = () => {
    changes++;
    noticed.resolve();
  };
  const stop = watchFiles([calendar, networks], onChange, 1);
  const steps = [
    () => writeFileSync(calendar, '2026-12-24 holiday\n2026-12-31 holiday\n'),
    () => {
      writeFileSync(next, '2026-12-24 workday\n');
      renameSync(next, calendar);
    },
    () => rmSync(calendar),
    () => writeFileSync(networks, '10.0.0.0/8,Europe/Berlin\n'),
  ];
  for (const [index, step] of steps.entries()) {
    noticed = Promise.withResolvers<void>();
    step();
    await noticed.promise;
    await Bun.sleep(10); // several polls without a change
    expect(changes).toBe(index + 1);
  }
  stop();
});

test("the state directory is the given one, else systemd's, else the user's", () => {
  const environment = { STATE_DIRECTORY: '/var/lib/meridian:/var/lib/b', XDG_STATE_HOME: '/home/a/state' };
  expect(stateDirectory('/given', environment)).toBe('/given');
  expect(stateDirectory(null, environment)).toBe('/var/lib/meridian');
  expect(stateDirectory(null, { XDG_STATE_HOME: '/home/a/state' })).toBe('/home/a/state/meridian');
  for (const xdg of ['', 'relative', undefined]) {
    expect(stateDirectory(null, { XDG_STATE_HOME: xdg })).toBe(`${homedir()}/.local/state/meridian`);
  }
});

test("a Windows user's state directory is in the local application data", () => {
  const home = () => '/home/me';
  const environment = { LOCALAPPDATA: '/users/me/local' };
  expect(stateDirectory(null, environment, home, 'win32')).toBe('/users/me/local/meridian');
  expect(stateDirectory(null, environment, home, 'linux')).toBe('/home/me/.local/state/meridian');
  expect(stateDirectory(null, {}, home, 'win32')).toBe('/home/me/.local/state/meridian');
});

test('a user without a home directory needs --state-dir, unless the environment names a directory', () => {
  const home = () => {
    throw new Error('ENOENT: no such file or directory, uv_os_homedir');
  };
  expect(stateDirectory('/given', {}, home)).toBe('/given');
  expect(stateDirectory(null, { XDG_STATE_HOME: '/state' }, home)).toBe('/state/meridian');
  expect(() => stateDirectory(null, {}, home)).toThrow(UsageError);
  expect(() => stateDirectory(null, {}, home)).toThrow('set --state-dir, where');
});
