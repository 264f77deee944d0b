import { expect, spyOn, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_RANDOM_BYTES, keyDigest, keyId, makeKey } from '../../../src/access/key_format.ts';
import { layeredKeys } from '../../../src/access/layers.ts';
import { openSharedAccess, RedisKeyStore, SHARED_KEYS } from '../../../src/access/redis/redis_key_store.ts';
import { RedisStore } from '../../../src/access/redis/redis_store.ts';
import { MS_PER_DAY } from '../../../src/common/civil.ts';
import { redisReport } from '../../../src/server/redis_report.ts';
import { outputOf } from '../../support/printing.ts';
import { freePort, newFolder } from '../../support/process.ts';
import { replicationOf, startRedis, startSentinel, usageIn, withRedis } from '../../support/redis.ts';
import { thrownBy } from '../../support/thrown.ts';
import { addKey, type Choices, keyFolder, NOW_MS, outcome } from '../control.ts';
import { MemoryStore } from '../memory_store.ts';

/** A server's access control with keys in Redis and its own state directory, or that of another. */
async function member(url: string, choices: Choices = {}, place = keyFolder()) {
  const shared = openSharedAccess(url, place.path, true);
  const made = place.control({ edges: { shared }, ...choices });
  await made.access.start();
  const copy = join(place.path, 'redis-keys.json');
  return { ...made, shared, place, copy, [Symbol.asyncDispose]: place[Symbol.asyncDispose] };
}

type Member = Awaited<ReturnType<typeof member>>;

/** Servers with keys in the same Redis, each with its own choices. */
async function startMembers(url: string, ...choices: readonly Choices[]) {
  const started: Member[] = [];
  for (const chosen of choices) started.push(await member(url, chosen));
  const stop = async () => {
    for (const one of started) await one[Symbol.asyncDispose]();
  };
  return Object.assign(started, { [Symbol.asyncDispose]: stop });
}

/** Ticks like the server until a condition holds; returns the elapsed milliseconds. */
async function untilTrue(members: readonly Member[], holds: () => unknown): Promise<number> {
  const startMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startMs > 10_000) throw new Error('it does not come true');
    for (const { access } of members) access.tick(Date.now());
    await Bun.sleep(50);
  }
  return performance.now() - startMs;
}

/** The outcome of a request with a key on each server. */
function outcomesAt(members: readonly Member[], key: string): Promise<string[]> {
  return Promise.all(members.map(({ access }) => outcome(access, { 'X-API-Key': key })));
}

/** Ticks until a key has an outcome on every server. */
function until(members: readonly Member[], key: string, wanted: string): Promise<number> {
  return untilTrue(members, async () => (await outcomesAt(members, key)).every(found => found === wanted));
}

/** Runs `meridian tokens` on Redis. */
async function tokens(redis: string, ...args: string[]) {
  const flags = ['--redis', redis, '--state-dir', '/nowhere'];
  const { exitCode, lines } = await outputOf(['tokens', ...args, ...flags]);
  return { exitCode, printed: lines.filter(line => !line.startsWith('meridian: ')), lines };
}

/** The rows of `meridian tokens list` or `usage`. */
async function rowsOf(redis: string, action: 'list' | 'usage') {
  return JSON.parse((await tokens(redis, action, '--json')).printed.join('\n'));
}

async function addedKey(redis: string, ...flags: string[]) {
  const key = (await tokens(redis, 'add', '--name', 'shared', ...flags)).printed[0]!;
  return { key, id: keyId(key)! };
}

withRedis('keys in Redis are added, suspended, edited, rotated and removed on all servers', async () => {
  await using redis = await startRedis();
  await using members = await startMembers(redis.url, {}, {}, {});
  const { key, id } = await addedKey(redis.url);
  await until(members, key, 'granted');
  await tokens(redis.url, 'suspend', id);
  await until(members, key, 'SUBSCRIPTION_INACTIVE');
  await tokens(redis.url, 'resume', id);
  await until(members, key, 'granted');
  await tokens(redis.url, 'edit', id, '--name', 'other', '--role', 'operator');
  const next = (await tokens(redis.url, 'rotate', id, '--overlap', '1h')).printed[0]!;
  await until(members, next, 'granted');
  await until(members, key, 'granted');
  const [row] = await rowsOf(redis.url, 'list');
  expect(row).toMatchObject({ id, name: 'other', role: 'operator', state: 'active' });
  expect(row.last_used).toBeString();
  expect(row.used_this_month).toBeGreaterThan(8);
  await tokens(redis.url, 'remove', id);
  await until(members, next, 'INVALID_AUTH');
  await until(members, key, 'INVALID_AUTH');
  expect((await tokens(redis.url, 'resume', id)).exitCode).toBe(1);
  const [usage] = await rowsOf(redis.url, 'usage');
  expect(usage).toMatchObject({ id, name: 'other', state: 'removed' });
  expect(usage.requests).toBeGreaterThanOrEqual(row.used_this_month);
  expect(members.map(({ log }) => log.filter(line => !line.includes('There are')))).toEqual([[], [], []]);
});

