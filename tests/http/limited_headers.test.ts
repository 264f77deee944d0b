import { expect, test } from 'bun:test';
import { monthOf } from '../../src/access/month.ts';
import { limitsOf } from '../../src/access/plan.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { Responder } from '../../src/http/response.ts';
import { testServer } from '../support/service.ts';

const LIMITS = limitsOf({ name: 'small', rate: undefined, monthlyQuota: 10 }, { index: 0, count: 1 });

test('the monthly limit headers are replaced when the month ends', () => {
  const responder = new Responder({ corsOrigin: '*', headers: {} });
  const policyAt = (nowMs: number) => {
    const exchange = new Exchange(new Request('http://localhost/'), testServer(), () => '');
    const status = {
      verdict: 'granted',
      nowMs,
      month: monthOf(nowMs),
      used: 1,
      rateLeft: 0,
      rateWaitMs: 0,
    } as const;
    exchange.admission = { error: undefined, key: undefined, limits: LIMITS, status };
    return responder.respond('', exchange).headers.get('RateLimit-Policy');
  };
  expect(policyAt(Date.UTC(2026, 10, 30))).toBe(`"month";q=10;w=${30 * 86_400}`);
  expect(policyAt(Date.UTC(2026, 11, 1))).toBe(`"month";q=10;w=${31 * 86_400}`);
});
