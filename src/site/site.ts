import { withQuery } from '../api/common_parameters.ts';
import { onceSettled, whenReady } from '../common/promises.ts';
import { prefersHtml } from '../http/content_coding.ts';
import { type Endpoint, type ErrorPages, type Handler, pathnameOf } from '../http/exchange.ts';
import type { Server } from '../http/snapshot.ts';
import { apiCatalogEndpoint, SITE_PATHS } from './site_paths.ts';

/** The code of the pages, loaded on the first request at the latest. */
export const loadPages = onceSettled(() => import('./open_site.tsx'));

/** The pages, their assets, the API description and the catalog. */
export function siteEndpoints(server: Server): readonly Endpoint[] {
  const site = onceSettled(() => whenReady(loadPages(), pages => pages.openSite(server)));
  const zonePages = onceSettled(() => whenReady(loadPages(), pages => pages.openZonePages(server)));
  const endpoint = (path: string, handle: Handler): Endpoint => ({ path, access: 'public', handle });
  return [
    ...SITE_PATHS.map(path => {
      const handle: Handler = exchange => whenReady(site(), serve => serve(path, exchange));
      const isChecked = path === '/openapi.json';
      return endpoint(path, isChecked ? withQuery({}, (_, exchange) => handle(exchange)) : handle);
    }),
    endpoint('/zone/*', exchange => whenReady(zonePages(), serve => serve(exchange))),
    endpoint('/find', exchange => whenReady(loadPages(), ({ findPage }) => findPage(server, exchange))),
    apiCatalogEndpoint,
  ];
}

/** Paths for programs: their errors are always JSON, regardless of `Accept`. */
const API_PATH = /^\/(?:v1|api|mcp|\.well-known)(?:\/|$)/;

/** Errors as pages for clients that prefer HTML. */
export function errorPages(server: Server): ErrorPages {
  return {
    matches: ({ url, headers }) => prefersHtml(headers.get('Accept')) && !API_PATH.test(pathnameOf(url)),
    write: (error, exchange) =>
      whenReady(loadPages(), ({ writeErrorPage }) => writeErrorPage(server, error, exchange)),
  };
}
