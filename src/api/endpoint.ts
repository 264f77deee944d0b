import { BoundedCache } from '../common/caching.ts';
import type { ServiceError } from '../common/errors.ts';
import { type CachedSource, dataDetails, dataSource } from '../http/data_use.ts';
import {
  chain,
  type Endpoint,
  type ErrorContent,
  type Exchange,
  originFormOf,
  originOf,
} from '../http/exchange.ts';
import {
  acceptedCoding,
  type Coding,
  encodeBody,
  hasAlready,
  isWorthCompressing,
  matchesAny,
} from '../http/negotiation.ts';
import { chargeMore } from '../http/pipeline.ts';
import { parseQuery, type Query } from '../http/query.ts';
import {
  type CacheHeaders,
  entityTag,
  FIXED,
  type Freshness,
  freshnessUntil,
  type Lifetime,
  Responder,
} from '../http/response.ts';
import { type Signature, signatureHeaders, signatureOf } from '../http/signature.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { type CommonDetails, clockDetails } from '../operations/details.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { steadySpan } from '../zones/zone_database.ts';
import { type RouteInputs, rejectInvalidCommon, rejectUnknown } from './inputs.ts';
import type { DecodeContext } from './parameters/input.ts';
import { asOfRelease } from './parameters/releases.ts';
import { TEXT_SELECTORS } from './parameters/targets.ts';
import type { HandlerContext, Route } from './route.ts';

/** A query whose parameters have been decoded. */
interface DecodedQuery {
  /** The URL of the request. */
  readonly url: string;
  readonly query: Query;
  /** The snapshot of the request, with the zones of the release given by `tzdata`. */
  readonly snapshot: Snapshot;
  /** The values for the handler of the route. */
  readonly values: unknown;
  readonly lifetime: Lifetime;
  /** The opaque part of the entity tag; '' if the response must not be cached. */
  readonly tag: string;
  /** Whether the response is signed; known once the common parameters have been checked. */
  isSigned?: boolean;
  /** The latest body, unless it depends on more than the query, the snapshot and {@link bodyMs}. */
  body?: string;
  /** The time with which the body was computed, in milliseconds since 1970-01-01T00:00:00Z; undefined for none. */
  bodyMs?: number | undefined;
  /** The latest signature, reused for equal responses. */
  signature?: Signature;
}

/** The cache holds up to twice as many queries, of one kilobyte each, or four with a signature. */
const CACHED_QUERIES = 1024;
/** Longer URLs, including scheme and host, are not cached. */
const MAX_CACHED_URL_LENGTH = 256;
/** The size of the table of queries decoded once: much larger than the cache, so that few collide; a power of two. */
const SEEN_QUERIES = 16_384;

/**
 * LRU cache of decoded queries: decoding is about half of our own CPU time. The key is a hash of the URL, and the URL is then
 * compared; a map with string keys is slower. A query is admitted when it is decoded for the second time, but at most one in
 * four: if more queries repeat than fit, evicting each before its next use would cost more in garbage collection than decoding.
 */
class QueryCache {
  readonly #queries = new BoundedCache<number, DecodedQuery>(CACHED_QUERIES);
  /** Hashes of the queries decoded once. If two collide, one is admitted too early or too late. */
  readonly #seenOnce = new Int32Array(SEEN_QUERIES);
  /** How many queries were offered, up to four times {@link CACHED_QUERIES}, and how many of them were admitted. */
  #offered = 0;
  #admitted = 0;

  get(exchange: Exchange): DecodedQuery | undefined {
    const { url } = exchange.request;
    if (url.length > MAX_CACHED_URL_LENGTH) return undefined;
    const decoded = this.#queries.get(exchange.targetHash);
    return decoded?.url === url ? decoded : undefined;
  }

