import { Elysia } from 'elysia';
import { preflightResponse } from './cors.ts';
import { healthResponse, readinessResponse } from './health.ts';
import { requestIdOf } from './request_id.ts';
import { createResponder, errorResponse, type PeerOf, unmatchedResponse } from './respond.ts';
import { createPublicKeysResponder, PUBLIC_KEYS_PATH } from './routes/public_keys.ts';
import { JSON_ROUTES } from './routes.ts';
import type { Services } from './services.ts';

/**
 * The HTTP application of a listener: Elysia finds the route, {@link createResponder} does the rest. `peerOf` tells the
 * other end of a request's connection; without it callers are unknown.
 */
export function createApp(services: Services, peerOf: PeerOf = () => '') {
  const app = new Elysia({
    strictPath: true,
    // Otherwise Elysia looks for the path too far behind a host of less than four characters.
    handler: { standardHostname: false },
  });
  const paths = new Set(['/healthz', '/readyz', PUBLIC_KEYS_PATH]);
  for (const route of JSON_ROUTES) {
    paths.add(route.path);
    const respond = createResponder(services, route, peerOf);
    app.get(route.path, respond).head(route.path, respond);
  }
  const respondWithKeys = createPublicKeysResponder(services);
  return app
    .get(PUBLIC_KEYS_PATH, respondWithKeys)
    .head(PUBLIC_KEYS_PATH, respondWithKeys)
    .get('/healthz', ({ request }) => healthResponse(requestIdOf(request)))
    .head('/healthz', ({ request }) => healthResponse(requestIdOf(request)))
    .get('/readyz', ({ request }) => readinessResponse(services, requestIdOf(request)))
    .head('/readyz', ({ request }) => readinessResponse(services, requestIdOf(request)))
    .options('/*', ({ request }) => preflightResponse(services.corsOrigin, requestIdOf(request)))
    .all('/*', ({ request }) => unmatchedResponse(request, paths, services))
    .onError(({ error, request }) => errorResponse(error, requestIdOf(request), services));
}
