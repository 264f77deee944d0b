import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  childrenOf,
  expectFailures,
  newFolder,
  onLinux,
  type RunningServer,
  run,
  startServer,
  until,
} from '../support/process.ts';
import { startRedis, withRedis } from '../support/redis.ts';

/** A separate state directory, with commands and servers that use it. */
function place() {
  const folder = newFolder();
  const env = { MERIDIAN_STATE_DIR: join(folder, 'state') };
  return {
    path: folder,
    state: env.MERIDIAN_STATE_DIR,
    run: (...args: string[]) => run(args, { env }),
    expectFailures: (failures: Parameters<typeof expectFailures>[0]) => expectFailures(failures, { env }),
    serve: (args: readonly string[] = [], more: Record<string, string> = {}) =>
      startServer(args, { ...env, ...more }),
    /** Writes a file, and returns its path. */
    file(name: string, text: string): string {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    /** Creates a key; returns it and its id. */
    async addKey(...args: string[]): Promise<{ key: string; id: string }> {
      const { stdout, stderr, exitCode } = await run(['tokens', 'add', '--name', 'test', ...args], { env });
      if (exitCode !== 0) throw new Error(stderr);
      return { key: stdout.trim(), id: stdout.split('_')[1]! };
    },
    /** The line of `tokens list` for a key. */
    async listed(id: string, ...args: string[]) {
      const { stdout } = await run(['tokens', 'list', '--json', ...args], { env });
      return JSON.parse(stdout).find((row: { id: string }) => row.id === id);
    },
  };
}

const PATH = '/v1/time/current?tz=Europe/Paris';

async function statusOf({ url }: RunningServer, key?: string): Promise<number> {
  const response = await fetch(url + PATH, { headers: key === undefined ? {} : { 'X-API-Key': key } });
  await response.text();
  return response.status;
}

/** The rest of a partially read stream. */
async function restOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const SERVE = ['serve', '--listen', '127.0.0.1:0'];

test('without a key only loopback addresses are allowed, and the error names both remedies', async () => {
  const here = place();
  const exposed = ['serve', '--listen', '0.0.0.0:0'];
  await here.expectFailures([
    [exposed, 2, "'meridian tokens add --name NAME'"],
    [exposed, 2, '--open'],
  ]);
});

test('a server that once had a key stays closed when restarted without one', async () => {
  const here = place();
  const { id } = await here.addKey();
  expect((await here.run('tokens', 'remove', id)).exitCode).toBe(0);
  using server = await here.serve();
  expect(await statusOf(server)).toBe(401);
  expect(await server.events.next('There are no API keys')).toMatchObject({ level: 'error' });
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain(
    'store warning there are no API keys\n',
  );
  using open = await here.serve(['--open']);
  expect(await statusOf(open)).toBe(200);
  expect((await here.run('doctor')).stdout).toContain(
    `access     no API keys in ${join(here.state, 'access.sqlite')} any more: a server rejects all requests without --open\n`,
  );
});

test('a configured but empty key source closes the server', async () => {
  const here = place();
  const file = here.file('keys', '# none yet\n\n');
  for (const [args, environment] of [
    [['--api-key-file', file], {}],
    [[], { MERIDIAN_API_KEY: '' }],
    [['--marketplace-keys', file, '--marketplace-host', 'h'], {}],
  ] as const) {
    using server = await here.serve(args, environment);
    expect([args, await statusOf(server)]).toEqual([args, 401]);
    await server.events.next('There are no API keys');
    using open = await here.serve([...args, '--open'], environment);
    expect([args, await statusOf(open)]).toEqual([args, 200]);
  }
  using unset = await here.serve();
  expect(await statusOf(unset)).toBe(200);
});

onLinux('a worker replaced after the last key, and even its file, is gone stays closed', async () => {
  const here = place();
  using server = await here.serve(['--workers', '2']);
  expect(await statusOf(server)).toBe(200);
  const { id } = await here.addKey();
  await until(async () =>
    (await Promise.all(Array.from({ length: 20 }, () => statusOf(server)))).every(status => status === 401),
  );
  expect((await here.run('tokens', 'remove', id)).exitCode).toBe(0);
  for (const name of readdirSync(here.state)) {
    if (name.startsWith('access')) rmSync(join(here.state, name));
  }
  for (const pid of childrenOf(server.child.pid)) {
    process.kill(pid, 'SIGKILL');
    await server.events.next('worker replaced');
  }
  for (let request = 0; request < 20; request++) expect(await statusOf(server)).toBe(401);
});

test('metrics require a key with the operator role', async () => {
  const here = place();
  const client = await here.addKey();
  const operator = await here.addKey('--role', 'operator');
  expect(await here.listed(client.id)).toMatchObject({ role: 'client' });
  expect(await here.listed(operator.id)).toMatchObject({ role: 'operator' });
  using server = await here.serve(['--trust-proxy', '127.0.0.1']);
  const metrics = async (key: string) => {
    const headers = { 'X-API-Key': key, 'X-Forwarded-For': '127.0.0.1' };
    return (await fetch(`${server.url}/metrics`, { headers })).status;
  };
  expect([await metrics(client.key), await metrics(operator.key)]).toEqual([401, 200]);
  expect([await statusOf(server, client.key), await statusOf(server, operator.key)]).toEqual([200, 200]);
  const add = ['tokens', 'add', '--name', 'x', '--role', 'admin'];
  await here.expectFailures([[add, 2, "--role: 'admin' is not one of client, operator"]]);
});

test('metrics are rendered at most once a second for all clients together', async () => {
  const here = place();
  using server = await here.serve();
  const start = performance.now();
  const texts = new Set<string>();
  for (let request = 0; request < 200; request++)
    texts.add(await (await fetch(`${server.url}/metrics`)).text());
  expect(texts.size).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - start) / 1000));
});

