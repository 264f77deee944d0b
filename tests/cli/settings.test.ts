import { describe, expect, test } from 'bun:test';
import { GET_FLAGS } from '../../src/cli/commands/get.ts';
import { reloadedFiles, SERVE_FLAGS, SERVE_TABLE, SETTING_NAMES } from '../../src/cli/flags.ts';
import {
  checkConflicts,
  conflictsOf,
  environmentVariable,
  inspectCommandLine,
  readCommandLine,
  strayVariables,
  strayVariableText,
  visibleSecrets,
} from '../../src/cli/settings.ts';
import { UsageError } from '../../src/common/errors.ts';
import { outputOf } from '../support/printing.ts';
import { newFolder } from '../support/process.ts';
import { expectEach } from '../support/responses.ts';
import { rowsIn } from '../support/rows.ts';

/** Two valid values of each flag of `serve`. */
const SAMPLES = rowsIn(new URL('flag_samples.txt', import.meta.url)).map(
  ([name, values]) => [name, ...(values.split(' ') as [string, string])] as const,
);

test('all flags but --config have sample values', () =>
  expect(SAMPLES.map(([name]) => name).toSorted()).toEqual(
    Object.keys(SERVE_FLAGS)
      .filter(name => name !== 'config')
      .toSorted(),
  ));

function settingsOf(
  args: readonly string[],
  environment: Record<string, string>,
  config: string,
): Record<string, unknown> {
  const sources = { environment, readConfig: () => config };
  return readCommandLine(SERVE_FLAGS, ['--config', 'meridian.toml', ...args], sources).settings;
}

