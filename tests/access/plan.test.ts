import { expect, test } from 'bun:test';
import { checkShares } from '../../src/access/limiter.ts';
import { definedPlans } from '../../src/access/plan.ts';

const read = (toml: string) => definedPlans(Bun.TOML.parse(toml));

test('plans are read, and the burst defaults to the rate', () => {
  const plans = read(`
    [plans.pro]
    requests_per_second = 2.5
    requests_per_month = 1_000_000
    [plans.batch]
    requests_per_second = 1
    burst = 500
    [plans.internal]
  `);
  const rate = { perSecond: 2.5, burst: 3 };
  expect(plans.get('pro')).toEqual({ name: 'pro', rate, monthlyQuota: 1_000_000 });
  expect(plans.get('batch')?.rate).toEqual({ perSecond: 1, burst: 500 });
  expect(plans.get('internal')).toEqual({ name: 'internal', rate: undefined, monthlyQuota: undefined });
});

const RATE = 'is not a number from 0.001 to 1000000';
const BURST = 'is not a whole number from 1 to 1000000';

test.each([
  ['requests_per_second = 0', `requests_per_second': 0 ${RATE}`],
  ['requests_per_second = "9"', `requests_per_second': "9" ${RATE}`],
  ['requests_per_second = nan', `requests_per_second': null ${RATE}`],
  ['requests_per_second = 0.0015', "requests_per_second': 0.0015 has more than three decimals"],
  ['requests_per_second = 1\nburst = 0', `burst': 0 ${BURST}`],
  ['requests_per_second = 1\nburst = 1.5', `burst': 1.5 ${BURST}`],
  ['burst = 5', "burst' needs 'plans.pro.requests_per_second'"],
  ["bulk = 'all'", "bulk': \"all\" is not 'one' or 'each'"],
  ['requests_per_month = -1', "requests_per_month': -1 is not a whole number from 0 to 1000000000000"],
  ['requests_per_minute = 1', "requests_per_minute' is unknown"],
])('a plan with %p is rejected by the name of its entry', (entry, message) => {
  expect(() => read(`[plans.pro]\n${entry}`)).toThrow(`'plans.pro.${message}`);
});

test.each([
  ['[plan.pro]', "'plans' is missing"],
  ['plans = 5', "'plans': 5 is not a table"],
  ['[plans]\npro = 5', "'plans.pro': 5 is not a table"],
  ['[[plans.pro]]', "'plans.pro': a table or list is not a table"],
  ['[plans."a b"]', "'plans.a b': a plan's name is 1 to 64 letters"],
  ['[plans.pro]\n[other]', "'other' is unknown"],
])('%p is rejected by the name of its entry', (toml, message) => {
  expect(() => read(toml)).toThrow(message);
});

test('a burst that cannot be divided among the workers is rejected, by name', () => {
  const plans = read('[plans.slow]\nrequests_per_second = 1\nburst = 3');
  expect(() => checkShares(plans.values(), 3)).not.toThrow();
  expect(() => checkShares(plans.values(), 4)).toThrow(
    "'plans.slow.burst': 3 cannot be divided among 4 workers",
  );
});