test('secrets on the command line cause a warning', async () => {
  const here = place();
  using server = await here.serve(['--api-key', 'the-key-from-a-flag']);
  const { level } = await server.events.next('--api-key: every user on this machine can see');
  expect(level).toBe('warn');
});

test('an open server on loopback accepts loopback names, and those of --allowed-host and --public-url', async () => {
  const here = place();
  using server = await here.serve([
    ...['--allowed-host', 'a.example', '--public-url', 'https://b.example/time', '--admin-listen'],
    '127.0.0.1:0',
  ]);
  const status = async (url: string, host: string) => (await fetch(url, { headers: { Host: host } })).status;
  for (const url of [`${server.url}${PATH}`, `${server.url}/`, `${server.adminUrl}/metrics`]) {
    for (const host of ['localhost', 'a.example:8080', 'b.example']) {
      expect([url, host, await status(url, host)]).toEqual([url, host, 200]);
    }
    expect([url, await status(url, 'evil.example')]).toEqual([url, 421]);
  }
});

test('--address-rate limits each client, but not this machine', async () => {
  const here = place();
  const host = 'time.example';
  using server = await here.serve(['--open', '--allowed-host', host, '--address-rate', '0.001/s']);
  const status = async (headers: Record<string, string>) =>
    (await fetch(server.url + PATH, { headers })).status;
  expect(await status({ Host: host })).toBe(200);
  expect(await status({ Host: host })).toBe(429);
  for (let i = 0; i < 5; i++) expect(await status({})).toBe(200);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('meridian_address_requests_total{decision="rejected"} 1\n');
});

test('--public-routes limits requests without a key, and counts them in the metrics', async () => {
  const here = place();
  const { key } = await here.addKey();
  using server = await here.serve(['--public-routes', 'clock']);
  const clock = '/v1/time/clock.svg?style=analog-station';
  expect((await fetch(server.url + clock)).status).toBe(200);
  expect((await fetch(server.url + clock, { headers: { 'X-API-Key': key } })).status).toBe(200);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('meridian_address_requests_total{decision="granted"} 1\n');
});

