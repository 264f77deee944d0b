import { withQuery } from '../api/common_parameters.ts';
import { corsHeaders } from '../http/cors.ts';
import type { Endpoint } from '../http/exchange.ts';

export const SITE_PATHS = [
  '/',
  '/docs',
  '/clocks',
  '/planner',
  '/map',
  '/openapi.json',
  '/favicon.ico',
  '/robots.txt',
  '/assets/pages.css',
  '/assets/pages.js',
  '/assets/planner.js',
  '/assets/icon.svg',
  '/assets/touch_icon.png',
  '/assets/card.png',
  '/assets/outlines.svg',
] as const;
export type SitePath = (typeof SITE_PATHS)[number];

/**
 * Pages load nothing from other hosts and contain no inline scripts or styles. Unlike other pages, error pages may be framed,
 * since they can replace a clock.
 */
export const ERROR_PAGE_POLICY =
  "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'self'; object-src 'none'";

export const PAGE_HEADERS = {
  'Content-Security-Policy': `${ERROR_PAGE_POLICY}; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The headers of a path, in addition to those of its representation. */
export function siteHeaders(path: SitePath, request: Request, corsOrigin: string): Record<string, string> {
  // Asset URLs in pages have digests, so their content never changes; everything else is revalidated.
  const isNamed = path.startsWith('/assets/') && request.url.includes('?v=');
  return {
    ...(path === '/openapi.json'
      ? corsHeaders(corsOrigin, request.headers.has('Origin'), true)
      : PAGE_HEADERS),
    ...(path === '/' || path === '/docs' ? { Link: CATALOG_LINK } : {}),
    'Cache-Control': isNamed ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

const PATH = '/.well-known/api-catalog';

/** The API's machine-readable description, documentation and status, as relations of RFC 8631. */
const LINKS = {
  'service-desc': [{ href: '/openapi.json', type: 'application/json' }],
  'service-doc': [{ href: '/docs', type: 'text/html' }],
  status: [{ href: '/readyz', type: 'text/plain' }],
};

/** The `Link` header of the catalog and the pages, for discovery: RFC 9727 §3. */
const CATALOG_LINK = [
  `<${PATH}>; rel="api-catalog"`,
  ...Object.entries(LINKS).flatMap(([relation, links]) =>
    links.map(({ href, type }) => `<${href}>; rel="${relation}"; type="${type}"`),
  ),
].join(', ');

const BODY = JSON.stringify({ linkset: [{ anchor: '/', ...LINKS }] });

/** The API catalog of RFC 9727, as a linkset (RFC 9264). */
export const apiCatalogEndpoint: Endpoint = {
  path: PATH,
  access: 'public',
  isOpenToAllOrigins: true,
  handle: withQuery(
    {},
    (_, { request, requestId }) =>
      new Response(BODY, {
        headers: {
          ...corsHeaders('*', request.headers.has('Origin'), true),
          'Content-Type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
          'Cache-Control': 'public, max-age=3600',
          Link: CATALOG_LINK,
          'X-Request-Id': requestId,
        },
      }),
  ),
};
