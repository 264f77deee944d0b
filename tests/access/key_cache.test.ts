import { expect, test } from 'bun:test';
import { KeyCache, type KeySources } from '../../src/access/key_cache.ts';
import type { StoredKey } from '../../src/access/key_store.ts';
import { UNLIMITED_PLAN } from '../../src/access/plan.ts';
import { ProblemLog } from '../../src/access/reports.ts';

const SETTINGS = { hasKeySource: false, marketplace: null, worker: { index: 0, count: 1 } };
const KEY: StoredKey = {
  id: 'one',
  name: 'one',
  role: 'client',
  plan: UNLIMITED_PLAN.name,
  digest: new Uint8Array(32),
  createdMs: 0,
  lastUsedMs: null,
  suspendedMs: null,
  expiresMs: null,
  former: null,
};

/** Keys whose sources can fail, and their log. */
function keysFrom() {
  const log: string[] = [];
  const world = { stamp: 'a', fixedKeys: 0, revision: 0, keys: [] as StoredKey[], isFailing: false };
  const unlessFailing = <Value>(value: Value): Value => {
    if (world.isFailing) throw new Error('it is out of reach');
    return value;
  };
  const sources: KeySources = {
    lists: {
      stamp: () => world.stamp,
      read: () =>
        unlessFailing({
          plans: new Map([[UNLIMITED_PLAN.name, UNLIMITED_PLAN]]),
          keys: Array.from({ length: world.fixedKeys }, (_, n) => ({
            key: `k${n}`,
            plan: 'default',
            name: '',
          })),
          marketplaceKeys: [],
        }),
    },
    stored: {
      stamp: () => String(world.revision),
      changesSince: () => undefined,
      read: () => unlessFailing({ keys: world.keys, hasEverHeld: world.keys.length > 0 }),
    },
  };
  const problems = new ProblemLog((severity, message) => log.push(`${severity}: ${message}`));
  return { world, log, live: new KeyCache(SETTINGS, sources, problems) };
}

test('a change to the stored keys that could not be read is read at the next refresh', () => {
  const { world, log, live } = keysFrom();
  world.revision = 1;
  world.keys = [KEY];
  world.isFailing = true;
  live.refresh();
  expect(live.current.direct.size).toBe(0);
  world.isFailing = false;
  live.refresh();
  expect(live.current.direct.size).toBe(1);
  expect(log).toEqual([
    'error: it is out of reach; the previous keys and plans stay in force',
    'info: Stored API keys can be read again',
  ]);
});

test('a changed key file that could not be read is read at the next refresh', () => {
  const { world, log, live } = keysFrom();
  world.stamp = 'b';
  world.fixedKeys = 2;
  world.isFailing = true;
  live.refresh();
  live.refresh();
  expect(live.current.direct.size).toBe(0);
  world.isFailing = false;
  live.refresh();
  expect(live.current.direct.size).toBe(2);
  expect(log).toEqual([
    'error: it is out of reach; the previous keys and plans stay in force',
    'info: Key and plan files can be read again',
  ]);
});
