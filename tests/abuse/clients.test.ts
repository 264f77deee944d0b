import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Exchange, exchange, faultOf, parseResponses } from '../support/clients.ts';
import { type RunningServer, requiring, socketsOf, startServer, until } from '../support/process.ts';
import type { CrowdReport } from './crowd.ts';

const PATH = '/v1/time/current?tz=Europe/Paris';
const CROWD = 300;

const portOf = ({ url }: RunningServer): number => Number(new URL(url).port);

/** Opens a crowd of connections for a second and returns its report. */
async function crowd(port: number, kind: string): Promise<CrowdReport> {
  const program = join(import.meta.dir, 'crowd.ts');
  const child = Bun.spawn([process.execPath, program, `${port}`, `${CROWD}`, kind, '1'], { stdout: 'pipe' });
  return JSON.parse(await new Response(child.stdout).text());
}

test('half-open connections do not block other clients, and many active ones get all their responses', async () => {
  using server = await startServer();
  const [half, idle, keeping] = await Promise.all([
    crowd(portOf(server), 'half'),
    crowd(portOf(server), 'idle'),
    crowd(portOf(server), 'keeping'),
  ]);
  expect(half).toMatchObject({ connected: CROWD, failures: 0 });
  expect(idle).toMatchObject({ connected: CROWD, failures: 0 });
  expect(keeping).toEqual({ connected: CROWD, ended: 0, responses: 2 * CROWD, failures: 0 });
  expect((await fetch(server.url + PATH)).status).toBe(200);
});

test('a request that arrives byte by byte is served like any other', async () => {
  using server = await startServer();
  const bytes = `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  const received = await new Promise<Exchange>(resolve => {
    let text = '';
    const socket = connect(portOf(server), '127.0.0.1', async () => {
      for (const byte of bytes) {
        socket.write(byte);
        await new Promise(setImmediate);
      }
    });
    socket.setNoDelay(true);
    socket.on('data', chunk => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(parseResponses(text)));
  });
  expect(received.responses.map(({ status }) => status)).toEqual([200]);
});

/**
 * Bun closes a connection on which a request arrives while the response to another is pending, as for the first ones that
 * need place data, and for pages: responses are never mixed up, and the client retries (RFC 9112 §9.3.2).
 */
test('the first of several pipelined requests are served, in order', async () => {
  using server = await startServer();
  const paths = [PATH, '/v1/time/current?lat=48&lon=2', PATH, '/v1/time/current?ip=8.8.8.8', '/docs', PATH];
  for (let round = 0; round < 20; round++) {
    const turned = [...paths.slice(round % paths.length), ...paths.slice(0, round % paths.length)];
    const requests = turned.map(
      (path, id) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\n\r\n`,
    );
    const { responses } = await exchange(portOf(server), requests.join(''));
    if (turned[0] === PATH) expect(responses.length).toBeGreaterThan(0);
    expect(responses.map(faultOf)).toEqual(responses.map(() => null));
    expect(responses.map(({ headers }) => headers.get('x-request-id'))).toEqual(
      responses.map((_, id) => `${id}`),
    );
  }
});

const descriptorsOf = ({ child }: RunningServer): number => readdirSync(`/proc/${child.pid}/fd`).length;

/** A client that sends half of a request: Linux passes a connection to the server once data has arrived. */
function halfOpen(port: number): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${PATH} HTTP/1.1\r\n`));
  return socket.on('error', () => {});
}

/** Sends the rest of a request and returns what arrives. */
function restOf(socket: Socket): Promise<string> {
  return new Promise(resolve => {
    socket.once('data', bytes => resolve(bytes.toString('latin1')));
    socket.write('Host: localhost\r\n\r\n');
  });
}

const withPrlimit = requiring('Linux', 'prlimit');

/** Without free descriptors Bun calls `accept` in a loop, which keeps a core busy. */
withPrlimit(
  'out of descriptors, a server responds to accepted clients, and to all once they are gone',
  async () => {
    using server = await startServer([], {}, ['prlimit', '--nofile=4096']);
    expect(await server.events.next('few file descriptors')).toMatchObject({ level: 'warn', limit: 4096 });
    expect((await fetch(server.url + PATH, { keepalive: false })).status).toBe(200);
    // Over a connection that remains open.
    const metricsNow = async () => await (await fetch(`${server.url}/metrics`)).text();
    expect(await metricsNow()).toContain('process_max_fds 4096\n');
    const most = descriptorsOf(server) + 10;
    Bun.spawnSync(['prlimit', '--pid', `${server.child.pid}`, `--nofile=${most}:4096`]);
    const clients = Array.from({ length: 50 }, () => halfOpen(portOf(server)));
    await until(() => descriptorsOf(server) === most);

    expect(await server.events.next('out of file descriptors')).toMatchObject({
      level: 'error',
      error: expect.stringContaining('EMFILE'),
    });
    // All, of the limit that was read before.
    await until(async () => (await metricsNow()).includes('process_open_fds 4096\n'), 50);
    const responses = clients.map(restOf);
    expect(await Promise.race(responses)).toStartWith('HTTP/1.1 200 OK\r\n');
    for (const client of clients) client.destroy();
    for (const path of [PATH, '/v1/time/current?lat=48.85&lon=2.35', '/v1/time/current?ip=8.8.8.8']) {
      expect([path, (await fetch(server.url + path, { keepalive: false })).status]).toEqual([path, 200]);
    }
    await until(() => descriptorsOf(server) < most - 5);
  },
);

withPrlimit('out of descriptors, a server responds and stops cleanly', async () => {
  using server = await startServer();
  const before = socketsOf(server.child.pid);
  const clients = Array.from({ length: 20 }, () => halfOpen(portOf(server)));
  await until(() => socketsOf(server.child.pid) === before + 20);
  Bun.spawnSync(['prlimit', '--pid', `${server.child.pid}`, `--nofile=${descriptorsOf(server)}:4096`]);
  server.child.kill('SIGTERM');
  await Bun.sleep(100); // long enough to fail
  const responses = clients.map(restOf);
  for (const response of await Promise.all(responses)) expect(response).toStartWith('HTTP/1.1 200 OK\r\n');
  for (const client of clients) client.destroy();
  expect(await server.child.exited).toBe(0);
});
