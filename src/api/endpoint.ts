import { BoundedCache } from '../common/bounded_cache.ts';
import { corsHeaders } from '../http/cors.ts';
import type { Endpoint, Exchange } from '../http/exchange.ts';
import { parseQuery, type Query } from '../http/query.ts';
import { ResponseTemplate } from '../http/response.ts';
import { type Signature, signatureOf } from '../http/signature.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { type CommonDetails, clockDetails } from '../operations/details.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { rejectUnknown } from './parameters/common.ts';
import type { DecodeContext } from './parameters/input.ts';
import { asOfRelease } from './parameters/releases.ts';
import type { HandlerContext, Route } from './route.ts';

/** A query whose parameters have been decoded. */
interface DecodedQuery {
  readonly query: Query;
  /** That of the request, with the zones of the release in `tzdata`. */
  readonly snapshot: Snapshot;
  /** The values for the handler of the route. */
  readonly values: unknown;
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
/** About so many queries are remembered as decoded once; a power of two. */
const SEEN_QUERIES = 256;

/**
 * LRU cache of decoded queries, keyed by URL: decoding is about half of our own CPU time. A query is admitted when it is
 * decoded for the second time: garbage collection of queries that never repeat would cost more than their decoding.
 */
class QueryCache {
  readonly #queries = new BoundedCache<string, DecodedQuery>(CACHED_QUERIES);
  /** Hashes of the URLs decoded once. Where two collide, one is admitted too early or too late. */
  readonly #seenOnce = new Int32Array(SEEN_QUERIES);

  get(url: string): DecodedQuery | undefined {
    return this.#queries.get(url);
  }

  offer(url: string, decoded: DecodedQuery): void {
    if (url.length > MAX_CACHED_URL_LENGTH) return;
    const hash = hashOf(url);
    const index = hash & (SEEN_QUERIES - 1);
    if (this.#seenOnce[index] === hash) this.#queries.set(url, decoded);
    else this.#seenOnce[index] = hash;
  }
}

function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  }
  return hash;
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

  /** Loads the data that a query needs, and decodes it. */
  function start(exchange: Exchange, query: Query, snapshot: Snapshot): Response | Promise<Response> {
    const selected = route.select(query);
    return route.pendingData(selected, snapshot) === undefined
      ? decode(exchange, query, snapshot, selected)
      : loadData(route, selected, snapshot).then(() => decode(exchange, query, snapshot, selected));
  }

  /** Decodes a query, and offers it to the cache unless an input prevents that. */
  function decode(
    exchange: Exchange,
    query: Query,
    snapshot: Snapshot,
    selected: readonly unknown[],
  ): Response | Promise<Response> {
    const context = new RequestContext(exchange, snapshot, query, server);
    const decoded = { query, snapshot, values: route.decode(query, selected, context) };
    if (context.isCacheable) decodedQueries(exchange.snapshot).offer(exchange.request.url, decoded);
    return respond(exchange, decoded, context);
  }

  function respond(
    exchange: Exchange,
    decoded: DecodedQuery,
    context: RequestContext,
  ): Response | Promise<Response> {
    const body = decoded.body ?? route.respond(decoded.values, context);
    if (body instanceof Promise) return body.then(text => complete(exchange, decoded, text));
    if (!context.isUsed && body.length <= MAX_CACHED_BODY_LENGTH) decoded.body = body;
    return complete(exchange, decoded, body);
  }

  function complete(exchange: Exchange, decoded: DecodedQuery, body: string): Response {
    const { request, snapshot } = exchange;
    const { query } = decoded;
    query.rejectRemainingProblems();
    if (!query.hasFlag('sign')) return template(snapshot).respond(body, exchange);
    const signature = signatureOf({ request, status: 200, body }, server, decoded.signature);
    if (body.length <= MAX_CACHED_BODY_LENGTH) decoded.signature = signature;
    return template(snapshot).respond(body, exchange, signature);
  }

  return {
    path: route.path,
    access: route.isPublic ? 'public' : 'guarded',
    isOpenToAllOrigins: route.isPublic,
    isSignable: () => 'sign' in route.parameters,
    handle(exchange) {
      const { request, snapshot } = exchange;
      const cached = decodedQueries(snapshot).get(request.url);
      const query = cached?.query ?? parseQuery(request.url, route.known);
      exchange.query = query;
      if (cached !== undefined) {
        return respond(exchange, cached, new RequestContext(exchange, cached.snapshot, query, server));
      }
      rejectUnknown(query, route.known);
      return query.has('tzdata')
        ? asOfRelease(query, snapshot).then(changed => start(exchange, query, changed))
        : start(exchange, query, snapshot);
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

/** The context of decoding a query and of its handler, which notes what keeps query and body from being cached. */
class RequestContext implements DecodeContext, HandlerContext {
  readonly snapshot: Snapshot;
  readonly signing: SigningKeys;
  readonly #exchange: Exchange;
  readonly #server: Server;
  readonly #wantsDetails: boolean;
  #nowMs: number | undefined;
  isCacheable = true;
  /** Whether the response depends on the present or on the request. */
  isUsed = false;

  constructor(exchange: Exchange, snapshot: Snapshot, query: Query, server: Server) {
    this.snapshot = snapshot;
    this.signing = server.signing;
    this.#wantsDetails = query.hasFlag('details');
    this.#exchange = exchange;
    this.#server = server;
  }

  get nowMs(): number {
    this.isUsed = true;
    this.#nowMs ??= this.#server.now();
    return this.#nowMs;
  }

  get commonDetails(): (() => CommonDetails) | null {
    if (!this.#wantsDetails) return null;
    this.isUsed = true;
    return () => ({ clock: clockDetails(this.#server.hostClock()) });
  }

  get requestId(): string {
    this.isUsed = true;
    return this.#exchange.requestId;
  }

  clientAddress(): IpAddress | undefined {
    return this.#exchange.clientAddress();
  }

  preventCaching(): void {
    this.isCacheable = false;
  }
}

/** Loads all data that a query needs; what is loaded first can show that more is needed. */
async function loadData(route: Route, selected: readonly unknown[], snapshot: Snapshot): Promise<void> {
  for (;;) {
    const pending = route.pendingData(selected, snapshot);
    if (pending === undefined) return;
    await pending.load();
  }
}
