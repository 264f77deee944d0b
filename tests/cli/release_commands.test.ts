import { expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configText } from '../../src/cli/commands/init.ts';
import { SERVE_FLAGS, SETTING_NAMES } from '../../src/cli/flags.ts';
import { readCommandLine } from '../../src/cli/settings.ts';
import { outputOf } from '../support/printing.ts';
import { newFolder, output, requiring } from '../support/process.ts';

const GROFF = ['groff', '-man', '-Tascii', '-P-cbou', '-ww', '-rCHECKSTYLE=3'];
const folder = newFolder();
const settingsOf = (config: string) =>
  readCommandLine(SERVE_FLAGS, ['--config', 'x'], { environment: {}, readConfig: () => config }).settings;

test('the default configuration sets nothing, and names every setting once', () => {
  const config = configText(new Map());
  expect(JSON.stringify(settingsOf(config))).toBe(JSON.stringify({ ...settingsOf(''), config: 'x' }));
  for (const name of SETTING_NAMES) expect(config.split(`\n# ${name} = `)).toHaveLength(2);
});

test('every commented line of the configuration is TOML', () => {
  for (const [, line] of configText(new Map()).matchAll(/^# ([a-z-]+ = .*)$/gm))
    expect(() => Bun.TOML.parse(line!)).not.toThrow();
});

test('init writes the given flags, with private permissions, and never overwrites a file', async () => {
  const output = join(folder, 'etc/meridian.toml');
  const flags = ['--output', output, '--listen=0.0.0.0:8080', '--listen=unix:/run/x', '--workers=auto'];
  const first = await outputOf(['init', ...flags, '--trust-proxy=10.0.0.0/8', '--rotate-keys-every=90d']);
  expect(first.exitCode).toBe(0);
  expect(first.lines.join('\n')).toContain(`meridian check --config ${output}`);
  const config = readFileSync(output, 'utf8');
  expect(config).toContain('\nlisten = ["0.0.0.0:8080", "unix:/run/x"]\n');
  expect(config).toContain('\nrotate-keys-every = "90d"\n');
  expect(settingsOf(config).listen).toHaveLength(2);
  expect(statSync(output).mode & 0o777).toBe(0o600);
  const second = await outputOf(['init', '--output', output]);
  expect(second).toEqual({ exitCode: 2, lines: [expect.stringContaining('exists; --force replaces it')] });
  expect(readFileSync(output, 'utf8')).toBe(config);
  expect((await outputOf(['init', '--output', output, '--force'])).exitCode).toBe(0);
});

test('init rejects a value before it writes anything', async () => {
  const output = join(folder, 'bad.toml');
  const { exitCode, lines } = await outputOf(['init', '--output', output, '--listen=nowhere']);
  expect({ exitCode, line: lines[0] }).toEqual({ exitCode: 2, line: expect.stringContaining('--listen') });
  expect(() => statSync(output)).toThrow();
});

test('self-test passes fifty requests', async () => {
  expect(await outputOf(['self-test'])).toEqual({ exitCode: 0, lines: ['50 requests, 0 differences'] });
});

requiring('groff')('groff renders the manual pages without a warning', async () => {
  for (const page of ['meridian', 'meridian.toml']) {
    const { exitCode, lines } = await outputOf(['man', page]);
    expect(exitCode).toBe(0);
    const path = join(folder, 'page');
    writeFileSync(path, `${lines.join('\n')}\n`);
    const { stderr, stdout } = Bun.spawnSync([...GROFF, path]);
    expect(stderr.toString()).toBe('');
    for (const name of SETTING_NAMES) expect(stdout.toString()).toContain(name);
  }
});

test('an unknown manual page is rejected', async () => {
  expect((await outputOf(['man', 'x'])).exitCode).toBe(2);
});

test('verify-release requires a key, a file, and readable checksums', async () => {
  expect((await outputOf(['verify-release', 'x'])).exitCode).toBe(2);
  expect((await outputOf(['verify-release', '--public-key', 'x'])).exitCode).toBe(2);
  const missing = await outputOf(['verify-release', '--public-key', join(folder, 'none'), 'x']);
  expect(missing).toEqual({ exitCode: 1, lines: [expect.stringMatching(/^meridian: Cannot read '/)] });
});

requiring('minisign')('verify-release accepts only what minisign signed', async () => {
  const path = (name: string) => join(folder, name);
  const minisign = (...args: string[]) => output(['minisign', ...args]);
  minisign('-G', '-W', '-p', path('key.pub'), '-s', path('key.sec'));
  writeFileSync(path('a.deb'), 'hello');
  writeFileSync(path('b.deb'), 'other');
  const digest = new Bun.CryptoHasher('sha256').update('hello').digest('hex');
  writeFileSync(path('SHA256SUMS'), `${digest}  a.deb\n${digest}  b.deb\n`);
  minisign('-S', '-s', path('key.sec'), '-m', path('SHA256SUMS'), '-t', 'meridian 9.8.7');
  const flags = [`--public-key=${path('key.pub')}`, `--sums=${path('SHA256SUMS')}`];
  const verify = (...files: string[]) => outputOf(['verify-release', ...flags, ...files.map(path)]);
  const signed = `ok    ${path('SHA256SUMS')}, signed: meridian 9.8.7`;
  expect(await verify('a.deb')).toEqual({ exitCode: 0, lines: [signed, `ok    ${path('a.deb')}`] });
  expect(await verify('a.deb', 'b.deb', 'c.deb')).toEqual({
    exitCode: 1,
    lines: [
      signed,
      `ok    ${path('a.deb')}`,
      expect.stringMatching(/^FAIL .*b\.deb: its SHA-256 is /),
      `FAIL  ${path('c.deb')}: not listed in the checksums`,
    ],
  });
  writeFileSync(path('SHA256SUMS'), `${digest}  c.deb\n`);
  expect(await verify('c.deb')).toEqual({
    exitCode: 1,
    lines: [expect.stringContaining('the signature does not match the file')],
  });
});
