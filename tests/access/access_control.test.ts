import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessLists } from '../../src/access/access_files.ts';
import { KeyStoreFile } from '../../src/access/key_store_file.ts';
import { UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { StoreError } from '../../src/access/sqlite_file.ts';
import { temporaryFolder } from '../support/process.ts';
import { addKey, authoriseOften, control, NOW_MS, openStore, outcome, quiet } from './control.ts';

const MONTH = 2026 * 12 + 10;
const MARKETPLACE = { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: 'time.example' };
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

test('every credential has its outcome: none, unknown, mistyped, suspended, without a plan, valid', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const [right, suspended, planless] = [addKey(store, 1), addKey(store, 2), addKey(store, 3, 'gone')];
  store.change(suspended.id, { suspendedMs: NOW_MS });
  const { access, log } = control(folder.path, { keys: [{ key: 'fixed', plan: 'default', name: 'fixed' }] });
  const refusal = async (headers: Record<string, string>) =>
    (await access.authorise(new Headers(headers), NOW_MS)).error;
  expect(await refusal({})).toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await refusal(bearer('unknown'))).toMatchObject({
    code: 'INVALID_AUTH',
    message: 'The API key is unknown',
  });
  const mistyped = right.key.replace(/.$/, last => (last === 'a' ? 'b' : 'a'));
  expect((await refusal(bearer(mistyped)))?.message).toContain('mistyped');
  expect(await refusal(bearer(suspended.key))).toMatchObject({ code: 'SUBSCRIPTION_INACTIVE' });
  expect((await refusal(bearer(planless.key)))?.message).toBe(
    "The plan 'gone' of this API key is not defined",
  );
  expect(await outcome(access, bearer(right.key))).toBe('granted');
  expect(await outcome(access, { 'X-API-Key': right.key })).toBe('granted');
  expect(await outcome(access, bearer('fixed'))).toBe('granted');
  expect(access.counts.granted).toBe(3);
  expect(Object.fromEntries(access.counts.rejected)).toEqual({
    UNAUTHORIZED: 1,
    INVALID_AUTH: 2,
    SUBSCRIPTION_INACTIVE: 2,
  });
  expect(log).toEqual([`error: API key ${planless.id} is rejected: its plan 'gone' is not defined`]);
  await access.stop();
  store.close();
});

test('a marketplace key with an undefined plan is reported', () => {
  using folder = temporaryFolder();
  const { log } = control(folder.path, {
    marketplace: { keyHeader: 'X-Key', hostHeader: 'X-Host', host: 'time.example' },
    marketplaceKeys: [{ key: 'a subscription key', plan: 'gone', name: 'line 1' }],
  });
  expect(log).toEqual([
    expect.stringMatching(/^error: API key marketplace-\w+ is rejected: its plan 'gone' is not defined$/),
  ]);
});

test('marketplace keys are valid in the marketplace headers only, other keys everywhere else', async () => {
  using folder = temporaryFolder();
  const { access } = control(folder.path, {
    marketplace: MARKETPLACE,
    marketplaceKeys: [{ key: 'subscriber', plan: 'default', name: 'market' }],
    keys: [{ key: 'direct', plan: 'default', name: 'direct' }],
  });
  const pair = (key: string) => ({ 'X-RapidAPI-Key': key, 'X-RapidAPI-Host': 'time.example' });
  expect(await outcome(access, pair('subscriber'))).toBe('granted');
  expect(await outcome(access, pair('direct'))).toBe('INVALID_AUTH');
  expect(await outcome(access, bearer('subscriber'))).toBe('INVALID_AUTH');
  expect(await outcome(access, bearer('direct'))).toBe('granted');
  await access.stop();
});

test('a server without keys is open until the first one is added, and removing the last one does not open it', async () => {
  using folder = temporaryFolder();
  const { access } = control(folder.path);
  expect(access.isOpen).toBe(true);
  const store = openStore(folder.path);
  const { id, key } = addKey(store);
  access.tick(NOW_MS);
  expect(access.isOpen).toBe(false);
  expect(await outcome(access, bearer(key))).toBe('granted');
  store.remove(id, NOW_MS);
  access.tick(NOW_MS);
  expect(access.isOpen).toBe(false);
  expect(await outcome(access, bearer(key))).toBe('INVALID_AUTH');
  await access.stop();
  store.close();
});

