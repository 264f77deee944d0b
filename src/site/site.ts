import { once } from '../common/once.ts';
import type { Endpoint } from '../http/exchange.ts';
import type { Server } from '../http/snapshot.ts';
import { SITE_PATHS } from './site_paths.ts';

/** The pages, their assets and the API description. Their code is loaded with the first request. */
export function siteEndpoints(server: Server): readonly Endpoint[] {
  const site = once(async () => (await import('./open_site.ts')).openSite(server));
  return SITE_PATHS.map(path => ({
    path,
    access: 'public',
    handle: async exchange => (await site())(path, exchange),
  }));
}
