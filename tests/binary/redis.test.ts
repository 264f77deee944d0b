import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyId } from '../../src/access/key_format.ts';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { monthOf } from '../../src/access/usage.ts';
import { TOPICS } from '../../src/cli/help.ts';
import { redisMachines } from '../../src/server/machines.ts';
import { addKey, openStore } from '../access/control.ts';
import { type Clients, startClients } from '../support/clients.ts';
import { hasOpenssl, selfSigned } from '../support/openssl.ts';
import {
  BINARY,
  freePort,
  newFolder,
  type RunningServer,
  run,
  startServer,
  until,
  within,
} from '../support/process.ts';
import { runs } from '../support/proof.ts';
import {
  REDIS_PROGRAM,
  RedisServer,
  replicationOf,
  startRedis,
  startSentinel,
  usageIn,
  withRedis,
} from '../support/redis.ts';

const SERVERS = [1, 2, 3];
/** Concurrent requests to each server. */
const CONNECTIONS = 2;
/** Responses of each server before and after the event in Redis. */
const RESPONSES = runs(300, 5000);
/** How many requests may be counted twice: a few rounds of those in flight, if the machine stalls. */
const MAX_OVER = 4 * SERVERS.length * CONNECTIONS;
/** How many counts may be lost if Redis loses its data: those that the first server to restore it had not seen yet. */
const MAX_UNDER = 200;
/** How long a server may take to notice a change: a second, and more on a busy machine. */
const NOTICED_MS = 5000;

/** Servers with state directories of their own and one Redis. */
async function startFleet(url: string, flags: readonly string[] = []) {
  const states = SERVERS.map(() => newFolder());
  const servers = await Promise.all(
    states.map(state => startServer(['--redis', url, '--state-dir', state, ...flags])),
  );
  return {
    states,
    servers,
    [Symbol.dispose]() {
      for (const server of servers) server[Symbol.dispose]();
    },
  };
}

