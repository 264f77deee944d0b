import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { keyId } from '../../src/access/key_format.ts';
import { monthOf } from '../../src/access/month.ts';
import { type Clients, startClients } from '../support/clients.ts';
import {
  freePort,
  type RunningServer,
  run,
  startServer,
  temporaryFolder,
  until,
  within,
} from '../support/process.ts';
import { runs } from '../support/proof.ts';
import { REDIS_PROGRAM, RedisServer, replicationOf, startSentinel } from '../support/redis.ts';

const SERVERS = [1, 2, 3];
/** Concurrent requests to each server. */
const CONNECTIONS = 2;
/** Responses of each server before and after the event in Redis. */
const RESPONSES = runs(300, 5000);
/** How many requests may be counted twice: a few rounds of those in flight, if the machine stalls. */
const MAX_OVER = 4 * SERVERS.length * CONNECTIONS;
/** How many counts may be lost if Redis loses its data: those before the servers have raised its totals. */
const MAX_UNDER = 200;
/** How long a server may take to notice a change. */
const SECOND_MS = 1000;

/** Three servers with their keys in one Redis, clients of each, and a key. */
async function fleet(url: string, flags: readonly string[] = []) {
  const folders = SERVERS.map(() => temporaryFolder());
  const tokens = async (...args: string[]) =>
    (
      await run(['tokens', ...args, '--redis', url, '--state-dir', join(folders[0]!.path, 'none')])
    ).stdout.trim();
  const key = await tokens('add', '--name', 'fleet');
  const servers: RunningServer[] = [];
  for (const { path } of folders)
    servers.push(await startServer(['--redis', url, '--state-dir', path, ...flags]));
  const header = `X-API-Key: ${key}`;
  return {
    key,
    id: keyId(key)!,
    servers,
    tokens,
    clients: (): Clients[] =>
      servers.map(server =>
        startClients(`${server.url}/v1/time/current?tz=UTC`, CONNECTIONS, Number.POSITIVE_INFINITY, header),
      ),
    statuses: () =>
      Promise.all(
        servers.map(async server => {
          const response = await fetch(`${server.url}/v1/time/current?tz=UTC`, {
            headers: { 'X-API-Key': key },
          });
          return response.status;
        }),
      ),
    /** The number of the key's requests in Redis, once it no longer changes. */
    async counted(): Promise<number> {
      for (let last = -1; ; ) {
        const text = await tokens('usage', '--json');
        // Sentinel may still name the former master.
        const rows: { requests: number; month: string }[] = text === '' ? [] : JSON.parse(text);
        const now = rows.find(({ month }) => month === monthOf(Date.now()).label)?.requests ?? 0;
        if (now === last && now > 0) return now;
        last = now;
        await Bun.sleep(1500); // servers send their own counts once a second
      }
    },
    [Symbol.dispose]() {
      for (const server of servers) server[Symbol.dispose]();
      for (const folder of folders) folder[Symbol.dispose]();
    },
  };
}

type Fleet = Awaited<ReturnType<typeof fleet>>;

/**
 * Sends requests to three servers during an event in Redis. Every request must be granted, and the key must be known
 * afterwards. Returns how many requests were granted, and how many more were counted.
 */
async function figuresOf(name: string, members: Fleet, happens: () => Promise<void>) {
  const clients = members.clients();
  const received = () => Promise.all(clients.map(client => client.receive(RESPONSES)));
  await received();
  await happens();
  await received();
  let granted = 0;
  for (const client of clients) {
    const report = await client.stop();
    expect({ name, lost: report.lost, refused: report.refused }).toEqual({ name, lost: 0, refused: 0 });
    granted += report.responses;
  }
  const counted = await members.counted();
  expect(await members.tokens('list')).toContain(members.id);
  console.log(`${name}: granted ${granted}, counted ${counted}, difference ${counted - granted}`);
  return { granted, difference: counted - granted };
}

