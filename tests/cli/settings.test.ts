import { describe, expect, test } from 'bun:test';
import { SERVE_FLAGS } from '../../src/cli/flags.ts';
import { environmentVariable, readCommandLine } from '../../src/cli/settings.ts';

/** For each flag of `serve` a text that it takes, and another. */
const SAMPLES: Readonly<Record<Exclude<keyof typeof SERVE_FLAGS, 'config'>, readonly [string, string]>> = {
  'state-dir': ['/srv/a', '/srv/b'],
  listen: ['127.0.0.1:1', 'unix:/run/a'],
  zoneinfo: ['/usr/share/zoneinfo', '/opt/zoneinfo'],
  'ip-db': ['/srv/a.mmdb', '/srv/b.mmdb'],
  'ip-zones': ['/srv/a', '/srv/b'],
  'trust-proxy': ['10.0.0.0/8', 'unix'],
  'client-ip-header': ['Forwarded', 'CF-Connecting-IP'],
  calendar: ['/srv/a', '/srv/b'],
  'public-url': ['https://a.example/time', 'https://b.example'],
  'max-bulk': ['5', '7'],
  'cors-origin': ['https://a.example', 'https://b.example'],
  'rotate-keys-every': ['90d', '12w'],
  'retain-keys': ['3', 'all'],
  'api-key': ['key-a', 'key-b'],
  'api-key-file': ['/srv/a', '/srv/b'],
  open: ['true', 'false'],
  plans: ['/srv/a', '/srv/b'],
  redis: ['redis://a', 'rediss://b'],
  'quota-fail': ['closed', 'open'],
  'marketplace-host': ['a.example', 'b.example'],
  'marketplace-keys': ['/srv/a', '/srv/b'],
  'marketplace-key-header': ['X-A', 'X-B'],
  'marketplace-host-header': ['X-A', 'X-B'],
  'admin-listen': ['127.0.0.1:1', '127.0.0.1:2'],
  workers: ['1', '1'],
  'require-clock-sync': ['true', 'false'],
  'tls-cert': ['/srv/a', '/srv/b'],
  'tls-key': ['/srv/a', '/srv/b'],
  'log-level': ['debug', 'error'],
  'log-format': ['json', 'text'],
  'access-log': ['all', 'off'],
  'log-client': ['full', 'network'],
};

function settingsOf(
  args: readonly string[],
  environment: Record<string, string>,
  config: string,
): Record<string, unknown> {
  const sources = { environment, readConfig: () => config };
  return readCommandLine(SERVE_FLAGS, ['--config', 'meridian.toml', ...args], sources).settings;
}

/** What a setting comes to in a form that can be compared: some are objects with methods. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part === Number.POSITIVE_INFINITY ? 'all' : part));
}

describe.each(Object.entries(SAMPLES))('--%s', (name, [text, other]) => {
  const variable = environmentVariable(name);
  const byFlag = settingsOf([`--${name}`, text].slice(0, text === 'true' ? 1 : 2), {}, '')[name];
  const inConfig = (value: string, key = name) => `${key} = ${JSON.stringify(value)}\n`;

  test('can be set by flag, environment and file alike', () => {
    expect(shown(settingsOf([`--${name}=${text}`], {}, '')[name])).toBe(shown(byFlag));
    expect(shown(settingsOf([], { [variable]: text }, '')[name])).toBe(shown(byFlag));
    expect(shown(settingsOf([], {}, inConfig(text))[name])).toBe(shown(byFlag));
    expect(shown(settingsOf([], {}, inConfig(text, name.replaceAll('-', '_')))[name])).toBe(shown(byFlag));
  });

  test('a flag wins over the environment, and that over the file', () => {
    expect(shown(settingsOf([`--${name}=${text}`], { [variable]: other }, inConfig(other))[name])).toBe(
      shown(byFlag),
    );
    expect(shown(settingsOf([], { [variable]: text }, inConfig(other))[name])).toBe(shown(byFlag));
  });
});

test('a list can be given for what is repeatable, and a number or a word for what is one', () => {
  const settings = settingsOf([], { MERIDIAN_API_KEY: 'one,two' }, 'max-bulk = 7\nopen = true\n');
  expect(settings).toMatchObject({ 'api-key': ['one', 'two'], 'max-bulk': 7, open: true });
  expect(settingsOf([], {}, 'api-key = ["three", "four"]')['api-key']).toEqual(['three', 'four']);
});

test('a list in the file is refused for what is one value', () => {
  expect(() => settingsOf([], {}, 'max-bulk = [7, 8]')).toThrow(
    'meridian.toml: max-bulk: expected one value, not a list',
  );
});

test('more workers than limits can be divided among are refused', () => {
  expect(settingsOf(['--workers', '1024'], {}, '')['workers']).toBe(1024);
  expect(() => settingsOf(['--workers', '1025'], {}, '')).toThrow(
    '--workers: 1025 exceeds the maximum of 1024 workers',
  );
});
