import { expect } from 'bun:test';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startClients } from '../support/clients.ts';
import {
  BINARY,
  childrenOf,
  eventsOf,
  linesOf,
  newFolder,
  onLinux,
  pausedFile,
  run,
  startServer,
  until,
} from '../support/process.ts';
import { zoneinfo } from '../support/zones.ts';

/** Waits until a server has counted exactly this many responses on a route: metrics are up to a second old. */
async function untilCounted(adminUrl: string, route: string, responses: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    const values = [
      ...text.matchAll(/^meridian_http_requests_total\{route="([^"]+)",status="\d+"\} (\d+)$/gm),
    ];
    const counted = values.reduce((sum, [, name, value]) => sum + (name === route ? Number(value) : 0), 0);
    expect(counted).toBeLessThanOrEqual(responses);
    if (counted === responses) return;
    await Bun.sleep(50);
  }
}

/** Everything that SIGHUP reloads. */
const RELOADED = ['zoneinfo', 'ip-db', 'ip-zones', 'calendar', 'signing keys', 'access'];
const DATABASES = join(import.meta.dir, '../fixtures/mmdb/test-data');

/** A file for every flag whose data is reloaded, and a function that changes all of them. */
function changingFiles() {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  const zones = zoneinfo('2099a');
  function change(round: number): void {
    const isEven = round % 2 === 0;
    writeFileSync(join(zones, '+VERSION'), `2099${isEven ? 'a' : 'b'}\n`);
    copyFileSync(
      join(DATABASES, isEven ? 'GeoLite2-City-Test.mmdb' : 'GeoIP2-City-Test.mmdb'),
      at('ip.next'),
    );
    renameSync(at('ip.next'), at('ip'));
    writeFileSync(at('networks'), `127.0.0.0/8,${isEven ? 'Asia/Tokyo' : 'Europe/Paris'}\n`);
    writeFileSync(at('calendar'), `2026-12-${10 + round} holiday\n`);
    writeFileSync(at('plans'), `[plans.default]\nrequests_per_month = ${1_000_000 + round}\n`);
    writeFileSync(at('keys'), `the-key-of-all-rounds\nthe-key-of-round-${round}\n`);
  }
  change(0);
  const files = {
    'ip-db': 'ip',
    'ip-zones': 'networks',
    calendar: 'calendar',
    plans: 'plans',
    'api-key-file': 'keys',
  };
  const flags = Object.entries(files).flatMap(([flag, name]) => [`--${flag}`, at(name)]);
  return { change, state: at('state'), flags: [...flags, '--zoneinfo', zones, '--state-dir', at('state')] };
}

/** Collects what each worker reloads after a signal, until all have finished. */
async function reloadsOf(events: ReturnType<typeof eventsOf>, workers: number): Promise<string[]> {
  const reloads: string[] = [];
  for (let ended = 0; ended < workers; ) {
    const { worker, what } = await events.next('reloaded');
    reloads.push(`${worker} ${what}`);
    if (what === RELOADED.at(-1)) ended++;
  }
  return reloads;
}

onLinux('workers lose no request during 20 reloads of everything and a stop', async () => {
  const { change, flags, state } = changingFiles();
  using server = await startServer(['--workers', '2', ...flags]);
  const header = 'X-API-Key: the-key-of-all-rounds';
  const persistent = startClients(server.url, 8, Number.POSITIVE_INFINITY, header);
  const closing = startClients(server.url, 8, 1, header);
  const everything = [1, 2].flatMap(worker => RELOADED.map(what => `${worker} ${what}`)).sort();
  const fetchWithKey = async (key: string) =>
    await fetch(`${server.url}/v1/time/current?auto_tz=true&sign=true`, {
      headers: { 'X-API-Key': key },
      keepalive: false,
    });
  for (let round = 1; round <= 20; round++) {
    change(round);
    const isRotating = round % 8 === 0;
    if (isRotating) await run(['keys', 'rotate', '--force', '--state-dir', state]);
    server.child.kill('SIGHUP');
    expect((await reloadsOf(server.events, 2)).sort()).toEqual(everything);
    for (let count = 0; count < 4; count++) {
      const { status, headers } = await fetchWithKey(`the-key-of-round-${round}`);
      expect({ status, limit: headers.get('X-Service-Quota-Limit') }).toEqual({
        status: 200,
        limit: `${1_000_000 + round}`,
      });
    }
    await Promise.all([persistent.receive(20), closing.receive(20)]);
  }
  expect((await fetchWithKey('the-key-of-round-19')).status).toBe(401);
  const token = (await run(['tokens', 'add', '--name', 'late', '--state-dir', state])).stdout.trim();
  server.child.kill('SIGHUP');
  await reloadsOf(server.events, 2);
  expect((await fetchWithKey(token)).status).toBe(200);
  server.child.kill('SIGTERM');
  for (const { lost, refused } of await Promise.all([persistent.ended, closing.ended])) {
    expect({ lost, refused }).toEqual({ lost: 0, refused: 0 });
  }
  expect(await server.child.exited).toBe(0);
});

