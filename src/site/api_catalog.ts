import { withCheckedQuery } from '../api/checked_query.ts';
import { storableCorsHeaders } from '../http/cors.ts';
import type { Endpoint } from '../http/exchange.ts';

const PATH = '/.well-known/api-catalog';

/** The API's machine-readable description, documentation and status, as relations of RFC 8631. */
const LINKS = {
  'service-desc': [{ href: '/openapi.json', type: 'application/json' }],
  'service-doc': [{ href: '/docs', type: 'text/html' }],
  status: [{ href: '/readyz', type: 'text/plain' }],
};

/** The `Link` header of the catalog and the pages, for discovery: RFC 9727 §3. */
export const CATALOG_LINK = [
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
  handle: withCheckedQuery(
    ({ request, requestId }) =>
      new Response(BODY, {
        headers: {
          ...storableCorsHeaders('*', request.headers.has('Origin')),
          'Content-Type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
          'Cache-Control': 'public, max-age=3600',
          Link: CATALOG_LINK,
          'X-Request-Id': requestId,
        },
      }),
  ),
};