withRedis('a Redis restarted without its data gets the keys back, with changes and removals', async () => {
  await using redis = await startRedis({ persists: false });
  const active = await addedKey(redis.url);
  const suspended = await addedKey(redis.url);
  const removed = await addedKey(redis.url);
  await using members = await startMembers(redis.url, {}, {});
  await tokens(redis.url, 'suspend', suspended.id);
  await tokens(redis.url, 'remove', removed.id);
  await until(members, suspended.key, 'SUBSCRIPTION_INACTIVE');
  await until(members, removed.key, 'INVALID_AUTH');
  await redis.kill();
  await redis.start();
  const later = await addedKey(redis.url);
  await until(members, later.key, 'granted');
  expect(await until(members, active.key, 'granted')).toBeLessThan(1000);
  const rows: { id: string; state: string }[] = await rowsOf(redis.url, 'list');
  const states = { [active.id]: 'active', [suspended.id]: 'suspended', [later.id]: 'active' };
  expect(Object.fromEntries(rows.map(({ id, state }) => [id, state]))).toEqual(states);
  // A server that was disconnected does not restore an old state.
  await tokens(redis.url, 'resume', suspended.id);
  await until(members, suspended.key, 'granted');
  await until([members[1]!], removed.key, 'INVALID_AUTH');
});

withRedis('usage is restored in a Redis that lost its data before a new connection counts', async () => {
  await using redis = await startRedis({ persists: false });
  const { key, id } = await addedKey(redis.url);
  await using one = await member(redis.url);
  const often = (times: number) => outcomesAt(Array(times).fill(one), key);
  await often(5);
  await redis.kill();
  await redis.start();
  expect(await often(3)).toEqual(Array(3).fill('granted'));
  expect([one.access.sharedStore, (await usageIn(redis)).get(id)]).toEqual(['up', 8]);
});

withRedis('usage replayed after an outage is restored, also of the month before', async () => {
  await using redis = await startRedis({ persists: false });
  const { key } = await addedKey(redis.url);
  await using one = await member(redis.url);
  await redis.kill();
  for (const nowMs of [NOW_MS - 30 * MS_PER_DAY, NOW_MS, NOW_MS])
    expect(await outcome(one.access, { 'X-API-Key': key }, nowMs)).toBe('granted');
  for (const _ of ['replayed', 'restored']) {
    await redis.start();
    await untilTrue([one], async () => {
      const [before, current] = await rowsOf(redis.url, 'usage');
      return before?.requests === 1 && current?.requests === 2;
    });
    await redis.kill();
  }
});

withRedis('usage rejected by a Redis that lost its data is restored over the same connection', async () => {
  await using redis = await startRedis({ persists: false });
  const { key, id } = await addedKey(redis.url);
  await using one = await member(redis.url);
  for (let i = 0; i < 5; i++) expect(await outcome(one.access, { 'X-API-Key': key })).toBe('granted');
  await redis.kill();
  const usage = `meridian:usage:{${id}}`;
  const { raiseUsage } = RedisStore.prototype;
  const raise = spyOn(RedisStore.prototype, 'raiseUsage').mockImplementationOnce(async function (
    this: RedisStore,
    ...counts: Parameters<typeof raiseUsage>
  ) {
    await redis.send('SET', usage, 'no hash');
    return raiseUsage.apply(this, counts);
  });
  await redis.start();
  await untilTrue([one], () => raise.mock.results.length > 0);
  await expect(raise.mock.results[0]!.value).rejects.toThrow('WRONGTYPE');
  raise.mockRestore();
  await redis.send('DEL', usage);
  await untilTrue([one], () => redis.send('EXISTS', usage));
  expect(await redis.send('HVALS', usage)).toEqual(['5']);
});

