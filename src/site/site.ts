import { once } from '../common/once.ts';
import type { Endpoint } from '../http/exchange.ts';
import type { Server } from '../http/snapshot.ts';
import { SITE_PATHS } from './site_paths.ts';

/** The pages, their assets and the API description. Their code is loaded with the first request. */
export function siteEndpoints(server: Server): readonly Endpoint[] {
  const site = once(async () => {
    const { openSite } = await import('./open_site.ts');
    return openSite(server);
  });
  return SITE_PATHS.map(path => ({
    path,
    access: 'public',
    async handle(exchange) {
      const response = await (await site()).respond(path, exchange);
      response.headers.set('X-Request-Id', exchange.requestId);
      return response;
    },
  }));
}
