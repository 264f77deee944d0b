import type { WorkerShare } from '../access/plan.ts';
import { AddressLimiter, type AddressRate } from './address_limits.ts';

/** Routes that `--public-routes` opens together on a server with API keys. */
export const ROUTE_GROUPS = ['clock', 'feeds'] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/** What an address may request of a group without a key: a page of clocks at once, and then five a second. */
const PUBLIC_RATE: AddressRate = { perSecond: 5, burst: 100 };

/** The limits of addresses by group. */
export type PublicLimiters = Readonly<Record<RouteGroup, AddressLimiter>>;

/** The limiters of a worker, whose `index` is from 1. */
export function openPublicLimiters({ index, count }: WorkerShare): PublicLimiters {
  const limiter = () => new AddressLimiter(PUBLIC_RATE, { index: index - 1, count });
  return { clock: limiter(), feeds: limiter() };
}
