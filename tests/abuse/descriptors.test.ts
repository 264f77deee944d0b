import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type RunningServer, startServer, until } from '../support/process.ts';

const PATH = '/v1/time/current?tz=Europe/Paris';

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

/** Without free descriptors Bun calls `accept` in a loop, which keeps a core busy. */
test.skipIf(process.platform !== 'linux')(
  'out of descriptors, a server responds to accepted clients, and to all once they are gone (requires prlimit)',
  async () => {
    using server = await startServer();
    const port = Number(new URL(server.url).port);
    expect((await fetch(server.url + PATH, { keepalive: false })).status).toBe(200);
    const most = descriptorsOf(server) + 10;
    Bun.spawnSync(['prlimit', '--pid', `${server.child.pid}`, `--nofile=${most}:4096`]);
    const clients = Array.from({ length: 50 }, () => halfOpen(port));
    await until(() => descriptorsOf(server) === most);

    const responses = clients.map(restOf);
    expect(await Promise.race(responses)).toStartWith('HTTP/1.1 200 OK\r\n');
    for (const client of clients) client.destroy();
    for (const path of [PATH, '/v1/time/current?lat=48.85&lon=2.35', '/v1/time/current?ip=8.8.8.8']) {
      expect([path, (await fetch(server.url + path, { keepalive: false })).status]).toEqual([path, 200]);
    }
    await until(() => descriptorsOf(server) < most - 5);
  },
);
