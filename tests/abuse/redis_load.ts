/**
 * What clients of a server with `--quota-fail` see while Redis, or the server itself, is slow, flapping or dead: 502s, which are wrong
 * if Redis accepted connections all the time, and requests granted beyond a quota. Requires redis-server and wrk.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisClient } from 'bun';
import { newFolder, type RunningServer, startServer } from '../support/process.ts';
import { RedisServer } from '../support/redis.ts';

const SECONDS = 6;
const QUOTA = 20;
const PLANS = `[plans.limited]\nrequests_per_month = ${QUOTA}\n`;
const KEYS = {
  expensive: 'the-key-of-expensive-requests',
  ordinary: 'the-key-of-an-ordinary-client',
  limited: 'the-key-with-a-quota',
};
const EXPENSIVE = `/v1/time/current?tz=${Array(100).fill('Europe/Paris')}&format=${'%25G'.repeat(128)}`;
const HONEST = '/v1/time/current?tz=Europe/Paris';

/** How long a 502 is acceptable after Redis accepts connections: requests try to connect every 20 ms, and share the CPUs. */
const RECONNECT_MS = 100;

interface Place {
  readonly server: RunningServer;
  readonly redis: RedisServer;
  /** Called when Redis accepts connections, and before it is killed. */
  readonly accepts: (isUp: boolean) => void;
}

/** A response, with the times of the request and of its arrival. */
interface Exchange {
  readonly status: number;
  readonly sentMs: number;
  readonly endMs: number;
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
  'Redis killed for 300 ms, again and again': ({ redis, accepts }) =>
    repeatedly(async () => {
      accepts(false);
      await redis.kill();
      await pause();
      await redis.start();
      accepts(true);
      await pause();
    }),
};

async function repeatedly(work: () => Promise<void>): Promise<void> {
  for (const endMs = performance.now() + SECONDS * 1000; performance.now() < endMs; ) await work();
}

/** Prints the figures; false if there is a wrong 502, or a request beyond the quota of `closed`. */
export async function bearRedis(): Promise<boolean> {
  let isFine = true;
  console.log(
    `an ordinary client, and one with ${QUOTA} requests a month         200  right 502  wrong 502  beyond quota`,
  );
  for (const mode of ['closed', 'open'] as const) {
    for (const name of Object.keys(SITUATIONS)) {
      const { ordinary, limited, isWrong } = await measure(mode, name);
      const rejected = [...ordinary, ...limited].filter(({ status }) => status === 502);
      const wrong = rejected.filter(isWrong).length;
      const beyond = countOf(limited, 200) - QUOTA;
      const cells = [
        `${countOf(ordinary, 200)}`.padStart(7),
        `${rejected.length - wrong}`.padStart(10),
        `${wrong}`.padStart(10),
        `${Math.max(0, beyond)}`.padStart(13),
      ];
      console.log(`${`${mode}: ${name}`.padEnd(58)} ${cells.join(' ')}`);
      if (wrong > 0 || (rejected.length > 0 && mode === 'open')) isFine = false;
      if (beyond > 0 && mode === 'closed') isFine = false;
    }
  }
  return isFine;
}

function countOf(exchanges: readonly Exchange[], status: number): number {
  return exchanges.filter(exchange => exchange.status === status).length;
}

/** The exchanges of two clients while something happens, and whether Redis accepted connections during one. */
async function measure(mode: 'open' | 'closed', situation: string) {
  const folder = newFolder();
  const [plans, keys] = [join(folder, 'plans.toml'), join(folder, 'keys')];
  writeFileSync(plans, PLANS);
  writeFileSync(keys, `${KEYS.expensive}\n${KEYS.ordinary}\n${KEYS.limited} limited\n`);
  const redis = new RedisServer(folder);
  await redis.start();
  const access = ['--api-key-file', keys, '--plans', plans, '--redis', redis.url, '--quota-fail', mode];
  using server = await startServer(['--state-dir', folder, '--access-log', 'off', ...access]);
  const outages: { readonly startMs: number; endMs: number }[] = [];
  const accepts = (isUp: boolean) => {
    if (isUp) outages.at(-1)!.endMs = performance.now();
    else outages.push({ startMs: performance.now(), endMs: Number.POSITIVE_INFINITY });
  };
  const isWrong = ({ sentMs, endMs }: Exchange) =>
    !outages.some(outage => endMs > outage.startMs && sentMs < outage.endMs + RECONNECT_MS);
  let isOver = false;
  const client = async (key: string) => {
    const exchanges: Exchange[] = [];
    while (!isOver) {
      const sentMs = performance.now();
      const response = await fetch(server.url + HONEST, { headers: { 'X-API-Key': key } });
      await response.text();
      exchanges.push({ status: response.status, sentMs, endMs: performance.now() });
      await Bun.sleep(2);
    }
    return exchanges;
  };
  const clients = Promise.all([client(KEYS.ordinary), client(KEYS.limited)]);
  await SITUATIONS[situation]!({ server, redis, accepts });
  isOver = true;
  const [ordinary, limited] = await clients;
  await redis.kill();
  return { ordinary, limited, isWrong };
}
