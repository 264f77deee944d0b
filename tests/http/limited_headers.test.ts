import { expect, test } from 'bun:test';
import { limitsOf } from '../../src/access/limits.ts';
import { monthOf } from '../../src/access/month.ts';
import { LimitedTemplates } from '../../src/http/limited_headers.ts';

const LIMITS = limitsOf({ name: 'small', rate: undefined, monthlyQuota: 10 }, { index: 0, count: 1 });

test('what stays the same for a month is told anew when the month turns', () => {
  const limited = new LimitedTemplates(new Response(null));
  const policyAt = (nowMs: number) => {
    const standing = {
      verdict: 'granted',
      nowMs,
      month: monthOf(nowMs),
      used: 1,
      rateLeft: 0,
      rateWaitMs: 0,
    } as const;
    return limited
      .of({ refusal: undefined, holder: undefined, limits: LIMITS, standing })
      .headers.get('RateLimit-Policy');
  };
  expect(policyAt(Date.UTC(2026, 10, 30))).toBe(`"month";q=10;w=${30 * 86_400}`);
  expect(policyAt(Date.UTC(2026, 11, 1))).toBe(`"month";q=10;w=${31 * 86_400}`);
});
