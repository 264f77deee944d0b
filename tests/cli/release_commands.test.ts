import { expect, test } from 'bun:test';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configText } from '../../src/cli/commands/init.ts';
import { readSavedResponse, verifyCommand } from '../../src/cli/commands/verify.ts';
import { SERVE_FLAGS, SETTING_NAMES } from '../../src/cli/flags.ts';
import { readCommandLine } from '../../src/cli/settings.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys, publicKeySet } from '../../src/signing/key_set.ts';
import { outputOf, printing } from '../support/printing.ts';
import { newFolder, output, requiring } from '../support/process.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

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
  const flags = ['--output', output, '--listen=10.0.0.5:8080', '--listen=unix:/run/x', '--workers=auto'];
  const first = await outputOf(['init', ...flags, '--trust-proxy=10.0.0.0/8', '--rotate-keys-every=90d']);
  expect(first.exitCode).toBe(0);
  for (const step of [`meridian check --config ${output}`, "'http://10.0.0.5:8080/v1/time/current"])
    expect(first.lines.join('\n')).toContain(step);
  const config = readFileSync(output, 'utf8');
  expect(config).toContain('\nlisten = ["10.0.0.5:8080", "unix:/run/x"]\n');
  expect(config).toContain('\nrotate-keys-every = "90d"\n');
  expect(settingsOf(config).listen).toHaveLength(2);
  expect(statSync(output).mode & 0o777).toBe(0o600);
  const second = await outputOf(['init', '--output', output]);
  expect(second).toEqual({ exitCode: 2, lines: [expect.stringContaining('exists; --force replaces it')] });
  expect(readFileSync(output, 'utf8')).toBe(config);
  chmodSync(output, 0o644);
  expect((await outputOf(['init', '--output', output, '--force'])).exitCode).toBe(0);
  expect(statSync(output).mode & 0o777).toBe(0o640);
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

test('the error for an unreadable file names the file and its flag', async () => {
  const folder = newFolder();
  const there = join(folder, 'there');
  writeFileSync(there, '{}');
  const missing = join(folder, 'missing');
  for (const flag of ['--jwks', '--headers', '--body']) {
    const files = { '--jwks': there, '--headers': there, '--body': there, [flag]: missing };
    const run = verifyCommand.run(Object.entries(files).flat(), printing().context);
    await expect(run).rejects.toThrow(`Cannot read ${flag} '${missing}': no such file or directory (ENOENT)`);
  }
  const folderAsFile = ['--jwks', there, '--headers', folder];
  await expect(verifyCommand.run(folderAsFile, printing().context)).rejects.toThrow(
    /^Cannot read --headers '.*': .*EISDIR/,
  );
});

test('the error for an unreachable or malformed key set names it', async () => {
  const folder = newFolder();
  const file = join(folder, 'file');
  writeFileSync(file, '<html>');
  for (const [jwks, reason] of [
    ['http://127.0.0.1:1/', ''],
    [file, 'not JSON'],
  ]) {
    const run = verifyCommand.run(['--jwks', jwks!, '--headers', file], printing().context);
    await expect(run).rejects.toThrow(`Cannot read the key set ${jwks}: ${reason}`);
  }
});

test('data and clock are printed, and whether they are signed', async () => {
  const folder = newFolder();
  const key = sampleKey(2);
  const hostClock = () => ({ isSynchronized: true, maxErrorSeconds: 0.0114 });
  const app = createApp(testServer({ signing: fixedKeys([key]), hostClock }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const jwks = file('jwks', JSON.stringify(publicKeySet([key])));
  const verified = async (query: string, change = (text: string) => text) => {
    const path = `/v1/time/current?tz=Asia/Tokyo&sign=true${query}`;
    const response = await app.handle(new Request(`http://localhost${path}`));
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const saved = file('saved', change(`HTTP/1.1 200 OK\r\n${head}\r\n`) + (await response.text()));
    const { exitCode, lines } = await outputOf(['verify', '--jwks', jwks, '--headers', saved, '--url', path]);
    const start = lines.findIndex(line => /^.{6}data /.test(line));
    return [exitCode, ...lines.slice(start, start + 3).map(line => line.replace(/ +/g, ' '))];
  };
  const digest = expect.stringMatching(/^ data digest sha-256=:.{44}:, not signed$/);
  const unsigned = [' data tzdata=2026f, not signed', digest, ' clock synchronised;max-error=12, not signed'];
  expect(await verified('')).toEqual([0, ...unsigned]);
  expect(await verified('&signature=rfc9421')).toEqual([
    0,
    'ok data tzdata=2026f',
    expect.stringMatching(/^ok data digest sha-256=:.{44}:$/),
    'ok clock synchronised;max-error=12',
  ]);
  const forged = await verified('&signature=rfc9421', text => text.replace('max-error=12', 'max-error=1'));
  expect([forged[0], forged[3]]).toEqual([1, ' clock synchronised;max-error=1, not signed']);
});

const read = (text: string) => {
  const { status, header, body: bytes } = readSavedResponse(Buffer.from(text));
  const body = bytes && Buffer.from(bytes).toString();
  return { status, first: header('x-first'), second: header('X-SECOND'), body };
};

test('headers saved by curl are parsed, with and without a body', () => {
  const head = 'HTTP/1.1 200 OK\r\nX-First: 1\r\nx-second:  two: 2 \r\n';
  const headers = { status: 200, first: '1', second: 'two: 2' };
  expect(read(`${head}\r\n`)).toEqual({ ...headers, body: undefined });
  expect(read(head)).toEqual({ ...headers, body: undefined });
  expect(read(`${head}\r\n{"a":"é"}\n`)).toEqual({ ...headers, body: '{"a":"é"}\n' });
  expect(read(`${head}\r\n\r\n\r\nHTTP/1.1 body`)).toEqual({ ...headers, body: '\r\n\r\nHTTP/1.1 body' });
});

test('headers printed by meridian get -i are parsed', () => {
  const expected = { status: 404, first: '1', second: '2', body: '{}' };
  expect(read('HTTP/1.1 404\nX-First: 1\nX-Second: 2\n\n{}')).toEqual(expected);
});

test('the last of several responses counts', () => {
  const text =
    'HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 301\r\nX-First: 0\r\n\r\nHTTP/2 200\r\nX-Second: 2\r\n\r\n{}';
  expect(read(text)).toEqual({ status: 200, first: null, second: '2', body: '{}' });
});

test('repeated headers are joined, so that a second one cannot hide', () => {
  expect(read('HTTP/1.1 200\nX-First: 1\nx-FIRST: 2\n\n').first).toBe('1, 2');
});

test('a binary body is preserved', () => {
  const body = Uint8Array.from({ length: 256 }, (_, index) => index);
  const saved = readSavedResponse(Buffer.concat([Buffer.from('HTTP/1.1 200\r\nA: b\r\n\r\n'), body]));
  expect(saved.body).toEqual(body);
});

test('a file that is not a response has no headers and no status', () => {
  for (const text of ['', '\n\n', 'nothing', '\0'.repeat(100)]) {
    expect(read(text)).toMatchObject({ status: undefined, first: null });
  }
});