function expectFew(difference: number, maxUnder: number): void {
  expect(difference).toBeLessThanOrEqual(MAX_OVER);
  expect(-difference).toBeLessThanOrEqual(maxUnder);
}

describe.skipIf(REDIS_PROGRAM === null)('three servers with one Redis (requires redis-server)', () => {
  test('reject a suspended key within a second, and accept it again', async () => {
    using folder = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    await redis.start();
    using members = await fleet(redis.url);
    expect(await members.statuses()).toEqual([200, 200, 200]);
    for (const [action, status] of [
      ['suspend', 403],
      ['resume', 200],
    ] as const) {
      await members.tokens(action, members.id);
      await within(SECOND_MS, async () => (await members.statuses()).every(each => each === status));
    }
  });

  test('learn of a changed plan within a second, even one defined in their own file', async () => {
    using folder = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    await redis.start();
    const file = join(folder.path, 'plans.toml');
    await Bun.write(file, '[plans.default]\nrequests_per_month = 1000\n');
    using members = await fleet(redis.url, ['--plans', file]);
    expect(await members.statuses()).toEqual([200, 200, 200]);
    const plans = (...args: string[]) =>
      run(['plans', ...args, '--redis', redis.url, '--state-dir', folder.path]);
    for (const [args, status] of [
      [['set', 'default', '--requests-per-month', '1'], 429],
      [['set', 'default', '--requests-per-month', '500'], 200],
      [['set', 'default', '--requests-per-month', '1'], 429],
      [['remove', 'default', '--force'], 200],
    ] as const) {
      expect((await plans(...args)).exitCode).toBe(0);
      await within(SECOND_MS, async () => (await members.statuses()).every(each => each === status));
    }
  });

  test('count every request once', async () => {
    using folder = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    await redis.start();
    using members = await fleet(redis.url);
    expect((await figuresOf('undisturbed', members, async () => {})).difference).toBe(0);
  });

  for (const persists of [true, false]) {
    test(`lose no key and few counts when it is killed and restarted, ${persists ? 'with' : 'without'} its data`, async () => {
      using folder = temporaryFolder();
      await using redis = new RedisServer(folder.path, { persists });
      await redis.start();
      using members = await fleet(redis.url);
      const name = `killed, restarted ${persists ? 'with' : 'without'} its data`;
      const { difference } = await figuresOf(name, members, async () => {
        await redis.kill();
        await Bun.sleep(500);
        await redis.start();
      });
      expectFew(difference, persists ? 0 : MAX_UNDER);
    });
  }

  test('count few requests twice when it is stopped for 2 s', async () => {
    using folder = temporaryFolder();
    await using redis = new RedisServer(folder.path);
    await redis.start();
    using members = await fleet(redis.url);
    const { difference } = await figuresOf('stopped for 2 s', members, async () => {
      redis.freeze(true);
      await Bun.sleep(2000);
      redis.freeze(false);
    });
    expectFew(difference, 0);
  });

  test('lose no key and few counts when Sentinel fails over', async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    using third = temporaryFolder();
    const [port, replicaPort, sentinelPort] = [freePort(), freePort(), freePort()];
    await using master = new RedisServer(folder.path, { port });
    await master.start();
    const more = ['--replicaof', '127.0.0.1', String(port)];
    await using replica = new RedisServer(other.path, { port: replicaPort, more });
    await replica.start();
    await using sentinel = await startSentinel(third.path, sentinelPort, port);
    using members = await fleet(`redis+sentinel://127.0.0.1:${sentinelPort}/group`);
    const replicates = async (text: string) => (await replicationOf(replica.url)).includes(text);
    await until(() => replicates('master_link_status:up'));
    await until(() => sentinel.knowsReplica());
    const { difference } = await figuresOf('failed over by Sentinel', members, async () => {
      await master.kill();
      await until(() => replicates('role:master'));
    });
    expectFew(difference, MAX_UNDER);
  });
});
