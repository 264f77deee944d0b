import type { WorkerShare } from '../access/plan.ts';
import { AddressLimiter, type AddressRate } from './address_limits.ts';

/** Routes that `--public-routes` opens together on a server with API keys. */
export const ROUTE_GROUPS = ['clock', 'feeds'] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/** The limit of an address without a key, per group: enough for a page of clocks at once, then five requests per second. */
const PUBLIC_RATE: AddressRate = { perSecond: 5, burst: 100 };

/** The per-address limiters by group. */
export type PublicLimiters = Readonly<Record<RouteGroup, AddressLimiter>>;

/** Creates the limiters of a worker, whose `index` counts from 1. */
export function openPublicLimiters({ index, count }: WorkerShare): PublicLimiters {
  const limiter = () => new AddressLimiter(PUBLIC_RATE, { index: index - 1, count });
  return { clock: limiter(), feeds: limiter() };
}
