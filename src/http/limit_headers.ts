import type { LimitStatus, Limits } from '../access/limiter.ts';
import type { Month } from '../access/usage.ts';

/**
 * The limit headers of a granted request that stay the same for a month. All of them together: `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11) with the policies `rate` and `month` as far as the plan has them,
 * and always `X-Service-Plan` and `X-Service-Quota-*`.
 */
export function monthlyLimitHeaders({ plan }: Limits, month: Month): Record<string, string> {
  const policies: string[] = [];
  if (plan.rate) policies.push(ratePolicy('rate', plan.rate));
  if (plan.monthlyQuota !== undefined) {
    policies.push(`"month";q=${plan.monthlyQuota};w=${(month.endMs - month.startMs) / 1000}`);
  }
  return {
    ...(policies.length > 0 && { 'RateLimit-Policy': policies.join(', ') }),
    'X-Service-Plan': plan.name,
    'X-Service-Quota-Limit': String(plan.monthlyQuota ?? 'unlimited'),
    'X-Service-Quota-Remaining': 'unlimited',
    'X-Service-Quota-State': 'active',
  };
}

/**
 * Sets the limit headers that change with every request. If the response is not counted, its request is available again.
 * `t` is the time until one more request is granted, or until the month ends, in seconds as for `Retry-After`.
 */
export function setRequestLimitHeaders(
  headers: Headers,
  limits: Limits,
  status: LimitStatus,
  isCounted: boolean,
): void {
  const { rate, monthlyQuota } = limits.plan;
  const waitSeconds = wholeSeconds(status.rateWaitMs);
  const monthSeconds = wholeSeconds(status.month.endMs - status.nowMs);
  let list = rate ? `"rate";r=${status.rateLeft};t=${waitSeconds}` : '';
  if (monthlyQuota !== undefined) {
    const used = status.verdict === 'granted' && !isCounted ? status.used - 1 : status.used;
    const left = String(Math.max(0, monthlyQuota - used)); // the plan's quota may have been lowered below the usage
    list += `${list && ', '}"month";r=${left};t=${monthSeconds}`;
    headers.set('X-Service-Quota-Remaining', left);
  }
  if (list) headers.set('RateLimit', list);
  if (status.verdict === 'granted') return;
  const isQuota = status.verdict === 'quota';
  if (isQuota) headers.set('X-Service-Quota-State', 'exceeded');
  headers.set('Retry-After', String(isQuota ? monthSeconds : waitSeconds));
}

/** A policy of `RateLimit-Policy`: `q` requests in `w` seconds, the capacity of a bucket and the time to fill it. */
export function ratePolicy(
  name: string,
  rate: { readonly perSecond: number; readonly burst: number },
): string {
  return `"${name}";q=${rate.burst};w=${wholeSeconds((rate.burst / rate.perSecond) * 1000)}`;
}

/** A duration as in `Retry-After`: rounded up, and at least a second. */
export function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
