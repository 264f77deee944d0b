import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessLists } from '../../src/access/access_files.ts';
import { KeyStoreFile } from '../../src/access/key_store_file.ts';
import { UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { StoreError } from '../../src/access/sqlite_errors.ts';
import { metricsText } from '../../src/http/traffic.ts';
import { accessMetrics } from '../../src/server/metrics.ts';
import { newFolder } from '../support/process.ts';
import {
  addKey,
  authoriseOften,
  control,
  keyFolder,
  NOW_MS,
  openStore,
  outcome,
  quiet,
  ticks,
} from './control.ts';

const MONTH = 2026 * 12 + 10;
const MARKETPLACE = { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: 'time.example' };
const FIXED = [{ key: 'fixed', plan: 'default', name: 'fixed' }];
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

test('every credential has its outcome: none, unknown, mistyped, suspended, without a plan, valid', async () => {
  await using place = keyFolder();
  const { store } = place;
  const [right, suspended, planless] = [addKey(store, 1), addKey(store, 2), addKey(store, 3, 'gone')];
  store.change(suspended.id, { suspendedMs: NOW_MS });
  const { access, log } = place.control({ keys: FIXED });
  const refusal = async (headers: Record<string, string>) =>
    (await access.authorise(new Headers(headers), NOW_MS)).error;
  expect(await refusal({})).toMatchObject({ code: 'UNAUTHORIZED' });
  const unknown = { code: 'INVALID_AUTH', message: 'The API key is unknown' };
  expect(await refusal(bearer('unknown'))).toMatchObject(unknown);
  expect(await refusal({ 'X-API-Key': ', ,' })).toMatchObject(unknown);
  const mistyped = right.key.replace(/.$/, last => (last === 'a' ? 'b' : 'a'));
  expect((await refusal(bearer(mistyped)))?.message).toContain('mistyped');
  expect(await refusal(bearer(suspended.key))).toMatchObject({ code: 'SUBSCRIPTION_INACTIVE' });
  const undefinedPlan = "The plan 'gone' of this API key is not defined";
  expect((await refusal(bearer(planless.key)))?.message).toBe(undefinedPlan);
  for (const headers of [bearer(right.key), { 'X-API-Key': right.key }, bearer('fixed')])
    expect(await outcome(access, headers)).toBe('granted');
  expect(access.counts.granted).toBe(3);
  const rejected = { UNAUTHORIZED: 1, INVALID_AUTH: 3, SUBSCRIPTION_INACTIVE: 2 };
  expect(Object.fromEntries(access.counts.rejected)).toEqual(rejected);
  expect(log).toEqual([`error: API key ${planless.id} is rejected: its plan 'gone' is not defined`]);
});

test('a key that appears with its plan is not reported', async () => {
  await using place = keyFolder();
  addKey(place.store, 2);
  const plans = new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN]]);
  const lists = {
    read: () => ({ plans, keys: FIXED, marketplaceKeys: [] }),
    stamp: () => String(plans.size),
  };
  const { access, log } = place.control({ edges: { lists } });
  plans.set('gold', { ...UNLIMITED_PLAN, name: 'gold' });
  const { key } = addKey(place.store, 1, 'gold');
  access.tick(NOW_MS);
  expect([await outcome(access, bearer(key)), log]).toEqual(['granted', []]);
});

test('a marketplace key with an undefined plan is reported', () => {
  const folder = newFolder();
  const { log } = control(folder, {
    marketplace: { keyHeader: 'X-Key', hostHeader: 'X-Host', host: 'time.example' },
    marketplaceKeys: [{ key: 'a subscription key', plan: 'gone', name: 'line 1' }],
  });
  expect(log).toEqual([
    expect.stringMatching(/^error: API key marketplace-\w+ is rejected: its plan 'gone' is not defined$/),
  ]);
});

