import { SIGNATURE_HEADERS } from '../signing/sign_response.ts';
import type { Exchange } from './exchange.ts';

/** Our headers that scripts on other origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Service-Ignored-Parameters',
  ...SIGNATURE_HEADERS,
  'X-Service-Plan',
  'X-Service-Quota-Limit',
  'X-Service-Quota-Remaining',
  'X-Service-Quota-State',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
].join(', ');

/** The CORS headers of every response. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    ...(origin === '*' ? {} : { Vary: 'Origin' }),
  };
}

/** The response to a CORS preflight from `origin`. */
export function preflightResponse(origin: string, { requestId }: Exchange): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
      'Access-Control-Allow-Headers': 'Authorization, X-API-Key, X-Request-Id',
      'Access-Control-Max-Age': '86400',
      'X-Request-Id': requestId,
    },
  });
}
