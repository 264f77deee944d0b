import type { ServiceError } from '../common/errors.ts';
import { chargeMore } from '../http/authenticate.ts';
import { type CachedSource, dataDetails, dataSource } from '../http/data_use.ts';
import { chain, type Endpoint, type ErrorContent, type Exchange, originFormOf } from '../http/exchange.ts';
import { entityTag, FIXED, type Freshness, freshnessUntil, type Lifetime } from '../http/freshness.ts';
import { originOf } from '../http/host.ts';
import { matchesAny } from '../http/negotiation.ts';
import { parseQuery, type Query } from '../http/query.ts';
import { signatureHeaders, signatureOf } from '../http/signature.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { type CommonDetails, clockDetails } from '../operations/details.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { steadySpan } from '../zones/zone_database.ts';
import { entriesOf } from './bulk_entries.ts';
import { rejectInvalidCommon, rejectUnknown } from './parameters/common.ts';
import type { DecodeContext } from './parameters/input.ts';
import { asOfRelease } from './parameters/releases.ts';
import { type DecodedQuery, decodedQueries, type QueryCache } from './query_cache.ts';
import type { HandlerContext, Route } from './route.ts';
import type { RouteInputs } from './route_inputs.ts';
import { RouteResponses } from './route_responses.ts';

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
