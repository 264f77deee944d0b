import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClients } from '../support/clients.ts';
import { eventsOf, pausedFile, run, startServer } from '../support/process.ts';
import { zoneinfo } from '../support/zones.ts';

test.skipIf(process.platform !== 'linux')(
  'no request is lost during 20 reloads and a stop, with and without keep-alive (requires Linux)',
  async () => {
    const socket = join(mkdtempSync(join(tmpdir(), 'meridian-')), 'socket');
    using server = await startServer(['--listen', `unix:${socket}`, '--zoneinfo', zoneinfo('2099a')]);
    const events = eventsOf(server.child.stderr);
    const persistent = startClients(server.url, 8, Number.POSITIVE_INFINITY);
    const closing = startClients(server.url, 8, 1);
    const local = startClients(`unix:${socket}`, 4, 3);
    const all = [persistent, closing, local];
    for (let reload = 0; reload < 20; reload++) {
      server.child.kill('SIGHUP');
      await Promise.all([events.next('reloaded', 'zoneinfo'), ...all.map(clients => clients.receive(20))]);
    }
    server.child.kill('SIGTERM');
    const reports = await Promise.all(all.map(clients => clients.ended));
    expect(await server.child.exited).toBe(0);
    for (const { responses, lost, refused } of reports) {
      expect({ lost, refused }).toEqual({ lost: 0, refused: 0 });
      expect(responses).toBeGreaterThanOrEqual(20 * 20);
    }
  },
  30_000,
);

test.skipIf(process.platform !== 'linux')(
  'a stop waits for a client that is slow to read a large batch (requires Linux)',
  async () => {
    using server = await startServer();
    const target = '/v1/time/transitions?all=true&from=2020-01-01&to=2025-01-01';
    const body = JSON.stringify({ requests: Array(40).fill(target) });
    const { hostname, port } = new URL(server.url);
    const chunks: Buffer[] = [];
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const socket = connect(Number(port), hostname, () => {
      const framing = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
      socket.write(`POST /v1/batch HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n${body}`);
    });
    socket.on('data', (chunk: Buffer) => {
      // The buffers of both sockets together hold less than the 8 MB.
      if (chunks.length === 0) socket.pause();
      chunks.push(chunk);
      begun.resolve();
    });
    socket.on('close', () => ended.resolve());
    await begun.promise;
    server.child.kill('SIGTERM');
    await refusesConnections(server.url);
    socket.resume();
    await ended.promise;
    const response = Buffer.concat(chunks);
    expect(response.length).toBeGreaterThan(8_000_000);
    expect(response.subarray(-7).toString()).toBe('\r\n0\r\n\r\n');
    expect(await server.child.exited).toBe(0);
  },
);

for (const workers of ['1', '2']) {
  test.skipIf(process.platform !== 'linux')(
    `a server of ${workers} workers that is stopped while it loads data does not report that it serves (requires Linux)`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'meridian-'));
      const [calendar, started] = [join(folder, 'calendar'), join(folder, 'started')];
      const paused = pausedFile(calendar);
      const flags = ['--workers', workers, '--listen', '127.0.0.1:0', '--calendar', calendar];
      const through = ['sh', '-c', `echo $$ > ${started}; exec "$@"`, 'sh'];
      const server = run(['serve', ...flags, '--state-dir', folder], { through });
      const { resume } = await paused;
      process.kill(Number(readFileSync(started, 'utf8')), 'SIGTERM');
      await resume('2026-12-24 holiday\n');
      expect(await server).toMatchObject({ exitCode: 0, stdout: '' });
    },
  );
}

/** Resolves when a server no longer accepts connections. */
async function refusesConnections(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/healthz`, { headers: { Connection: 'close' } }).catch(() => null);
    if (response === null) return;
    await response.text();
  }
}