test('keys are created, listed, suspended, resumed and removed, and take effect on a running server', async () => {
  const here = place();
  using server = await here.serve();
  expect(await statusOf(server)).toBe(200);
  const { key, id } = await here.addKey();
  expect(key).toMatch(/^mrd_[0-9A-Za-z]{9}_[0-9A-Za-z]{39}$/);
  await until(async () => (await statusOf(server)) === 401);
  expect(await statusOf(server, key)).toBe(200);
  expect(await here.listed(id)).toMatchObject({ name: 'test', plan: 'default', state: 'active' });
  expect((await here.run('tokens', 'suspend', id)).exitCode).toBe(0);
  expect((await here.run('doctor')).stdout).toContain('access     API keys: 1, suspended: 1, in ');
  await until(async () => (await statusOf(server, key)) === 403);
  expect(await here.listed(id)).toMatchObject({ state: 'suspended' });
  expect((await here.run('tokens', 'resume', id)).exitCode).toBe(0);
  await until(async () => (await statusOf(server, key)) === 200);
  expect((await here.run('tokens', 'remove', id)).exitCode).toBe(0);
  await until(async () => (await statusOf(server, key)) === 401);
  expect(await statusOf(server)).toBe(401);
  const { stdout, exitCode } = await here.run('tokens', 'list');
  expect([exitCode, stdout]).toEqual([0, `no API keys in ${join(here.state, 'access.sqlite')}\n`]);
});

test('errors of tokens are one line', async () => {
  const here = place();
  const add = ['tokens', 'add', '--name', 'a'];
  await here.expectFailures([
    [['tokens'], 2, 'add|list|usage|log | edit|rotate'],
    [['tokens', 'ad'], 2, "'add'"],
    [['tokens', 'add'], 2, '--name'],
    [['tokens', 'add', '--name', 'a\nb'], 2, 'one line'],
    [[...add, 'b'], 2, 'flags only'],
    [['tokens', 'suspend'], 2, 'one argument, ID'],
    [['tokens', 'suspend', 'nobody'], 1, "There is no API key 'nobody'"],
    [[...add, '--plans', '/nonexistent'], 1, '/nonexistent'],
    [[...add, '--plan', 'por', '--plans', here.file('plans.toml', '[plans.pro]')], 2, "'pro'"],
    [['tokens', 'list', '--redis', 'http://x'], 2, '--redis'],
  ]);
});

test('unreadable or invalid keys and plans prevent startup, and are named', async () => {
  const here = place();
  const keys = (name: string, text: string) => [...SERVE, '--api-key-file', here.file(name, text)];
  const plans = (name: string, text: string) => [...SERVE, '--plans', here.file(name, text)];
  const indivisible = plans('burst.toml', '[plans.default]\nrequests_per_second = 1\nburst = 3');
  await here.expectFailures([
    [[...SERVE, '--api-key-file', '/nonexistent'], 1, '/nonexistent'],
    [keys('keys', 'a-good-key-of-ours\na-bad,key-of-ours'), 1, 'keys:2:1: '],
    [keys('keys2', 'a-good-key-of-ours gold'), 1, "there is no plan 'gold'"],
    [plans('plans.toml', '[plans.pro]\nburst = 1'), 1, "'plans.pro.burst' needs"],
    [plans('broken.toml', '[plans'), 1, 'broken.toml'],
    [[...indivisible, '--workers', '4'], 1, "'plans.default.burst': 3 cannot be divided among 4 workers"],
  ]);
});

test('a server does not start open if its keys cannot be reached', async () => {
  const here = place();
  await here.addKey();
  const state = join(here.path, 'other');
  mkdirSync(state);
  // Another user's folder has the same effect, but not for root.
  symlinkSync('access.sqlite', join(state, 'access.sqlite'));
  const reason = `'${state}/access.sqlite': too many symbolic links encountered (ELOOP)`;
  await here.expectFailures(
    ['1', '2'].map(workers => [[...SERVE, '--workers', workers, '--state-dir', state], 1, reason]),
  );
  const { exitCode, stdout } = await here.run('doctor', '--state-dir', state);
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`access     Cannot use the API keys in '${state}/access.sqlite'`);
});

test('an unreadable credential with keys prevents startup', async () => {
  const here = place();
  symlinkSync('api-keys', join(here.path, 'api-keys'));
  const reason = `Cannot read API keys in '${here.path}/api-keys': too many symbolic links encountered (ELOOP)\n`;
  const env = { MERIDIAN_STATE_DIR: here.state, CREDENTIALS_DIRECTORY: here.path };
  await expectFailures([[SERVE, 1, reason]], { env });
});

