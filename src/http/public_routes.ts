import type { AddressRate } from './address_limits.ts';

/** Routes that `--public-routes` opens together on a server with API keys. */
export const ROUTE_GROUPS = ['clock', 'feeds'] as const;
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/** What an address may request of such a route without a key: a page of clocks at once, and then five a second. */
export const PUBLIC_RATE: AddressRate = { perSecond: 5, burst: 100 };
