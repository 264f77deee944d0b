import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisMachines } from '../../src/access/redis/redis_machines.ts';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { run, startServer, temporaryFolder } from '../support/process.ts';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.ts';

const withRedis = test.skipIf(REDIS_PROGRAM === null);

async function statusOf(redis: string) {
  const { exitCode, stdout } = await run(['fleet', 'status', '--json', '--redis', redis]);
  const { machines, disagreements } = JSON.parse(stdout);
  return { exitCode, machines, disagreements };
}

withRedis(
  'fleet status lists the servers of a Redis, and exits with 1 if they differ (requires redis-server)',
  async () => {
    using folder = temporaryFolder();
    using first = temporaryFolder();
    using second = temporaryFolder();
    using third = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    await redis.start();
    const flags = (state: string) => ['--redis', redis.url, '--state-dir', state];
    expect(await statusOf(redis.url)).toEqual({ exitCode: 1, machines: [], disagreements: [] });
    using a = await startServer(flags(first.path));
    using _b = await startServer([...flags(second.path), '--workers', '2']);
    const { stdout: version } = await run(['--version']);
    const listed = async (count: number) => {
      for (;;) {
        const status = await statusOf(redis.url);
        if (status.machines.length === count) return status;
      }
    };
    const status = await listed(2);
    expect(status).toMatchObject({ exitCode: 0, disagreements: [] });
    expect(status.machines.map(({ workers }: { workers: number }) => workers).sort()).toEqual([1, 2]);
    for (const { version: reported } of status.machines) expect(version.trim()).toBe(`meridian ${reported}`);
    // A change of keys or plans is not reported as a difference once it has arrived.
    await run(['plans', 'set', 'pro', ...flags(first.path)]);
    await run(['tokens', 'add', '--name', 'a', ...flags(first.path)]);
    expect((await statusOf(redis.url)).exitCode).toBe(0);

    const schedules = join(folder.path, 'schedules.toml');
    writeFileSync(schedules, 'office = "Mo-Fr 09:00-17:00"\n');
    using c = await startServer([...flags(third.path), '--schedules', schedules]);
    const differing = await listed(3);
    expect(differing.exitCode).toBe(1);
    expect(differing.disagreements).toEqual([
      {
        what: 'schedules file',
        values: expect.arrayContaining([{ value: 'none', machines: expect.any(Array) }]),
      },
    ]);
    const { exitCode, stdout } = await run(['fleet', 'status', '--redis', redis.url]);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^differs: schedules file: (.+; )?none on \S+, \S+(; .+)?$/m),
    ]);

    // A stopped server is removed at once; a killed one expires.
    c.child.kill('SIGTERM');
    await c.child.exited;
    expect((await statusOf(redis.url)).machines).toHaveLength(2);
    const refused = await run(['migrate', 'to-file', ...flags(third.path)]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Servers use this Redis: '),
    ]);
    a.child.kill('SIGTERM');
  },
  60_000,
);

withRedis(
  "a machine is listed until its report expires by Redis's clock (requires redis-server)",
  async () => {
    using folder = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    await redis.start();
    const store = new RedisStore(redis.url, 1000);
    await store.connect();
    const machines = new RedisMachines<{ name: string }>((script, keys, args) =>
      store.execute(script, keys, args),
    );
    const minute = 60_000;
    await machines.report('ahead', '{"name":"a b"}', Date.now() + minute);
    await machines.report('behind', '{"name":"b"}', Date.now() - minute);
    const found = new Map(
      (await machines.list()).map(({ report, clockAheadMs }) => [report.name, clockAheadMs]),
    );
    expect(Math.round(found.get('a b')! / 1000)).toBe(60);
    expect(Math.round(found.get('b')! / 1000)).toBe(-60);
    const probe = new Bun.RedisClient(redis.url);
    await probe.send('HSET', ['meridian:machines', 'old', `${Date.now() - 1} 0 {"name":"old"}`]);
    expect(await machines.list()).toHaveLength(2);
    await machines.report('behind', '{"name":"c"}', Date.now());
    expect(await probe.send('HLEN', ['meridian:machines'])).toBe(2);
    expect(await probe.send('PTTL', ['meridian:machines'])).toBeGreaterThan(10_000);
    await machines.leave('behind', '"name":"b"');
    expect(await machines.list()).toHaveLength(2);
    await machines.leave('behind', '"name":"c"');
    expect((await machines.list()).map(({ report }) => report.name)).toEqual(['a b']);
    probe.close();
    store.close();
  },
);
