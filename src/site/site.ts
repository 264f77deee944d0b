import type { Respond } from '../http/observe.ts';
import { requestIdOf } from '../http/request_id.ts';
import type { Services } from '../http/services.ts';
import type { Site } from './open_site.ts';
import type { SitePath } from './site_paths.ts';

/**
 * Answers the paths of the site. Nothing of it is loaded, let alone made, before its first request: a server that is asked
 * for the time only never pays for it.
 */
export function createSiteResponder(services: Services): (path: SitePath) => Respond {
  let site: Promise<Site> | undefined;
  const open = async () => {
    const { openSite } = await import('./open_site.ts');
    return openSite(services);
  };
  return path =>
    async ({ request }) => {
      site ??= open();
      const response = await (await site).respond(path, request);
      response.headers.set('X-Request-Id', requestIdOf(request));
      return response;
    };
}