withRedis('a server that starts without Redis has its keys from a copy without plain keys', async () => {
  await using redis = await startRedis();
  const { key, id } = await addedKey(redis.url);
  await using first = await member(redis.url);
  expect(statSync(first.copy).mode & 0o777).toBe(0o600);
  expect(readFileSync(first.copy, 'utf8')).toContain(id);
  expect(readFileSync(first.copy, 'utf8')).not.toContain(key.slice(14));
  await first.access.stop();
  await redis.kill();
  const { access } = await member(redis.url, {}, first.place);
  expect(access.sharedStore).toBe('degraded');
  expect(await outcome(access, { 'X-API-Key': key })).toBe('granted');
  await access.stop();
  for (const [damaged, reason] of [
    ['{"a": "sha256-of-a', 'it is not JSON'],
    ['{"a": {"digest": "sha256-of-a"}}', "'a' is malformed: expected string"],
  ]) {
    writeFileSync(first.copy, damaged!);
    const error = await member(redis.url, {}, first.place).catch(thrown => thrown);
    expect(error.message).toBe(`Cannot read the copy of the API keys in Redis, '${first.copy}': ${reason}`);
  }
});

/** Runs `meridian plans` on Redis. */
async function plans(redis: string, ...args: string[]): Promise<void> {
  const flags = ['--redis', redis, '--state-dir', '/nowhere'];
  expect((await outputOf(['plans', ...args, ...flags])).exitCode).toBe(0);
}

withRedis('all servers notice a changed plan within a second, even if Redis lost it or is down', async () => {
  await using redis = await startRedis({ persists: false });
  const ofFile = [{ name: 'pro', rate: undefined, monthlyQuota: 0 }];
  await using members = await startMembers(redis.url, {}, { plans: ofFile });
  const { key } = await addedKey(redis.url, '--plan', 'pro');
  await until(members.slice(0, 1), key, 'SUBSCRIPTION_INACTIVE'); // the plan is not defined there
  await until(members.slice(1), key, 'QUOTA_EXCEEDED'); // it has the file's plan
  await plans(redis.url, 'set', 'pro', '--requests-per-month', '1000');
  expect(await until(members, key, 'granted')).toBeLessThan(1000);
  await plans(redis.url, 'set', 'pro', '--requests-per-month', '1');
  expect(await until(members, key, 'QUOTA_EXCEEDED')).toBeLessThan(1000);
  await plans(redis.url, 'set', 'pro');
  await until(members, key, 'granted');
  await redis.kill();
  await redis.start();
  await untilTrue(members, () => redis.send('HGET', 'meridian:plans', 'pro'));
  expect(await redis.send('HGET', 'meridian:plans', 'pro')).toMatch(/^\d+ \{\}$/);
  // A removed plan does not come back from the copies; the file's plan does.
  await plans(redis.url, 'remove', 'pro', '--force');
  await until(members.slice(0, 1), key, 'SUBSCRIPTION_INACTIVE');
  await until(members.slice(1), key, 'QUOTA_EXCEEDED');
  await plans(redis.url, 'set', 'pro');
  await until(members, key, 'granted');
  await members[0]!.access.stop();
  await redis.kill();
  const { access } = await member(redis.url, {}, members[0]!.place);
  expect(await outcome(access, { 'X-API-Key': key })).toBe('granted');
});

withRedis("a key in Redis hides the file's key with the same id, even when removed", async () => {
  await using redis = await startRedis();
  const { key, id } = await addedKey(redis.url);
  await using one = await member(redis.url);
  const own = addKey(one.place.store, 1);
  one.place.store.add({ id, name: 'a', plan: 'default', digest: Buffer.alloc(32, 1), createdMs: 1 });
  await until([one], own.key, 'granted');
  await tokens(redis.url, 'remove', id);
  await until([one], key, 'INVALID_AUTH');
  await until([one], own.key, 'granted');
});