test('a damaged store prevents startup, with one line, and is not changed', async () => {
  const here = place();
  await here.addKey();
  const path = join(here.state, 'access.sqlite');
  const damaged = Buffer.from(readFileSync(path)).fill(255, 0, 4096);
  writeFileSync(path, damaged);
  const commands = [SERVE, ['tokens', 'list'], ['tokens', 'add', '--name', 'b']];
  await here.expectFailures(commands.map(args => [args, 1, 'the file is damaged']));
  expect(readFileSync(path).equals(damaged)).toBe(true);
});

test('failing to print a new key is not reported as a store error', async () => {
  const here = place();
  const add = ['tokens', 'add', '--name', 'a', '--state-dir', here.state];
  const { exitCode, stderr } = await run(add, { through: ['sh', '-c', '"$0" "$@" > /dev/full'] });
  expect(exitCode).toBe(1);
  expect(stderr).toBe('meridian: ENOSPC: no space left on device, write\n');
});

test('a clean stop loses no counts, and a crash at most those of the last second', async () => {
  const here = place();
  const { key, id } = await here.addKey();
  const used = async () => (await here.listed(id)).used_this_month as number;
  const first = await here.serve();
  for (let i = 0; i < 30; i++) expect(await statusOf(first, key)).toBe(200);
  expect(await first.stop()).toBe(0);
  expect(await used()).toBe(30);
  const second = await here.serve();
  for (let i = 0; i < 20; i++) await statusOf(second, key);
  await until(async () => (await used()) === 50);
  for (let i = 0; i < 5; i++) await statusOf(second, key);
  second.child.kill('SIGKILL');
  await second.child.exited;
  expect(await used()).toBeGreaterThanOrEqual(50);
  expect(await used()).toBeLessThanOrEqual(55);
});

test('SIGHUP loads plans; invalid ones are reported and the old ones stay in force', async () => {
  const here = place();
  const plans = here.file('plans.toml', '[plans.default]\nrequests_per_month = 1000');
  using server = await here.serve(['--plans', plans, '--api-key', 'fixed-key-of-ours']);
  const limit = async () =>
    (await fetch(server.url + PATH, { headers: { 'X-API-Key': 'fixed-key-of-ours' } })).headers.get(
      'X-Service-Quota-Limit',
    );
  expect(await limit()).toBe('1000');
  here.file('plans.toml', '[plans.default]\nrequests_per_month = 2000\n');
  server.child.kill('SIGHUP');
  expect(await server.events.next('reloaded')).toMatchObject({ what: 'signing keys' });
  expect(await server.events.next('reloaded')).toMatchObject({
    what: 'access',
    now: 'API keys: 1, plans: 1',
  });
  expect(await limit()).toBe('2000');
  here.file('plans.toml', '[plans.default]\nrequests_per_month = "many"\n');
  server.child.kill('SIGHUP');
  const { error } = await server.events.next('reload failed');
  expect(error).toContain("'plans.default.requests_per_month'");
  expect(await limit()).toBe('2000');
  here.file('plans.toml', '[plans.default]\nrequests_per_month = 3000\n');
  await until(async () => (await limit()) === '3000');
});

test('keys come from flags, the environment, a file, a systemd credential and the store', async () => {
  const here = place();
  here.file('api-keys', 'key-from-systemd\n');
  const file = here.file('keys', '# ours\nkey-from-the-file\n');
  const { key } = await here.addKey();
  using server = await here.serve(['--api-key-file', file], {
    MERIDIAN_API_KEY: 'key-from-environment,the-second-of-them',
    CREDENTIALS_DIRECTORY: here.path,
  });
  const others = ['key-from-environment', 'the-second-of-them', 'key-from-the-file', 'key-from-systemd'];
  for (const good of [...others, key]) {
    expect([good, await statusOf(server, good)]).toEqual([good, 200]);
  }
  expect(await statusOf(server, 'key-from-environment,the-second-of-them')).toBe(401);
  using flagged = await here.serve(['--api-key', 'the-key-from-a-flag', '--api-key=the-other-from-a-flag']);
  for (const good of ['the-key-from-a-flag', 'the-other-from-a-flag'])
    expect([good, await statusOf(flagged, good)]).toEqual([good, 200]);
});

