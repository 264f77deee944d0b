import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_KEYS } from '../../../src/access/administration/key_administration.ts';
import { type MigrationStore, type MovedKey, migrate } from '../../../src/access/administration/migration.ts';
import { MigrationFile } from '../../../src/access/administration/migration_file.ts';
import { PlanFile } from '../../../src/access/plan_file.ts';
import { RedisMigrationStore } from '../../../src/access/redis/redis_migration_store.ts';
import { RedisStore } from '../../../src/access/redis/redis_store.ts';
import { RedisTokenStore } from '../../../src/access/redis/redis_token_store.ts';
import type { UsageBatch } from '../../../src/access/usage.ts';
import { outputOf } from '../../support/printing.ts';
import { temporaryFolder } from '../../support/process.ts';
import { REDIS_PROGRAM, RedisServer, runningRedis } from '../../support/redis.ts';
import { addKey, NOW_MS, openStore } from '../control.ts';

const MONTH = 12 * 2026 + 10;

/** A state directory with keys in every state, usage over 25 months and plans; returns the number of requests. */
function fill(folder: string, keys = 4, months = 25): number {
  const store = openStore(folder);
  const made = Array.from({ length: keys }, (_, i) => addKey(store, i + 1, i % 2 === 0 ? 'pro' : 'default'));
  store.change(made[0]!.id, { suspendedMs: NOW_MS, role: 'operator' });
  store.rotate(made[1]!.id, Buffer.alloc(32, 99), NOW_MS + 5);
  store.change(made[2]!.id, { expiresMs: NOW_MS + 9 });
  store.remove(made.at(-1)!.id, NOW_MS);
  let requests = 0;
  for (const [i, { id }] of made.entries()) {
    for (let month = 0; month < months; month++) {
      const count = 1000 * (i + 1) + month;
      store.record([{ id, month: MONTH - month, count, lastUsedMs: NOW_MS + i }]);
      requests += count;
    }
  }
  store.close();
  writeFileSync(join(folder, 'plans.toml'), '[plans.pro]\nrequests_per_second = 5\n\n[plans.free]\n');
  return requests;
}

/** All keys, plans and usage in the stores of a state directory and of Redis. */
async function contentsOf(folder: string, redis: string) {
  const at = ['--state-dir', folder, '--redis', redis];
  const json = async (...args: string[]) => JSON.parse((await outputOf([...args, ...at])).lines.join('\n'));
  const plans: { name: string }[] = await json(
    'plans',
    'list',
    '--json',
    '--plans',
    join(folder, 'plans.toml'),
  );
  return {
    keys: await json('tokens', 'list', '--json', '--month', '2026-11'),
    usage: await json('tokens', 'usage', '--json'),
    plans: plans.map(plan => ({ ...plan, from: '' })),
  };
}

function open(folder: string, redis: RedisStore) {
  const plans = new PlanFile(join(folder, 'plans.toml'));
  return {
    file: new MigrationFile(join(folder, 'access.sqlite'), 1000, plans),
    redis: new RedisMigrationStore(redis),
  };
}

/** A store that fails at the nth method call, before or after its effect. */
function failing(store: MigrationStore, calls: { left: number }, after: boolean): MigrationStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const isFailing = calls.left-- === 0;
        if (isFailing && !after) throw new Error('interrupted');
        const result: unknown = value.apply(target, args);
        if (!isFailing) return result;
        if (name === 'takeUsage' || name === 'unsettledUsage')
          return failingAfterFirst(result as AsyncIterable<UsageBatch>);
        return Promise.resolve(result).then(() => {
          throw new Error('interrupted');
        });
      };
    },
  });
}

