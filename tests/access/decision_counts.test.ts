import { expect, test } from 'bun:test';
import { metricsText } from '../../src/http/traffic.ts';
import { accessMetrics } from '../../src/server/metrics.ts';
import { addKey, authoriseOften, keyFolder, NOW_MS, outcome } from './control.ts';

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
  expect(access.counts.byPlan.get('ten')).toEqual({
    granted: 10,
    rejected: new Map([['QUOTA_EXCEEDED', 2]]),
    warnings: 1,
  });
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