onLinux(
  'with --log-format json, stdout is JSON too; workers and successors are called meridian',
  async () => {
    const state = ['--state-dir', newFolder()];
    const command = [BINARY, 'serve', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', ...state];
    const server = Bun.spawn([...command, '--workers', '2', '--log-format', 'json'], {
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const lines = linesOf(server.stdout);
    const pids = [server.pid];
    const names = () => pids.map(pid => readFileSync(`/proc/${pid}/comm`, 'utf8'));
    try {
      for (const message of [/^meridian listening on http:\S+$/, /^meridian metrics and health on http:\S+$/])
        expect(JSON.parse((await lines.next()).value!)).toEqual({
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          level: 'info',
          message: expect.stringMatching(message),
        });
      pids.push(...childrenOf(server.pid));
      expect(names()).toEqual(Array(3).fill('meridian\n'));
      const { stdout } = await run(['upgrade', BINARY, '--unsigned', ...state]);
      const successor = Number(/^process (\d+) has/.exec(stdout)![1]);
      pids.splice(0, pids.length, successor, ...childrenOf(successor));
      expect(names()).toEqual(Array(3).fill('meridian\n'));
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    }
    expect(await server.exited).toBe(0);
  },
);

onLinux('a worker that dies is logged and replaced, and its counts are preserved', async () => {
  using server = await startServer(['--workers', '2', '--admin-listen', '127.0.0.1:0']);
  const request = () => fetch(`${server.url}/v1/time/current`, { keepalive: false });
  for (let count = 0; count < 20; count++) expect((await request()).status).toBe(200);
  await untilCounted(server.adminUrl, '/v1/time/current', 20);

  const before = childrenOf(server.child.pid);
  expect(before).toHaveLength(2);
  const victim = Math.max(...before); // the second one: the first serves the metrics
  process.kill(victim, 'SIGKILL');
  expect(await server.events.next('worker died')).toMatchObject({
    level: 'error',
    pid: victim,
    signal: 'SIGKILL',
  });
  const { pid } = await server.events.next('worker replaced');
  expect(childrenOf(server.child.pid)).toContain(pid as number);
  expect(childrenOf(server.child.pid)).not.toContain(victim);

  for (let count = 0; count < 20; count++) expect((await request()).status).toBe(200);
  await untilCounted(server.adminUrl, '/v1/time/current', 40);
  expect(await server.stop()).toBe(0);
  expect(childrenOf(server.child.pid)).toEqual([]);
});

onLinux('a worker that dies while another starts is logged, and replaced once that is ready', async () => {
  const folder = newFolder();
  const calendar = join(folder, 'calendar');
  const command = [BINARY, 'serve', '--listen', '127.0.0.1:0', '--workers', '2'];
  const flags = ['--calendar', calendar, '--state-dir', folder];
  const first = pausedFile(calendar);
  await using server = Bun.spawn([...command, ...flags], { stdout: 'pipe', stderr: 'pipe' });
  const events = eventsOf(server.stderr);
  const { resume } = await first;
  const [victim] = childrenOf(server.pid);
  const second = pausedFile(calendar);
  await resume('2026-12-24 holiday\n');
  const other = await second; // the first one is ready
  process.kill(victim!, 'SIGKILL');
  expect(await events.next('worker died')).toMatchObject({ worker: 1, pid: victim, signal: 'SIGKILL' });
  writeFileSync(`${calendar}.next`, '2026-12-24 holiday\n');
  renameSync(`${calendar}.next`, calendar);
  await other.resume('2026-12-24 holiday\n');
  expect(await events.next('worker replaced')).toMatchObject({ worker: 1 });
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});

onLinux('a worker that is killed leaves its unix sockets to the one that replaces it', async () => {
  const folder = newFolder();
  const [main, admin] = [join(folder, 'main'), join(folder, 'admin')];
  using server = await startServer(
    ['--workers', '2', '--listen', `unix:${main}`].concat('--admin-listen', `unix:${admin}`),
  );
  process.kill(Math.min(...childrenOf(server.child.pid)), 'SIGKILL'); // the first one has the sockets
  await server.events.next('worker replaced');
  for (const unix of [main, admin]) {
    expect((await fetch('http://localhost/healthz', { unix })).status).toBe(200);
  }
  expect(await server.stop()).toBe(0);
});

onLinux('workers exit with their supervisor, however it ends', async () => {
  const server = await startServer(['--workers', '2']);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  server.child.kill('SIGKILL');
  await new Response(server.child.stderr).text(); // ends when the last process holding it has ended
  expect(fetch(server.url)).rejects.toThrow();
});

onLinux('another server cannot share the port of workers', async () => {
  using server = await startServer(['--workers', '2']);
  for (const workers of ['1', '2']) {
    const args = ['serve', '--listen', new URL(server.url).host, '--workers', workers];
    const { exitCode, stderr } = await run(args);
    expect({ workers, exitCode }).toEqual({ workers, exitCode: 1 });
    expect(stderr).toContain('Cannot listen');
  }
});

onLinux('no request is lost during 20 reloads and a stop, with and without keep-alive', async () => {
  const socket = join(newFolder(), 'socket');
  using server = await startServer(['--listen', `unix:${socket}`, '--zoneinfo', zoneinfo('2099a')]);
  const persistent = startClients(server.url, 8, Number.POSITIVE_INFINITY);
  const closing = startClients(server.url, 8, 1);
  const local = startClients(`unix:${socket}`, 4, 3);
  const all = [persistent, closing, local];
  for (let reload = 0; reload < 20; reload++) {
    server.child.kill('SIGHUP');
    await Promise.all([
      server.events.next('reloaded', 'zoneinfo'),
      ...all.map(clients => clients.receive(20)),
    ]);
  }
  server.child.kill('SIGTERM');
  const reports = await Promise.all(all.map(clients => clients.ended));
  expect(await server.child.exited).toBe(0);
  for (const { responses, lost, refused } of reports) {
    expect({ lost, refused }).toEqual({ lost: 0, refused: 0 });
    expect(responses).toBeGreaterThanOrEqual(20 * 20);
  }
});

onLinux('a stop waits for a client that is slow to read a large batch', async () => {
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
});

for (const workers of ['1', '2']) {
  onLinux(`a server of ${workers} workers stopped while it loads never reports that it serves`, async () => {
    const folder = newFolder();
    const [calendar, started] = [join(folder, 'calendar'), join(folder, 'started')];
    const paused = pausedFile(calendar);
    const flags = ['--workers', workers, '--listen', '127.0.0.1:0', '--calendar', calendar];
    const through = ['sh', '-c', `echo $$ > ${started}; exec "$@"`, 'sh'];
    const server = run(['serve', ...flags, '--state-dir', folder], { through });
    const { resume } = await paused;
    process.kill(Number(readFileSync(started, 'utf8')), 'SIGTERM');
    await resume('2026-12-24 holiday\n');
    expect(await server).toMatchObject({ exitCode: 0, stdout: '' });
  });
}

/** Resolves when a server no longer accepts connections. */
function refusesConnections(url: string): Promise<void> {
  const health = () => fetch(`${url}/healthz`, { headers: { Connection: 'close' } }).catch(() => null);
  return until(async () => (await (await health())?.text()) === undefined);
}
