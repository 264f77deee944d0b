import { expect, test } from 'bun:test';
import { type HeaderSink, writeLimitHeaders } from '../../src/access/limit_headers.ts';
import { limitsOf } from '../../src/access/limits.ts';
import type { Standing } from '../../src/access/meter.ts';
import { monthOf } from '../../src/access/month.ts';
import type { Plan } from '../../src/access/plan.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 2, 3, 4, 500);
const PLAN: Plan = { name: 'pro', rate: { perSecond: 10, burst: 25 }, monthlyQuota: 1000 };

function headersOf(plan: Plan, standing: Partial<Standing>, counted = true): HeaderSink {
  const headers: HeaderSink = {};
  const full = {
    verdict: 'granted',
    month: monthOf(NOW_MS),
    used: 10,
    rateLeft: 7,
    rateWaitMs: 60,
    ...standing,
  } as const;
  writeLimitHeaders(headers, limitsOf(plan, { index: 0, count: 1 }), full, counted, NOW_MS);
  return headers;
}

/** Seconds until December begins. */
const MONTH_SECONDS = Math.ceil((Date.UTC(2026, 11) - NOW_MS) / 1000);

test('a granted request tells its policies, what is left of each and until when', () => {
  expect(headersOf(PLAN, {})).toEqual({
    'RateLimit-Policy': '"rate";q=25;w=3, "month";q=1000;w=2592000',
    RateLimit: `"rate";r=7;t=1, "month";r=990;t=${MONTH_SECONDS}`,
    'X-Service-Plan': 'pro',
    'X-Service-Quota-Limit': 1000,
    'X-Service-Quota-Remaining': 990,
    'X-Service-Quota-State': 'active',
  });
});

test('an answer that does not count gives its request back in the same answer', () => {
  expect(headersOf(PLAN, {}, false)['X-Service-Quota-Remaining']).toBe(991);
});

test('a refusal says after how many whole seconds a request fits again', () => {
  const rate = headersOf(PLAN, { verdict: 'rate', rateLeft: 0, rateWaitMs: 2001 });
  expect(rate).toMatchObject({ 'Retry-After': 3, 'X-Service-Quota-State': 'active' });
  expect(rate['RateLimit']).toStartWith('"rate";r=0;t=3, ');
  const quota = headersOf(PLAN, { verdict: 'quota', used: 1000 });
  expect(quota).toMatchObject({
    'Retry-After': MONTH_SECONDS,
    'X-Service-Quota-Remaining': 0,
    'X-Service-Quota-State': 'exceeded',
  });
});

test('a plan lowered below what is already used has nothing left, not less', () => {
  expect(headersOf(PLAN, { verdict: 'quota', used: 1500 })['X-Service-Quota-Remaining']).toBe(0);
});

test('policies that a plan does not have are not told', () => {
  expect(headersOf({ name: 'free', rate: undefined, monthlyQuota: undefined }, {})).toEqual({
    'X-Service-Plan': 'free',
    'X-Service-Quota-Limit': 'unlimited',
    'X-Service-Quota-Remaining': 'unlimited',
    'X-Service-Quota-State': 'active',
  });
  expect(headersOf({ ...PLAN, rate: undefined }, {})['RateLimit-Policy']).toBe('"month";q=1000;w=2592000');
  expect(headersOf({ ...PLAN, monthlyQuota: undefined }, {})['RateLimit']).toBe('"rate";r=7;t=1');
});
