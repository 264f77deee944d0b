import { expect, test } from 'bun:test';
import { type LimitStatus, limitsOf } from '../../src/access/limiter.ts';
import type { Plan } from '../../src/access/plan.ts';
import { monthOf } from '../../src/access/usage.ts';
import { monthlyLimitHeaders, setRequestLimitHeaders } from '../../src/http/limit_headers.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 2, 3, 4, 500);
const PLAN: Plan = { name: 'pro', rate: { perSecond: 10, burst: 25 }, monthlyQuota: 1000 };

function headersOf(plan: Plan, status: Partial<LimitStatus>, counted = true): Record<string, string> {
  const limits = limitsOf(plan, { index: 0, count: 1 });
  const month = monthOf(NOW_MS);
  const usual = { verdict: 'granted', nowMs: NOW_MS, month, used: 10, rateLeft: 7, rateWaitMs: 60 } as const;
  const headers = new Headers(monthlyLimitHeaders(limits, month));
  setRequestLimitHeaders(headers, limits, { ...usual, ...status }, counted);
  return Object.fromEntries(headers);
}

/** Seconds until December begins. */
const MONTH_SECONDS = Math.ceil((Date.UTC(2026, 11) - NOW_MS) / 1000);

test('a granted request has its policies, with what remains of each and until when', () => {
  expect(headersOf(PLAN, {})).toEqual({
    'ratelimit-policy': '"rate";q=25;w=3, "month";q=1000;w=2592000',
    ratelimit: `"rate";r=7;t=1, "month";r=990;t=${MONTH_SECONDS}`,
    'x-service-plan': 'pro',
    'x-service-quota-limit': '1000',
    'x-service-quota-remaining': '990',
    'x-service-quota-state': 'active',
  });
});

test('a response that does not count refunds its request in its own headers', () => {
  expect(headersOf(PLAN, {}, false)['x-service-quota-remaining']).toBe('991');
});

test('a rejection has the time until a request is granted again, in whole seconds', () => {
  const rate = headersOf(PLAN, { verdict: 'rate', rateLeft: 0, rateWaitMs: 2001 });
  expect(rate).toMatchObject({ 'retry-after': '3', 'x-service-quota-state': 'active' });
  expect(rate['ratelimit']).toStartWith('"rate";r=0;t=3, ');
  const quota = headersOf(PLAN, { verdict: 'quota', used: 1000 });
  expect(quota).toMatchObject({
    'retry-after': String(MONTH_SECONDS),
    'x-service-quota-remaining': '0',
    'x-service-quota-state': 'exceeded',
  });
});

test('a quota lowered below the usage leaves 0 requests', () => {
  expect(headersOf(PLAN, { verdict: 'quota', used: 1500 })['x-service-quota-remaining']).toBe('0');
});

test('policies that a plan lacks are absent', () => {
  expect(headersOf({ name: 'free', rate: undefined, monthlyQuota: undefined }, {})).toEqual({
    'x-service-plan': 'free',
    'x-service-quota-limit': 'unlimited',
    'x-service-quota-remaining': 'unlimited',
    'x-service-quota-state': 'active',
  });
  expect(headersOf({ ...PLAN, rate: undefined }, {})['ratelimit-policy']).toBe('"month";q=1000;w=2592000');
  expect(headersOf({ ...PLAN, monthlyQuota: undefined }, {})['ratelimit']).toBe('"rate";r=7;t=1');
});