withRedis(
  'a foreign value in Redis is reported and not restored, and the other keys stay in force',
  async () => {
    await using redis = await startRedis();
    const { key } = await addedKey(redis.url);
    await using one = await member(redis.url);
    await redis.send('HSET', 'meridian:keys', 'bad', '9999999999999 {"id":"bad"}');
    await redis.send('SET', 'meridian:keys:revision', '9999999999999');
    await untilTrue([one], () => one.access.problem('shared_keys') !== undefined);
    expect(one.log.at(-1)).toStartWith(
      "error: API keys in Redis: the value of 'bad' is ignored: 'name' is malformed: expected required property",
    );
    expect(await outcome(one.access, { 'X-API-Key': key })).toBe('granted');
    expect(one.access.sharedStore).toBe('up');
    await redis.send('HDEL', 'meridian:keys', 'bad');
    await redis.send('INCR', 'meridian:keys:revision');
    await untilTrue([one], () => one.access.problem('shared_keys') === undefined);
    expect(await redis.send('HEXISTS', 'meridian:keys', 'bad')).toBe(0);
  },
);

withRedis('a Redis Cluster is rejected at startup', async () => {
  await using redis = await startRedis({ port: freePort(), more: ['--cluster-enabled', 'yes'] });
  expect(member(redis.url)).rejects.toThrow('this is a Redis Cluster; use a single server, or Sentinel');
});

withRedis('after a Sentinel failover servers continue with the new master', async () => {
  const [port, replicaPort, sentinelPort] = [freePort(), freePort(), freePort()];
  await using master = await startRedis({ port });
  const more = ['--replicaof', '127.0.0.1', String(port)];
  await using replica = await startRedis({ port: replicaPort, more });
  await using sentinel = await startSentinel(newFolder(), sentinelPort, port);
  const url = `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinelPort}/group`; // the first one is down
  const { key, id } = await addedKey(url);
  await using members = await startMembers(url, {}, {});
  await until(members, key, 'granted');
  const replication = () => replicationOf(replica.url);
  await untilTrue(members, async () => (await replication()).includes('master_link_status:up'));
  await untilTrue(members, () => sentinel.knowsReplica());
  await master.kill();
  await untilTrue(members, async () => (await replication()).includes('role:master'));
  await until(members, key, 'granted');
  await untilTrue(members, () => members.every(({ access }) => access.sharedStore === 'up'));
  expect((await tokens(url, 'suspend', id)).exitCode).toBe(0);
  await until(members, key, 'SUBSCRIPTION_INACTIVE');
  expect(await replica.send('HGET', 'meridian:keys', id)).toContain('"suspendedMs":1');
});

withRedis('servers whose clocks differ by a minute grant exactly the quota and the burst', async () => {
  await using redis = await startRedis();
  const plans = [
    { name: 'quota', rate: undefined, monthlyQuota: 100 },
    { name: 'burst', rate: { perSecond: 0.001, burst: 30 }, monthlyQuota: undefined },
  ];
  await using members = await startMembers(redis.url, { plans }, { plans }, { plans });
  for (const [plan, allowed, code] of [
    ['quota', 100, 'QUOTA_EXCEEDED'],
    ['burst', 30, 'RATE_LIMITED'],
  ] as const) {
    const { key, id } = await addedKey(redis.url, '--plan', plan);
    await untilTrue(members, async () => !(await outcomesAt(members, key)).includes('INVALID_AUTH'));
    const before = 3; // on the servers, after all of them had the key
    const counts = new Map<string, number>();
    for (let i = 0; i < 150; i++) {
      const at = Date.now() + ((i % 3) - 1) * 60_000;
      const found = await outcome(members[i % 3]!.access, { 'X-API-Key': key }, at);
      counts.set(found, (counts.get(found) ?? 0) + 1);
    }
    expect(counts.get('granted')).toBeLessThanOrEqual(allowed - before);
    expect(counts.get(code)).toBe(150 - counts.get('granted')!);
    const rows: { id: string; requests: number }[] = await rowsOf(redis.url, 'usage');
    expect(rows.find(row => row.id === id)?.requests).toBe(allowed);
  }
});