/** A source whose keys change after they are copied to the target and before they are removed. */
function changing(source: MigrationStore, change: (id: string) => Promise<void>): MigrationStore {
  return new Proxy(source, {
    get(store, name) {
      if (name === 'dropKey')
        return async (key: MovedKey) => {
          await change(key.id);
          return await store.dropKey(key);
        };
      const value: unknown = Reflect.get(store, name, store);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}

async function* failingAfterFirst(batches: AsyncIterable<UsageBatch>): AsyncGenerator<UsageBatch> {
  for await (const batch of batches) {
    yield batch;
    break;
  }
  throw new Error('interrupted');
}

describe.skipIf(REDIS_PROGRAM === null)('a migration (requires redis-server)', () => {
  test('moves keys in every state, plans and the usage of all months to Redis and back', async () => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    const requests = fill(folder.path);
    const before = await contentsOf(folder.path, server.url);
    const plansFile = join(folder.path, 'plans.toml');
    const flags = ['--redis', server.url, '--state-dir', folder.path, '--plans', plansFile];
    const moved = (to: string) => [
      `moved to ${to}: 3 API keys and 1 removed one, 2 plans, ${requests} requests in 25 months`,
    ];
    expect(await outputOf(['migrate', 'to-redis', ...flags])).toEqual({ exitCode: 0, lines: moved('Redis') });
    expect(await contentsOf(folder.path, server.url)).toEqual(before);
    // Nothing is left in the file: only Redis has everything, and another machine sees the same.
    using other = temporaryFolder();
    writeFileSync(join(other.path, 'plans.toml'), '');
    const elsewhere = await contentsOf(other.path, server.url);
    expect({ ...elsewhere, plans: [] }).toEqual({ ...before, plans: [] });
    writeFileSync(plansFile, '');
    const path = join(folder.path, 'access.sqlite');
    expect(await outputOf(['migrate', 'to-file', ...flags])).toEqual({ exitCode: 0, lines: moved(path) });
    expect(await contentsOf(folder.path, server.url)).toEqual(before);
    expect(await contentsOf(other.path, server.url)).toMatchObject({ keys: [], usage: [] });
    // And to Redis again, where the keys were before.
    expect((await outputOf(['migrate', 'to-redis', ...flags])).lines).toEqual(moved('Redis'));
    expect(await contentsOf(folder.path, server.url)).toEqual(before);
  });

  test("rejects a target that is not empty; with --merge it adds, without changing the target's data", async () => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    using other = temporaryFolder();
    fill(folder.path);
    fill(other.path);
    const flags = (state: string) => [
      '--redis',
      server.url,
      '--state-dir',
      state,
      '--plans',
      join(state, 'plans.toml'),
    ];
    writeFileSync(join(other.path, 'plans.toml'), '[plans.pro]\nrequests_per_second = 6\n\n[plans.free]\n');
    const own = openStore(other.path);
    const { id } = addKey(own, 50, 'pro');
    own.rotate(own.tokens()[0]!.id, Buffer.alloc(32, 7), 0);
    own.rotate(own.tokens()[0]!.id, Buffer.alloc(32, 8), 0);
    const [clashing] = own.tokens();
    own.close();
    await outputOf(['migrate', 'to-redis', ...flags(folder.path)]);
    const before = await contentsOf(folder.path, server.url);
    expect(await outputOf(['migrate', 'to-redis', ...flags(other.path)])).toEqual({
      exitCode: 1,
      lines: ['meridian: Redis already has API keys and plans and usage; --merge adds to them'],
    });
    expect(await contentsOf(folder.path, server.url)).toEqual(before);
    const merged = await outputOf(['migrate', 'to-redis', '--merge', ...flags(other.path)]);
    expect(merged.exitCode).toBe(1);
    expect(merged.lines.slice(1)).toEqual([
      "left in both: plan 'pro'",
      `left in both: API key ${clashing!.id}`,
      'meridian: 1 API key not moved: make them equal in both places, or remove one, and run it again with --merge',
    ]);
    const after = await contentsOf(folder.path, server.url);
    const ids = (rows: { id: string }[]) => rows.map(row => row.id);
    expect(ids(after.keys).sort()).toEqual([...ids(before.keys), id].sort());
    for (const row of before.usage) {
      const sum = after.usage.find((found: typeof row) => found.id === row.id && found.month === row.month);
      expect(sum.requests).toBe(2 * row.requests);
    }
  });

  test.each([false, true])(
    'that is interrupted at any step loses and duplicates nothing when run again (after the step: %p)',
    async after => {
      await using running = await runningRedis();
      const { server, store: redis, client: probe } = running;
      let interrupted = 0;
      for (let step = 0; ; step++) {
        using state = temporaryFolder();
        await probe.send('FLUSHALL', []);
        fill(state.path, 3, 3);
        const before = await contentsOf(state.path, server.url);
        const isDone = { value: true };
        for (const toRedis of [true, false]) {
          const ends = open(state.path, redis);
          const calls = { left: step };
          const [source, target] = toRedis ? [ends.file, ends.redis] : [ends.redis, ends.file];
          const wrap = (store: MigrationStore) => failing(store, calls, after);
          await migrate(wrap(source), wrap(target), 'one', true).catch(error => {
            expect(error.message).toBe('interrupted');
            isDone.value = false;
            interrupted += 1;
          });
          await migrate(source, target, 'two', true);
          ends.file.close();
          expect({ step, toRedis, ...(await contentsOf(state.path, server.url)) }).toEqual({
            step,
            toRedis,
            ...before,
          });
        }
        if (isDone.value) break;
      }
      expect(interrupted).toBeGreaterThan(40);
    },
  );

  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])(
    'that is interrupted at any step loses and duplicates nothing when the opposite one follows (first to Redis: %p, after the step: %p)',
    async (toRedis, after) => {
      await using running = await runningRedis();
      const { server, store: redis, client: probe } = running;
      for (let step = 0, isDone = false; !isDone; step++) {
        using state = temporaryFolder();
        await probe.send('FLUSHALL', []);
        fill(state.path, 3, 1);
        const before = await contentsOf(state.path, server.url);
        const ends = open(state.path, redis);
        if (!toRedis) await migrate(ends.file, ends.redis, 'before', true);
        const [source, target] = toRedis ? [ends.file, ends.redis] : [ends.redis, ends.file];
        const calls = { left: step };
        const wrap = (store: MigrationStore) => failing(store, calls, after);
        isDone = await migrate(wrap(source), wrap(target), 'one', true).then(
          () => true,
          () => false,
        );
        await migrate(target, source, 'two', true);
        ends.file.close();
        expect({ step, ...(await contentsOf(state.path, server.url)) }).toEqual({ step, ...before });
      }
    },
  );

  test.each([true, false])('includes changes made to keys in the meantime (to Redis: %p)', async toRedis => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    fill(folder.path, 5, 1);
    const redis = new RedisStore(server.url, 1000);
    await redis.connect();
    const ends = open(folder.path, redis);
    const store = openStore(folder.path);
    const shared = () => new RedisTokenStore(redis, NO_KEYS);
    if (!toRedis) await migrate(ends.file, ends.redis, 'before', false);
    const [source, target] = toRedis ? [ends.file, ends.redis] : [ends.redis, ends.file];
    const [from, to] = toRedis ? [() => store, shared] : [shared, () => store];
    const [edited, rotated, removed, never] = (await from().tokens()).map(({ id }) => id);
    const digest = new Uint8Array(32).fill(88);
    const changes = new Map<string, () => unknown>([
      [edited!, () => from().change(edited!, { plan: 'free', suspendedMs: NOW_MS })],
      [rotated!, () => from().rotate(rotated!, digest, NOW_MS)],
      [removed!, () => from().remove(removed!, NOW_MS)],
    ]);
    let names = 0;
    const migrated = await migrate(
      changing(source, async id => {
        if (id === never) await from().change(id, { name: `name ${names++}` });
        else await changes.get(id)?.();
        changes.delete(id);
      }),
      target,
      'one',
      true,
    );
    expect(changes.size).toBe(0);
    expect(migrated.leftKeys).toEqual([never!]);
    const found = await to().find([edited!, rotated!, removed!]);
    expect(found.get(edited!)).toMatchObject({ plan: 'free', suspendedMs: NOW_MS });
    expect(found.get(rotated!)).toMatchObject({ digest, former: { expiresMs: NOW_MS } });
    expect(found.get(removed!)).toMatchObject({ removedMs: NOW_MS });
    const name = `name ${names - 1}`;
    expect((await from().tokens()).map(token => [token.id, token.name])).toEqual([[never!, name]]);
    // The target has an old name, which the next migration does not mistake for the latest.
    expect((await migrate(source, target, 'two', true)).leftKeys).toEqual([never!]);
    await to().change(never!, { name });
    expect(await migrate(source, target, 'three', true)).toMatchObject({ keys: 1, leftKeys: [] });
    expect(await from().tokens()).toEqual([]);
    store.close();
    ends.file.close();
    redis.close();
  });

  test('that was interrupted continues without --merge', async () => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    fill(folder.path);
    const redis = new RedisStore(server.url, 1000);
    await redis.connect();
    const ends = open(folder.path, redis);
    const calls = { left: 12 };
    const started = migrate(failing(ends.file, calls, true), failing(ends.redis, calls, true), 'one', false);
    expect(started).rejects.toThrow('interrupted');
    await started.catch(() => {});
    const migrated = await migrate(ends.file, ends.redis, 'two', false);
    expect(migrated.wasResumed).toBe(true);
    ends.file.close();
    redis.close();
  });

  test('is rejected while a server uses the state directory', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'reload.json'), JSON.stringify({ pid: process.pid }));
    const { exitCode, lines } = await outputOf([
      ...['migrate', 'to-redis', '--redis', 'redis://127.0.0.1:1', '--state-dir', folder.path],
    ]);
    expect([exitCode, lines[0]]).toEqual([
      1,
      expect.stringContaining(`Server ${process.pid} uses this state directory: stop it first`),
    ]);
  });
});
