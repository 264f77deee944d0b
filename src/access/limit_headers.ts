import type { Limits } from './limits.ts';
import type { Standing } from './meter.ts';

/** Response headers by name. */
export type HeaderSink = Record<string, string | number>;

/**
 * Writes what a caller may know of its limits: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11) with the
 * policies `rate` and `month` as far as the plan has them, `X-Service-Plan` and `X-Service-Quota-*` always, `Retry-After` (RFC 9110
 * §10.2.3, whole seconds) on a refusal. `counted` says that the answer counts; one that does not gives its request back.
 */
export function writeLimitHeaders(
  headers: HeaderSink,
  limits: Limits,
  standing: Standing,
  counted: boolean,
  nowMs: number,
): void {
  const { plan } = limits;
  const used = standing.verdict === 'granted' && !counted ? standing.used - 1 : standing.used;
  const left = plan.monthlyQuota === undefined ? undefined : Math.max(0, plan.monthlyQuota - used);
  const monthSeconds = secondsUntil(standing.month.endMs, nowMs);
  const waitSeconds = Math.max(1, Math.ceil(standing.rateWaitMs / 1000));
  const policy = policyOf(limits, standing);
  if (policy) headers['RateLimit-Policy'] = policy;
  const rate = plan.rate && `"rate";r=${standing.rateLeft};t=${waitSeconds}`;
  const month = left !== undefined && `"month";r=${left};t=${monthSeconds}`;
  if (rate || month) headers['RateLimit'] = rate && month ? `${rate}, ${month}` : rate || month || '';
  headers['X-Service-Plan'] = plan.name;
  headers['X-Service-Quota-Limit'] = plan.monthlyQuota ?? 'unlimited';
  headers['X-Service-Quota-Remaining'] = left ?? 'unlimited';
  headers['X-Service-Quota-State'] = standing.verdict === 'quota' ? 'exceeded' : 'active';
  if (standing.verdict === 'rate') headers['Retry-After'] = waitSeconds;
  if (standing.verdict === 'quota') headers['Retry-After'] = monthSeconds;
}

/** `q` requests in `w` seconds: of a bucket its size and the time to fill it, of the month its quota and length. */
function policyOf({ plan }: Limits, { month }: Standing): string | undefined {
  const items: string[] = [];
  if (plan.rate) {
    const { perSecond, burst } = plan.rate;
    items.push(`"rate";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`);
  }
  if (plan.monthlyQuota !== undefined) {
    items.push(`"month";q=${plan.monthlyQuota};w=${(month.endMs - month.startMs) / 1000}`);
  }
  return items.length > 0 ? items.join(', ') : undefined;
}

function secondsUntil(epochMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((epochMs - nowMs) / 1000));
}