withRedis('servers with different clocks reject suspended keys at once, expired by their clock', async () => {
  await using redis = await startRedis();
  const skews = [-60_000, 0, 60_000];
  await using members = await startMembers(redis.url, {}, {}, {});
  const { key, id } = await addedKey(redis.url);
  /** The outcomes once all servers have the expected one, each by its own clock; and the elapsed time. */
  const untilAll = (wanted: readonly string[]) =>
    untilTrue([], async () => {
      for (const [i, { access }] of members.entries()) access.tick(Date.now() + skews[i]!);
      const found = await Promise.all(
        members.map(({ access }, i) => outcome(access, { 'X-API-Key': key }, Date.now() + skews[i]!)),
      );
      return Bun.deepEquals(found, wanted);
    });
  const all = (found: string) => [found, found, found];
  await untilAll(all('granted'));
  for (const [action, found] of [
    ['suspend', 'SUBSCRIPTION_INACTIVE'],
    ['resume', 'granted'],
  ] as const) {
    await tokens(redis.url, action, id);
    expect(await untilAll(all(found))).toBeLessThan(1000);
  }
  // Half a minute ahead by the middle clock: in the past for one server, a minute and a half ahead for another.
  await tokens(redis.url, 'expire', id, '--expires', '30s');
  await untilAll(['granted', 'granted', 'SUBSCRIPTION_INACTIVE']);
  await tokens(redis.url, 'expire', id);
  await untilAll(['granted', 'SUBSCRIPTION_INACTIVE', 'SUBSCRIPTION_INACTIVE']);
  // Changes are ordered by Redis's clock: the latest wins, whoever made it.
  await tokens(redis.url, 'expire', id, '--expires', 'never');
  await untilAll(all('granted'));
});

withRedis('with many keys only changes are applied, and lost keys are restored', async () => {
  await using server = await startRedis({ persists: false });
  const redis = new RedisStore(server.url, 1000);
  await redis.connect();
  const store = new RedisKeyStore(redis);
  const issued: Awaited<ReturnType<typeof addedKey>>[] = [];
  for (let i = 0; i < 1200; i++) {
    const random = new Uint8Array(KEY_RANDOM_BYTES);
    random.set([i >> 8, i & 255]);
    const { id, key } = makeKey(random);
    issued.push({ id, key });
    await store.add({ id, name: `key ${i}`, plan: 'default', digest: keyDigest(key), createdMs: i });
  }
  const [changed, removed, rotated, other] = [issued[0]!, issued[1]!, issued[2]!, issued[3]!];
  await using members = await startMembers(server.url, {}, {});
  for (const { key } of issued) expect(await outcomesAt(members, key)).toEqual(['granted', 'granted']);
  const parsed = spyOn(JSON, 'parse');
  await store.change(changed.id, { suspendedMs: 1 });
  await store.remove(removed.id, 1);
  await store.rotate(rotated.id, keyDigest('a-new-key-of-the-test'), 1);
  await until(members, changed.key, 'SUBSCRIPTION_INACTIVE');
  await until(members, removed.key, 'INVALID_AUTH');
  await until(members, 'a-new-key-of-the-test', 'granted');
  expect(await outcomesAt(members, other.key)).toEqual(['granted', 'granted']);
  expect(parsed.mock.calls.length).toBeLessThan(100); // only changed values
  parsed.mockRestore();
  const values = Object.fromEntries(await redis.hash('keys').values());
  await untilTrue(members, async () => Bun.deepEquals(await Bun.file(members[0]!.copy).json(), values));
  await server.send('FLUSHALL');
  await untilTrue(members, async () => (await server.send('HLEN', 'meridian:keys')) === 1200);
  await until(members, changed.key, 'SUBSCRIPTION_INACTIVE');
  expect(await outcomesAt(members, other.key)).toEqual(['granted', 'granted']);
  redis.close();
});

withRedis(
  'a server whose Redis was never read is closed, and stays closed if there are no keys',
  async () => {
    for (const failMode of ['open', 'closed'] as const) {
      const port = await freePort();
      const url = `redis://127.0.0.1:${port}`;
      const marketplace = { keyHeader: 'X-Market-Key', hostHeader: 'X-Market-Host', host: 'time.example' };
      await using members = await startMembers(url, { failMode, marketplace });
      const { access } = members[0]!;
      expect([access.isOpen, access.mayLackKeys]).toEqual([false, true]);
      expect([await outcome(access, {}), await outcome(access, { 'X-API-Key': 'any' })]).toEqual([
        'UNAUTHORIZED',
        'UPSTREAM_FAILURE',
      ]);
      const subscriber = { 'X-Market-Key': 'any', 'X-Market-Host': 'time.example' };
      expect(await outcome(access, subscriber)).toBe('INVALID_AUTH'); // Redis has none of these
      await using redis = await startRedis({ port });
      await untilTrue(members, () => !access.mayLackKeys);
      expect([access.isOpen, await outcome(access, { 'X-API-Key': 'any' })]).toEqual([false, 'INVALID_AUTH']);
      const { key } = await addedKey(redis.url);
      await until(members, key, 'granted');
    }
  },
);

