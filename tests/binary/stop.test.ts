import { expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClients } from './clients.ts';
import { eventsOf } from './events.ts';
import { startServer } from './process.ts';
import { zoneinfo } from './zoneinfo.ts';

test.skipIf(process.platform !== 'linux')(
  'no request is lost over 20 reloads and a stop, with and without keep-alive (wants Linux)',
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
      await Promise.all([events.next('reloaded', 'zoneinfo'), ...all.map(clients => clients.answered(20))]);
    }
    server.child.kill('SIGTERM');
    const reports = await Promise.all(all.map(clients => clients.ended));
    expect(await server.child.exited).toBe(0);
    for (const { answered, lost, refused } of reports) {
      expect({ lost, refused }).toEqual({ lost: 0, refused: 0 });
      expect(answered).toBeGreaterThanOrEqual(20 * 20);
    }
  },
  30_000,
);