test('no key appears in any output of the program', async () => {
  const here = place();
  const stored = await here.addKey();
  const removed = await here.addKey();
  const mistyped = stored.key.replace(/.$/, last => (last === 'x' ? 'y' : 'x'));
  const secrets = [
    ...['secret-of-the-environment', 'secret-of-the-file', 'secret-of-the-market', 'redis-secret'],
    ...['wrong-secret', mistyped, stored.key, removed.key],
  ];
  const keys = here.file('keys', 'secret-of-the-file\n');
  const market = here.file('market', 'secret-of-the-market\n');
  const args = [
    ...['--api-key-file', keys, '--marketplace-keys', market, '--marketplace-host', 'h'],
    ...['--log-level', 'debug'],
  ];
  const server = await here.serve([...args, '--redis', 'redis://u:redis-secret@127.0.0.1:1'], {
    MERIDIAN_API_KEY: 'secret-of-the-environment',
  });
  const outputs: string[] = [];
  const heard = Promise.all([restOf(server.child.stdout), restOf(server.child.stderr)]);
  const send = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(server.url + path, { headers });
    outputs.push(JSON.stringify([...response.headers]), await response.text());
  };
  const paths = [PATH, '/v1/time/current?tz=Mars&sign=true', '/nothing', '/readyz', '/metrics', '/'];
  for (const secret of secrets) {
    for (const path of paths) {
      await send(path, { 'X-API-Key': secret });
      await send(path, { Authorization: `Bearer ${secret}`, 'X-API-Key': 'other' });
      await send(path, { 'X-RapidAPI-Key': secret, 'X-RapidAPI-Host': 'h' });
    }
  }
  writeFileSync(keys, 'secret-of-the-file,\n');
  server.child.kill('SIGHUP');
  const commands = [
    ['tokens', 'list'],
    ['tokens', 'list', '--json'],
    ['tokens', 'suspend', stored.key],
    ['tokens', 'remove', removed.key],
    ['tokens', 'remove', 'wrong-id'],
    ['doctor'],
    ['serve', '--api-kye', stored.key],
    ['serve', `--api-kye=${stored.key}`],
    ['serve', '--api-key', `${stored.key},`],
    ['serve', '--api-key', mistyped],
    ['serve', '--redis', 'redis-secret'],
    ['tokens', 'list', '--redis', 'redis://u:redis-secret@127.0.0.1:1'],
  ];
  for (const command of commands) {
    const { stdout, stderr } = await here.run(...command);
    outputs.push(stdout, stderr);
  }
  await until(async () => (await statusOf(server, stored.key)) === 403);
  expect(await server.stop()).toBe(0);
  outputs.push(...(await heard));
  for (const name of readdirSync(here.state)) {
    if (name.startsWith('access')) outputs.push(readFileSync(join(here.state, name), 'latin1'));
  }
  const said = outputs.join('\n');
  expect(said).toContain('The shared quota store is unavailable');
  expect(said).toContain(stored.id);
  for (const secret of secrets) expect([secret, said.includes(secret)]).toEqual([secret, false]);
  for (const { key } of [stored, removed]) expect(said).not.toContain(key.slice(14, 40));
});

