import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyAdministration } from '../../src/access/administration.ts';
import { keyDigest } from '../../src/access/key_format.ts';
import type {
  KeySource,
  KeyStore,
  LogEntry,
  LogPosition,
  PlanStore,
  StoreContents,
  StoredKey,
} from '../../src/access/key_store.ts';
import { KeyStoreFile } from '../../src/access/key_store_file.ts';
import { layeredKeys, layeredStore } from '../../src/access/layers.ts';
import { PlanFile } from '../../src/access/plan_file.ts';
import { openSharedAccess, RedisKeyStore, redisPlanStore } from '../../src/access/redis/redis_key_store.ts';
import { readTransfer, writeTransfer } from '../../src/access/transfer.ts';
import { type MonthlyCount, monthOf } from '../../src/access/usage.ts';
import { newFolder } from '../support/process.ts';
import { REDIS_PROGRAM, runningRedis } from '../support/redis.ts';
import { NOW_MS, openStore } from './control.ts';
import { MemoryPlans, MemoryStore } from './memory_store.ts';

const MONTH = monthOf(NOW_MS).index;

/** An engine: its store, as for one request, and the changes that a server follows. */
interface Engine extends AsyncDisposable {
  readonly store: () => KeyStore;
  readonly plans: PlanStore;
  /** The source after it has been polled. */
  readonly source: () => Promise<KeySource>;
}

async function sqlite(): Promise<Engine> {
  const folder = newFolder();
  const store = openStore(folder);
  const plans = join(folder, 'plans.toml');
  writeFileSync(plans, '');
  const source = new KeyStoreFile(join(folder, 'access.sqlite'), { index: 0, count: 1 });
  return {
    store: () => store,
    plans: new PlanFile(plans),
    source: async () => source,
    async [Symbol.asyncDispose]() {
      source.close();
      store.close();
    },
  };
}

async function redis(): Promise<Engine> {
  const running = await runningRedis();
  const cached = openSharedAccess(running.server.url, newFolder(), true);
  const source = layeredKeys(cached.keys, new MemoryStore());
  return {
    store: () => new RedisKeyStore(running.store),
    plans: redisPlanStore(running.store),
    async source() {
      await cached.keys.poll(running.store.hash('keys'));
      return source;
    },
    [Symbol.asyncDispose]: running[Symbol.asyncDispose],
  };
}

async function memory(): Promise<Engine> {
  const store = new MemoryStore();
  return {
    store: () => store,
    plans: new MemoryPlans(),
    source: async () => store,
    async [Symbol.asyncDispose]() {},
  };
}

/** A Redis over a file, as on a machine that shares its keys. */
async function layered(): Promise<Engine> {
  const [shared, own] = [await redis(), await sqlite()];
  return {
    ...shared,
    store: () => layeredStore(shared.store(), own.store()),
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]();
      await shared[Symbol.asyncDispose]();
    },
  };
}

function storedKey(id: string, createdMs = NOW_MS): StoredKey {
  const digest = new Uint8Array(keyDigest(id));
  const initial = { lastUsedMs: null, suspendedMs: null, expiresMs: null, former: null };
  return { id, name: `name of ${id}`, role: 'client', plan: 'default', digest, createdMs, ...initial };
}

const authored = { author: { user: 'alice@host', operator: null }, nowMs: NOW_MS };
const NOTHING: StoreContents = { keys: [], removed: [], usage: [] };

const ENGINES = [
  ['a store of keys in SQLite', sqlite, true],
  ['a store of keys in memory', memory, true],
  ['a store of keys in Redis (requires redis-server)', redis, REDIS_PROGRAM !== null],
  ['a store of keys in Redis over SQLite (requires redis-server)', layered, REDIS_PROGRAM !== null],
] as const;

