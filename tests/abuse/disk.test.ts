import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFirstSchema } from '../access/first_schema.ts';
import { eventsOf, type RunningServer, run, startServer, temporaryFolder } from '../support/process.ts';

/** A command that runs its arguments in a private mount namespace, after a line of shell; `$0` is `folder`. */
const inOwnMounts = (folder: string, line: string): string[] => [
  ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
  `${line} && exec "$@"`,
  folder,
];

const canMount = spawns(['unshare', '--user', '--map-root-user', '--mount', 'true']);
const canLimit = spawns(['prlimit', '--fsize', 'true']);

function spawns(command: string[]): boolean {
  try {
    return Bun.spawnSync(command).success;
  } catch {
    return false;
  }
}

const PATH = '/v1/time/current?tz=Europe/Paris';
const SIGNED = `${PATH}&sign=true`;

async function statusOf({ url }: RunningServer, path: string, key?: string): Promise<number> {
  const response = await fetch(url + path, { headers: key === undefined ? {} : { 'X-API-Key': key } });
  await response.text();
  return response.status;
}

/** Fills a disk to the last byte; returns the path of the filling file. */
function fill(folder: string): string {
  const path = join(folder, 'filling');
  for (const bytes of [4096, 1]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // Not even a little fits any more.
    }
  }
  return path;
}

test.skipIf(!canMount)(
  'with its state on a read-only mount, a server serves, signs and knows its keys (requires unshare)',
  async () => {
    using folder = temporaryFolder();
    const state = ['--state-dir', folder.path];
    const key = (await run(['tokens', 'add', '--name', 'a', ...state])).stdout.trim();
    await run(['keys', 'rotate', ...state]);
    makeFirstSchema(join(folder.path, 'access.sqlite')); // from which it cannot be migrated
    const readOnly = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"';
    using server = await startServer(state, {}, inOwnMounts(folder.path, readOnly));
    const events = eventsOf(server.child.stderr);
    expect(await statusOf(server, SIGNED, key)).toBe(200);
    expect(await statusOf(server, PATH)).toBe(401);
    await events.next('Usage cannot be written and is kept in memory');
    expect(await (await fetch(`${server.url}/readyz`)).text()).toContain(
      'store warning usage cannot be written',
    );
    expect(await statusOf(server, SIGNED, key)).toBe(200);
  },
);

test.skipIf(!canMount)(
  'a server that starts on a full disk serves, and recovers fully once there is room (requires unshare)',
  async () => {
    using folder = temporaryFolder();
    // Not an empty disk: it must already be full when the server starts.
    const full =
      'mount -t tmpfs -o size=400k tmpfs "$0" && (cat /dev/zero > "$0/filling" || true) 2>/dev/null';
    using server = await startServer(
      ['--state-dir', join(folder.path, 'state')],
      {},
      inOwnMounts(folder.path, full),
    );
    const disk = `/proc/${server.child.pid}/root${folder.path}`;
    const inside = { through: ['nsenter', '--user', '--mount', '--target', `${server.child.pid}`] };
    const state = ['--state-dir', join(folder.path, 'state')];
    expect(await statusOf(server, PATH)).toBe(200);
    expect(await statusOf(server, SIGNED)).toBe(501);
    for (const command of [
      ['tokens', 'add', '--name', 'a'],
      ['keys', 'rotate'],
    ]) {
      const { exitCode, stderr } = await run([...command, ...state], inside);
      expect([command, exitCode]).toEqual([command, 1]);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    rmSync(join(disk, 'filling'));
    const { stdout: key } = await run(['tokens', 'add', '--name', 'a', ...state], inside);
    expect((await run(['keys', 'rotate', ...state], inside)).exitCode).toBe(0);
    server.child.kill('SIGHUP');
    const events = eventsOf(server.child.stderr);
    await events.next('reloaded', 'access');
    expect(await statusOf(server, SIGNED, key.trim())).toBe(200);
    const filling = fill(disk);
    expect(await statusOf(server, SIGNED, key.trim())).toBe(200);
    await events.next('Usage cannot be written and is kept in memory');
    rmSync(filling);
    await events.next('Usage can be written again');
    server.child.kill('SIGTERM');
    expect(await server.child.exited).toBe(0);
  },
);

test.skipIf(!canLimit)(
  'if no file may grow, a server serves without signatures (requires prlimit)',
  async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'state'));
    const state = ['--state-dir', join(folder.path, 'state')];
    using server = await startServer(state, {}, ['prlimit', '--fsize=0']);
    expect(await statusOf(server, PATH)).toBe(200);
    expect(await statusOf(server, SIGNED)).toBe(501);
    expect(await (await fetch(`${server.url}/readyz`)).text()).toContain('signing absent');
  },
);

test.skipIf(process.platform !== 'linux')(
  'a log that cannot be written delays neither requests nor the shutdown (requires Linux)',
  async () => {
    using server = await startServer([], {}, ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh']);
    for (let request = 0; request < 100; request++) expect(await statusOf(server, '/nowhere')).toBe(404);
    server.child.kill('SIGTERM');
    expect(await server.child.exited).toBe(0);
  },
);
