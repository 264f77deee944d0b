import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { startClients } from './clients.ts';
import { eventsOf } from './events.ts';
import { run, startServer } from './process.ts';
import { zoneinfo } from './zoneinfo.ts';

const isLinux = process.platform === 'linux';

/** The processes that a process started. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false; // it has just ended
      }
    })
    .map(Number);
}

/** The answers that a server has counted on a route. */
async function countedAnswers(adminUrl: string, route: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const values = [...text.matchAll(/^meridian_http_requests_total\{route="([^"]+)",status="\d+"\} (\d+)$/gm)];
  return values.reduce((sum, [, name, value]) => sum + (name === route ? Number(value) : 0), 0);
}

test.skipIf(!isLinux)(
  'workers lose no request over 20 reloads and a stop (wants Linux)',
  async () => {
    const directory = zoneinfo('2026x', ['Europe/Paris']);
    using server = await startServer(['--workers', '2', '--zoneinfo', directory]);
    const events = eventsOf(server.child.stderr);
    const keeping = startClients(server.url, 8, Number.POSITIVE_INFINITY);
    const leaving = startClients(server.url, 8, 1);
    for (let reload = 0; reload < 20; reload++) {
      server.child.kill('SIGHUP');
      const workers = [await events.next('reloaded', 'zoneinfo'), await events.next('reloaded', 'zoneinfo')];
      expect(workers.map(({ worker }) => worker).sort()).toEqual([1, 2]);
      await Promise.all([keeping.answered(20), leaving.answered(20)]);
    }
    server.child.kill('SIGTERM');
    for (const { lost, refused } of await Promise.all([keeping.ended, leaving.ended])) {
      expect({ lost, refused }).toEqual({ lost: 0, refused: 0 });
    }
    expect(await server.child.exited).toBe(0);
  },
  30_000,
);

test.skipIf(!isLinux)(
  'a worker that dies is replaced and its death logged, and its counts stay (wants Linux)',
  async () => {
    using server = await startServer(['--workers', '2', '--admin-listen', '127.0.0.1:0']);
    const events = eventsOf(server.child.stderr);
    const adminUrl = server.lines.map(line => /health on (\S+)/.exec(line)?.[1]).find(Boolean)!;
    const ask = () => fetch(`${server.url}/v1/time/current`, { keepalive: false });
    for (let request = 0; request < 20; request++) expect((await ask()).status).toBe(200);
    expect(await countedAnswers(adminUrl, '/v1/time/current')).toBe(20);

    const before = childrenOf(server.child.pid);
    expect(before).toHaveLength(2);
    const victim = Math.max(...before); // the second one: the first serves the metrics
    process.kill(victim, 'SIGKILL');
    expect(await events.next('worker died')).toMatchObject({
      level: 'error',
      pid: victim,
      signal: 'SIGKILL',
    });
    const { pid } = await events.next('worker replaced');
    expect(childrenOf(server.child.pid)).toContain(pid as number);
    expect(childrenOf(server.child.pid)).not.toContain(victim);

    for (let request = 0; request < 20; request++) expect((await ask()).status).toBe(200);
    expect(await countedAnswers(adminUrl, '/v1/time/current')).toBe(40);
    server.child.kill('SIGTERM');
    expect(await server.child.exited).toBe(0);
    expect(childrenOf(server.child.pid)).toEqual([]);
  },
  20_000,
);

test.skipIf(!isLinux)('workers end with their supervisor, however it ends (wants Linux)', async () => {
  const server = await startServer(['--workers', '2']);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  server.child.kill('SIGKILL');
  await new Response(server.child.stderr).text(); // ends when the last process that holds it has ended
  expect(fetch(server.url)).rejects.toThrow();
});

test.skipIf(!isLinux)('another server does not slip in on the port of workers (wants Linux)', async () => {
  using server = await startServer(['--workers', '2']);
  for (const workers of ['1', '2']) {
    const args = ['serve', '--listen', new URL(server.url).host, '--workers', workers];
    const { exitCode, stderr } = await run(args);
    expect({ workers, exitCode }).toEqual({ workers, exitCode: 1 });
    expect(stderr).toContain('Cannot listen');
  }
});
