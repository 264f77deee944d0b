import { expect, test } from 'bun:test';
import { homedir } from 'node:os';
import { stateDirectory } from '../../src/cli/state_directory.ts';

test('the state directory is the given one, then that of systemd, then that of the user', () => {
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