test('a server configured as open stays open, whatever keys exist', async () => {
  using folder = temporaryFolder();
  const { access } = control(folder.path, { open: true, keys: [{ key: 'a', plan: 'default', name: 'a' }] });
  expect(access.isOpen).toBe(true);
  await access.stop();
});

test('a suspended key stops working at the next tick, and works again when resumed, with its bucket and usage unchanged', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store, 1, 'small');
  const plan = { name: 'small', rate: { perSecond: 1, burst: 5 }, monthlyQuota: 100 };
  const { access } = control(folder.path, { plans: [plan] });
  expect((await authoriseOften(access, key, 3)).counts).toEqual({ granted: 3 });
  store.change(id, { suspendedMs: NOW_MS });
  access.tick(NOW_MS);
  expect(await outcome(access, bearer(key))).toBe('SUBSCRIPTION_INACTIVE');
  store.change(id, { suspendedMs: null });
  access.tick(NOW_MS);
  const { counts, decisions } = await authoriseOften(access, key, 3);
  expect(counts).toEqual({ granted: 2, RATE_LIMITED: 1 });
  expect(decisions[1]?.status?.used).toBe(5);
  await access.stop();
  store.close();
});

test('usage is written every second and on shutdown, and a new server continues from it', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store, 1, 'small');
  const plans = [{ name: 'small', rate: undefined, monthlyQuota: 10 }];
  const first = control(folder.path, { plans });
  first.access.tick(NOW_MS);
  await authoriseOften(first.access, key, 4);
  first.access.tick(NOW_MS + 999);
  await quiet();
  expect(store.used(id, MONTH)).toBe(0);
  first.access.tick(NOW_MS + 1000);
  await quiet();
  expect(store.used(id, MONTH)).toBe(4);
  const { decisions } = await authoriseOften(first.access, key, 3);
  first.access.refund(decisions[0]!);
  await first.access.stop();
  expect(store.used(id, MONTH)).toBe(6);
  expect(store.keys()[0]?.lastUsedMs).toBe(NOW_MS);
  const second = control(folder.path, { plans });
  expect((await authoriseOften(second.access, key, 6)).counts).toEqual({ granted: 4, QUOTA_EXCEEDED: 2 });
  await second.access.stop();
  expect(store.used(id, MONTH)).toBe(10);
  store.close();
});

test('a rejected request is not refunded', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store, 1, 'one');
  const { access } = control(folder.path, { plans: [{ name: 'one', rate: undefined, monthlyQuota: 1 }] });
  const { decisions } = await authoriseOften(access, key, 2);
  access.refund(decisions[1]!);
  await access.stop();
  expect(store.used(id, MONTH)).toBe(1);
  store.close();
});

test('files that can no longer be read are reported once, and what was read stays in force', async () => {
  using folder = temporaryFolder();
  let fault: string | undefined;
  let stamp = 0;
  const { access, log } = control(folder.path, {
    edges: {
      lists: {
        stamp: () => String(stamp),
        read: () => {
          if (fault !== undefined) throw new Error(fault);
          const keys = [{ key: `key of ${stamp}`, plan: 'default', name: 'a' }];
          return {
            plans: new Map([['default', { name: 'default', rate: undefined, monthlyQuota: undefined }]]),
            keys,
            marketplaceKeys: [],
          };
        },
      },
    },
  });
  expect(await outcome(access, bearer('key of 0'))).toBe('granted');
  fault = "Cannot read plans in plans.toml: 'plans.x.burst': 0 is wrong";
  for (stamp = 1; stamp < 4; stamp++) access.tick(NOW_MS);
  expect(() => access.reload()).toThrow('plans.x.burst');
  expect(await outcome(access, bearer('key of 0'))).toBe('granted');
  expect(log).toEqual([`error: ${fault}; the previous keys and plans stay in force`]);
  expect(access.problem('files')).toContain('plans.x.burst');
  fault = undefined;
  expect(access.reload()).toBe('API keys: 1, plans: 1');
  expect(await outcome(access, bearer('key of 0'))).toBe('INVALID_AUTH');
  expect(await outcome(access, bearer('key of 4'))).toBe('granted');
  expect(log.at(-1)).toBe('info: Key and plan files can be read again');
  await access.stop();
});

