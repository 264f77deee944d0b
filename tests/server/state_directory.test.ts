import { expect, test } from 'bun:test';
import { homedir } from 'node:os';
import { UsageError } from '../../src/common/errors.ts';
import { stateDirectory } from '../../src/server/state_directory.ts';

test("the state directory is the given one, else systemd's, else the user's", () => {
  const environment = {
    STATE_DIRECTORY: '/var/lib/meridian:/var/lib/other',
    XDG_STATE_HOME: '/home/a/state',
  };
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
