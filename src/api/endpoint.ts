import { BoundedCache } from '../common/bounded_cache.ts';
import { corsHeaders } from '../http/cors.ts';
import type { Endpoint, Exchange } from '../http/exchange.ts';
import { parseQuery, type Query } from '../http/query.ts';
import { ResponseTemplate } from '../http/response.ts';
import { type Signature, signatureOf } from '../http/signature.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { rejectUnknown } from './parameters/common.ts';
import type { DecodeContext } from './parameters/input.ts';
import type { HandlerContext, Route } from './route.ts';

/** A query whose parameters have been decoded. */
interface DecodedQuery {
  readonly query: Query;
  /** The values for the handler of the route. */
  readonly values: unknown;
  readonly isSigned: boolean;
  readonly wantsDetails: boolean;
  /** The body, once it is known to depend on neither the present nor the request. */
  body?: string;
  /** The latest signature, for responses that are equal. */
  signature?: Signature;
}

/** Between this and twice as many queries are cached, of a few kilobytes each. */
const CACHED_QUERIES = 512;
/** Longer URLs, including scheme and host, are not cached. */
const MAX_CACHED_URL_LENGTH = 256;
/** Longer bodies and their signatures are not cached. */
const MAX_CACHED_BODY_LENGTH = 2048;

/**
 * LRU cache of decoded queries, keyed by URL: decoding is about half of our own CPU time. A query is admitted when it is
 * decoded for the second time: garbage collection of queries that never repeat would cost more than their decoding.
 */
class QueryCache {
  readonly #queries = new BoundedCache<string, DecodedQuery>(CACHED_QUERIES);
  readonly #seenOnce = new Set<string>();

  get(url: string): DecodedQuery | undefined {
    return this.#queries.get(url);
  }

  offer(url: string, decoded: DecodedQuery): void {
    if (url.length > MAX_CACHED_URL_LENGTH) return;
    if (this.#seenOnce.delete(url)) {
      this.#queries.set(url, decoded);
      return;
    }
    if (this.#seenOnce.size === CACHED_QUERIES) this.#seenOnce.clear();
    this.#seenOnce.add(url);
  }
}

const decodedQueries = perSnapshot(() => new QueryCache());

/** Serves a route: query → values → operation → body → response. */
export function endpointOf(route: Route, server: Server): Endpoint {
  const contentType = route.payload === null ? 'text/html; charset=utf-8' : 'application/json';
  const template = perSnapshot(
    ({ corsOrigin, publicUrl }) =>
      new ResponseTemplate({
        'Content-Type': contentType,
        'Cache-Control': route.cacheControl,
        ...(route.payload === null && fragmentHeaders(publicUrl)),
        ...corsHeaders(route.isPublic ? '*' : corsOrigin),
      }),
  );

  function respond(exchange: Exchange, decoded: DecodedQuery): Response | Promise<Response> {
    exchange.query = decoded.query;
    if (decoded.body !== undefined) return complete(exchange, decoded, decoded.body);
    const context = new RequestContext(exchange, decoded, server);
    const body = route.respond(decoded.values, context);
    if (body instanceof Promise) return body.then(text => complete(exchange, decoded, text));
    if (!context.isUsed && body.length <= MAX_CACHED_BODY_LENGTH) decoded.body = body;
    return complete(exchange, decoded, body);
  }

  function complete(exchange: Exchange, decoded: DecodedQuery, body: string): Response {
    const { request, snapshot } = exchange;
    decoded.query.rejectRemainingProblems();
    if (!decoded.isSigned) return template(snapshot).respond(body, exchange);
    const signature = signatureOf({ request, status: 200, body }, server, decoded.signature);
    if (body.length <= MAX_CACHED_BODY_LENGTH) decoded.signature = signature;
    return template(snapshot).respond(body, exchange, signature);
  }

  function respondNew(exchange: Exchange, query: Query, selected: readonly unknown[]) {
    return respond(exchange, decode(route, query, selected, exchange));
  }

  return {
    path: route.path,
    access: route.isPublic ? 'public' : 'guarded',
    isOpenToAllOrigins: route.isPublic,
    isSignable: () => 'sign' in route.parameters,
    handle(exchange) {
      const { request, snapshot } = exchange;
      const cached = decodedQueries(snapshot).get(request.url);
      if (cached !== undefined) return respond(exchange, cached);
      const query = parseQuery(request.url, route.known);
      exchange.query = query;
      rejectUnknown(query, route.known);
      const selected = route.select(query);
      return route.pendingData(query, selected, snapshot).length === 0
        ? respondNew(exchange, query, selected)
        : loadData(route, query, selected, snapshot).then(() => respondNew(exchange, query, selected));
    },
  };
}

/** Headers for a fragment that is opened as a page of its own or in a frame; within another page, that page's policy holds. */
function fragmentHeaders(publicUrl: string): Record<string, string> {
  const own = publicUrl === '' ? "'self'" : `'self' ${new URL(publicUrl).origin}`;
  return {
    'Content-Security-Policy': `default-src 'none'; base-uri 'none'; connect-src ${own}; form-action 'none'; script-src ${own}; style-src ${own}`,
    'X-Content-Type-Options': 'nosniff',
  };
}

/** The context of a handler, which notes whether the response depends on the present or on the request. */
class RequestContext implements HandlerContext {
  readonly snapshot: Snapshot;
  readonly signing: SigningKeys;
  readonly wantsDetails: boolean;
  readonly #exchange: Exchange;
  readonly #now: () => number;
  #nowMs: number | undefined;
  isUsed = false;

  constructor(exchange: Exchange, { wantsDetails }: DecodedQuery, { signing, now }: Server) {
    this.snapshot = exchange.snapshot;
    this.signing = signing;
    this.wantsDetails = wantsDetails;
    this.#exchange = exchange;
    this.#now = now;
  }

  get nowMs(): number {
    this.isUsed = true;
    this.#nowMs ??= this.#now();
    return this.#nowMs;
  }

  get requestId(): string {
    this.isUsed = true;
    return this.#exchange.requestId;
  }
}

/** What the query of a request is decoded with. */
class RequestDecodeContext implements DecodeContext {
  readonly snapshot: Snapshot;
  readonly #exchange: Exchange;
  isCacheable = true;

  constructor(exchange: Exchange) {
    this.snapshot = exchange.snapshot;
    this.#exchange = exchange;
  }

  clientAddress(): IpAddress | undefined {
    return this.#exchange.clientAddress();
  }

  preventCaching(): void {
    this.isCacheable = false;
  }
}

/** Decodes a query, and offers it to the cache unless an input prevents that. */
function decode(route: Route, query: Query, selected: readonly unknown[], exchange: Exchange): DecodedQuery {
  const context = new RequestDecodeContext(exchange);
  const values = route.decode(query, selected, context);
  const isSigned = query.hasFlag('sign');
  const decoded = { query, values, isSigned, wantsDetails: query.hasFlag('details') };
  if (context.isCacheable) decodedQueries(exchange.snapshot).offer(exchange.request.url, decoded);
  return decoded;
}

/** Loads all data that a query needs; what is loaded first can show that more is needed. */
async function loadData(
  route: Route,
  query: Query,
  selected: readonly unknown[],
  snapshot: Snapshot,
): Promise<void> {
  for (;;) {
    const pending = route.pendingData(query, selected, snapshot);
    if (pending.length === 0) return;
    await Promise.all(pending.map(data => data.load()));
  }
}
