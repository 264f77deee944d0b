import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSavedResponse, verifyCommand } from '../../src/cli/commands/verify.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys, publicKeySet } from '../../src/signing/key_set.ts';
import { outputOf, printing } from '../support/printing.ts';
import { temporaryFolder } from '../support/process.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

test('the error for an unreadable file names the file and its flag', async () => {
  using folder = temporaryFolder();
  const there = join(folder.path, 'there');
  writeFileSync(there, '{}');
  const missing = join(folder.path, 'missing');
  for (const flag of ['--jwks', '--headers', '--body']) {
    const files = { '--jwks': there, '--headers': there, '--body': there, [flag]: missing };
    const run = verifyCommand.run(Object.entries(files).flat(), printing().context);
    await expect(run).rejects.toThrow(`Cannot read ${flag} '${missing}': no such file or directory (ENOENT)`);
  }
  const folderAsFile = ['--jwks', there, '--headers', folder.path];
  await expect(verifyCommand.run(folderAsFile, printing().context)).rejects.toThrow(
    /^Cannot read --headers '.*': .*EISDIR/,
  );
});

test('the error for an unreachable or malformed key set names it', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'file');
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
  using folder = temporaryFolder();
  const key = sampleKey(2);
  const hostClock = () => ({ isSynchronized: true, maxErrorSeconds: 0.0114 });
  const app = createApp(testServer({ signing: fixedKeys([key]), hostClock }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
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
