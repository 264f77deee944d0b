import { expect, test } from 'bun:test';
import { keyId } from '../../src/access/key_format.ts';
import { monthOf } from '../../src/access/month.ts';
import { openStore } from '../access/control.ts';
import { BINARY, run, startServer, temporaryFolder, until } from '../support/process.ts';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.ts';

const REQUESTS = 30;
/** Keys with usage from the outage, in addition to the one that sends requests: 80 batches. */
const KEYS = 20_000;
/** After how many replayed batches the server is killed. */
const KILLS = [1, 5, 10, 20, 40, 60];

test.skipIf(REDIS_PROGRAM === null)(
  'a server killed during a Redis outage, and repeatedly afterwards, counts each request once (requires redis-server)',
  async () => {
    using folder = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    const state = ['--state-dir', folder.path];
    const flags = ['--redis', redis.url, ...state];
    const key = (await run(['tokens', 'add', '--name', 'a', ...state])).stdout.trim();
    const id = keyId(key)!;
    const { index: month } = monthOf(Date.now());
    const file = openStore(folder.path);
    {
      using server = await startServer(flags);
      const headers = { 'X-API-Key': key };
      for (let i = 0; i < REQUESTS; i++)
        expect((await fetch(`${server.url}/v1/time/current?tz=UTC`, { headers })).status).toBe(200);
      await until(() => file.used(id, month) >= REQUESTS);
    }
    file.record(Array.from({ length: KEYS }, (_, i) => ({ id: `key ${i}`, month, count: i + 1 })));

    await redis.start();
    const client = new Bun.RedisClient(redis.url);
    const batches = async () => ((await client.send('KEYS', ['meridian:receipt:*'])) as string[]).length;
    for (const kill of KILLS) {
      const child = Bun.spawn([BINARY, 'serve', '--listen', '127.0.0.1:0', ...flags], {
        stdout: 'ignore',
        stderr: 'ignore',
      });
      await until(async () => (await batches()) >= kill, 1);
      child.kill('SIGKILL');
      await child.exited;
      expect(file.usage().length).toBeLessThan(KEYS);
    }
    using _server = await startServer(flags); // it starts serving after the replay
    const used = await client.send('HGETALL', [`meridian:usage:{${id}}`]);
    expect(Object.values(used)).toEqual([String(REQUESTS)]);
    for (let i = 0; i < KEYS; i++)
      expect([i, Object.values(await client.send('HGETALL', [`meridian:usage:{key ${i}}`]))]).toEqual([
        i,
        [String(i + 1)],
      ]);
    expect([file.usage(), file.outbox.take()]).toEqual([[], null]);
    file.close();
    client.close();
  },
  60_000,
);