for (const [name, open, isInstalled] of ENGINES)
  describe.skipIf(!isInstalled)(name, () => {
    test('rejects a key whose id another key has', async () => {
      await using engine = await open();
      const store = engine.store();
      await store.add(storedKey('a'));
      const clash = async () => await store.add({ ...storedKey('a'), digest: keyDigest('other') });
      expect(clash()).rejects.toThrow();
      expect((await engine.store().keys()).map(({ digest }) => digest.toHex())).toEqual([
        keyDigest('a').toHex(),
      ]);
    });

    test('adds, changes, rotates and removes keys', async () => {
      await using engine = await open();
      const store = engine.store();
      for (const id of ['a', 'b', 'c']) await store.add(storedKey(id));
      expect(await store.change('b', { suspendedMs: 7, name: 'B', role: 'operator', expiresMs: 9 })).toBe(
        true,
      );
      expect(await store.rotate('c', keyDigest('next'), 8)).toBe(true);
      expect(await store.remove('a', 5)).toBe(true);
      for (const id of ['a', 'none'])
        expect([
          await store.change(id, { name: 'x' }),
          await store.rotate(id, keyDigest('x'), 1),
          await store.remove(id, 1),
        ]).toEqual([false, false, false]);
      const [b, c, ...others] = await engine.store().keys();
      expect(others).toEqual([]);
      expect(b).toEqual({ ...storedKey('b'), suspendedMs: 7, name: 'B', role: 'operator', expiresMs: 9 });
      expect(c!.digest.toHex()).toBe(keyDigest('next').toHex());
      expect(c!.former).toEqual({ digest: storedKey('c').digest, expiresMs: 8 });
      const removed = { id: 'a', name: 'name of a', plan: 'default', removedMs: 5 };
      expect(await engine.store().removed()).toEqual([removed]);
      const found = await engine.store().find(['a', 'b', 'none']);
      expect([...found.keys()].sort()).toEqual(['a', 'b']);
      expect([found.get('a'), found.get('b')]).toEqual([removed, b]);
    });

    test('lists keys and usage by position', async () => {
      await using engine = await open();
      const keys = [storedKey('z', 1), storedKey('b', 2), storedKey('a', 3), storedKey('c', 2)];
      const count = (id: string, month: number, count: number) => ({ id, month, count });
      const usage = [
        count('b', MONTH, 2),
        count('a', MONTH, 1),
        count('listed', MONTH - 1, 4),
        count('a', MONTH + 1, 3),
      ];
      await engine.store().put({ ...NOTHING, keys, usage });
      const store = engine.store();
      const ids = (listed: readonly { id: string }[]) => listed.map(({ id }) => id).join('');
      expect(ids(await store.keys())).toBe('zbca');
      expect(ids(await store.keys({ limit: 2 }))).toBe('zb');
      expect(ids(await store.keys({ limit: 2, after: { createdMs: 2, id: 'b' } }))).toBe('ca');
      expect(ids(await store.keys({ after: { createdMs: 2, id: 'ba' } }))).toBe('ca');
      expect(await store.keys({ after: { createdMs: 3, id: 'a' } })).toEqual([]);
      const [listed, a, b, next] = [usage[2]!, usage[1]!, usage[0]!, usage[3]!];
      expect([...(await store.usage())]).toEqual([listed, a, b, next]);
      expect([...(await store.usage({ limit: 2, after: listed }))]).toEqual([a, b]);
      expect([...(await store.usage({ month: MONTH }))]).toEqual([a, b]);
      expect([...(await store.usage({ month: MONTH, after: a }))]).toEqual([b]);
      expect(new Map(await store.requests(['a', 'none'], MONTH))).toEqual(
        new Map([
          ['a', 1],
          ['none', 0],
        ]),
      );
    });

    test('takes over keys as they are, in place of those with the same ids, and never lowers usage', async () => {
      await using engine = await open();
      const store = engine.store();
      for (const id of ['a', 'b', 'c']) await store.add(storedKey(id));
      await store.remove('c', 1);
      const former = { digest: new Uint8Array(keyDigest('former')), expiresMs: 5 };
      const put = { ...storedKey('a'), name: 'A', lastUsedMs: 3, suspendedMs: 4, expiresMs: 5, former };
      const removed = [{ id: 'b', name: 'B', plan: 'pro', removedMs: 6 }];
      const usage = [{ id: 'a', month: MONTH, count: 9 }];
      await store.put({ keys: [put, storedKey('c')], removed, usage });
      await store.put({ ...NOTHING, usage: [{ id: 'a', month: MONTH, count: 8 }] });
      const after = engine.store();
      expect([...(await after.keys())]).toEqual([put, storedKey('c')]);
      expect([...(await after.removed())]).toEqual(removed);
      expect([...(await after.usage())]).toEqual(usage);
    });

    test('tells a server which keys have changed', async () => {
      await using engine = await open();
      const before = await engine.source();
      const [stamp, { hasEverHeld }] = [before.stamp(), before.read()];
      expect(hasEverHeld).toBe(false);
      const store = engine.store();
      for (const id of ['a', 'b', 'c']) await store.add(storedKey(id));
      const source = await engine.source();
      const filled = source.stamp();
      expect(filled).not.toBe(stamp);
      await store.change('a', { plan: 'pro' });
      await store.remove('b', 1);
      const changed = (await engine.source()).changesSince(filled)!;
      expect(new Map(changed)).toEqual(
        new Map([
          ['a', { ...storedKey('a'), plan: 'pro' }],
          ['b', null],
        ]),
      );
      expect(source.changesSince(source.stamp())?.size).toBe(0);
      for (const id of ['a', 'c']) await store.remove(id, 2);
      expect((await engine.source()).read()).toMatchObject({ keys: [], hasEverHeld: true });
    });

    test('defines and removes plans', async () => {
      await using engine = await open();
      await engine.plans.set('pro', { requests_per_second: 2, burst: 3 });
      await engine.plans.set('small', { requests_per_month: 4 });
      await engine.plans.set('pro', { requests_per_second: 5, burst: 6, bulk: 'each' });
      expect([await engine.plans.remove('small'), await engine.plans.remove('small')]).toEqual([true, false]);
      expect([...(await engine.plans.plans()).values()]).toEqual([
        { name: 'pro', rate: { perSecond: 5, burst: 6 }, monthlyQuota: undefined, countsEntries: true },
      ]);
    });

    test('logs changes with their authors, and no change that it rejects', async () => {
      await using engine = await open();
      const store = engine.store();
      const logged = (serial: string, action: LogEntry['action'], timeMs = NOW_MS) => {
        const values = { plan: 'pro', expires: null };
        return { timeMs, serial, action, id: 'a', ...authored.author, values } satisfies LogEntry;
      };
      const entries = [
        logged('5', 'add', Date.UTC(2026, 9, 31)),
        logged('1', 'edit'),
        logged('2', 'rotate'),
        logged('3', 'remove'),
        logged('4', 'import', NOW_MS + 1),
      ] as const;
      await store.add(storedKey('a'), entries[0]);
      await store.rotate('a', keyDigest('next'), 8, entries[2]);
      await store.change('a', { plan: 'pro' }, entries[1]);
      const clash = async () => await store.add(storedKey('a'), logged('6', 'add'));
      await expect(clash()).rejects.toThrow();
      await store.remove('a', 5, entries[3]);
      await store.remove('a', 6, logged('7', 'remove'));
      await store.change('none', { plan: 'x' }, logged('8', 'edit'));
      await store.rotate('a', keyDigest('other'), 8, logged('9', 'rotate'));
      await store.put({ ...NOTHING, keys: [storedKey('b')] }, [entries[4]]);
      const after = { timeMs: Date.UTC(2025, 5), serial: '' };
      const listed = async (after: LogPosition, limit = 9, lastMonth = MONTH) => [
        ...(await engine.store().log({ after, limit, lastMonth })),
      ];
      expect(await listed(after)).toEqual([...entries]);
      expect(await listed(after, 9, MONTH - 1)).toEqual([entries[0]]);
      expect(await listed(after, 2)).toEqual(entries.slice(0, 2));
      expect(await listed(entries[1], 2)).toEqual(entries.slice(2, 4));
      expect(await listed(entries[4])).toEqual([]);
    });

    test('shows its log for 25 months, and until when the predecessor of a rotated key is valid', async () => {
      await using engine = await open();
      const administration = new KeyAdministration(engine.store);
      const terms = { name: 'new', role: 'client' as const, plan: 'default', expiresMs: NOW_MS + 9000 };
      const { report } = await administration.add(terms, authored);
      const formerAfter = async (overlapMs: number, nowMs = NOW_MS) => {
        const rotated = await administration.rotate(report.id, NOW_MS + overlapMs, authored);
        if (nowMs === NOW_MS) expect(await administration.get(report.id, nowMs)).toEqual(rotated!.report);
        return (await administration.get(report.id, nowMs))!.former_expires;
      };
      expect(report.former_expires).toBeNull();
      expect(await formerAfter(5000)).toBe('2026-11-21T02:00:05Z');
      expect(await formerAfter(5000, NOW_MS + 5000)).toBeNull();
      expect(await formerAfter(0)).toBeNull();
      expect(await formerAfter(60_000)).toBe('2026-11-21T02:00:09Z'); // when the key itself expires
      const logAt = async (nowMs: number) =>
        (await Array.fromAsync(administration.log(nowMs))).flat().map(row => row.report);
      const common = { time: '2026-11-21T02:00:00Z', id: report.id, user: 'alice@host', operator: null };
      const added = { name: 'new', role: 'client', plan: 'default', expires: '2026-11-21T02:00:09Z' };
      expect((await logAt(NOW_MS)).slice(0, 2)).toEqual([
        { ...common, action: 'add', values: added },
        { ...common, action: 'rotate', values: { former_expires: '2026-11-21T02:00:05Z' } },
      ]);
      expect(await logAt(Date.UTC(2028, 11, 31))).toHaveLength(5);
      expect(await logAt(Date.UTC(2029, 0, 1))).toEqual([]);
    });

    test('is administered in batches', async () => {
      await using engine = await open();
      const keys = Array.from({ length: 230 }, (_, i) => storedKey(`key${i}`, i));
      await engine.store().put({ ...NOTHING, keys, usage: [{ id: 'key7', month: MONTH, count: 3 }] });
      const administration = new KeyAdministration(engine.store);
      const rows = (await Array.fromAsync(administration.list(MONTH, NOW_MS)))
        .flat()
        .map(({ report }) => report);
      expect(rows.map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
      expect(rows[7]).toMatchObject({ id: 'key7', requests: 3, state: 'active' });
      const { report } = await administration.add(
        { name: 'new', role: 'client', plan: 'default', expiresMs: null },
        authored,
      );
      expect(await administration.get(report.id, NOW_MS)).toEqual(report);
      expect((await administration.rotate(report.id, NOW_MS, authored))!.key).toStartWith(
        `mrd_${report.id}_`,
      );
      await administration.remove(report.id, authored);
      expect([
        await administration.get(report.id, NOW_MS),
        await administration.rotate(report.id, NOW_MS, authored),
      ]).toEqual([null, null]);
    });

    test('is exported and imported without loss', async () => {
      await using engine = await open();
      const former = { digest: new Uint8Array(keyDigest('former')), expiresMs: 5 };
      const contents: StoreContents = {
        keys: [{ ...storedKey('a'), lastUsedMs: 3, suspendedMs: 4, expiresMs: 5, former }, storedKey('b')],
        removed: [{ id: 'c', name: 'C', plan: 'pro', removedMs: 6 }],
        usage: [{ id: 'a', month: MONTH, count: 9 }],
      };
      const lines = [
        ...writeTransfer({ plans: new Map([['pro', { burst: 2, requests_per_second: 1 }]]), ...contents }),
      ];
      const { plans, ...read } = readTransfer(lines.join('\n'));
      await engine.store().put(read);
      const store = engine.store();
      expect({
        keys: [...(await store.keys())],
        removed: [...(await store.removed())],
        usage: [...(await store.usage())],
      }).toEqual(contents as never);
      expect([...plans]).toEqual([['pro', { requests_per_second: 1, burst: 2 }]]);
    });
  });

describe('a store over another', () => {
  /** A store that has some of the keys a, b, c …, the oldest first, and had others, all of the same name. */
  function storeOf(name: string, present: string, past = ''): MemoryStore {
    const store = new MemoryStore();
    const keys = [...present].map(id => ({ ...storedKey(id, id.charCodeAt(0)), name }));
    const removed = [...past].map(id => ({ id, name, plan: 'default', removedMs: 1 }));
    store.put({ keys, removed, usage: [] });
    return store;
  }

  /** The pages of a list up to an empty one, joined. */
  async function paged<Item>(limit: number, read: (after: Item | null) => Promise<readonly Item[]>) {
    const items: Item[] = [];
    for (;;) {
      const page = await read(items.at(-1) ?? null);
      expect(page.length).toBeLessThanOrEqual(limit);
      if (page.length === 0) return items;
      items.push(...page);
    }
  }

  const named = (keys: Iterable<Partial<StoredKey>>) => [...keys].map(({ id, name }) => `${id} ${name}`);

  test('lists the keys of both, but not those that the upper one has or had from the lower one', async () => {
    const store = layeredStore(storeOf('upper', 'egik', 'abcf'), storeOf('lower', 'abcdefhj'));
    const expected = ['d lower', 'e upper', 'g upper', 'h lower', 'i upper', 'j lower', 'k upper'];
    for (let limit = 1; limit <= 9; limit++) {
      const listed = await paged<StoredKey>(limit, async after => store.keys({ after, limit }));
      expect(named(listed), `in pages of ${limit}`).toEqual(expected);
    }
  });

  test('adds up the usage of both', async () => {
    const counts = (count: number, month: number, ids: string) => [...ids].map(id => ({ id, month, count }));
    const [upper, lower] = [new MemoryStore(), new MemoryStore()];
    upper.put({ ...NOTHING, usage: [...counts(3, 1, 'bc'), ...counts(3, 2, 'abc')] });
    lower.put({ ...NOTHING, usage: [...counts(4, 1, 'ac'), ...counts(4, 2, 'acd')] });
    const store = layeredStore(upper, lower);
    for (let limit = 1; limit <= 8; limit++) {
      const listed = await paged<MonthlyCount>(limit, async after => store.usage({ after, limit }));
      const rows = listed.map(({ month, id, count }) => `${month}${id}: ${count}`);
      expect(rows).toEqual(['1a: 4', '1b: 3', '1c: 7', '2a: 7', '2b: 3', '2c: 7', '2d: 4']);
    }
  });

  test('changes a key in the lower one if the upper one never had it', async () => {
    const lower = storeOf('lower', 'abc');
    const store = layeredStore(storeOf('upper', 'b', 'c'), lower);
    const changes = [...'abc'].map(id => store.change(id, { name: 'changed' }));
    expect(await Promise.all(changes)).toEqual([true, true, false]);
    expect(named(lower.keys())).toEqual(['a changed', 'b lower', 'c lower']);
    expect(named((await store.find([...'abc'])).values())).toEqual(['a changed', 'b changed', 'c upper']);
  });
});