test('marketplace keys are valid in the marketplace headers only, other keys everywhere else', async () => {
  await using place = keyFolder();
  const { access } = place.control({
    marketplace: MARKETPLACE,
    marketplaceKeys: [{ key: 'subscriber', plan: 'default', name: 'market' }],
    keys: [{ key: 'direct', plan: 'default', name: 'direct' }],
  });
  const pair = (key: string) => ({ 'X-RapidAPI-Key': key, 'X-RapidAPI-Host': 'time.example' });
  expect(await outcome(access, pair('subscriber'))).toBe('granted');
  expect(await outcome(access, pair('direct'))).toBe('INVALID_AUTH');
  expect(await outcome(access, bearer('subscriber'))).toBe('INVALID_AUTH');
  expect(await outcome(access, bearer('direct'))).toBe('granted');
});

test('a server without keys is open until the first one is added, and removing the last one does not open it', async () => {
  await using place = keyFolder();
  const { access } = place.control();
  expect(access.isOpen).toBe(true);
  const { id, key } = addKey(place.store);
  access.tick(NOW_MS);
  expect(access.isOpen).toBe(false);
  expect(await outcome(access, bearer(key))).toBe('granted');
  place.store.remove(id, NOW_MS);
  access.tick(NOW_MS);
  expect(access.isOpen).toBe(false);
  expect(await outcome(access, bearer(key))).toBe('INVALID_AUTH');
});

test('a server configured as open stays open, whatever keys exist', async () => {
  await using place = keyFolder();
  const { access } = place.control({ open: true, keys: [{ key: 'a', plan: 'default', name: 'a' }] });
  expect(access.isOpen).toBe(true);
});

test('a suspended key stops working at the next tick, and works again when resumed, with its bucket and usage unchanged', async () => {
  await using place = keyFolder();
  const { id, key } = addKey(place.store, 1, 'small');
  const plan = { name: 'small', rate: { perSecond: 1, burst: 5 }, monthlyQuota: 100 };
  const { access } = place.control({ plans: [plan] });
  expect((await authoriseOften(access, key, 3)).counts).toEqual({ granted: 3 });
  place.store.change(id, { suspendedMs: NOW_MS });
  access.tick(NOW_MS);
  expect(await outcome(access, bearer(key))).toBe('SUBSCRIPTION_INACTIVE');
  place.store.change(id, { suspendedMs: null });
  access.tick(NOW_MS);
  const { counts, decisions } = await authoriseOften(access, key, 3);
  expect(counts).toEqual({ granted: 2, RATE_LIMITED: 1 });
  expect(decisions[1]?.status?.used).toBe(5);
});

test('usage is written every second and on shutdown, and a new server continues from it', async () => {
  await using place = keyFolder();
  const { store } = place;
  const { id, key } = addKey(store, 1, 'small');
  const plans = [{ name: 'small', rate: undefined, monthlyQuota: 10 }];
  const first = place.control({ plans });
  first.access.tick(NOW_MS);
  await authoriseOften(first.access, key, 4);
  await ticks(first.access, 999);
  expect(store.used(id, MONTH)).toBe(0);
  await ticks(first.access, 1000);
  expect(store.used(id, MONTH)).toBe(4);
  const { decisions } = await authoriseOften(first.access, key, 3);
  first.access.refund(decisions[0]!);
  await first.access.stop();
  expect(store.used(id, MONTH)).toBe(6);
  expect(store.keys()[0]?.lastUsedMs).toBe(NOW_MS);
  const second = place.control({ plans });
  expect((await authoriseOften(second.access, key, 6)).counts).toEqual({ granted: 4, QUOTA_EXCEEDED: 2 });
  await second.access.stop();
  expect(store.used(id, MONTH)).toBe(10);
});

test('a rejected request is not refunded', async () => {
  await using place = keyFolder();
  const { id, key } = addKey(place.store, 1, 'one');
  const { access } = place.control({ plans: [{ name: 'one', rate: undefined, monthlyQuota: 1 }] });
  const { decisions } = await authoriseOften(access, key, 2);
  access.refund(decisions[1]!);
  await access.stop();
  expect(place.store.used(id, MONTH)).toBe(1);
});

