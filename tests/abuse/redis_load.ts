/**
 * What clients of a server with `--quota-fail` see while Redis, or the server itself, is slow, flapping or dead: wrong 502s, which
 * are those of a Redis that works, and requests granted beyond a quota. Requires redis-server and wrk.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisClient } from 'bun';
import { temporaryFolder } from '../access/folders.ts';
import { RedisServer } from '../access/redis_server.ts';
import { type RunningServer, startServer } from '../binary/process.ts';

const SECONDS = 6;
const QUOTA = 20;
const PLANS = `[plans.limited]\nrequests_per_month = ${QUOTA}\n`;
const KEYS = {
  expensive: 'the-key-of-expensive-requests',
  honest: 'the-key-of-an-honest-client',
  limited: 'the-key-with-a-quota',
};
const EXPENSIVE = `/v1/time/current?tz=${Array(100).fill('Europe/Paris')}&format=${'%25G'.repeat(128)}`;
const HONEST = '/v1/time/current?tz=Europe/Paris';

interface Place {
  readonly server: RunningServer;
  readonly redis: RedisServer;
}

const pause = () => Bun.sleep(300);

const SITUATIONS: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  async 'server starved by 32 clients'({ server }) {
    const load = ['-t1', '-c32', `-d${SECONDS}s`, '--timeout', '30s', '-H', `X-API-Key: ${KEYS.expensive}`];
    await Bun.spawn(['wrk', ...load, server.url + EXPENSIVE], { stdout: 'ignore' }).exited;
  },
  'Redis stopped for 300 ms, again and again': ({ redis }) =>
    repeatedly(async () => {
      redis.freeze(true);
      await pause();
      redis.freeze(false);
      await pause();
    }),
  'Redis closes all connections every 20 ms': ({ redis }) =>
    repeatedly(async () => {
      const client = new RedisClient(redis.url);
      await client.send('CLIENT', ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
      client.close();
      await Bun.sleep(20);
    }),
  'Redis killed for 300 ms, again and again': ({ redis }) =>
    repeatedly(async () => {
      await redis.kill();
      await pause();
      await redis.start();
      await pause();
    }),
};

/** The situation in which a 502 is right. */
const DEAD = Object.keys(SITUATIONS).at(-1);

async function repeatedly(work: () => Promise<void>): Promise<void> {
  for (const endMs = performance.now() + SECONDS * 1000; performance.now() < endMs; ) await work();
}

/** Prints the figures; false if there is a wrong 502, or a request beyond the quota of `closed`. */
export async function bearRedis(): Promise<boolean> {
  let isFine = true;
  console.log(`beside an honest client, and one with ${QUOTA} requests a month     200   502  beyond quota`);
  for (const mode of ['closed', 'open'] as const) {
    for (const name of Object.keys(SITUATIONS)) {
      const { honest, limited } = await measure(mode, name);
      const rejected = (honest[502] ?? 0) + (limited[502] ?? 0);
      const beyond = (limited[200] ?? 0) - QUOTA;
      const cells = [
        `${honest[200] ?? 0}`.padStart(7),
        `${rejected}`.padStart(5),
        `${Math.max(0, beyond)}`.padStart(13),
      ];
      console.log(`${`${mode}: ${name}`.padEnd(58)} ${cells.join(' ')}`);
      if (rejected > 0 && !(mode === 'closed' && name === DEAD)) isFine = false;
      if (beyond > 0 && mode === 'closed') isFine = false;
    }
  }
  return isFine;
}

/** The statuses of two clients while something happens. */
async function measure(mode: 'open' | 'closed', situation: string) {
  using folder = temporaryFolder();
  const [plans, keys] = [join(folder.path, 'plans.toml'), join(folder.path, 'keys')];
  writeFileSync(plans, PLANS);
  writeFileSync(keys, `${KEYS.expensive}\n${KEYS.honest}\n${KEYS.limited} limited\n`);
  const redis = new RedisServer(folder.path);
  await redis.start();
  const access = ['--api-key-file', keys, '--plans', plans, '--redis', redis.url, '--quota-fail', mode];
  using server = await startServer(['--state-dir', folder.path, '--access-log', 'off', ...access]);
  let isOver = false;
  const client = async (key: string) => {
    const statuses: Record<number, number> = {};
    while (!isOver) {
      const response = await fetch(server.url + HONEST, { headers: { 'X-API-Key': key } });
      await response.text();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      await Bun.sleep(2);
    }
    return statuses;
  };
  const clients = Promise.all([client(KEYS.honest), client(KEYS.limited)]);
  await SITUATIONS[situation]!({ server, redis });
  isOver = true;
  const [honest, limited] = await clients;
  await redis.kill();
  return { honest, limited };
}