/** A comparable form of a setting, which may be an object with methods. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, part) => (part === Number.POSITIVE_INFINITY ? 'all' : part));
}

describe.each(SAMPLES)('--%s', (name, text, other) => {
  const variable = environmentVariable(name);
  const byFlag = settingsOf([`--${name}`, text].slice(0, text === 'true' ? 1 : 2), {}, '')[name];
  const inConfig = (value: string, key = name) => `${key} = ${JSON.stringify(value)}\n`;

  test('can be set by flag, environment and file', () => {
    expect(shown(settingsOf([`--${name}=${text}`], {}, '')[name])).toBe(shown(byFlag));
    expect(shown(settingsOf([], { [variable]: text }, '')[name])).toBe(shown(byFlag));
    expect(shown(settingsOf([], {}, inConfig(text))[name])).toBe(shown(byFlag));
    expect(shown(settingsOf([], {}, inConfig(text, name.replaceAll('-', '_')))[name])).toBe(shown(byFlag));
  });

  test('a flag overrides the environment, which overrides the file', () => {
    const found = settingsOf([`--${name}=${text}`], { [variable]: other }, inConfig(other));
    expect(shown(found[name])).toBe(shown(byFlag));
    expect(shown(settingsOf([], { [variable]: text }, inConfig(other))[name])).toBe(shown(byFlag));
  });
});

test('the file may contain lists for repeatable settings, and numbers and booleans', () => {
  const environment = { MERIDIAN_API_KEY: 'one-key-of-sixteen,two-keys-of-sixteen' };
  expect(settingsOf([], environment, 'max-bulk = 7\nopen = true\n')).toMatchObject({
    'api-key': ['one-key-of-sixteen', 'two-keys-of-sixteen'],
    'max-bulk': 7,
    open: true,
  });
  const keys = ['three-keys-in-a-file', 'four-keys-in-a-file'];
  expect(settingsOf([], {}, `api-key = ${JSON.stringify(keys)}`)['api-key']).toEqual(keys);
});

test('a list in the file is rejected for a setting with one value', () => {
  expect(() => settingsOf([], {}, 'max-bulk = [7, 8]')).toThrow(
    'meridian.toml:1:12: max-bulk: expected one value, not a list',
  );
});

test('more workers than the limits can be divided among are rejected', () => {
  expect(settingsOf(['--workers', '1024'], {}, '')['workers']).toBe(1024);
  expect(() => settingsOf(['--workers', '1025'], {}, '')).toThrow(
    '--workers: 1025 exceeds the maximum of 1024 workers',
  );
});

function commandLine(...args: readonly string[]) {
  return readCommandLine(SERVE_FLAGS, args, { environment: {}, readConfig: () => '' });
}

test("a flag's value follows a space or an equals sign, and may be empty or start with a dash", () => {
  expect(commandLine('--redis', 'redis://a', '--max-bulk=7').settings).toMatchObject({
    redis: 'redis://a',
    'max-bulk': 7,
  });
  expect(commandLine('--zoneinfo', '--open').settings).toMatchObject({ zoneinfo: '--open', open: false });
  expect(commandLine('--open=false').settings.open).toBe(false);
  expect(() => commandLine('--zoneinfo=')).toThrow('--zoneinfo: the value is empty');
  expect(() => commandLine('--zoneinfo')).toThrow('--zoneinfo requires a value: --zoneinfo DIR');
});

test('a flag with one value may be given once, a repeatable one any number of times', () => {
  for (const [first, second] of [
    ['--max-bulk=7', '--max-bulk=7'],
    ['--zoneinfo=/a', '--zoneinfo=/b'],
    ['--open', '--open=false'],
  ] as const) {
    const name = first.split('=')[0];
    expect(() => commandLine(first, second)).toThrow(`${name} is given twice; it takes one value`);
  }
  const { settings } = commandLine('--listen=[::1]:1', '--listen', 'unix:/a', '--ip-db=/v4', '--ip-db=/v6');
  expect(settings.listen).toHaveLength(2);
  expect(settings).toMatchObject({ 'ip-db': ['/v4', '/v6'] });
});

test('errors in the configuration file have a position, and do not quote it', () => {
  const readConfig = () => "open = true\nredis = 'redis://:secret@a\n";
  const read = () => readCommandLine(SERVE_FLAGS, ['--config=a.toml'], { environment: {}, readConfig });
  expect(read).toThrow('a.toml:2:27: ');
  expect(read).not.toThrow('secret');
});

test('an inspection finds all errors in the settings', () => {
  const config = `max-bulk = 0
max_bulk = 2
workers = [1, 2]
log_levle = "debug"
listen = []
rotate-keys-every = "90"
allowed-host = [
  "a.example:80", # a port
  "b.example", "c d",
]
trust-proxy = "10.0.0.1/8,unx"
[server]
open = true
[log]
level = "debug"
`;
  const { faults, settings } = inspectCommandLine(SERVE_FLAGS, ['--config=a.toml', '--log-level=loud'], {
    environment: { MERIDIAN_PUBLIC_URL: 'ftp://a' },
    readConfig: () => config,
  });
  expect(faults).toEqual([
    "a.toml:2:1: max_bulk: the setting is given twice, as 'max-bulk' and 'max_bulk'",
    'a.toml:3:11: workers: expected one value, not a list',
    "a.toml:4:1: Unknown key 'log_levle'; did you mean 'log-level'?",
    'a.toml:5:10: listen: the list is empty',
    "a.toml:12:1: Unknown table 'server'; settings are not in tables",
    "a.toml:14:1: Unknown table 'log'; settings are not in tables",
    "a.toml:7:16: allowed-host: 'a.example:80' is not a host such as time.example.com, without a port",
    "a.toml:7:16: allowed-host: 'c d' is not a host such as time.example.com, without a port",
    "a.toml:11:15: trust-proxy: '10.0.0.1/8' has bits set beyond its prefix of 8, nor is it 'unix'",
    "a.toml:11:15: trust-proxy: 'unx' is not a network such as 10.1.0.0/16, nor is it 'unix'",
    "a.toml:1:12: max-bulk: '0' is not an integer of at least 1",
    "MERIDIAN_PUBLIC_URL: 'ftp://a' is not a URL such as https://time.example.com, with at most a path",
    "a.toml:6:21: rotate-keys-every: '90' is not a number of days or weeks: 90d, 12w",
    "--log-level: 'loud' is not one of debug, info, warn, error",
  ]);
  expect(settings['max-bulk']).toBe(100);
});

test('everything after two dashes, and a single dash, is an operand', () => {
  const { operands } = commandLine('a', '-', '--', '--open', '--unknown');
  expect(operands).toEqual(['a', '-', '--open', '--unknown']);
});

test('unknown flags are rejected by name, without their value and with the nearest flag', () => {
  for (const [argument, name, hint] of [
    ['--redi=redis://:secret@a', '--redi', "; did you mean '--redis'?"],
    ['-listen=127.0.0.1:1', '-listen', "; did you mean '--listen'?"],
    ['--no-open', '--no-open', ''],
    ['--toString', '--toString', ''],
  ] as const) {
    expect(() => commandLine(argument)).toThrow(new UsageError(`Unknown flag '${name}'${hint}`));
  }
});

test('one-letter forms are those in the table', () => {
  const sources = { environment: {}, readConfig: () => '' };
  expect(readCommandLine(GET_FLAGS, ['-i', '/'], sources).settings.include).toBe(true);
  expect(() => commandLine('-i')).toThrow("Unknown flag '-i'");
});

test('every flag that a flag requires exists', () => {
  const required = Object.values(SERVE_TABLE).flatMap(({ requires }) => requires ?? []);
  expect(required).toContain('trust-proxy');
  expect(required.filter(name => !Object.hasOwn(SERVE_TABLE, name))).toEqual([]);
});

test('a reload reads the data files, and only the version of zoneinfo', () => {
  const { settings } = commandLine('--zoneinfo=/z', '--ip-db=/i', '--plans=/p', '--tls-key=/k');
  expect(reloadedFiles(settings)).toEqual(['/z/tzdata.zi', '/i', '/k']);
});

test('an empty API key variable differs from an unset one', () => {
  expect(settingsOf([], {}, '')['api-key']).toBeNull();
  expect(settingsOf([], { MERIDIAN_API_KEY: '' }, '')['api-key']).toEqual([]);
  for (const name of ['MERIDIAN_API_KEY_FILE', 'MERIDIAN_MARKETPLACE_KEYS']) {
    expect(() => settingsOf([], { [name]: '' }, '')).toThrow(`${name}: the value is empty`);
  }
  expect(settingsOf([], { MERIDIAN_PLANS: '' }, '')['plans']).toBeNull();
});

test.each(['a', 'fifteen-letters', 'x'.repeat(513), 'sixteen letters with spaces'])(
  '%p is not an API key',
  key => expect(() => settingsOf(['--api-key', key], {}, '')).toThrow('16 to 512 visible ASCII characters'),
);

test.each([
  ...['redis://h:notaport', 'redis://h:70000', 'redis://h:0', 'redis://:6379', 'redis+unix://', 'http://h'],
])('%p is not a Redis URL', url =>
  expect(() => settingsOf(['--redis', url], {}, '')).toThrow('--redis: expected a URL'),
);

test.each([
  ...['redis://h', 'valkey://h:1', 'rediss://u:p@[::1]:6379/2', 'redis+tls://h', 'redis+unix:///run/redis'],
])('%p is a Redis URL', url => expect(settingsOf(['--redis', url], {}, '')['redis']).toBe(url));

test.each(['a.example:80', 'a.example:81', 'http://a.example', 'a.example/b', 'a@b', 'a b', '::1', ''])(
  '%p is not an allowed host',
  host => expect(() => settingsOf(['--allowed-host', host], {}, '')).toThrow('--allowed-host: '),
);

test('allowed hosts have the form that clients send', () => {
  const hosts = ['A.Example', 'b.example.', 'münchen.example', '[2001:DB8::1]'];
  const args = hosts.map(host => `--allowed-host=${host}`);
  const sent = ['a.example', 'b.example', 'xn--mnchen-3ya.example', '[2001:db8::1]'];
  expect(settingsOf(args, {}, '')['allowed-host']).toEqual(sent);
});

test.each(['https:u:pw@h/x', 'http://h/x', 'relative/path'])('%p is not the location of a bundle', url =>
  expect(() => settingsOf(['--data-url', url], {}, '')).toThrow('--data-url: '),
);

test('secrets on the command line cause a warning that does not show them', () => {
  const warnings = (...args: string[]) => visibleSecrets(commandLine(...args).given);
  expect(warnings('--api-key', 'secret-of-sixteen-characters', '--redis', 'redis://u:secret@h')).toEqual([
    '--api-key: every user on this machine can see its value in the process list; set MERIDIAN_API_KEY or use the --config file',
    '--redis: every user on this machine can see its value in the process list; set MERIDIAN_REDIS or use the --config file',
  ]);
  expect(warnings('--data-url', 'https://u:secret@h/x')).toEqual([
    '--data-url: every user on this machine can see its value in the process list; set MERIDIAN_DATA_URL or use the --config file',
  ]);
  expect(
    warnings('--redis', 'redis://h', '--data-url', 'https://h/x', '--api-key-file', '/srv/keys'),
  ).toEqual([]);
});

test('errors do not show passwords in URLs', async () => {
  for (const url of ['https://u:secret@127.0.0.1:1/a b', 'http://u:sec/secret@h', 'https://secret@h:x']) {
    for (const args of [
      ...['data-url', 'public-url', 'cors-origin', 'listen', 'allowed-host', 'trust-proxy', 'redis'].map(
        name => ['serve', `--${name}=${url}`, '--max-bulk=0'],
      ),
      ['serve', url],
      ['data', 'install', url, `--state-dir=${newFolder()}`],
      ['verify', '--jwks', url, '--headers=/dev/null'],
      ['check', `--data-url=${url}`, '--workers=0'],
    ]) {
      const { exitCode, lines } = await outputOf(args);
      expect([args[0], exitCode > 0, lines.join('\n').includes('secret')]).toEqual([args[0], true, false]);
    }
  }
});

function check(...args: string[]): void {
  checkConflicts(commandLine(...args));
}

test('a duplicate address is rejected', () => {
  for (const address of ['127.0.0.1:8080', '[::1]:8080', 'unix:/run/a']) {
    const twice = new UsageError(`--listen ${address} is given twice`);
    expect(() => check('--listen', address, '--listen', address)).toThrow(twice);
    const shared = new UsageError(`--admin-listen ${address} is already an address of --listen`);
    expect(() => check('--listen', address, '--admin-listen', address)).toThrow(shared);
  }
  expect(() => check('--admin-listen', '127.0.0.1:8080')).toThrow('is already an address of --listen');
  check('--listen', '127.0.0.1:0', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0');
  check('--listen', '127.0.0.1:1', '--listen', '127.0.0.1:2', '--admin-listen', '127.0.0.1:3');
});

const TLS = '--tls-cert a --tls-key b';

test.each(rowsIn(new URL('conflicting_flags.txt', import.meta.url)))(
  '%s is rejected, as it has no effect without another setting',
  (args, message) => {
    expect(() => check(...args.split(' '))).toThrow(message);
  },
);

test.each([
  ...[TLS, '--marketplace-host a --marketplace-keys b', '--client-ip-header Forwarded --trust-proxy unix'],
  ...['--client-ip-header x-forwarded-for', '--quota-fail closed --redis redis://a', '--quota-fail open'],
  ...['--allow-older-data', '--open --address-rate 5/s --address-burst 50'],
  `${TLS} --listen unix:/run/a --listen 127.0.0.1:0`,
])('%s is accepted', args => check(...args.split(' ')));

test('an address burst must have at least one request per worker', () => {
  const rate = ['--open', '--address-rate', '0.5/s'];
  const workers = process.platform === 'linux' ? '3' : '1';
  const checkBurst = (...args: string[]) => check(...rate, '--workers', workers, ...args);
  checkBurst('--address-burst', '3');
  if (workers === '1') return;
  expect(() => checkBurst()).toThrow(
    new UsageError('--address-burst 1 cannot be divided among 3 workers: use at least 3'),
  );
});

test('all conflicts are found', () => {
  const args = ['--quota-fail', 'closed', '--listen', 'unix:/a', '--listen', 'unix:/a', '--tls-key', 'a'];
  expect(conflictsOf(commandLine(...args))).toEqual([
    '--listen unix:/a is given twice',
    '--quota-fail closed requires --redis',
    '--tls-key requires --tls-cert',
  ]);
  const readConfig = () => 'open = true\nquota-fail = "closed"\ntls_key = "a"\n';
  const sources = { environment: { MERIDIAN_TLS_KEY: 'b' }, readConfig };
  expect(conflictsOf(readCommandLine(SERVE_FLAGS, ['--config=a.toml'], sources))).toEqual([
    'a.toml:2:14: --quota-fail closed requires --redis',
    '--tls-key requires --tls-cert',
  ]);
});

const strays = (...names: string[]) =>
  strayVariables(Object.fromEntries(names.map(name => [name, 'set']))).map(Object.values);

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
  const variables = [
    ...['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT', 'PORT_80_TCP', 'PORT_80_TCP_PROTO'],
    ...['PORT_80_TCP_PORT', 'PORT_80_TCP_ADDR', 'NAME', 'ENV_OPENS'],
  ];
  for (const service of ['MERIDIAN', 'MERIDIAN_API', 'MERIDIAN_OPEN', 'MERIDIAN_LISTEN'])
    expect(strays(...variables.map(name => `${service}_${name}`))).toEqual([]);
});

const corsOrigin = (text: string) => commandLine(`--cors-origin=${text}`).settings['cors-origin'];

test('an origin is normalized to what browsers send', () => {
  const normal = ['*', 'null', 'https://app.example.com', 'http://localhost:3000', 'http://[::1]:3000'];
  for (const origin of [...normal, 'capacitor://localhost']) expect(corsOrigin(origin)).toBe(origin);
  return expectEach(corsOrigin, {
    'https://app.example.com/': 'https://app.example.com',
    'HTTPS://App.Example.com:443': 'https://app.example.com',
    'https://bücher.example': 'https://xn--bcher-kva.example',
  });
});

test('anything that browsers do not send as an origin is rejected', () => {
  for (const given of [
    ...['', 'app.example.com', 'https://app.example.com/path', 'https://app.example.com?'],
    ...['https://user@app.example.com', 'https://a.example https://b.example'],
    ...['https://a.example,https://b.example', 'https://*.example.com', 'https://a.example,b.example'],
    ...['data:text/html,x', 'capacitor://localhost/x', 'é日', 'https://a.example\nX-Evil: 1'],
  ]) {
    expect(() => corsOrigin(given)).toThrow('--cors-origin');
  }
});

const publicUrl = (text: string) => commandLine(`--public-url=${text}`).settings['public-url'];

test('a public URL is an origin with at most a path, and loses trailing slashes', () => {
  return expectEach(publicUrl, {
    'https://time.example.com': 'https://time.example.com',
    'https://time.example.com/': 'https://time.example.com',
    'http://time.example.com:8080/a/b//': 'http://time.example.com:8080/a/b',
    'HTTPS://Time.Example.com:443': 'https://time.example.com',
  });
});

test('anything else is rejected as a public URL', () => {
  for (const given of [
    ...['', 'time.example.com', '//time.example.com', '/api', 'ftp://time.example.com'],
    ...['javascript:alert(1)', 'https://user@time.example.com', 'https://user:secret@time.example.com'],
    ...['https://time.example.com/?x=1', 'https://time.example.com/?', 'https://time.example.com/#x'],
    'https://time.example.com/a b',
  ]) {
    expect(() => publicUrl(given)).toThrow('--public-url');
  }
});

test('without a public URL, paths begin at the root; its path has no characters special in HTML', () => {
  expect(commandLine().settings['public-url']).toBe('');
  expect(publicUrl('https://time.example.com/"><script>')).not.toMatch(/["<>]/);
});