  offer(decoded: DecodedQuery, exchange: Exchange): void {
    // Ignored parameters are often meant to prevent caching.
    if (decoded.url.length > MAX_CACHED_URL_LENGTH || decoded.query.ignored.length > 0) return;
    if (++this.#offered > 4 * CACHED_QUERIES) {
      this.#offered = 0;
      this.#admitted = 0;
    }
    const { targetHash } = exchange;
    const index = targetHash & (SEEN_QUERIES - 1);
    if (this.#seenOnce[index] !== targetHash) this.#seenOnce[index] = targetHash;
    else if (this.#admitted++ < CACHED_QUERIES) this.#queries.set(targetHash, decoded);
  }
}

const decodedQueries = perSnapshot(() => new QueryCache());

/** What the responses of a route have in common. */
type ResponseKind = Pick<Route, 'contentType' | 'isMarkup' | 'isPublic' | 'cacheControl'>;

/** The responses of a route from a snapshot: signed, compressed, or 304 if the client already has the body. */
export class RouteResponses {
  readonly #isCompressible: boolean;
  readonly #momentary: Responder;
  readonly #cacheable: Responder;
  readonly #notModified: Responder;

  constructor(route: ResponseKind, snapshot: Snapshot) {
    const { contentType, isMarkup, isPublic, cacheControl } = route;
    this.#isCompressible = contentType === 'application/json';
    const corsOrigin = isPublic ? '*' : snapshot.corsOrigin;
    const common = { corsOrigin, vary: this.#isCompressible ? 'Accept-Encoding' : undefined };
    const content = { 'Content-Type': contentType, ...(isMarkup && markupHeaders(snapshot)) };
    const momentary = { ...content, 'Cache-Control': cacheControl };
    this.#momentary = new Responder({ ...common, headers: momentary });
    this.#cacheable = new Responder({ ...common, headers: content });
    this.#notModified = new Responder({ ...common, status: 304, headers: {} });
  }

  /** A response that is never cached; it may be compressed, unless it is signed. */
  momentary(
    body: string,
    exchange: Exchange,
    signature?: Readonly<Record<string, string>>,
  ): Response | Promise<Response> {
    if (signature === undefined && this.#isCompressible && isWorthCompressing(body)) {
      return this.#compressed(body, exchange, null);
    }
    return this.#momentary.respond(body, exchange, signature);
  }

  /** A response that caches may reuse. */
  cacheable(body: string, exchange: Exchange, freshness: Freshness): Response | Promise<Response> {
    return this.#isCompressible && isWorthCompressing(body)
      ? this.#compressed(body, exchange, freshness)
      : this.#cacheable.respond(
          body,
          exchange,
          undefined,
          cacheHeaders(tagIn('identity', freshness), freshness, exchange),
        );
  }

  /** The response to a client that already has the body; undefined if it does not. */
  notModified(exchange: Exchange, freshness: Freshness): Response | undefined {
    const { request } = exchange;
    const condition = request.headers.get('If-None-Match');
    if (condition === null) return undefined;
    // Whether the body is long enough to be compressed is not known until it has been computed; few bodies are.
    let tag = tagIn('identity', freshness);
    if (!hasAlready(condition, tag)) {
      tag = this.#compressedTag(freshness, request);
      if (!hasAlready(condition, tag)) return undefined;
    }
    return this.#notModified.respond(null, exchange, undefined, cacheHeaders(tag, freshness, exchange));
  }

  /** The tag that the body has if it is compressed. */
  #compressedTag(freshness: Freshness, request: Request): string {
    return tagIn(this.#isCompressible ? acceptedCoding(request) : 'identity', freshness);
  }

  #compressed(body: string, exchange: Exchange, freshness: Freshness | null): Response | Promise<Response> {
    return chain(
      encodeBody(body, exchange.request),
      ({ content, coding, headers }) => {
        if (freshness === null) return this.#momentary.respond(content, exchange, headers);
        const caching = cacheHeaders(tagIn(coding, freshness), freshness, exchange);
        return this.#cacheable.respond(content, exchange, headers, caching);
      },
      exchange,
    );
  }
}

/** Headers for markup opened as a standalone page, in a frame or as an image; within another page, that page's policy applies. */
function markupHeaders({ publicUrl }: Snapshot): Record<string, string> {
  const own = publicUrl === '' ? "'self'" : `'self' ${new URL(publicUrl).origin}`;
  return {
    'Content-Security-Policy': `default-src 'none'; base-uri 'none'; connect-src ${own}; form-action 'none'; script-src ${own}; style-src ${own} 'unsafe-inline'`,
    'X-Content-Type-Options': 'nosniff',
  };
}

/** The entity tag of a body in a coding. */
function tagIn(coding: Coding, { tag }: Freshness): string {
  return coding === 'identity' ? `"${tag}"` : `"${tag}-${coding}"`;
}

function cacheHeaders(entityTag: string, { cacheControl }: Freshness, { admission }: Exchange): CacheHeaders {
  // Shared caches would also serve clients without a key.
  return { entityTag, cacheControl: admission === undefined ? cacheControl.public : cacheControl.private };
}

/** How many requests a query counts as: one for each entry of a list. A list that is too long is rejected, and counts as one. */
export function entriesOf({ inputs: { parameters } }: Route, query: Query, { maxBulk }: Snapshot): number {
  for (const [name, { text }] of TEXT_SELECTORS) {
    if (parameters[name] !== text.listSchema || !query.has(name)) continue;
    const entries = query.peek(name).split(text.separator).length;
    return entries > maxBulk ? 1 : entries;
  }
  return 1;
}

/** Longer bodies and their signatures are not cached. */
const MAX_CACHED_BODY_LENGTH = 2048;

type Responding = Response | Promise<Response>;

/** A route that a server serves from a snapshot. */
interface ServedRoute {
  readonly route: Route;
  readonly inputs: RouteInputs;
  readonly server: Server;
  readonly source: CachedSource;
  readonly responses: RouteResponses;
  readonly queries: QueryCache;
}

/** Serves a route: query → values → body → response. */
export function endpointOf(route: Route, server: Server): Endpoint {
  const servedFrom = perSnapshot(
    (snapshot): ServedRoute => ({
      route,
      inputs: route.inputs,
      server,
      source: dataSource(snapshot),
      responses: new RouteResponses(route, snapshot),
      queries: decodedQueries(snapshot),
    }),
  );
  return {
    path: route.path,
    access: route.isPublic ? 'public' : 'guarded',
    group: route.group,
    isOpenToAllOrigins: route.isPublic,
    isSignable: () => 'sign' in route.inputs.parameters,
    ...(route.hasTextErrors && { writeError: error => messageContent(error, route) }),
    handle(exchange) {
      const served = servedFrom(exchange.snapshot);
      const cached = served.queries.get(exchange);
      const query = cached?.query ?? parseQuery(exchange.request.url, route.inputs.known);
      exchange.query = query;
      return charge(new RouteRequest(exchange, query, cached, served));
    },
  };
}

/** The message of an error, as a line of text. */
function messageContent({ message }: ServiceError, { contentType }: Route): ErrorContent {
  return { contentType, body: `${message}\n` };
}

/** A request to a route, from query to response. It records whether the query and the body can be cached. */
class RouteRequest implements DecodeContext, HandlerContext {
  readonly exchange: Exchange;
  readonly query: Query;
  readonly served: ServedRoute;
  /** The decoded query, if it is cached. */
  readonly cached: DecodedQuery | undefined;
  readonly #hasCommon: boolean;
  /** The snapshot of the exchange, or one with the zones of another release; it may record its use. */
  snapshot: Snapshot;
  isCacheable = true;
  /** Whether the body depends on more than the query, the snapshot and {@link nowMs}. */
  isPerRequest = false;
  #nowMs: number | undefined;

