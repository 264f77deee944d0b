import { Elysia } from 'elysia';
import { ASSET_PATHS } from '../clock/server_paths.ts';
import { ServiceError } from '../common/service_error.ts';
import { callerAddress } from '../places/caller_address.ts';
import { createAssetResponder } from './asset_responder.ts';
import { preflightResponse } from './cors.ts';
import { guarded } from './guard.ts';
import { healthResponse, readinessResponse } from './health.ts';
import { metricsResponse } from './metrics_response.ts';
import { type Enter, newExchange, observed, type Respond } from './observe.ts';
import { SITE_PATHS } from './pages/site_paths.ts';
import { isLocal, type PeerOf } from './peer.ts';
import { PreparedQueries } from './prepared_queries.ts';
import { requestIdOf } from './request_id.ts';
import { pathnameOf } from './request_path.ts';
import { createResponder, errorResponse, unmatchedResponse } from './respond.ts';
import { createPublicKeysResponder, publicKeysRoute } from './routes/public_keys.ts';
import { API_ROUTES } from './routes.ts';
import type { Services } from './services.ts';
import { createSiteResponder } from './site.ts';

/** What an application knows of the listener that its requests come through. */
export interface AppOptions {
  /** Requests come over TLS. */
  readonly isHttps?: boolean;
  readonly peerOf?: PeerOf;
  /** Whether `/metrics` is here, for callers on this machine and those with a key. */
  readonly hasMetrics?: boolean;
}

/** The HTTP application: Elysia finds the route, {@link createResponder} does the rest. */
export function createApp(services: Services, options: AppOptions = {}) {
  const { isHttps = false, peerOf = () => '', hasMetrics = false } = options;
  // Elysia looks for the path from the 12th character on, and so finds none behind `http://api/`. Told so, it looks
  // from the 8th on, which is right for every host, but only behind `http:`.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: isHttps } })
    // Before the routes: Elysia asks it for those only that come after it.
    .onError(({ error, request }) => errorResponse(error, requestIdOf(request), services));
  const paths = new Map<string, 'public' | 'guarded'>();
  const { observer, callerTrust } = services;
  const callerOf = (request: Request) => callerAddress(peerOf(request), request.headers, callerTrust);
  const watched = (route: string, respond: Respond): Enter => {
    const settled = settling(respond, services);
    return plainly(
      observer === undefined
        ? ({ request }) => settled(newExchange(request))
        : observed(observer, route, settled, callerOf),
    );
  };
  const answer = (access: 'public' | 'guarded', path: string, respond: Respond): void => {
    paths.set(path, access);
    const watching = watched(path, access === 'public' ? respond : guarded(services, respond));
    app.get(path, watching).head(path, watching);
  };
  const prepared = new PreparedQueries(services);
  for (const route of API_ROUTES)
    answer('guarded', route.path, createResponder(services, route, peerOf, prepared));
  answer('public', publicKeysRoute.path, createPublicKeysResponder(services));
  const respondWithAsset = createAssetResponder();
  answer('public', ASSET_PATHS.stylesheet, respondWithAsset('stylesheet'));
  answer('public', ASSET_PATHS.script, respondWithAsset('script'));
  const respondWithSite = createSiteResponder(services);
  for (const path of SITE_PATHS) answer('public', path, respondWithSite(path));
  answer('public', '/healthz', ({ request }) => healthResponse(requestIdOf(request)));
  answer('public', '/readyz', ({ request }) => readinessResponse(services, requestIdOf(request)));
  if (hasMetrics) {
    answer('public', '/metrics', ({ request }) => {
      const requestId = requestIdOf(request);
      const isWelcome = isLocal(callerOf(request)) || services.access?.recognises(request.headers);
      if (isWelcome) return metricsResponse(services, requestId);
      const error = new ServiceError(
        'UNAUTHORIZED',
        'Metrics are for this machine, and for those with an API key',
      );
      return errorResponse(error, requestId, services);
    });
  }

  const unmatched: Respond = ({ request }) => unmatchedResponse(request, paths, services);
  const guardedUnmatched = guarded(services, unmatched);
  return app
    .options(
      '/*',
      watched('preflight', ({ request }) => preflightResponse(services.corsOrigin, requestIdOf(request))),
    )
    .all(
      '/*',
      watched('unmatched', exchange => {
        const isPublic = paths.get(pathnameOf(exchange.request.url)) === 'public';
        return isPublic ? unmatched(exchange) : guardedUnmatched(exchange);
      }),
    );
}

/** `respond`, with the answer of the error in place of one that it throws, or that its promise is rejected with. */
function settling(respond: Respond, services: Services): Respond {
  return exchange => {
    const answerTo = (thrown: unknown) => errorResponse(thrown, requestIdOf(exchange.request), services);
    try {
      const response = respond(exchange);
      return response instanceof Response ? response : response.catch(answerTo);
    } catch (thrown) {
      return answerTo(thrown);
    }
  };
}

/**
 * Elysia reads a handler's text to learn which parts of its context it takes, and whether it must be awaited, which costs
 * a tenth of an answer. It takes ours, where a function's result is returned, for one that must. So it is given the text
 * of one that takes the request and returns at once; where an answer is a promise, Elysia waits for it all the same.
 */
function plainly(enter: Enter): Enter {
  return Object.assign(enter, { toString: () => '({ request }) => request' });
}