test('a token store damaged or removed under a running server loses no keys and no counts', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  const store = openStore(folder.path);
  const { id, key } = addKey(store);
  store.close();
  copyFileSync(path, `${path}.copy`);
  writeFileSync(`${path}.damaged`, 'no database '.repeat(1000));
  const { access, log } = control(folder.path);
  let nowMs = NOW_MS;
  const second = async () => {
    nowMs += 1000;
    access.tick(nowMs);
    await quiet();
  };
  const spoil = {
    damaged: () => renameSync(`${path}.damaged`, path),
    gone: () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    },
  };
  for (const [fault, doIt] of Object.entries(spoil)) {
    doIt();
    await second();
    expect((await authoriseOften(access, key, 5)).counts).toEqual({ granted: 5 });
    await second();
    expect(access.problem('tokens')).toContain(fault);
    expect(access.problem('usage')).toContain(fault === 'gone' ? 'gone' : 'kept in memory');
    copyFileSync(`${path}.copy`, `${path}.new`);
    renameSync(`${path}.new`, path);
    await second();
    expect([access.problem('tokens'), access.problem('usage')]).toEqual([undefined, undefined]);
    const again = openStore(folder.path);
    expect([again.used(id, MONTH), again.keys().length]).toEqual([5, 1]);
    again.close();
  }
  await access.stop();
  expect(log.map(line => line.split(':')[0])).toEqual([
    ...['error', 'error', 'info', 'info', 'error', 'error', 'info', 'info'],
  ]);
});

test('a file locked by another process is reported if it stays locked', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { key } = addKey(store);
  const stored = new KeyStoreFile(join(folder.path, 'access.sqlite'), { index: 0, count: 1 });
  stored.record = () => {
    throw new StoreError('another process has it', true);
  };
  const { access, log } = control(folder.path, { edges: { stored } });
  const problems: boolean[] = [];
  for (let second = 1; second <= 5; second++) {
    await authoriseOften(access, key, 1);
    access.tick(NOW_MS + second * 1000);
    await quiet();
    problems.push(access.problem('usage') !== undefined);
  }
  expect(problems).toEqual([false, false, false, false, true]);
  expect(log).toHaveLength(1);
  store.close();
});

test('writing usage to a locked file on shutdown is retried a few times', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store);
  for (const { locked, tries, used } of [
    { locked: 3, tries: 4, used: 2 },
    { locked: 100, tries: 5, used: 2 },
  ]) {
    const stored = new KeyStoreFile(join(folder.path, 'access.sqlite'), { index: 0, count: 1 });
    const record = stored.record.bind(stored);
    let tried = 0;
    stored.record = entries => {
      tried += 1;
      if (tried <= locked) throw new StoreError('another process has it', true);
      return record(entries);
    };
    const { access, log } = control(folder.path, { edges: { stored } });
    await authoriseOften(access, key, 2);
    await access.stop();
    expect([tried, store.used(id, MONTH)]).toEqual([tries, used]);
    expect(log.at(-1)).toBe(locked < tries ? undefined : 'error: Usage that could not be written is lost');
  }
  store.close();
});

test('a server that cannot read its keys does not start', () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'access.sqlite'), 'no database '.repeat(1000));
  expect(() => control(folder.path)).toThrow('the file is damaged');
});

