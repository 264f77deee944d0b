import { expect, test } from 'bun:test';
import { type KeySources, LiveKeys } from '../../src/access/live_keys.ts';
import { UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { ProblemLog } from '../../src/access/problem_log.ts';
import type { StoredToken } from '../../src/access/sqlite_store.ts';

const SETTINGS = { marketplace: null, worker: { index: 0, count: 1 }, divided: false };
const TOKEN: StoredToken = {
  id: 'one',
  name: 'one',
  plan: UNLIMITED_PLAN.name,
  digest: new Uint8Array(32),
  createdMs: 0,
  lastUsedMs: null,
  suspendedMs: null,
};

/** Keys whose sources can fail once, and what is logged of them. */
function keysFrom() {
  const log: string[] = [];
  const world = { stamp: 'a', fixedKeys: 0, revision: 0, tokens: [] as StoredToken[], isFailing: false };
  const unlessFailing = <Value>(value: Value): Value => {
    if (world.isFailing) throw new Error('it is out of reach');
    return value;
  };
  let seenRevision = 0;
  const sources: KeySources = {
    readLists: () =>
      unlessFailing({
        plans: new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN]]),
        keys: Array.from({ length: world.fixedKeys }, (_, n) => ({
          key: `k${n}`,
          plan: 'default',
          name: '',
        })),
        marketplaceKeys: [],
      }),
    stamp: () => world.stamp,
    tokens: {
      refresh() {
        const isNew = world.revision !== seenRevision;
        seenRevision = world.revision;
        return isNew;
      },
      tokens: () => unlessFailing(world.tokens),
    },
  };
  const problems = new ProblemLog((severity, message) => log.push(`${severity}: ${message}`));
  return { world, log, live: new LiveKeys(SETTINGS, sources, problems) };
}

test('a change of the stored keys that could not be read at once is read the next time', () => {
  const { world, log, live } = keysFrom();
  world.revision = 1;
  world.tokens = [TOKEN];
  world.isFailing = true;
  live.notice();
  expect(live.keys.direct.size).toBe(0);
  world.isFailing = false;
  live.notice();
  expect(live.keys.direct.size).toBe(1);
  expect(log).toEqual([
    'error: it is out of reach; the keys known so far stay in force',
    'info: The stored API keys can be read again',
  ]);
});

test('a changed file of keys that could not be read at once is read the next time', () => {
  const { world, log, live } = keysFrom();
  world.stamp = 'b';
  world.fixedKeys = 2;
  world.isFailing = true;
  live.notice();
  live.notice();
  expect(live.keys.direct.size).toBe(0);
  world.isFailing = false;
  live.notice();
  expect(live.keys.direct.size).toBe(2);
  expect(log).toEqual([
    'error: it is out of reach; what was read before stays in force',
    'info: The files of keys and plans can be read again',
  ]);
});
