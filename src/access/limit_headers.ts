import type { Limits } from './limits.ts';
import type { Standing } from './meter.ts';
import type { Month } from './month.ts';

/**
 * What a caller is told of its limits: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11) with the policies
 * `rate` and `month` as far as the plan has them, and `X-Service-Plan` and `X-Service-Quota-*` always. These are the ones that stay
 * the same for a month, as far as no request is refused.
 */
export function steadyLimitHeaders({ plan }: Limits, month: Month): Record<string, string> {
  const policies: string[] = [];
  if (plan.rate) {
    // `q` requests in `w` seconds: of a bucket its size and the time to fill it.
    const { perSecond, burst } = plan.rate;
    policies.push(`"rate";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`);
  }
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
 * Writes those that change with every request. An answer that is not `counted` gives its request back. `t` is the time until one
 * more request fits, or until the month ends, in seconds as `Retry-After` counts them.
 */
export function writeLimitHeaders(
  headers: Headers,
  limits: Limits,
  standing: Standing,
  counted: boolean,
): void {
  const { rate, monthlyQuota } = limits.plan;
  let list = rate ? `"rate";r=${standing.rateLeft};t=${waitSeconds(standing)}` : '';
  if (monthlyQuota !== undefined) {
    const left = String(requestsLeft(monthlyQuota, standing, counted));
    list += `${list && ', '}"month";r=${left};t=${monthSeconds(standing)}`;
    headers.set('X-Service-Quota-Remaining', left);
  }
  if (list) headers.set('RateLimit', list);
  if (standing.verdict !== 'granted') writeRefusal(headers, standing);
}

function writeRefusal(headers: Headers, standing: Standing): void {
  const isQuota = standing.verdict === 'quota';
  if (isQuota) headers.set('X-Service-Quota-State', 'exceeded');
  headers.set('Retry-After', String(isQuota ? monthSeconds(standing) : waitSeconds(standing)));
}

/** A plan may have been lowered below what is used already. */
function requestsLeft(quota: number, { verdict, used }: Standing, counted: boolean): number {
  return Math.max(0, quota - (verdict === 'granted' && !counted ? used - 1 : used));
}

function waitSeconds({ rateWaitMs }: Standing): number {
  return Math.max(1, Math.ceil(rateWaitMs / 1000));
}

function monthSeconds({ month, nowMs }: Standing): number {
  return Math.max(1, Math.ceil((month.endMs - nowMs) / 1000));
}