test('files that can no longer be read are reported once, and what was read stays in force', async () => {
  await using place = keyFolder();
  let fault: string | undefined;
  let stamp = 0;
  const { access, log } = place.control({
    edges: {
      lists: {
        stamp: () => String(stamp),
        read: () => {
          if (fault !== undefined) throw new Error(fault);
          const keys = [{ key: `key of ${stamp}`, plan: 'default', name: 'a' }];
          return { plans: new Map([['default', UNLIMITED_PLAN]]), keys, marketplaceKeys: [] };
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
});

test('a token store damaged or removed under a running server loses no keys and no counts', async () => {
  await using place = keyFolder();
  const path = join(place.path, 'access.sqlite');
  const { id, key } = addKey(place.store);
  copyFileSync(path, `${path}.copy`);
  writeFileSync(`${path}.damaged`, 'no database '.repeat(1000));
  const { access, log } = place.control();
  let seconds = 0;
  const second = () => ticks(access, ++seconds * 1000);
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
    const again = openStore(place.path);
    expect([again.used(id, MONTH), again.keys().length]).toEqual([5, 1]);
    again.close();
  }
  await access.stop();
  expect(log.map(line => line.split(':')[0])).toEqual([
    ...['error', 'error', 'info', 'info', 'error', 'error', 'info', 'info'],
  ]);
});

test('a file locked by another process is reported if it stays locked', async () => {
  await using place = keyFolder();
  const { key } = addKey(place.store);
  const stored = new KeyStoreFile(join(place.path, 'access.sqlite'), { index: 0, count: 1 });
  stored.record = () => {
    throw new StoreError('another process has it', true);
  };
  const { access, log } = place.control({ edges: { stored } });
  const problems: boolean[] = [];
  for (let second = 1; second <= 5; second++) {
    await authoriseOften(access, key, 1);
    await ticks(access, second * 1000);
    problems.push(access.problem('usage') !== undefined);
  }
  expect(problems).toEqual([false, false, false, false, true]);
  expect(log).toHaveLength(1);
});

test('writing usage to a locked file on shutdown is retried a few times', async () => {
  await using place = keyFolder();
  const { id, key } = addKey(place.store);
  for (const [locked, tries] of [
    [3, 4],
    [100, 5],
  ] as const) {
    const stored = new KeyStoreFile(join(place.path, 'access.sqlite'), { index: 0, count: 1 });
    const record = stored.record.bind(stored);
    let tried = 0;
    stored.record = entries => {
      tried += 1;
      if (tried <= locked) throw new StoreError('another process has it', true);
      return record(entries);
    };
    const { access, log } = place.control({ edges: { stored } });
    await authoriseOften(access, key, 2);
    await access.stop();
    expect([tried, place.store.used(id, MONTH)]).toEqual([tries, 2]);
    expect(log.at(-1)).toBe(locked < tries ? undefined : 'error: Usage that could not be written is lost');
  }
});

test('a server that cannot read its keys does not start', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'access.sqlite'), 'no database '.repeat(1000));
  expect(() => control(folder)).toThrow('the file is damaged');
});

test('listed keys work if their usage cannot be stored; it is then counted in memory', async () => {
  const { access, log } = control('/proc/none', {
    keys: [{ key: 'fixed', plan: 'two', name: 'fixed' }],
    plans: [{ name: 'two', rate: undefined, monthlyQuota: 2 }],
  });
  expect((await authoriseOften(access, 'fixed', 3)).counts).toEqual({ granted: 2, QUOTA_EXCEEDED: 1 });
  await ticks(access, 0);
  expect((await authoriseOften(access, 'fixed', 1)).counts).toEqual({ QUOTA_EXCEEDED: 1 });
  expect(log).toEqual([expect.stringContaining('Usage is counted in memory only')]);
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
  const folder = newFolder();
  for (const takeOver of ['tick', 'reload'] as const) {
    const state = join(folder, takeOver);
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
  await using place = keyFolder();
  const { store } = place;
  const { id, key } = addKey(store, 1, 'small');
  const plans = [{ name: 'small', rate: { perSecond: 40, burst: 40 }, monthlyQuota: 5000 }];
  const workers = [0, 1, 2, 3].map(index => place.control({ plans, worker: { index, count: 4 } }).access);
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
});

test('a replaced file is reread, even with the same number of changes', () => {
  const folder = newFolder();
  const aside = newFolder();
  const [first, second] = [openStore(folder), openStore(aside)];
  addKey(first, 1);
  const { id } = addKey(second, 2);
  const stored = new KeyStoreFile(join(folder, 'access.sqlite'), { index: 0, count: 1 });
  const stamp = stored.stamp();
  expect(stored.stamp()).toBe(stamp);
  first.close();
  second.close();
  renameSync(join(aside, 'access.sqlite'), join(folder, 'access.sqlite'));
  for (const suffix of ['-wal', '-shm']) rmSync(join(folder, `access.sqlite${suffix}`), { force: true });
  expect(stored.stamp()).not.toBe(stamp);
  expect(stored.read().keys.map(key => key.id)).toEqual([id]);
  stored.close();
});

const TEN = { name: 'ten', rate: undefined, monthlyQuota: 10 };
const MONTH_MS = 30 * 86_400_000;

test('a key that has used 80 % of its quota is reported once a month', async () => {
  await using place = keyFolder();
  const { id, key } = addKey(place.store, 1, 'ten');
  const { access, warnings } = place.control({ plans: [TEN] });
  await authoriseOften(access, key, 7);
  expect(warnings).toEqual([]);
  await authoriseOften(access, key, 5);
  const warning = `API key ${id} has used 80 % of the quota of plan 'ten' for 2026-11: 8 of 10`;
  expect(warnings).toEqual([warning]);
  const ofPlan = { granted: 10, rejected: new Map([['QUOTA_EXCEEDED' as const, 2]]), warnings: 1 };
  expect(access.counts.byPlan.get('ten')).toEqual(ofPlan);
  await authoriseOften(access, key, 8, NOW_MS + MONTH_MS);
  expect(warnings).toEqual([warning, warning.replace('2026-11', '2026-12')]);
});

test('requests are counted by plan: those of unknown keys under none, those beyond the maximum number of plans together', async () => {
  await using place = keyFolder();
  const names = Array.from({ length: 53 }, (_, i) => `plan-${i}`);
  const { access } = place.control({
    plans: names.map(name => ({ ...TEN, name })),
    keys: names.map(plan => ({ key: `key-of-${plan}`.padEnd(20, '-'), plan, name: plan })),
  });
  for (const plan of names) await authoriseOften(access, `key-of-${plan}`.padEnd(20, '-'), 1);
  expect(await outcome(access, { 'X-API-Key': 'unknown-key-of-nobody' })).toBe('INVALID_AUTH');
  expect(access.counts.byPlan.size).toBe(51);
  expect(access.counts.byPlan.get('plan-49')).toMatchObject({ granted: 1, rejected: new Map() });
  expect(access.counts.byPlan.get('(other)')).toMatchObject({ granted: 3, rejected: new Map() });
  expect([access.counts.granted, [...access.counts.rejected]]).toEqual([53, [['INVALID_AUTH', 1]]]);
});

test('the metrics have the requests of each plan by decision, counting each request of a batch', async () => {
  await using place = keyFolder();
  const { store } = place;
  const [ten, slow, suspended] = [addKey(store, 1, 'ten'), addKey(store, 2, 'slow'), addKey(store, 3, 'ten')];
  store.change(suspended.id, { suspendedMs: NOW_MS });
  const SLOW = { name: 'slow', rate: { perSecond: 1, burst: 2 }, monthlyQuota: undefined };
  const { access } = place.control({ plans: [TEN, SLOW] });
  await authoriseOften(access, slow.key, 3);
  await authoriseOften(access, suspended.key, 1);
  const { decisions } = await authoriseOften(access, ten.key, 1);
  await access.chargeMore(decisions[0]!, 4, NOW_MS);
  await access.chargeMore(decisions[0]!, 6, NOW_MS);
  const lines = metricsText(accessMetrics(access)()).split('\n');
  expect(lines.filter(line => line.startsWith('meridian_plan_requests_total')).sort()).toEqual([
    'meridian_plan_requests_total{plan="slow",decision="granted"} 2',
    'meridian_plan_requests_total{plan="slow",decision="rate_limited"} 1',
    'meridian_plan_requests_total{plan="ten",decision="granted"} 5',
    'meridian_plan_requests_total{plan="ten",decision="quota_exceeded"} 6',
    'meridian_plan_requests_total{plan="ten",decision="subscription_inactive"} 1',
  ]);
});
