import { MESSAGE_SIGNATURE_HEADERS, PROOF_HEADERS } from '../signing/message_signature.ts';
import { SIGNATURE_HEADERS } from '../signing/signed_response.ts';
import { type Endpoint, type Exchange, methodsOf } from './exchange.ts';

/** The request headers that scripts may send: credentials, including a marketplace's, request id and entity tag. */
const REQUEST_HEADERS =
  'Authorization, X-API-Key, X-RapidAPI-Key, X-RapidAPI-Host, X-Request-Id, If-None-Match';
/** Additional request headers for POST: the content type, and what MCP repeats from the body. */
const POST_HEADERS = 'Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

/** The response headers that scripts from other origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'ETag',
  'X-Service-Ignored-Parameters',
  ...SIGNATURE_HEADERS,
  ...PROOF_HEADERS,
  ...MESSAGE_SIGNATURE_HEADERS,
  'X-Service-Plan',
  'X-Service-Quota-Limit',
  'X-Service-Quota-Remaining',
  'X-Service-Quota-State',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
].join(', ');

/**
 * The CORS headers of a response; `hasOrigin` is whether the request has an `Origin`, as those of scripts from other sites do.
 * Caches may send a storable response to a script although they stored it for a request without `Origin`.
 */
export function corsHeaders(allowed: string, hasOrigin: boolean, isStorable = false): Record<string, string> {
  const vary = allowed === '*' ? {} : { Vary: 'Origin' };
  if (!hasOrigin && !(isStorable && allowed === '*')) return vary;
  return {
    'Access-Control-Allow-Origin': allowed,
    ...(hasOrigin && { 'Access-Control-Expose-Headers': EXPOSED_HEADERS }),
    ...vary,
  };
}

/** The response to a CORS preflight from `origin`, or to any other OPTIONS request. */
export function preflightResponse(
  origin: string,
  endpoint: Endpoint | undefined,
  { request, requestId }: Exchange,
): Response {
  const methods = methodsOf(endpoint).join(', ');
  const takesBody = endpoint?.methods !== undefined;
  const hasOrigin = request.headers.has('Origin');
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin, hasOrigin),
      Allow: methods,
      ...(hasOrigin && {
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': takesBody ? `${REQUEST_HEADERS}, ${POST_HEADERS}` : REQUEST_HEADERS,
        'Access-Control-Max-Age': '86400',
      }),
      'X-Request-Id': requestId,
    },
  });
}
