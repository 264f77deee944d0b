import { expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startClients } from '../support/clients.ts';
import { callTool, connect, expectGoldenResults } from '../support/mcp.ts';
import { selfSigned } from '../support/openssl.ts';
import { BINARY, expectFailures, newFolder, requiring, run, startServer } from '../support/process.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

test('over HTTP the golden calls have exact results', async () => {
  using server = await startServer();
  const client = await connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  await expectGoldenResults(client);
  await client.close();
});

test('over stdio they have the same results, and errors are tool results', async () => {
  const client = await connect(new StdioClientTransport({ command: BINARY, args: ['mcp'] }));
  await expectGoldenResults(client);
  expect(await client.ping()).toEqual({});
  expect(await callTool(client, 'holidays', { country: 'XX' })).toMatchObject({
    isError: true,
    value: { error: { code: 'INVALID_PARAMETER' } },
  });
  await client.close();
});

test('over stdio a message is a line, and the process exits when its input ends', async () => {
  const child = Bun.spawn([BINARY, 'mcp'], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  const messages = [
    '{',
    '',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    '{"jsonrpc":"2.0","id":"é","method":"ping"}',
    '{"jsonrpc":"2.0","id":"\u2028","method":"ping"}',
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: META } }),
  ];
  child.stdin.write(messages.join('\r\n')); // the last one without a line feed
  child.stdin.end();
  const lines = (await new Response(child.stdout).text()).trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: 'é', result: {} },
    { id: '\u2028', result: {} },
    { id: 1, result: { supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'] } },
  ]);
  expect(await child.exited).toBe(0);
  expect(await new Response(child.stderr).text()).toBe('');
});

test('over stdio a ping after 2025-06-18 was agreed on has an empty result', async () => {
  const child = Bun.spawn([BINARY, 'mcp'], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
  child.stdin.end();
  const [initialized, pinged] = (await new Response(child.stdout).text()).split('\n');
  expect(JSON.parse(initialized!).result).toMatchObject({ protocolVersion: '2025-06-18' });
  expect(pinged).toBe('{"jsonrpc":"2.0","id":2,"result":{}}');
  expect(await child.exited).toBe(0);
});

test('mcp takes no operands', async () => {
  expect(await run(['mcp', 'now'])).toMatchObject({ exitCode: 2, stdout: '' });
});

/** The lines of the response to a request as sent by devices: HTTP/1.0 without headers. */
async function linesOf(url: string, path: string): Promise<string[]> {
  const { hostname, port } = new URL(url);
  const socket = connectSocket(Number(port), hostname, () => socket.write(`GET ${path} HTTP/1.0\r\n\r\n`));
  const lines: string[] = [];
  for await (const line of createInterface({ input: socket })) lines.push(line);
  return lines;
}

test("a device without Host header and JSON parser can use WorldTimeAPI's plain text", async () => {
  using server = await startServer();
  const before = Math.floor(Date.now() / 1000);
  const [status, ...lines] = await linesOf(server.url, '/api/timezone/Asia/Kolkata.txt');
  expect(status).toStartWith('HTTP/1.1 200');
  const members = lines.slice(lines.indexOf('') + 1).map(line => line.split(': '));
  const { unixtime, raw_offset, dst_offset, timezone } = Object.fromEntries(members);
  expect([timezone, raw_offset, dst_offset]).toEqual(['Asia/Kolkata', '19800', '0']);
  expect(Number(unixtime)).toBeWithin(before, Math.floor(Date.now() / 1000) + 1);
  expect(members).toHaveLength(15);
});

test('--compat none removes the paths of other services', async () => {
  using server = await startServer(['--compat', 'none']);
  const [status] = await linesOf(server.url, '/api/timezone/Asia/Kolkata.txt');
  expect(status).toStartWith('HTTP/1.1 404');
});

const folder = newFolder();
const withOpenssl = requiring('openssl');

/** The name in the certificate presented to a new connection. */
function shownName(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
    socket.on('error', reject);
  });
}

withOpenssl('SIGHUP loads a changed certificate under load, and rejects one without its key', async () => {
  const [one, two] = [selfSigned(folder, 'one'), selfSigned(folder, 'two')];
  const shown = { cert: join(folder, 'shown.crt'), key: join(folder, 'shown.key') };
  copyFileSync(one.cert, shown.cert);
  copyFileSync(one.key, shown.key);
  using server = await startServer(['--tls-cert', shown.cert, '--tls-key', shown.key]);
  expect(server.url).toStartWith('https://');
  const clients = startClients(server.url, 4, Number.POSITIVE_INFINITY);
  await clients.receive(20);
  expect(await shownName(server.url)).toBe('one');

  copyFileSync(two.cert, shown.cert); // its key is still missing
  server.child.kill('SIGHUP');
  expect(await server.events.next('reload failed')).toMatchObject({ what: 'certificate', level: 'error' });
  expect(await shownName(server.url)).toBe('one');

  copyFileSync(two.key, shown.key);
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded', 'certificate')).toMatchObject({ what: 'certificate' });
  await clients.receive(200);
  expect(await shownName(server.url)).toBe('two');
  expect(await shownName(server.url)).toBe('two');
  server.child.kill('SIGTERM');
  expect(await clients.ended).toMatchObject({ lost: 0, refused: 0 });
  expect(await server.child.exited).toBe(0);
});

withOpenssl('the admin address remains without TLS when the certificate changes', async () => {
  const [one, two] = [selfSigned(folder, 'one'), selfSigned(folder, 'two')];
  const tls = ['--tls-cert', one.cert, '--tls-key', one.key];
  using server = await startServer([...tls, '--admin-listen', '127.0.0.1:0']);
  copyFileSync(two.cert, one.cert);
  copyFileSync(two.key, one.key);
  server.child.kill('SIGHUP');
  await server.events.next('reloaded', 'certificate');
  expect(await shownName(server.url)).toBe('two');
  expect((await fetch(`${server.adminUrl}/healthz`)).status).toBe(200);
});

withOpenssl('an unusable certificate prevents startup, with one line', async () => {
  const [one, two] = [selfSigned(folder, 'one'), selfSigned(folder, 'two')];
  const junk = join(folder, 'junk.pem');
  writeFileSync(junk, 'junk');
  const serve = ['serve', '--listen', '127.0.0.1:0', '--tls-cert'];
  await expectFailures([
    [[...serve, one.cert], 2, '--tls-key'],
    [[...serve, one.cert, '--tls-key', two.key], 1, two.key],
    [[...serve, junk, '--tls-key', two.key], 1, junk],
    [[...serve, one.cert, '--tls-key', '/nonexistent'], 1, '/nonexistent'],
  ]);
});
