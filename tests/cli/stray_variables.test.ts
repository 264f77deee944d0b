import { expect, test } from 'bun:test';
import { SETTING_NAMES } from '../../src/cli/flags.ts';
import { environmentVariable, strayVariables, strayVariableText } from '../../src/cli/settings.ts';

const strays = (...names: string[]) =>
  strayVariables(Object.fromEntries(names.map(name => [name, 'set']))).map(stray => [
    stray.name,
    stray.nearest,
  ]);

test('a variable that resembles a setting is reported with that setting', () => {
  expect(
    strays('MERIDIAN_API_KEYS', 'MERIDIAN_LOGLEVEL', 'MERIDIAN_TLS_CERTS', 'meridian_open', 'MERIDIAN_CONFG'),
  ).toEqual([
    ['MERIDIAN_API_KEYS', 'MERIDIAN_API_KEY'],
    ['MERIDIAN_LOGLEVEL', 'MERIDIAN_LOG_LEVEL'],
    ['MERIDIAN_TLS_CERTS', 'MERIDIAN_TLS_CERT'],
    ['meridian_open', 'MERIDIAN_OPEN'],
    ['MERIDIAN_CONFG', 'MERIDIAN_CONFIG'],
  ]);
  expect(strayVariableText({ name: 'MERIDIAN_API_KEYS', nearest: 'MERIDIAN_API_KEY' })).toBe(
    "MERIDIAN_API_KEYS is set, but is not a setting; did you mean 'MERIDIAN_API_KEY'?",
  );
});

test("settings, unrelated or empty variables and the workers' variable are not reported", () => {
  const settings = ['config', ...SETTING_NAMES].map(environmentVariable);
  expect(strays(...settings, 'MERIDIAN_WORKER_PLACE', 'MERIDIAN_DATABASE_PASSWORD', 'API_KEYS')).toEqual([]);
  expect(strayVariables({ MERIDIAN_API_KEYS: '' })).toEqual([]);
});

test("variables set by orchestrators are not reported, whatever the service's name", () => {
  for (const service of ['MERIDIAN', 'MERIDIAN_API', 'MERIDIAN_OPEN', 'MERIDIAN_LISTEN']) {
    expect(
      strays(
        `${service}_SERVICE_HOST`,
        `${service}_SERVICE_PORT`,
        `${service}_SERVICE_PORT_HTTP`,
        `${service}_PORT`,
        `${service}_PORT_80_TCP`,
        `${service}_PORT_80_TCP_PROTO`,
        `${service}_PORT_80_TCP_PORT`,
        `${service}_PORT_80_TCP_ADDR`,
        `${service}_NAME`,
        `${service}_ENV_OPENS`,
      ),
    ).toEqual([]);
  }
});