withRedis('a server whose Redis has no keys is open, until it has one', async () => {
  await using redis = await startRedis();
  await using members = await startMembers(redis.url, {});
  expect([members[0]!.access.isOpen, members[0]!.access.mayLackKeys]).toEqual([true, false]);
  const { key } = await addedKey(redis.url);
  await until(members, key, 'granted');
  expect(members[0]!.access.isOpen).toBe(false);
});

withRedis(
  'a value that cannot be read is ignored and reported, and a server with no other is closed',
  async () => {
    await using redis = await startRedis();
    await redis.send('HSET', 'meridian:keys', 'zzzzzzzzz', 'garbage');
    await redis.send('HSET', 'meridian:plans', 'bad', 'garbage');
    await redis.send('INCR', 'meridian:keys:revision');
    await using members = await startMembers(redis.url, {});
    const [one] = members;
    const { access, log, shared } = one!;
    expect(access.isOpen).toBe(false);
    expect(log[0]).toBe("error: API keys in Redis: the value of 'zzzzzzzzz' is ignored: it is not JSON");
    expect([...shared.keys.unreadable.keys()]).toEqual(['zzzzzzzzz']);
    const stamp = shared.keys.stamp();
    const { key, id } = await addedKey(redis.url);
    await until(members, key, 'granted');
    expect(shared.keys.changedSince(stamp)).toEqual([id]);
    await tokens(redis.url, 'suspend', id);
    await until(members, key, 'SUBSCRIPTION_INACTIVE');
    expect((await rowsOf(redis.url, 'list')).map((row: { id: string }) => row.id)).toEqual([id]);
    const { exitCode, lines } = await tokens(redis.url, 'suspend', 'zzzzzzzzz');
    expect([exitCode, lines.join()]).toEqual([1, expect.stringContaining('cannot be read')]);
    const { problems } = await redisReport(redis.url);
    expect(problems.map(problem => problem.split(':', 2).join(':'))).toEqual([
      "the value of 'zzzzzzzzz' in meridian:keys cannot be read",
      "the value of 'bad' in meridian:plans cannot be read",
    ]);
    expect([...log, ...lines, ...problems].join('\n')).not.toContain('garbage'); // which may be a secret
    await redis.send('HDEL', 'meridian:keys', 'zzzzzzzzz');
    await redis.send('HDEL', 'meridian:plans', 'bad');
    await untilTrue(members, () => access.problem('shared_keys') === undefined);
    expect((await redisReport(redis.url)).problems).toEqual([]);
  },
);

test('a key in Redis that is not in our format is rejected, without quoting it', () => {
  const [digest, bytes] = [keyDigest('a').toHex(), new Uint8Array(keyDigest('a'))];
  const times = { createdMs: 1, suspendedMs: null, expiresMs: 2, removedMs: null };
  const former = { digest, expiresMs: 3 };
  const key = {
    id: 'a',
    name: 'A',
    role: 'client' as const,
    plan: 'default',
    digest,
    ...times,
    former,
    later: 1,
  };
  const parse = (members: object) => SHARED_KEYS.parse(`7 ${JSON.stringify({ ...key, ...members })}`, 'a');
  const same: object = { ...key, digest: bytes, former: { ...former, digest: bytes } };
  expect<object | undefined>(parse({})).toEqual(same);
  expect(parse({ isMoved: true, digest: 'SECRET' })).toBeUndefined();
  for (const [member, value] of [
    ['name', undefined],
    ['role', 'SECRET'],
    ['plan', ['SECRET']],
    ['digest', 'SECRET'],
    ['digest', digest.slice(2)],
    ['createdMs', 1e300],
    ['createdMs', null],
    ['suspendedMs', undefined],
    ['expiresMs', -1e16],
    ['expiresMs', '2'],
    ['former', 'SECRET'],
    ['former/digest', { ...former, digest: 'SECRET' }],
    ['removedMs', 1.5],
  ] as const) {
    const [fault] = thrownBy(() => parse({ [member.split('/')[0]!]: value }));
    expect(fault).toStartWith(`'${member}' is malformed: expected `);
    expect(fault).not.toContain('SECRET');
  }
  for (const text of ['SECRET', '7 SECRET', '7 {"id":"SECRET"', '7 {"id":"SECRET"}', '7 ["SECRET"]'])
    expect(thrownBy(() => SHARED_KEYS.parse(text, 'a')).join()).toMatch(
      /^it is not (JSON|a key of this id)$/,
    );
});

