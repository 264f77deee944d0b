import { Elysia } from 'elysia';
import { createAssetResponder } from '../api/assets/asset_responder.ts';
import { PreparedQueries } from '../api/prepared_queries.ts';
import type { Route } from '../api/route.ts';
import { createPublicKeysResponder, publicKeysRoute } from '../api/routes/public_keys.ts';
import { API_ROUTES } from '../api/routes.ts';
import { ASSET_PATHS } from '../clock/server_paths.ts';
import { ServiceError } from '../common/service_error.ts';
import { callerAddress } from '../places/caller_address.ts';
import { createSiteResponder } from '../site/site.ts';
import { SITE_PATHS } from '../site/site_paths.ts';
import { preflightResponse } from './cors.ts';
import { withDatedHead } from './dated_head.ts';
import { guarded } from './guard.ts';
import { healthResponse, readinessResponse } from './health.ts';
import { withHost, withLongHost } from './host.ts';
import { metricsResponse } from './metrics_response.ts';
import { type Enter, type Exchange, newExchange, observed, type Respond } from './observe.ts';
import { isLocal, type PeerOf } from './peer.ts';
import { requestIdOf } from './request_id.ts';
import { pathnameOf } from './request_path.ts';
import { createResponder, errorResponse, unmatchedResponse } from './respond.ts';
import type { Services } from './services.ts';

/** What an application knows of the listener that its requests come through. */
export interface AppOptions {
  /** Requests come over TLS. */
  readonly isHttps?: boolean;
  readonly peerOf?: PeerOf;
  /** Whether `/metrics` is here, for callers on this machine and those with a key. */
  readonly hasMetrics?: boolean;
  /** Shared by the listeners of a process. */
  readonly prepared?: PreparedQueries;
}

/** What answers requests. */
export interface App {
  /** The paths that it has routes for, each once for each method. */
  readonly paths: readonly string[];
  readonly handle: (request: Request) => Response | Promise<Response>;
}

/**
 * The HTTP application: Elysia finds the route, {@link createResponder} does the rest. A query that is kept needs no
 * finding, which saves a twentieth of an answer.
 */
export function createApp(services: Services, options: AppOptions = {}): App {
  const { isHttps = false, peerOf = () => '', hasMetrics = false } = options;
  const prepared = options.prepared ?? new PreparedQueries(services);
  // Elysia looks for the path from the 12th character on, and so finds none behind `http://api/`. Told so, it looks
  // from the 8th on, which is right for every host, but only behind `http:`; see `withLongHost`.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: isHttps } })
    // Before the routes: Elysia asks it for those only that come after it.
    .onError(({ error, request }) => errorResponse(error, requestIdOf(request), services));
  const paths = new Map<string, 'public' | 'guarded'>();
  const { observer, callerTrust } = services;
  const callerOf = (request: Request) => callerAddress(peerOf(request), request.headers, callerTrust);
  const watched = (route: string, respond: Respond): Enter => {
    const settled = settling(respond, services);
    return observer === undefined
      ? (request, kept) => settled(newExchange(request, kept))
      : observed(observer, route, settled, callerOf);
  };
  const answer = (access: 'public' | 'guarded', path: string, respond: Respond): Enter => {
    paths.set(path, access);
    const enter = watched(path, access === 'public' ? respond : guarded(services, respond));
    app.get(path, plainly(enter)).head(path, plainly(enter));
    return enter;
  };
  const entrances = new Map<Route, Enter>();
  for (const route of API_ROUTES) {
    entrances.set(route, answer('guarded', route.path, createResponder(services, route, peerOf, prepared)));
  }
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
  const enterPreflight = watched('preflight', ({ request }) => {
    const isForAll = OPEN_TO_ALL.has(pathnameOf(request.url));
    return preflightResponse(isForAll ? '*' : services.corsOrigin, requestIdOf(request));
  });
  const enterUnmatched = watched('unmatched', exchange => {
    const isPublic = paths.get(pathnameOf(exchange.request.url)) === 'public';
    return isPublic ? unmatched(exchange) : guardedUnmatched(exchange);
  });
  app.options('/*', plainly(enterPreflight)).all('/*', plainly(enterUnmatched));
  const find = isHttps ? withLongHost(app.fetch) : app.fetch;
  const answerGet = withHost(answeringKept(prepared, entrances, find, services), services);
  const answerOther = withDatedHead(withHost(find, services));
  return {
    paths: app.routes.map(({ path }) => path),
    handle: request => (request.method === 'GET' ? answerGet(request) : answerOther(request)),
  };
}

/** What scripts of all origins may read, whatever `--cors-origin` says of the rest. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set([
  publicKeysRoute.path,
  ASSET_PATHS.stylesheet,
  ASSET_PATHS.script,
]);

/** `find` for GET, but a query that is kept goes to its route at once. */
function answeringKept(
  prepared: PreparedQueries,
  entrances: ReadonlyMap<Route, Enter>,
  find: App['handle'],
  services: Services,
): App['handle'] {
  return request => {
    const kept = prepared.get(request.url);
    if (kept === undefined) return find(request);
    try {
      return entrances.get(kept.route)!(request, kept); // only these routes keep queries
    } catch (thrown) {
      return errorResponse(thrown, requestIdOf(request), services); // as Elysia's `onError` does
    }
  };
}

/** `respond`, with the answer of the error in place of one that it throws, or that its promise is rejected with. */
function settling(respond: Respond, services: Services): Respond {
  const answerTo = (thrown: unknown, { request }: Exchange) =>
    errorResponse(thrown, requestIdOf(request), services);
  return exchange => {
    try {
      const response = respond(exchange);
      if (response instanceof Response) return response;
      return response.catch(thrown => answerTo(thrown, exchange));
    } catch (thrown) {
      return answerTo(thrown, exchange);
    }
  };
}

/**
 * Elysia reads a handler's text to learn which parts of its context it takes, and whether it must be awaited, which costs
 * a tenth of an answer. It takes ours, where a function's result is returned, for one that must. So it is given the text
 * of one that takes the request and returns at once; where an answer is a promise, Elysia waits for it all the same.
 */
function plainly(enter: Enter) {
  const handler = ({ request }: { request: Request }) => enter(request);
  return Object.assign(handler, { toString: () => '({ request }) => request' });
}
