import { expect, test } from 'bun:test';
import { serviceCommand } from '../../src/cli/commands/service.ts';
import { stateDirectory } from '../../src/server/state_directory.ts';
import { quotedArgument, toolError } from '../../src/server/windows/service_manager.ts';

const CONTEXT = {
  environment: {},
  readConfig: () => '',
  print() {},
  write: async () => {},
  isTerminal: () => false,
  actAsOwner() {},
};

test.each([
  [[], 'service requires an action: install, uninstall'],
  [['instal'], "Unknown command 'service instal'; did you mean 'install'?"],
  [['install', 'now'], 'service install takes flags only'],
  [['install', '--lisen', 'x'], /^Unknown flag '--lisen'/],
  ...(process.platform === 'win32'
    ? []
    : [[['install'], "service is for Windows; on Linux see 'meridian help systemd'"] as const]),
])('meridian service %j is rejected', async (args, message) => {
  await expect(serviceCommand.run(args, CONTEXT)).rejects.toThrow(message);
});

test.each([
  ['--listen=127.0.0.1:8080', '--listen=127.0.0.1:8080'],
  ['C:\\meridian\\meridian.exe', 'C:\\meridian\\meridian.exe'],
  ['C:\\Program Files\\meridian.exe', '"C:\\Program Files\\meridian.exe"'],
  ['--state-dir=D:\\my data\\', '"--state-dir=D:\\my data\\\\"'],
  ['say "hi" \\" now', '"say \\"hi\\" \\\\\\" now"'],
  ['', '""'],
])('the argument %j is %j on a Windows command line', (argument, quoted) => {
  expect(quotedArgument(argument)).toBe(quoted);
});

test.each([
  [5, "this requires administrator rights: open a terminal with 'Run as administrator'"],
  [1060, "the service 'meridian' is not installed"],
  [1060 & 0xff, "the service 'meridian' is not installed"],
  [1073 & 0xff, "the service 'meridian' is already installed: uninstall it first"],
  [87, 'sc.exe failed with exit code 87: [SC] CreateService FAILED 87: The parameter is incorrect.'],
])('exit code %d of sc.exe is explained', (exitCode, message) => {
  const output = '[SC] CreateService FAILED 87:\r\n\r\nThe parameter is incorrect.\r\n';
  expect(toolError('sc.exe', exitCode, output).message).toBe(message);
});

test("a Windows user's state directory is in the local application data", () => {
  const home = () => '/home/me';
  const environment = { LOCALAPPDATA: '/users/me/local' };
  expect(stateDirectory(null, environment, home, 'win32')).toBe('/users/me/local/meridian');
  expect(stateDirectory(null, environment, home, 'linux')).toBe('/home/me/.local/state/meridian');
  expect(stateDirectory(null, {}, home, 'win32')).toBe('/home/me/.local/state/meridian');
});
