import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Limits } from '../../src/access/limits.ts';
import type { Standing } from '../../src/access/meter.ts';
import { monthOf } from '../../src/access/month.ts';
import { type Charge, RedisStore, type SharedStore } from '../../src/access/redis_store.ts';
import { TokenStoreFile } from '../../src/access/token_store_file.ts';
import { addKey, askOften, control, NOW_MS, openStore, outcome, quiet } from './control.ts';
import { temporaryFolder } from './folders.ts';
import { REDIS_PROGRAM, RedisServer } from './redis_server.ts';

const MONTH = monthOf(NOW_MS);

/** A shared store in memory that answers, fails or never answers. */
class FakeStore implements SharedStore {
  /** `deaf` lets connections be made and answers nothing else. */
  mode: 'up' | 'down' | 'deaf' = 'up';
  used = 0;
  takes = 0;
  /** What a take waits for. */
  gate: Promise<void> | undefined;

  async connect(): Promise<void> {
    if (this.mode === 'down') this.#answer();
  }

  async take(_id: string, _limits: Limits, nowMs: number): Promise<Standing> {
    this.takes += 1;
    await this.gate;
    this.#answer();
    this.used += 1;
    return { verdict: 'granted', nowMs, month: MONTH, used: this.used, rateLeft: 0, rateWaitMs: 0 };
  }

  async charge({ count }: Charge): Promise<number> {
    this.#answer();
    this.used += count;
    return this.used;
  }

  close(): void {}

  #answer(): void {
    if (this.mode !== 'up') throw new Error('Connection refused');
  }
}

test('while the shared store is away requests are counted locally, logged once, and told to it when it is back', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store, 1, 'ten');
  const shared = new FakeStore();
  const { access, log } = control(folder.path, {
    shared,
    plans: [{ name: 'ten', rate: undefined, monthlyQuota: 10 }],
  });
  await access.start();
  expect(access.sharedStore).toBe('up');
  expect((await askOften(access, key, 3)).counts).toEqual({ granted: 3 });
  shared.mode = 'down';
  const { admissions, counts } = await askOften(access, key, 4);
  expect(counts).toEqual({ granted: 4 });
  access.refund(admissions[3]!);
  expect(access.sharedStore).toBe('away');
  for (let second = 1; second < 5; second++) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
  expect(store.used(id, MONTH.index)).toBe(3);
  expect((await askOften(access, key, 6)).counts).toEqual({ granted: 4, QUOTA_EXCEEDED: 2 });
  expect(shared.takes).toBe(4);
  shared.mode = 'up';
  access.tick(NOW_MS + 5000);
  await quiet();
  access.tick(NOW_MS + 6000);
  await quiet();
  expect(access.sharedStore).toBe('up');
  expect(shared.used).toBe(10);
  expect(store.used(id, MONTH.index)).toBe(0);
  expect(log).toEqual([
    'error: The shared quota store is away (Connection refused); limits are counted here until it is back',
    'info: The shared quota store is back',
  ]);
  await access.stop();
  store.close();
});

test('what was counted while the store was away and the server stopped is told by the next server', async () => {
  using folder = temporaryFolder();
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const shared = new FakeStore();
  shared.mode = 'down';
  const first = control(folder.path, { shared, keys });
  await first.access.start();
  expect((await askOften(first.access, 'fixed', 9)).counts).toEqual({ granted: 9 });
  await first.access.stop();
  shared.mode = 'up';
  const second = control(folder.path, { shared, keys });
  await second.access.start();
  expect(shared.used).toBe(9);
  await second.access.stop();
});

test('counts that neither the shared store takes nor the file takes back wait in memory, and none is lost', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  shared.mode = 'down';
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const tokens = new TokenStoreFile(join(folder.path, 'access.sqlite'), { index: 0, count: 1 });
  const { access, log } = control(folder.path, { shared, keys, edges: { tokens } });
  await access.start();
  expect((await askOften(access, 'fixed', 3)).counts).toEqual({ granted: 3 });
  access.tick(NOW_MS);
  await quiet();
  const settle = tokens.settle.bind(tokens);
  tokens.settle = () => {
    throw new Error('disk full');
  };
  shared.mode = 'deaf';
  access.tick(NOW_MS + 1000);
  await quiet();
  expect(access.sharedStore).toBe('away');
  expect(log.at(-1)).toContain('kept in memory: disk full');
  tokens.settle = settle;
  shared.mode = 'up';
  for (const second of [2, 3, 4]) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
  expect(shared.used).toBe(3);
  await access.stop();
});