test("four workers together grant no more than the plan's rate, burst and quota", async () => {
  const here = place();
  const plans = here.file(
    'plans.toml',
    '[plans.default]\nrequests_per_second = 20\nburst = 8\n[plans.month]\nrequests_per_month = 150',
  );
  const [rate, quota] = [await here.addKey(), await here.addKey('--plan', 'month', '--plans', plans)];
  const server = await here.serve(['--plans', plans, '--workers', '4']);
  /** The statuses of many requests, each on a new connection, so that all workers get some. */
  const many = (key: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const response = await fetch(server.url + PATH, {
          headers: { 'X-API-Key': key, Connection: 'close' },
        });
        return response.status;
      }),
    );
  const granted = (statuses: readonly number[]) => statuses.filter(status => status === 200).length;
  const beganMs = performance.now();
  const byRate = granted([...(await many(rate.key, 150)), ...(await many(rate.key, 150))]);
  const seconds = (performance.now() - beganMs) / 1000;
  expect(byRate).toBeGreaterThanOrEqual(2);
  expect(byRate).toBeLessThanOrEqual(8 + Math.ceil(20 * seconds));
  // An idle worker's share goes to the others within a second.
  let byQuota = 0;
  await until(async () => {
    byQuota += granted(await many(quota.key, 60));
    return byQuota >= 150;
  });
  byQuota += granted(await many(quota.key, 60));
  expect(byQuota).toBe(150);
  expect(await server.stop()).toBe(0);
  expect(await here.listed(quota.id)).toMatchObject({ used_this_month: 150 });
  expect(await here.listed(rate.id)).toMatchObject({ used_this_month: byRate });
});

withRedis('two servers on one Redis share a quota and report it', async () => {
  const here = place();
  await using redis = await startRedis();
  const plans = here.file('plans.toml', '[plans.default]\nrequests_per_month = 100');
  const { key, id } = await here.addKey();
  // On a busy machine Redis may be late, and `open` would count locally.
  const args = ['--plans', plans, '--redis', redis.url, '--quota-fail', 'closed'];
  using one = await here.serve(args);
  using other = await here.serve(args);
  const statuses: number[] = [];
  while (statuses.length < 130) {
    const statusesNow = Array.from({ length: 10 }, (_, i) => statusOf(i % 2 === 0 ? one : other, key));
    statuses.push(...(await Promise.all(statusesNow)));
  }
  expect(statuses.filter(status => status === 200)).toHaveLength(100);
  expect(statuses.filter(status => status === 429)).toHaveLength(30);
  expect(await here.listed(id, '--redis', redis.url)).toMatchObject({ used_this_month: 100 });
});

withRedis(
  'Redis killed and restarted under load: open serves throughout, closed rejects meanwhile, each logs it once',
  async () => {
    const here = place();
    await using redis = await startRedis();
    const { key } = await here.addKey();
    using open = await here.serve(['--redis', redis.url]);
    using closed = await here.serve(['--redis', redis.url, '--quota-fail', 'closed']);
    const seen = { open: new Map<number, number>(), closed: new Map<number, number>() };
    let isOver = false;
    const load = async (server: RunningServer, statuses: Map<number, number>) => {
      while (!isOver) {
        const status = await statusOf(server, key);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const loads = Promise.all([load(open, seen.open), load(open, seen.open), load(closed, seen.closed)]);
    const readiness = async ({ url }: RunningServer) => {
      const response = await fetch(`${url}/readyz`);
      const line = (await response.text()).split('\n').find(text => text.startsWith('store'));
      return `${response.status} ${line}`;
    };
    await until(async () => (seen.closed.get(200) ?? 0) > 50);
    await redis.kill();
    await until(async () => (seen.closed.get(502) ?? 0) > 50);
    const unavailable = 'the shared store is unavailable: connection refused';
    await until(async () => (await readiness(open)) === `200 store warning ${unavailable}`);
    await until(async () => (await readiness(closed)) === `503 store broken ${unavailable}`);
    await redis.start();
    const before = seen.closed.get(200)!;
    await until(async () => seen.closed.get(200)! > before + 50);
    for (const server of [open, closed]) {
      await until(async () => (await readiness(server)) === '200 store ok');
      const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
      await until(async () => (await metrics()).includes('meridian_access_problem{topic="shared"} 0'));
    }
    isOver = true;
    await loads;
    expect([...seen.open.keys()]).toEqual([200]);
    expect([...seen.closed.keys()].sort()).toEqual([200, 502]);
    for (const server of [open, closed]) {
      await server.stop();
      const lines = (await new Response(server.child.stderr).text()).trim().split('\n');
      const messages = lines
        .map(line => JSON.parse(line).message)
        .filter((message: string) => message.includes('shared'));
      expect(messages).toEqual([expect.stringContaining('is unavailable'), 'The shared quota store is back']);
    }
  },
);