withRedis("a key that cannot be read in Redis is not taken from a machine's file, nor restored", async () => {
  await using redis = await startRedis();
  await using one = await member(redis.url);
  const { id, key } = addKey(one.place.store, 1);
  await until([one], key, 'granted');
  const keys = layeredKeys(one.shared.keys, new MemoryStore());
  for (const value of ['garbage', '9 null', `9 {"id":"other"}`, `9 {"id":"${id}","role":"client"}`]) {
    const stamp = keys.stamp();
    await redis.send('HSET', 'meridian:keys', id, value);
    await redis.send('INCR', 'meridian:keys:revision');
    await until([one], key, 'INVALID_AUTH');
    expect(keys.changesSince(stamp)).toEqual(new Map([[id, null]]));
    await redis.send('HDEL', 'meridian:keys', id);
    await untilTrue([one], () => one.access.problem('shared_keys') === undefined);
    await until([one], key, 'granted');
  }
  expect(await redis.send('HLEN', 'meridian:keys')).toBe(0);
});

withRedis(
  "a server that starts without Redis also rejects its file's keys that Redis has unreadably",
  async () => {
    await using redis = await startRedis({ persists: false });
    await using first = await member(redis.url);
    const { id, key } = addKey(first.place.store, 1);
    await until([first], key, 'granted');
    await redis.send('HSET', 'meridian:keys', id, 'garbage');
    await redis.send('INCR', 'meridian:keys:revision');
    await until([first], key, 'INVALID_AUTH');
    await untilTrue([first], () => readFileSync(first.copy, 'utf8') === `{"${id}":"garbage"}`);
    await first.access.stop();
    await redis.kill();
    const second = await member(redis.url, {}, first.place);
    expect([second.access.isOpen, ...(await outcomesAt([second], key))]).toEqual([false, 'INVALID_AUTH']);
    await redis.start();
    await until([second], key, 'granted');
    await second.access.stop();
  },
);

withRedis('a server whose copy has a key, which Redis does not have any more, does not open', async () => {
  await using redis = await startRedis();
  await using place = keyFolder();
  writeFileSync(join(place.path, 'redis-keys.json'), '{"zzzzzzzzz":"garbage"}');
  const { access, shared } = await member(redis.url, {}, place);
  expect([shared.keys.unreadable.size, access.mayLackKeys, access.isOpen]).toEqual([0, false, false]);
});

withRedis('changes are applied and copied while Redis is full and lost keys cannot be restored', async () => {
  await using redis = await startRedis();
  const [suspended, lost] = [await addedKey(redis.url), await addedKey(redis.url)];
  await using one = await member(redis.url);
  await tokens(redis.url, 'suspend', suspended.id);
  await redis.send('HDEL', 'meridian:keys', lost.id);
  await redis.send('CONFIG', 'SET', 'maxmemory', '1');
  await until([one], suspended.key, 'SUBSCRIPTION_INACTIVE');
  await until([one], lost.key, 'granted');
  await untilTrue([one], async () =>
    (await Bun.file(one.copy).json())[suspended.id].includes('"suspendedMs":1'),
  );
  expect(one.access.problem('shared_keys')).toContain('it is full (OOM)');
  await redis.send('CONFIG', 'SET', 'maxmemory', '0');
  await untilTrue([one], () => redis.send('HEXISTS', 'meridian:keys', lost.id));
  await untilTrue([one], () => one.access.problem('shared_keys') === undefined);
});

withRedis('values that another program overwrote are restored, unless they are newer', async () => {
  await using redis = await startRedis();
  const { key, id } = await addedKey(redis.url);
  await using one = await member(redis.url);
  await redis.send('HSET', 'meridian:keys', id, 'garbage');
  await redis.send('INCR', 'meridian:keys:revision');
  await untilTrue([one], async () => (await redis.send('HGET', 'meridian:keys', id)) !== 'garbage');
  await until([one], key, 'granted');
});
