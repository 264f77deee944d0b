import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsOf, run, startServer, temporaryFolder } from '../support/process.ts';

const PATH = '/v1/time/current';

test('--cors-origin is the origin in responses and preflights', async () => {
  using server = await startServer(['--cors-origin', 'https://a.example']);
  for (const method of ['GET', 'OPTIONS']) {
    const init = { method, headers: { Origin: 'https://a.example' } };
    const { headers } = await fetch(server.url + PATH, init);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('https://a.example');
  }
});

test('the marketplace headers can be renamed', async () => {
  using folder = temporaryFolder();
  const keys = join(folder.path, 'keys');
  writeFileSync(keys, 'the-subscription-key\n');
  using server = await startServer([
    ...['--marketplace-keys', keys, '--marketplace-host', 'time.example'],
    ...['--marketplace-key-header', 'X-Market-Key', '--marketplace-host-header', 'X-Market-Host'],
  ]);
  const status = async (key: string, host: string) =>
    (await fetch(server.url + PATH, { headers: { [key]: 'the-subscription-key', [host]: 'time.example' } }))
      .status;
  expect(await status('X-Market-Key', 'X-Market-Host')).toBe(200);
  expect(await status('X-RapidAPI-Key', 'X-RapidAPI-Host')).toBe(401);
});

test('an unsynchronized clock is a failure only with --require-clock-sync', async () => {
  const { clock } = JSON.parse((await run(['doctor', '--json'])).stdout);
  for (const flags of [[], ['--require-clock-sync']]) {
    using server = await startServer(flags);
    const isFailure = flags.length > 0 && clock !== null && !clock.is_synchronized;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(isFailure ? 503 : 200);
  }
});

test('the client IP is not logged, logged as its network, or in full', async () => {
  for (const [mode, client] of [
    ['none', undefined],
    ['network', '127.0.0.0/24'],
    ['full', '127.0.0.1'],
  ] as const) {
    using server = await startServer(['--access-log', 'all', '--log-client', mode]);
    await fetch(server.url + PATH);
    expect((await eventsOf(server.child.stderr).next('request'))['client']).toBe(client);
  }
});

test('--log-format text writes a readable line', async () => {
  const server = await startServer(['--access-log', 'all', '--log-format', 'text']);
  await fetch(`${server.url}${PATH}?tz=Asia/Tokyo`, { headers: { 'X-Request-Id': 'mine' } });
  server.child.kill('SIGTERM');
  const log = await new Response(server.child.stderr).text();
  expect(log).toMatch(/^\S+Z info {2}200 GET \/v1\/time\/current [\d.]+ms mine$/m);
  expect(log).not.toContain('Tokyo');
});

test('a server warns once of a stray variable, and starts', async () => {
  for (const workers of ['1', '2']) {
    using server = await startServer(['--workers', workers], { MERIDIAN_API_KEYS: 'secret' });
    server.child.kill('SIGTERM');
    const log = await new Response(server.child.stderr).text();
    expect(log.match(/MERIDIAN_API_KEYS is set, but is not a setting/g)).toHaveLength(1);
    expect(log).not.toContain('secret');
  }
});
test('conflicting settings are rejected by serve and systemd-unit', async () => {
  for (const command of ['serve', 'systemd-unit']) {
    const { exitCode, stderr } = await run([command, '--quota-fail', 'closed'], {
      env: { MERIDIAN_STATE_DIR: '' },
    });
    expect([exitCode, stderr]).toEqual([2, 'meridian: --quota-fail closed requires --redis\n']);
  }
});
