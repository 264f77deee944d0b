import { expect, test } from 'bun:test';
import { addKey, authoriseOften, control, NOW_MS, openStore, outcome } from './control.ts';
import { temporaryFolder } from './folders.ts';

const TEN = { name: 'ten', rate: undefined, monthlyQuota: 10 };
const MONTH_MS = 30 * 86_400_000;

test('a key that has used 80 % of its quota is reported once a month', async () => {
  using folder = temporaryFolder();
  const store = openStore(folder.path);
  const { id, key } = addKey(store, 1, 'ten');
  store.close();
  const { access, warnings } = control(folder.path, { plans: [TEN] });
  await authoriseOften(access, key, 7);
  expect(warnings).toEqual([]);
  await authoriseOften(access, key, 5);
  const warning = `API key ${id} has used 80 % of the quota of plan 'ten' for 2026-11: 8 of 10`;
  expect(warnings).toEqual([warning]);
  expect(access.counts.byPlan.get('ten')).toEqual({ granted: 10, rejected: 2, warnings: 1 });
  await authoriseOften(access, key, 8, NOW_MS + MONTH_MS);
  expect(warnings).toEqual([warning, warning.replace('2026-11', '2026-12')]);
  await access.stop();
});

test('requests are counted by plan, those of unknown keys by no plan, and further plans together', async () => {
  using folder = temporaryFolder();
  const names = Array.from({ length: 53 }, (_, i) => `plan-${i}`);
  const { access } = control(folder.path, {
    plans: names.map(name => ({ ...TEN, name })),
    keys: names.map(plan => ({ key: `key-of-${plan}`.padEnd(20, '-'), plan, name: plan })),
  });
  for (const plan of names) await authoriseOften(access, `key-of-${plan}`.padEnd(20, '-'), 1);
  expect(await outcome(access, { 'X-API-Key': 'unknown-key-of-nobody' })).toBe('INVALID_AUTH');
  expect(access.counts.byPlan.size).toBe(51);
  expect(access.counts.byPlan.get('plan-49')).toMatchObject({ granted: 1, rejected: 0 });
  expect(access.counts.byPlan.get('(other)')).toMatchObject({ granted: 3, rejected: 0 });
  expect([access.counts.granted, [...access.counts.rejected]]).toEqual([53, [['INVALID_AUTH', 1]]]);
  await access.stop();
});