  constructor(exchange: Exchange, query: Query, cached: DecodedQuery | undefined, served: ServedRoute) {
    this.exchange = exchange;
    this.query = query;
    this.served = served;
    this.cached = cached;
    this.#hasCommon = served.inputs.hasCommon(query);
    this.snapshot = cached?.snapshot ?? exchange.snapshot;
  }

  get signing(): SigningKeys {
    this.isPerRequest = true;
    return this.served.server.signing;
  }

  get nowMs(): number {
    this.#nowMs ??= this.exchange.now();
    return this.#nowMs;
  }

  /** {@link nowMs}, if it has been read. */
  get usedNowMs(): number | undefined {
    return this.#nowMs;
  }

  get commonDetails(): (() => CommonDetails) | null {
    if (!this.wantsDetails) return null;
    this.isPerRequest = true;
    return () => ({
      data: dataDetails(this.snapshot, this.nowMs),
      clock: clockDetails(this.served.server.hostClock()),
    });
  }

  get wantsDetails(): boolean {
    return this.#hasCommon && this.query.hasFlag('details');
  }

  get wantsSignature(): boolean {
    return this.#hasCommon && this.query.hasFlag('sign');
  }

  /** Throws if common parameters are invalid. */
  checkCommon(): void {
    if (this.#hasCommon) rejectInvalidCommon(this.query);
    else this.query.rejectRemainingProblems();
  }

  get requestId(): string {
    this.isPerRequest = true;
    return this.exchange.requestId;
  }

  get baseUrl(): string {
    const { publicUrl } = this.snapshot;
    if (publicUrl !== '') return publicUrl;
    this.isPerRequest = true; // URLs that are equal can be of requests to different hosts
    return originOf(this.exchange.request);
  }

  get requestTarget(): string {
    return originFormOf(this.exchange.request.url);
  }

  clientAddress(): IpAddress | undefined {
    this.isCacheable = false;
    return this.exchange.clientAddress();
  }

  preventCaching(): void {
    this.isCacheable = false;
  }
}

/** Charges each entry of a list, if the client's plan counts entries. */
function charge(request: RouteRequest): Responding {
  const { exchange, query, served } = request;
  const countsEntries = exchange.admission?.limits?.plan.countsEntries === true;
  const entries = countsEntries ? entriesOf(served.route, query, exchange.snapshot) : 1;
  return entries === 1 ? start(request) : chargeEntries(request, entries);
}

async function chargeEntries(request: RouteRequest, entries: number): Promise<Response> {
  await chargeMore(request.exchange, entries - 1, request.served.server);
  return start(request);
}

function start(request: RouteRequest): Responding {
  const { exchange, query, served, cached } = request;
  if (cached !== undefined) {
    exchange.read = cached.snapshot;
    return respond(request, cached);
  }
  rejectUnknown(query, served.inputs.known);
  return query.has('tzdata')
    ? chain(asOfRelease(query, exchange.snapshot), load, request)
    : load(exchange.snapshot, request);
}

/** Loads the data that a query needs, and decodes the query. */
function load(snapshot: Snapshot, request: RouteRequest): Responding {
  const { exchange, query, served } = request;
  const isNoted = !served.route.isMomentary || request.wantsDetails || request.wantsSignature;
  const source = snapshot === served.source.snapshot ? served.source : dataSource(snapshot);
  request.snapshot = isNoted ? source.noting() : snapshot;
  exchange.read = request.snapshot;
  const selected = served.inputs.select(query);
  return served.inputs.pendingData(selected, snapshot) === undefined
    ? decode(request, selected)
    : loadAndDecode(request, selected, snapshot);
}

/** Loads all data that a query needs, and decodes the query; loaded data may show that more is needed. */
async function loadAndDecode(
  request: RouteRequest,
  selected: readonly unknown[],
  snapshot: Snapshot,
): Promise<Response> {
  for (;;) {
    const pending = request.served.inputs.pendingData(selected, snapshot);
    if (pending === undefined) return decode(request, selected);
    await pending.load();
  }
}

function decode(request: RouteRequest, selected: readonly unknown[]): Responding {
  return chain(request.served.inputs.decode(request.query, selected, request), offerAndRespond, request);
}

/** Offers a decoded query to the cache, unless an input prevents that, and responds. */
function offerAndRespond(values: unknown, request: RouteRequest): Responding {
  const { exchange, query, snapshot, isCacheable, served } = request;
  const lifetime = lifetimeOf(values, request);
  const tag = lifetime === 'moment' ? '' : tagOf(request);
  const decoded = { url: exchange.request.url, query, snapshot, values, lifetime, tag };
  if (isCacheable) served.queries.offer(decoded, exchange);
  return respond(request, decoded);
}

/** How long a response stays the same; only for a moment if it is signed or has `details`. */
function lifetimeOf(values: unknown, request: RouteRequest): Lifetime {
  const { route } = request.served;
  const isMomentary =
    route.isMomentary || !request.isCacheable || request.wantsDetails || request.wantsSignature;
  return isMomentary ? 'moment' : route.lifetimeOf(values);
}

/** The entity tag of a query, whose snapshot has recorded the data read to decode it. Throws if a common parameter is invalid. */
function tagOf(request: RouteRequest): string {
  const { exchange, snapshot, served } = request;
  request.checkCommon();
  for (const name of served.route.reads) void snapshot[name];
  return entityTag(exchange, snapshot);
}

function respond(request: RouteRequest, decoded: DecodedQuery): Responding {
  switch (decoded.lifetime) {
    case 'moment':
      return compute(request, decoded, null);
    case 'fixed':
      return respondFresh(request, decoded, { tag: decoded.tag, cacheControl: FIXED });
    case 'transition':
      return respondUntilTransition(request, decoded);
  }
}

async function respondUntilTransition(request: RouteRequest, decoded: DecodedQuery): Promise<Response> {
  const { nowMs } = request;
  const span = await steadySpan(decoded.snapshot.zones, Math.floor(nowMs / 1000));
  return respondFresh(request, decoded, freshnessUntil(decoded.tag, span, nowMs));
}

/** Responds with the body, or with 304 if the client already has it. */
function respondFresh(request: RouteRequest, decoded: DecodedQuery, freshness: Freshness): Responding {
  const { exchange, served } = request;
  const unchanged = served.responses.notModified(exchange, freshness);
  if (unchanged === undefined) return compute(request, decoded, freshness);
  return matchesAny(exchange.request) ? computeFirst(unchanged, request, decoded, freshness) : unchanged;
}

/** `If-None-Match: *` matches any existing response (RFC 9110 §13.1.2), but computing the body may fail. */
async function computeFirst(
  unchanged: Response,
  request: RouteRequest,
  decoded: DecodedQuery,
  freshness: Freshness,
): Promise<Response> {
  await compute(request, decoded, freshness);
  return unchanged;
}

function compute(request: RouteRequest, decoded: DecodedQuery, freshness: Freshness | null): Responding {
  const body = cachedBody(decoded, request) ?? request.served.route.bodyOf(decoded.values, request);
  if (body instanceof Promise) return completeLater(request, decoded, body, freshness);
  if (!request.isPerRequest && body.length <= MAX_CACHED_BODY_LENGTH) {
    decoded.body = body;
    decoded.bodyMs = request.usedNowMs;
  }
  return complete(request, decoded, body, freshness);
}

/** The cached body of a query, if there is one and it does not depend on another time. */
function cachedBody({ body, bodyMs }: DecodedQuery, request: RouteRequest): string | undefined {
  return bodyMs === undefined || bodyMs === request.nowMs ? body : undefined;
}

async function completeLater(
  request: RouteRequest,
  decoded: DecodedQuery,
  body: Promise<string>,
  freshness: Freshness | null,
): Promise<Response> {
  return complete(request, decoded, await body, freshness);
}

function complete(
  request: RouteRequest,
  decoded: DecodedQuery,
  body: string,
  freshness: Freshness | null,
): Responding {
  const { exchange, served } = request;
  const { responses, server } = served;
  // The common parameters of a cacheable response were checked when its tag was computed.
  if (freshness !== null) return responses.cacheable(body, exchange, freshness);
  if (decoded.isSigned === undefined) {
    request.checkCommon();
    decoded.isSigned = request.wantsSignature;
  }
  if (!decoded.isSigned) return responses.momentary(body, exchange);
  const unsigned = { exchange, status: 200, body };
  const signature = signatureOf(unsigned, server, decoded.signature);
  if (body.length <= MAX_CACHED_BODY_LENGTH) decoded.signature = signature;
  return responses.momentary(body, exchange, signatureHeaders(signature, unsigned));
}
