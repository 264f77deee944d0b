import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '../support/printing.ts';

const handle = (request: Request) => {
  const { pathname } = new URL(request.url);
  return pathname === '/healthz' ? new Response('ok\n') : new Response('zones broken\n', { status: 503 });
};
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handle });
afterAll(() => server.stop(true));

test('health reports liveness or readiness of the server at the given address', async () => {
  const listen = `--listen=127.0.0.1:${server.port}`;
  expect(await outputOf(['health', listen])).toEqual({ exitCode: 0, lines: ['ok'] });
  expect(await outputOf(['health', listen, '--ready'])).toEqual({ exitCode: 1, lines: ['zones broken'] });
});

test('a server on all addresses is checked on loopback, and one on a socket through it', async () => {
  const all = `--listen=0.0.0.0:${server.port}`;
  expect(await outputOf(['health', all])).toEqual({ exitCode: 0, lines: ['ok'] });
  const unix = join(mkdtempSync(join(tmpdir(), 'meridian-')), 'socket');
  using listener = Bun.serve({ unix, fetch: handle });
  expect(listener).toBeDefined();
  expect(await outputOf(['health', `--listen=unix:${unix}`])).toEqual({ exitCode: 0, lines: ['ok'] });
});

test('the address comes from the settings of the server', async () => {
  const settings = { MERIDIAN_LISTEN: `127.0.0.1:${server.port}`, MERIDIAN_WORKERS: '2' };
  expect(await outputOf(['health'], settings)).toEqual({ exitCode: 0, lines: ['ok'] });
});

test('without a server, or with an unknown port, health says why it fails', async () => {
  using closed = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handle });
  const { port } = closed;
  await closed.stop(true);
  const { exitCode, lines } = await outputOf(['health', `--listen=127.0.0.1:${port}`]);
  expect(exitCode).toBe(1);
  expect(lines[0]).toStartWith(`meridian: No response from http://127.0.0.1:${port}/healthz: `);
  expect(await outputOf(['health', '--listen=127.0.0.1:0'])).toEqual({
    exitCode: 1,
    lines: ['meridian: Cannot check a server with --listen port 0: its actual port is unknown'],
  });
});