test('without a file counts wait in memory for the shared store', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  shared.mode = 'down';
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const tokens = new TokenStoreFile(join(folder.path, 'access.sqlite'), { index: 0, count: 1 });
  tokens.create = () => {
    throw new Error('read-only');
  };
  const { access } = control(folder.path, { shared, keys, edges: { tokens } });
  await access.start();
  await askOften(access, 'fixed', 3);
  access.tick(NOW_MS);
  await quiet();
  shared.mode = 'up';
  for (const second of [1, 2]) {
    access.tick(NOW_MS + second * 1000);
    await quiet();
  }
  expect(shared.used).toBe(3);
  await access.stop();
});

test('a shared store that comes and goes is told of once, and called back when it has stayed for a second', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const { access, log } = control(folder.path, { shared, keys });
  await access.start();
  for (let round = 0; round < 4; round++) {
    shared.mode = 'down';
    expect((await askOften(access, 'fixed', 1)).counts).toEqual({ granted: 1 });
    shared.mode = 'up';
    for (const ms of [0, 250, 500]) {
      access.tick(NOW_MS + round * 1000 + ms);
      await quiet();
    }
    expect(access.sharedStore).toBe('up');
  }
  expect(log).toHaveLength(1);
  access.tick(NOW_MS + 5000);
  expect(log.at(-1)).toBe('info: The shared quota store is back');
  await access.stop();
});

test('what fails late on a connection that was given up says nothing of the next one', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const { access } = control(folder.path, { shared, keys });
  await access.start();
  const late = Promise.withResolvers<void>();
  shared.gate = late.promise;
  const early = outcome(access, { 'X-API-Key': 'fixed' });
  shared.gate = undefined;
  shared.mode = 'down';
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('granted');
  expect(access.sharedStore).toBe('away');
  shared.mode = 'up';
  access.tick(NOW_MS);
  await quiet();
  late.reject(new Error('No answer within 30 ms'));
  expect(await early).toBe('granted');
  expect(access.sharedStore).toBe('up');
  await access.stop();
});

test('set to close, a server refuses while the store is away, after the credentials', async () => {
  using folder = temporaryFolder();
  const shared = new FakeStore();
  shared.mode = 'down';
  const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
  const { access } = control(folder.path, { shared, failMode: 'closed', keys });
  await access.start();
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('UPSTREAM_FAILURE');
  expect(await outcome(access, { 'X-API-Key': 'stranger' })).toBe('INVALID_AUTH');
  shared.mode = 'up';
  access.tick(NOW_MS);
  await quiet();
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('granted');
  shared.mode = 'down';
  expect(await outcome(access, { 'X-API-Key': 'fixed' })).toBe('UPSTREAM_FAILURE');
  await access.stop();
});

const withRedis = test.skipIf(REDIS_PROGRAM === null);

withRedis(
  'Redis killed and restarted under load costs no request, and of the counts at most those in flight (wants redis-server)',
  async () => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    const keys = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
    const { access, log } = control(folder.path, { shared: new RedisStore(server.url, 40), keys });
    await access.start();
    const IN_FLIGHT = 16;
    let granted = 0;
    let refused = 0;
    let isOver = false;
    const load = Array.from({ length: IN_FLIGHT }, async () => {
      while (!isOver) {
        const { refusal } = await access.authorise(new Headers({ 'X-API-Key': 'fixed' }), NOW_MS);
        if (refusal) refused += 1;
        else granted += 1;
        await new Promise(setImmediate);
      }
    });
    /** Until so many more requests are through, ticking. */
    const more = async (requests: number) => {
      for (const goal = granted + requests; granted < goal; ) {
        access.tick(Date.now());
        await new Promise(resolve => setTimeout(resolve, 2));
      }
    };
    const until = async (state: string) => {
      while (access.sharedStore !== state) await more(1);
    };
    const rounds = 2;
    for (let round = 0; round < rounds; round++) {
      await more(500);
      await server.kill();
      await until('away');
      await more(500);
      await server.start();
      await until('up');
      // Only one that has answered for a second is called back.
      while (access.problem('shared') !== undefined) await more(1);
    }
    await more(500);
    isOver = true;
    await Promise.all(load);
    await access.stop();
    expect(refused).toBe(0);
    expect(log.map(line => line.split(' ')[0])).toEqual(Array(rounds).fill(['error:', 'info:']).flat());
    const probe = new Bun.RedisClient(server.url);
    const [usageKey] = await probe.send('KEYS', ['meridian:usage:*']);
    const counted = Number(
      Object.values((await probe.send('HGETALL', [usageKey])) as Record<string, string>)[0],
    );
    // On a machine that stalls, more than one batch can get its answer too late and be counted twice.
    expect(Math.abs(counted - granted)).toBeLessThanOrEqual(4 * rounds * IN_FLIGHT);
    probe.close();
  },
);