test('listed keys work if their usage cannot be stored; it is then counted in memory', async () => {
  const { access, log } = control('/proc/none', {
    keys: [{ key: 'fixed', plan: 'two', name: 'fixed' }],
    plans: [{ name: 'two', rate: undefined, monthlyQuota: 2 }],
  });
  expect((await authoriseOften(access, 'fixed', 3)).counts).toEqual({ granted: 2, QUOTA_EXCEEDED: 1 });
  access.tick(NOW_MS);
  await quiet();
  expect((await authoriseOften(access, 'fixed', 1)).counts).toEqual({ QUOTA_EXCEEDED: 1 });
  expect(log).toHaveLength(1);
  expect(log[0]).toContain('Usage is counted in memory only');
  await access.stop();
});

/** A server on a state directory whose key file gets its first key after the start. */
function withLateKey(state: string) {
  let keys: AccessLists['keys'] = [];
  const plans = new Map([['default', UNLIMITED_PLAN]]);
  const edges = {
    lists: { stamp: () => String(keys.length), read: () => ({ plans, keys, marketplaceKeys: [] }) },
  };
  const server = control(state, { edges });
  keys = [{ key: 'late', plan: 'default', name: 'late' }];
  return server;
}

test('the usage of a first key added after the start is written', async () => {
  using folder = temporaryFolder();
  for (const takeOver of ['tick', 'reload'] as const) {
    const state = join(folder.path, takeOver);
    const { access, log } = withLateKey(state);
    access[takeOver](NOW_MS);
    expect((await authoriseOften(access, 'late', 3)).counts).toEqual({ granted: 3 });
    await access.stop();
    using database = new Database(join(state, 'access.sqlite'), { readonly: true });
    expect(database.query('SELECT used FROM usage').all()).toEqual([{ used: 3 }]);
    expect(log).toEqual([]);
  }
});

test('a first key added after the start whose usage cannot be stored is reported', async () => {
  const { access, log } = withLateKey('/proc/none');
  for (const second of [0, 1, 2]) access.tick(NOW_MS + second * 1000);
  expect((await authoriseOften(access, 'late', 1)).counts).toEqual({ granted: 1 });
  expect(log).toEqual([expect.stringContaining('Usage is counted in memory only')]);
  await access.stop();
});

test('four workers on one store grant exactly the monthly quota', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store, 1, 'small');
  const plans = [{ name: 'small', rate: { perSecond: 40, burst: 40 }, monthlyQuota: 5000 }];
  const workers = Array.from(
    { length: 4 },
    (_, index) => control(folder.path, { plans, worker: { index, count: 4 } }).access,
  );
  const turnMs = Date.UTC(2026, 11);
  const granted = { before: 0, after: 0 };
  for (let nowMs = turnMs - 180_000; nowMs < turnMs + 180_000; nowMs += 250) {
    for (const [i, access] of workers.entries()) {
      if ((nowMs / 250) % (i + 1) > 0) continue;
      const { counts } = await authoriseOften(access, key, 5, nowMs);
      granted[nowMs < turnMs ? 'before' : 'after'] += counts['granted'] ?? 0;
    }
    for (const access of workers) access.tick(nowMs);
    await quiet();
  }
  await Promise.all(workers.map(access => access.stop()));
  expect(granted).toEqual({ before: 5000, after: 5000 });
  expect([store.used(id, MONTH), store.used(id, MONTH + 1)]).toEqual([5000, 5000]);
  store.close();
});

test('a replaced file is reread, even with the same number of changes', () => {
  using folder = temporaryFolder();
  using aside = temporaryFolder();
  const [first, second] = [openStore(folder.path), openStore(aside.path)];
  addKey(first, 1);
  const { id } = addKey(second, 2);
  const stored = new KeyStoreFile(join(folder.path, 'access.sqlite'), { index: 0, count: 1 });
  const stamp = stored.stamp();
  expect(stored.stamp()).toBe(stamp);
  first.close();
  second.close();
  renameSync(join(aside.path, 'access.sqlite'), join(folder.path, 'access.sqlite'));
  for (const suffix of ['-wal', '-shm']) rmSync(join(folder.path, `access.sqlite${suffix}`), { force: true });
  expect(stored.stamp()).not.toBe(stamp);
  expect(stored.read().keys.map(key => key.id)).toEqual([id]);
  stored.close();
});
