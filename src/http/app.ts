import { Elysia } from 'elysia';
import { quoted, ServiceError } from '../common/service_error.ts';
import { isTrustedProxy } from '../places/caller_address.ts';
import { authenticate, refundUncounted } from './authenticate.ts';
import { preflightResponse } from './cors.ts';
import { elysiaHandler } from './elysia_handler.ts';
import { handleErrors } from './errors.ts';
import {
  chain,
  type Endpoint,
  Exchange,
  type Handler,
  isRead,
  type Middleware,
  type PeerOf,
  pathnameOf,
} from './exchange.ts';
import { hostError, hostOf, isValidHost, makeRoutable } from './host.ts';
import { observe } from './observe.ts';
import type { Server } from './snapshot.ts';

/** Every request passes these stages, and then the handler of its endpoint. */
const PIPELINE: readonly Middleware[] = [
  dateHead, // Bun adds `Date` to every response but those to HEAD
  handleErrors, // of the next two stages, such as a log that cannot be written
  observe, // metrics and access log
  refundUncounted, // gives failed requests back to the quota
  handleErrors, // exceptions become responses
  authenticate, // API keys and limits
];

/** Properties of the listener that requests arrive on. */
export interface ListenerOptions {
  readonly isHttps?: boolean;
  readonly peerOf?: PeerOf;
  /** Checks the `Host` of requests that need no API key; absent where every host is allowed. */
  readonly isAllowedHost?: (host: string) => boolean;
}

/** An HTTP application. */
export interface App {
  /** The paths of its endpoints. */
  readonly paths: readonly string[];
  readonly handle: (request: Request) => Response | Promise<Response>;
}

/** Serves endpoints: Elysia routes a request to its endpoint, whose handler is wrapped in the pipeline. */
export function createHttpApp(
  server: Server,
  endpoints: readonly Endpoint[],
  { isHttps = false, peerOf = () => '', isAllowedHost }: ListenerOptions = {},
): App {
  const byPath = new Map(endpoints.map(endpoint => [endpoint.path, endpoint]));
  const run = (endpoint: Endpoint) => {
    const handle = PIPELINE.reduceRight<Handler>(
      (next, middleware) => middleware(next, endpoint, server),
      endpoint.handle,
    );
    return (request: Request) => handle(new Exchange(request, server, peerOf));
  };
  // `standardHostname` makes Elysia look for the path from the 12th character on, which is wrong for `http://api/`; without it it
  // looks from the 8th, which only `https:` cannot have.
  const router = new Elysia({ strictPath: true, handler: { standardHostname: isHttps } });
  for (const endpoint of endpoints) {
    const handle = elysiaHandler(run(endpoint));
    router.get(endpoint.path, handle).head(endpoint.path, handle);
  }
  const rejectUnmatched: Handler = ({ request }) => {
    throw unmatchedError(request, byPath);
  };
  const preflight = run({
    path: 'preflight',
    access: 'public',
    handle(exchange) {
      const endpoint = byPath.get(pathnameOf(exchange.request.url));
      return preflightResponse(endpoint?.isOpenToAllOrigins ? '*' : exchange.snapshot.corsOrigin, exchange);
    },
  });
  const isSignable = (request: Request) => {
    const pathname = pathnameOf(request.url);
    const endpoint = byPath.get(pathname);
    return endpoint === undefined ? pathname.startsWith('/v1/') : endpoint.isSignable?.(request) === true;
  };
  const unmatched = run({ path: 'unmatched', access: 'guarded', isSignable, handle: rejectUnmatched });
  const unmatchedPublic = run({ path: 'unmatched', access: 'public', handle: rejectUnmatched });
  const rejectHost = run({
    path: 'unmatched',
    access: 'public',
    handle({ request }) {
      throw hostError(request);
    },
  });

  const isMisdirected = (host: string, request: Request) =>
    isAllowedHost !== undefined &&
    (server.access === null || server.access.isOpen) &&
    !isAllowedHost(host) &&
    !isTrustedProxy(peerOf(request), server.snapshot().callerTrust);

  router.options('/*', elysiaHandler(preflight));
  router.all('/*', ({ request }) => {
    const isPublic = byPath.get(pathnameOf(request.url))?.access === 'public';
    return (isPublic ? unmatchedPublic : unmatched)(request);
  });
  return {
    paths: endpoints.map(({ path }) => path),
    handle(request) {
      const host = hostOf(request);
      const isRejected = !isValidHost(host, request) || isMisdirected(host, request);
      return isRejected ? rejectHost(request) : router.fetch(makeRoutable(request, isHttps));
    },
  };
}

function dateHead(next: Handler): Handler {
  return exchange =>
    exchange.request.method === 'HEAD' ? chain(next(exchange), withDate, exchange) : next(exchange);
}

function withDate(response: Response): Response {
  response.headers.set('Date', new Date().toUTCString());
  return response;
}

/** The error for a request that no endpoint matches: 405 on a known path, else 404. */
function unmatchedError(request: Request, paths: ReadonlyMap<string, unknown>): ServiceError {
  const pathname = pathnameOf(request.url);
  return paths.has(pathname) && !isRead(request)
    ? new ServiceError(
        'METHOD_NOT_ALLOWED',
        `${request.method} is not allowed here; GET, HEAD and OPTIONS are`,
      )
    : new ServiceError('NOT_FOUND', `Nothing is at ${quoted(pathname)}`);
}