/** Three servers with their keys in one Redis, clients of each, and a key. */
async function fleet(url: string, flags: readonly string[] = []) {
  const none = join(newFolder(), 'none');
  const tokens = async (...args: string[]) =>
    (await run(['tokens', ...args, '--redis', url, '--state-dir', none])).stdout.trim();
  const key = await tokens('add', '--name', 'fleet');
  const started = await startFleet(url, flags);
  const { servers } = started;
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
        servers.map(async ({ url }) => {
          const headers = { 'X-API-Key': key };
          return (await fetch(`${url}/v1/time/current?tz=UTC`, { headers })).status;
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
    [Symbol.dispose]: () => started[Symbol.dispose](),
  };
}

type Fleet = Awaited<ReturnType<typeof fleet>>;

/**
 * Sends requests to three servers during an event in Redis. Every request must be granted, and the key must be known
 * afterwards. Returns how many more requests were counted than granted.
 */
async function differenceOf(name: string, members: Fleet, happens: () => Promise<void>) {
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
  return counted - granted;
}

function expectFew(difference: number, maxUnder: number): void {
  expect(difference).toBeLessThanOrEqual(MAX_OVER);
  expect(-difference).toBeLessThanOrEqual(maxUnder);
}

describe.skipIf(REDIS_PROGRAM === null)('three servers with one Redis (requires redis-server)', () => {
  test('reject a suspended key within a second, and accept it again', async () => {
    await using redis = await startRedis();
    using members = await fleet(redis.url);
    expect(await members.statuses()).toEqual([200, 200, 200]);
    for (const [action, status] of [
      ['suspend', 403],
      ['resume', 200],
    ] as const) {
      await members.tokens(action, members.id);
      await within(NOTICED_MS, async () => (await members.statuses()).every(each => each === status));
    }
  });

  test('learn of a changed plan within a second, even one defined in their own file', async () => {
    const folder = newFolder();
    await using redis = await startRedis();
    const file = join(folder, 'plans.toml');
    await Bun.write(file, '[plans.default]\nrequests_per_month = 1000\n');
    using members = await fleet(redis.url, ['--plans', file]);
    expect(await members.statuses()).toEqual([200, 200, 200]);
    const plans = (...args: string[]) => run(['plans', ...args, '--redis', redis.url, '--state-dir', folder]);
    for (const [args, status] of [
      [['set', 'default', '--requests-per-month', '1'], 429],
      [['set', 'default', '--requests-per-month', '500'], 200],
      [['set', 'default', '--requests-per-month', '1'], 429],
      [['remove', 'default', '--force'], 200],
    ] as const) {
      expect((await plans(...args)).exitCode).toBe(0);
      await within(NOTICED_MS, async () => (await members.statuses()).every(each => each === status));
    }
  });

  test('count every request once', async () => {
    await using redis = await startRedis();
    using members = await fleet(redis.url);
    expect(await differenceOf('undisturbed', members, async () => {})).toBe(0);
  });

  const restart = async (redis: RedisServer) => {
    await redis.kill();
    await redis.start();
  };
  /** Restarts Redis before the servers notice that it was killed. */
  const replace = async (redis: RedisServer, { servers }: Fleet) => {
    for (const { child } of servers) child.kill('SIGSTOP');
    await restart(redis);
    for (const { child } of servers) child.kill('SIGCONT');
  };
  const pause = async (redis: RedisServer) => {
    redis.freeze(true);
    await Bun.sleep(2000);
    redis.freeze(false);
  };
  test.each([
    ['killed, restarted with its data', true, 0, restart],
    ['killed, restarted without its data', false, MAX_UNDER, restart],
    ['replaced by an empty one unnoticed', false, MAX_UNDER, replace],
    ['stopped for 2 s', true, 0, pause],
  ])('lose no key and few counts when it is %s', async (name, persists, maxUnder, happens) => {
    await using redis = await startRedis({ persists });
    using members = await fleet(redis.url);
    expectFew(await differenceOf(name, members, () => happens(redis, members)), maxUnder);
  });

  test('lose no key and few counts when Sentinel fails over', async () => {
    const third = newFolder();
    const [port, replicaPort, sentinelPort] = [freePort(), freePort(), freePort()];
    await using master = await startRedis({ port });
    const more = ['--replicaof', '127.0.0.1', String(port)];
    await using replica = await startRedis({ port: replicaPort, more });
    await using sentinel = await startSentinel(third, sentinelPort, port);
    using members = await fleet(`redis+sentinel://127.0.0.1:${sentinelPort}/group`);
    const replicates = async (text: string) => (await replicationOf(replica.url)).includes(text);
    await until(() => replicates('master_link_status:up'));
    await until(() => sentinel.knowsReplica());
    const difference = await differenceOf('failed over by Sentinel', members, async () => {
      await master.kill();
      await until(() => replicates('role:master'));
    });
    expectFew(difference, MAX_UNDER);
  });
});

async function statusOf(redis: string) {
  const { exitCode, stdout } = await run(['fleet', 'status', '--json', '--redis', redis]);
  const { machines, disagreements } = JSON.parse(stdout);
  return { exitCode, machines, disagreements };
}

withRedis('fleet status lists the servers of a Redis, and exits with 1 if they differ', async () => {
  const [first, second, third] = [newFolder(), newFolder(), newFolder()];
  await using redis = await startRedis();
  const flags = (state: string) => ['--redis', redis.url, '--state-dir', state];
  expect(await statusOf(redis.url)).toEqual({ exitCode: 1, machines: [], disagreements: [] });
  using _a = await startServer(flags(first));
  using _b = await startServer([...flags(second), '--workers', '2']);
  const { stdout: version } = await run(['--version']);
  const listed = async (count: number) => {
    await until(async () => (await statusOf(redis.url)).machines.length === count);
    return await statusOf(redis.url);
  };
  const status = await listed(2);
  expect(status).toMatchObject({ exitCode: 0, disagreements: [] });
  expect(status.machines.map(({ workers }: { workers: number }) => workers).sort()).toEqual([1, 2]);
  for (const { version: reported } of status.machines) expect(version.trim()).toBe(`meridian ${reported}`);
  // A change of keys or plans is not reported as a difference once it has arrived.
  await run(['plans', 'set', 'pro', ...flags(first)]);
  await run(['tokens', 'add', '--name', 'a', ...flags(first)]);
  expect((await statusOf(redis.url)).exitCode).toBe(0);

  const schedules = join(newFolder(), 'schedules.toml');
  writeFileSync(schedules, 'office = "Mo-Fr 09:00-17:00"\n');
  using c = await startServer([...flags(third), '--schedules', schedules]);
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
  await c.stop();
  expect((await statusOf(redis.url)).machines).toHaveLength(2);
});

withRedis("a machine is listed until its report expires by Redis's clock", async () => {
  await using redis = await startRedis();
  const store = new RedisStore(redis.url, 1000);
  await store.connect();
  const machines = redisMachines((script, keys, args) => store.execute(script, keys, args));
  const minute = 60_000;
  await machines.report('ahead', '{"host":"a b"}', Date.now() + minute);
  await machines.report('behind', '{"host":"b"}', Date.now() - minute);
  const found = new Map(
    (await machines.list()).map(({ report, clockAheadMs }) => [report.host, clockAheadMs]),
  );
  expect(Math.round(found.get('a b')! / 1000)).toBe(60);
  expect(Math.round(found.get('b')! / 1000)).toBe(-60);
  await redis.send('HSET', 'meridian:machines', 'old', `${Date.now() - 1} 0 {"host":"old"}`);
  expect(await machines.list()).toHaveLength(2);
  await machines.report('behind', '{"host":"c"}', Date.now());
  expect(await redis.send('HLEN', 'meridian:machines')).toBe(2);
  expect(await redis.send('PTTL', 'meridian:machines')).toBeGreaterThan(10_000);
  await machines.leave('behind', '"host":"b"');
  expect(await machines.list()).toHaveLength(2);
  await machines.leave('behind', '"host":"c"');
  expect((await machines.list()).map(({ report }) => report.host)).toEqual(['a b']);
  store.close();
});

const SIGNED = '/v1/time/current?tz=UTC&sign=true';
const KEYS = '/.well-known/time-api-public-key';

/** A server's signed response, saved with its headers, and the `kid` of its key. */
async function signedResponse(server: RunningServer, folder: string) {
  const response = await fetch(server.url + SIGNED);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const path = join(folder, 'response');
  writeFileSync(path, `HTTP/1.1 200 OK\r\n${headers}\r\n${await response.text()}`);
  return { path, kid: response.headers.get('x-service-key-id') };
}

async function kidsOf({ url }: RunningServer): Promise<string[]> {
  const { keys } = (await (await fetch(url + KEYS)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

/** Whether a response of each server verifies with every server's key set. */
async function expectVerified(servers: readonly RunningServer[], folder: string): Promise<void> {
  for (const signer of servers) {
    const { path } = await signedResponse(signer, folder);
    for (const { url } of servers) {
      // Servers read the keys of the others twice a second.
      await within(NOTICED_MS, async () => {
        const { exitCode } = await run(['verify', '--jwks', url + KEYS, '--headers', path]);
        return exitCode === 0;
      });
    }
  }
}

withRedis("servers with one Redis verify each other's signatures, even after a rotation", async () => {
  const folder = newFolder();
  await using redis = await startRedis();
  using fleet = await startFleet(redis.url);
  await expectVerified(fleet.servers, folder);
  const before = await kidsOf(fleet.servers[0]!);
  expect(new Set(before).size).toBe(3);
  const flags = ['--redis', redis.url, '--state-dir', fleet.states[1]!];
  const rotated = await run(['keys', 'rotate', '--force', ...flags]);
  expect(rotated).toMatchObject({ exitCode: 0, stderr: '' });
  const kid = /^\S+/.exec(rotated.stdout)![0];
  await until(async () => (await kidsOf(fleet.servers[1]!))[0] === kid);
  // The others read new keys from Redis every second.
  for (const server of fleet.servers) await until(async () => (await kidsOf(server)).includes(kid));
  await expectVerified(fleet.servers, folder);
  // A revoked key is unknown everywhere within a second.
  const gone = before.find(known => known !== before[0] && rotated.stdout.includes(known) === false)!;
  const elsewhere = ['--redis', redis.url, '--state-dir', join(folder, 'none')];
  const list = await run(['keys', 'list', ...elsewhere]);
  expect(list.stdout.match(/active on another machine/g)).toHaveLength(3);
  await run(['keys', 'revoke', gone, '--force', ...elsewhere]);
  for (const server of fleet.servers)
    await within(NOTICED_MS, async () => !(await kidsOf(server)).includes(gone));
  await expectVerified(fleet.servers, folder);
});

/** The ACL rules of the user that `meridian help redis` proposes, without its password. */
function documentedRules(): string[] {
  const { text } = TOPICS.find(({ name }) => name === 'redis')!;
  const [, rules] = /^ {4}user meridian on >PASSWORD ((?:.+\n)(?: {6}.+\n)*)/m.exec(text)!;
  return rules!.trim().split(/\s+/);
}

/** A Redis that accepts only TLS and an ACL user, except on its unix socket with other rules for the default user. */
async function startTls(folder: string, defaultRules: readonly string[] = ['off']) {
  const { cert, key } = selfSigned(folder, 'localhost');
  const port = freePort();
  const tls = [
    ...['--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key],
    ...['--tls-auth-clients', 'no'],
  ];
  const users = [
    '--user',
    'default',
    ...defaultRules,
    '--user',
    'meridian',
    'on',
    '>secret',
    ...documentedRules(),
  ];
  const redis = new RedisServer(folder, { more: [...tls, ...users] });
  await redis.start();
  return { redis, cert, urlOf: (login: string, host = 'localhost') => `rediss://${login}@${host}:${port}` };
}

describe.skipIf(REDIS_PROGRAM === null || !hasOpenssl)(
  'Redis with TLS and an ACL (requires redis-server and openssl)',
  () => {
    test('serves everything to the documented user', async () => {
      const folder = newFolder();
      const { redis, cert, urlOf } = await startTls(folder);
      await using _redis = redis;
      const store = openStore(folder);
      const { id, key } = addKey(store, 1);
      store.close();
      const flags = ['--redis', urlOf('meridian:secret'), '--state-dir', folder];
      const env = { NODE_EXTRA_CA_CERTS: cert };
      const command = async (...args: string[]) => {
        const { exitCode, stdout, stderr } = await run([...args, ...flags], { env });
        expect([args, exitCode, stderr.replace(/^meridian: (--redis: every user|plan ).*\n/gm, '')]).toEqual([
          args,
          0,
          '',
        ]);
        return stdout;
      };
      const keys = join(folder, 'keys.jsonl');
      expect((await run(['tokens', 'export', keys, '--state-dir', folder])).exitCode).toBe(0);
      const imported = await command('tokens', 'import', keys);
      expect(imported).toStartWith('imported 1 API key, 0 plans, 0 requests');
      await command('plans', 'set', 'small', '--requests-per-month', '1');
      const outage = openStore(folder);
      outage.record([{ id, month: monthOf(Date.UTC(2026, 1)).index, count: 4321 }]);
      outage.close();
      using server = await startServer([...flags, '--quota-fail', 'closed'], env);
      const status = async () =>
        (await fetch(`${server.url}/v1/time/current?tz=UTC`, { headers: { 'X-API-Key': key } })).status;
      expect(await status()).toBe(200);
      await command('tokens', 'edit', id, '--plan', 'small');
      await until(async () => (await status()) === 429);
      expect(JSON.parse(await command('tokens', 'usage', '--json'))).toMatchObject([
        { id, month: '2026-02', requests: 4321 },
        { id, requests: expect.any(Number) },
      ]);
      expect(await command('keys', 'list')).toContain('active');
      expect(await command('fleet', 'status')).toContain('nothing differs');
    });

    test('cannot be reached with a wrong password, an unknown CA or under another name', async () => {
      const folder = newFolder();
      const { redis, cert, urlOf } = await startTls(folder);
      await using _redis = redis;
      const list = (url: string, env: Record<string, string>) =>
        run(['tokens', 'list', '--state-dir', folder], { env: { ...env, MERIDIAN_REDIS: url } });
      const trusting = { NODE_EXTRA_CA_CERTS: cert };
      expect((await list(urlOf('meridian:secret'), trusting)).exitCode).toBe(0);
      for (const [url, env, reason] of [
        [urlOf('meridian:wrong'), trusting, 'wrong password or user (WRONGPASS)'],
        [urlOf('default:secret'), trusting, 'wrong password or user (WRONGPASS)'],
        [urlOf('meridian:secret'), {}, 'unknown certificate authority'],
        [urlOf('meridian:secret', '127.0.0.1'), trusting, 'certificate for another host'],
        [urlOf('meridian:secret', 'nowhere.invalid'), trusting, 'host not found'],
      ] as const) {
        const { exitCode, stderr } = await list(url, env);
        expect([exitCode, stderr]).toEqual([1, `meridian: Cannot use Redis: ${reason}\n`]);
      }
    });

    const setUser =
      (...rules: string[]) =>
      (redis: RedisServer) =>
        redis.send('ACL', 'SETUSER', 'meridian', ...rules);
    const set =
      (...settings: string[]) =>
      (redis: RedisServer) =>
        redis.send('CONFIG', 'SET', ...settings);
    const certificate = (name: string) => (redis: RedisServer, folder: string) =>
      set(
        'tls-cert-file',
        join(folder, name, 'localhost.crt'),
        'tls-key-file',
        join(folder, name, 'localhost.key'),
      )(redis);
    type Change = (redis: RedisServer, folder: string) => Promise<unknown>;
    const cases: [reason: string, breaks: Change, mends: Change, canBeRead: boolean][] = [
      ['connection refused', redis => redis.kill(), redis => redis.start(), false],
      ['wrong password or user (WRONGPASS)', setUser('resetpass', '>a'), setUser('>secret'), false],
      ['unknown certificate authority', certificate('other'), certificate('.'), false],
      ['it is full (OOM)', set('maxmemory', '1'), set('maxmemory', '0'), true],
      [
        'it is read-only (READONLY)',
        redis => redis.send('REPLICAOF', '127.0.0.1', '1'),
        redis => redis.send('REPLICAOF', 'NO', 'ONE'),
        true,
      ],
      ['the ACL user lacks a permission (NOPERM SET)', setUser('-set'), setUser('+set'), true],
    ];
    test.each(cases)(
      'that fails (%s) lets nobody in without a key, is named, and is used once it works',
      async (reason, breaks, mends, canBeRead) => {
        const folder = newFolder();
        const { redis, cert, urlOf } = await startTls(folder, ['on', 'nopass', '~*', '&*', '+@all']);
        await using _redis = redis;
        mkdirSync(join(folder, 'other'));
        selfSigned(join(folder, 'other'), 'localhost');
        const url = urlOf('meridian:secret');
        const state = ['--state-dir', join(folder, 'state')];
        const env = { NODE_EXTRA_CA_CERTS: cert, MERIDIAN_REDIS: url };
        const key = (await run(['tokens', 'add', '--name', 'a', ...state], { env })).stdout.trim();
        const fails = async () => {
          await breaks(redis, folder);
          if (reason !== 'connection refused') await redis.send('CLIENT', 'KILL', 'USER', 'meridian');
        };
        await fails();
        // Behind a proxy a server does not start without keys.
        const flags = [...state, '--quota-fail', 'closed', '--trust-proxy', '10.0.0.0/8'];
        using server = await startServer(flags, env);
        const statuses = () =>
          Promise.all(
            [{}, { 'X-API-Key': 'wrong' }, { 'X-API-Key': key }].map(
              async (headers: Record<string, string>) => {
                const { status, headers: sent } = await fetch(`${server.url}/v1/time/current?tz=UTC`, {
                  headers,
                });
                return sent.has('Retry-After') ? `${status}, later` : status;
              },
            ),
          );
        const readiness = async () => {
          const response = await fetch(`${server.url}/readyz`);
          return `${response.status} ${/^store.*/m.exec(await response.text())}`;
        };
        const broken = `503 store broken the shared store is unavailable: ${reason}`;
        expect(await statuses()).toEqual([401, canBeRead ? 401 : '502, later', '502, later']);
        expect(await readiness()).toBe(broken);
        const outcomes = await Promise.all(
          [
            ['check', ...flags],
            ['doctor', ...state],
            ['fleet', 'status'],
          ].map(args => run(args, { env })),
        );
        for (const { exitCode, stdout, stderr } of outcomes)
          expect([exitCode, stdout + stderr]).toEqual([1, expect.stringContaining(reason)]);
        const successor = await run(['check', ...flags], { env: { ...env, MERIDIAN_SUCCESSION: '[]' } });
        expect(successor).toMatchObject({ exitCode: 0, stdout: 'no faults found\n' });

        const works = async () => Bun.deepEquals(await statuses(), [401, 401, 200]);
        await mends(redis, folder);
        await within(NOTICED_MS, async () => (await readiness()) === '200 store ok');
        await within(NOTICED_MS, works);
        await fails();
        await within(NOTICED_MS, async () => (await readiness()) === broken);
        expect(await statuses()).toEqual([401, 401, '502, later']);
        await mends(redis, folder);
        await within(NOTICED_MS, works);
        expect(await readiness()).toBe('200 store ok');
      },
    );
  },
);

withRedis('values in Redis that cannot be read are counted and named, and stop no command', async () => {
  await using redis = await startRedis();
  const flags = ['--redis', redis.url, '--state-dir', newFolder()];
  using server = await startServer(flags);
  for (const hash of ['keys', 'plans', 'signing-keys']) {
    await redis.send('HSET', `meridian:${hash}`, 'bad', '1 garbage');
    await redis.send('INCR', `meridian:${hash}:revision`);
    const sample = `meridian_redis_unreadable_values{hash="${hash}"} 1`;
    await until(async () => (await (await fetch(`${server.url}/metrics`)).text()).includes(sample), 100);
  }
  expect((await fetch(`${server.url}/v1/time/current?tz=UTC`)).status).toBe(401);
  const { exitCode, stdout } = await run(['check', ...flags]);
  expect(exitCode).toBe(1);
  for (const hash of ['keys', 'plans', 'signing-keys'])
    expect(stdout).toContain(`Redis: the value of 'bad' in meridian:${hash} cannot be read: `);
  for (const command of [
    ['tokens', 'add', '--name', 'a'],
    ['tokens', 'list'],
    ['tokens', 'export', '-'],
    ['plans', 'list'],
    ['keys', 'list'],
    ['keys', 'rotate', '--force'],
  ])
    expect([command, (await run([...command, ...flags])).exitCode]).toEqual([command, 0]);
});

const REQUESTS = 30;
/** Keys with usage from the outage, in addition to the one that sends requests: 80 batches. */
const USED_KEYS = 20_000;
/** After how many replayed batches the server is killed. */
const KILLS = [1, 5, 10, 20, 40, 60];

withRedis('a server killed in a Redis outage, and repeatedly after it, counts requests once', async () => {
  const folder = newFolder();
  await using redis = new RedisServer(folder);
  const state = ['--state-dir', folder];
  const flags = ['--redis', redis.url, ...state];
  const key = (await run(['tokens', 'add', '--name', 'a', ...state])).stdout.trim();
  const id = keyId(key)!;
  const { index: month } = monthOf(Date.now());
  const file = openStore(folder);
  {
    using server = await startServer(flags);
    const headers = { 'X-API-Key': key };
    for (let i = 0; i < REQUESTS; i++)
      expect((await fetch(`${server.url}/v1/time/current?tz=UTC`, { headers })).status).toBe(200);
    await until(() => file.used(id, month) >= REQUESTS);
  }
  file.record(Array.from({ length: USED_KEYS }, (_, i) => ({ id: `key ${i}`, month, count: i + 1 })));

  await redis.start();
  const batches = async () => (await redis.send('KEYS', 'meridian:receipt:*')).length;
  for (const kill of KILLS) {
    const child = Bun.spawn([BINARY, 'serve', '--listen', '127.0.0.1:0', ...flags], {
      stdout: 'ignore',
      stderr: 'ignore',
    });
    await until(async () => (await batches()) >= kill, 1);
    child.kill('SIGKILL');
    await child.exited;
    expect(file.usage().length).toBeLessThan(USED_KEYS);
  }
  using _server = await startServer(flags); // it starts serving after the replay
  const used = await usageIn(redis);
  expect(used.get(id)).toBe(REQUESTS);
  for (let i = 0; i < USED_KEYS; i++) expect([i, used.get(`key ${i}`)]).toEqual([i, i + 1]);
  expect([file.usage(), file.takeBatch()]).toEqual([[], null]);
  file.close();
});
