import { Elysia } from 'elysia';
import { ServiceError } from '../common/service_error.ts';
import { callerAddress } from '../places/caller_address.ts';
import { preflightResponse } from './cors.ts';
import { healthResponse, readinessResponse } from './health.ts';
import { metricsResponse } from './metrics_response.ts';
import { observed, type Respond } from './observe.ts';
import { isLocal, type PeerOf } from './peer.ts';
import { requestIdOf } from './request_id.ts';
import { createResponder, errorResponse, unmatchedResponse } from './respond.ts';
import { createPublicKeysResponder, PUBLIC_KEYS_PATH } from './routes/public_keys.ts';
import { JSON_ROUTES } from './routes.ts';
import type { Services } from './services.ts';

/** What an application knows of the listener that its requests come through. */
export interface AppOptions {
  /** Requests come over TLS. */
  readonly isHttps?: boolean;
  readonly peerOf?: PeerOf;
  /** Whether `/metrics` is here, for callers on this machine. */
  readonly hasMetrics?: boolean;
}

/** The HTTP application: Elysia finds the route, {@link createResponder} does the rest. */
export function createApp(services: Services, options: AppOptions = {}) {
  const { isHttps = false, peerOf = () => '', hasMetrics = false } = options;
  // Elysia looks for the path from the 12th character on, and so finds none behind `http://api/`. Told so, it looks
  // from the 8th on, which is right for every host, but only behind `http:`.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: isHttps } });
  const paths = new Set<string>();
  const { observer, callerTrust } = services;
  const callerOf = (request: Request) => callerAddress(peerOf(request), request.headers, callerTrust);
  const watched = (route: string, respond: Respond): Respond =>
    observer === undefined ? respond : observed(observer, route, respond, callerOf);
  const answer = (path: string, respond: Respond): void => {
    paths.add(path);
    const watching = watched(path, respond);
    app.get(path, watching).head(path, watching);
  };
  for (const route of JSON_ROUTES) answer(route.path, createResponder(services, route, peerOf));
  answer(PUBLIC_KEYS_PATH, createPublicKeysResponder(services));
  answer('/healthz', ({ request }) => healthResponse(requestIdOf(request)));
  answer('/readyz', ({ request }) => readinessResponse(services, requestIdOf(request)));
  if (hasMetrics) {
    answer('/metrics', ({ request }) => {
      const requestId = requestIdOf(request);
      if (isLocal(callerOf(request))) return metricsResponse(services, requestId);
      return errorResponse(
        new ServiceError('UNAUTHORIZED', 'Metrics are for this machine'),
        requestId,
        services,
      );
    });
  }
  return app
    .options(
      '/*',
      watched('preflight', ({ request }) => preflightResponse(services.corsOrigin, requestIdOf(request))),
    )
    .all(
      '/*',
      watched('unmatched', ({ request }) => unmatchedResponse(request, paths, services)),
    )
    .onError(({ error, request }) => errorResponse(error, requestIdOf(request), services));
}
