import { BoundedCache } from '../common/caching.ts';
import { dataDetails } from '../http/data_use.ts';
import { type Endpoint, type Exchange, type Handler, originFormOf } from '../http/exchange.ts';
import { originOf } from '../http/host.ts';
import { chargeMore, handleErrors } from '../http/pipeline.ts';
import { MAX_QUERY_LENGTH, parseQuery, type Query } from '../http/query.ts';
import {
  entityTag,
  FIXED,
  type Freshness,
  freshnessUntil,
  type Lifetime,
  RouteResponses,
} from '../http/response.ts';
import { type Signature, signatureHeaders, signatureOf } from '../http/signature.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { type CommonDetails, clockDetails } from '../operations/details.ts';
import { type DataSets, pendingOf } from '../operations/served_data.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { steadySpan } from '../zones/steady_span.ts';
import { rejectInvalidCommon, rejectUnknown } from './common_parameters.ts';
import type { DecodeContext, DecodedValues, Selections } from './inputs.ts';
import { asOfRelease } from './parameters/releases.ts';
import { TEXT_SELECTORS } from './parameters/selectors.ts';
import type { HandlerContext, Route } from './route.ts';

type Responding = Response | Promise<Response>;

/** A route that a server serves from a snapshot. */
interface ServedRoute {
  readonly route: Route;
  readonly server: Server;
  readonly responses: RouteResponses;
  readonly queries: QueryCache;
}

/** Serves a route: query → values → body → response. */
export function endpointOf(route: Route, server: Server): Endpoint {
  const servedFrom = perSnapshot(
    (snapshot): ServedRoute => ({
      route,
      server,
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
    ...(route.hasTextErrors && {
      writeError: ({ message }) => ({ contentType: route.contentType, body: `${message}\n` }),
    }),
    handle(exchange) {
      const served = servedFrom(exchange.snapshot);
      const known = served.queries.get(exchange);
      const query = known?.query ?? parseQuery(exchange.request.url, route.inputs.known);
      exchange.query = query;
      const request = new RouteRequest(exchange, query, served, known);
      const entries = countsEntries(exchange) ? entriesOf(route, query, exchange.snapshot) : 1;
      return entries === 1
        ? respond(request)
        : respondAfter(chargeMore(exchange, entries - 1, server), request);
    },
  };
}

/** Handles requests to a route within another request, such as those of a batch. */
export function innerHandler(route: Route, server: Server): Handler {
  const endpoint = endpointOf(route, server);
  return handleErrors(endpoint.handle, endpoint, server);
}

/** Whether the client's plan counts each entry of a list. */
export function countsEntries({ admission }: Exchange): boolean {
  return admission?.limits?.plan.countsEntries === true;
}

/** The query of a target within another request; null if it is so long that the route will reject it. */
export function innerQuery(target: string, { path, inputs }: Route): Query | null {
  const isTooLong = target.length - path.length - '?'.length > MAX_QUERY_LENGTH;
  return isTooLong ? null : parseQuery(target, inputs.known);
}

/** How many requests a query counts as: one for each entry of a list. What is too long is rejected, and counts as one. */
export function entriesOf({ inputs }: Route, query: Query | null, { maxBulk }: Snapshot): number {
  if (query === null) return 1;
  for (const [name, { text }] of TEXT_SELECTORS) {
    if (inputs.parameters[name] !== text.listSchema || !query.has(name)) continue;
    const entries = query.peek(name).split(text.separator).length;
    return entries > maxBulk ? 1 : entries;
  }
  return 1;
}

/** Longer bodies and their signatures are not cached. */
const MAX_CACHED_BODY_LENGTH = 2048;

/** Awaits what a request needs, such as data that is not loaded, and responds. */
async function respondAfter(needed: Promise<unknown>, request: RouteRequest): Promise<Response> {
  await needed;
  return respond(request);
}

/** Awaits a body that is computed in slices, and responds with it. */
async function respondWith(body: Promise<string>, request: RouteRequest): Promise<Response> {
  request.body = await body;
  return respond(request);
}

/**
 * Responds to a request. Where something must be awaited, the request has its result afterwards, and this function is called
 * again. It has no closures: their scope costs a request 0.2 µs, even one that creates none.
 */
function respond(request: RouteRequest): Responding {
  const { exchange, served } = request;
  const { route, responses, server } = served;
  const decoded = request.decoded ?? decode(request);
  if (decoded instanceof Promise) return respondAfter(decoded, request);
  exchange.data = decoded.data;
  exchange.dataSource = decoded.snapshot;

  let freshness: Freshness | null = null;
  if (decoded.lifetime === 'fixed') freshness = { tag: decoded.tag, cacheControl: FIXED };
  if (decoded.lifetime === 'transition') {
    const span = steadySpan(decoded.snapshot.zones, Math.floor(request.nowMs / 1000));
    if (span instanceof Promise) return respondAfter(span, request);
    freshness = freshnessUntil(decoded.tag, span, request.nowMs);
  }
  const condition = freshness === null ? null : exchange.request.headers.get('If-None-Match');
  const unchanged = freshness === null ? undefined : responses.notModified(exchange, freshness, condition);
  if (unchanged !== undefined) return unchanged;

  const known = freshness !== null && freshness.tag === decoded.bodyTag ? decoded.body : undefined;
  const body = request.body ?? known ?? route.bodyOf(decoded.values, request);
  if (body instanceof Promise) return respondWith(body, request);
  if (known === undefined) request.checkCommon(); // last, after the errors of the route
  if (freshness !== null) {
    if (known === undefined && body.length <= MAX_CACHED_BODY_LENGTH) {
      decoded.body = body;
      decoded.bodyTag = freshness.tag;
    }
    return responses.cacheable(body, exchange, freshness, condition);
  }

  if (!request.wantsSignature) return responses.momentary(body, exchange);
  const unsigned = { exchange, status: 200, body };
  const signature = signatureOf(unsigned, server, decoded.signature);
  if (body.length <= MAX_CACHED_BODY_LENGTH) decoded.signature = signature;
  return responses.momentary(body, exchange, signatureHeaders(signature, unsigned));
}

/** Decodes the query of a request, and caches it if possible; a promise if something must be awaited before. */
function decode(request: RouteRequest): DecodedQuery | Promise<unknown> {
  const { exchange, query, served } = request;
  const { inputs, reads } = served.route;
  if (request.selected === undefined) {
    rejectUnknown(query, inputs.known);
    if (query.has('tzdata') && !request.hasRelease) {
      const release = asOfRelease(query, exchange.snapshot);
      if (release instanceof Promise) return useRelease(release, request);
      request.snapshot = release;
      request.hasRelease = true;
    }
    request.selected = inputs.select(query);
  }
  const data = reads | inputs.readsIn(query, request.selected, request.snapshot);
  exchange.data = data; // also for the headers of an error
  exchange.dataSource = request.snapshot;
  const pending = pendingOf(data, request.snapshot);
  if (pending !== undefined) return pending.load();
  const values = inputs.decode(query, request.selected, request);
  return values instanceof Promise ? acceptLater(values, data, request) : accept(values, data, request);
}

async function useRelease(release: Promise<Snapshot>, request: RouteRequest): Promise<void> {
  request.snapshot = await release;
  request.hasRelease = true;
}

async function acceptLater(
  values: Promise<DecodedValues>,
  data: DataSets,
  request: RouteRequest,
): Promise<DecodedQuery> {
  return accept(await values, data, request);
}

/**
 * Accepts the decoded values of a query that reads data sets. Its lifetime, and with it whether the response has an entity tag,
 * follows from what its route and its inputs declare.
 */
function accept(values: DecodedValues, data: DataSets, request: RouteRequest): DecodedQuery {
  const { exchange, query, snapshot, served } = request;
  const { route, queries } = served;
  const isPerRequest = route.inputs.isPerRequest(request.selected!, values);
  const isMomentary = route.isMomentary || isPerRequest || request.wantsDetails || request.wantsSignature;
  const lifetime = isMomentary ? 'moment' : route.lifetimeOf(values);
  const tag = lifetime === 'moment' ? '' : entityTag(exchange, data, snapshot);
  const decoded = { url: exchange.request.url, query, snapshot, data, values, lifetime, tag };
  if (!isPerRequest) queries.offer(decoded, exchange);
  request.decoded = decoded;
  return decoded;
}

/**
 * A request to a route, from query to response, as its inputs and its handler see it. What has been computed or awaited stays here
 * for the next call of {@link respond}: `snapshot` with `hasRelease`, `selected`, `decoded` and `body`, in this order. A query from the
 * cache begins with `decoded`.
 */
class RouteRequest implements DecodeContext, HandlerContext {
  readonly exchange: Exchange;
  readonly query: Query;
  readonly served: ServedRoute;
  readonly #hasCommon: boolean;
  /** The snapshot of the exchange, or one with the zones of the release in `tzdata`. */
  snapshot: Snapshot;
  hasRelease = false;
  selected: Selections | undefined = undefined;
  decoded: DecodedQuery | undefined;
  /** The body, if it had to be awaited. */
  body: string | undefined = undefined;
  #nowMs: number | undefined;
  #details: CommonDetails | undefined;

  constructor(exchange: Exchange, query: Query, served: ServedRoute, decoded: DecodedQuery | undefined) {
    this.exchange = exchange;
    this.query = query;
    this.served = served;
    this.#hasCommon = served.route.inputs.hasCommon(query);
    this.snapshot = decoded?.snapshot ?? exchange.snapshot;
    this.decoded = decoded;
  }

  get signing(): SigningKeys {
    return this.served.server.signing;
  }

  get nowMs(): number {
    this.#nowMs ??= this.exchange.now();
    return this.#nowMs;
  }

  get commonDetails(): (() => CommonDetails) | null {
    if (!this.wantsDetails) return null;
    return () => {
      this.#details ??= { data: this.#dataDetails(), clock: clockDetails(this.served.server.hostClock()) };
      return this.#details;
    };
  }

  /** Describes the data sets that the decoded values consist of. */
  #dataDetails(): CommonDetails['data'] {
    const { inputs, reads } = this.served.route;
    const selected = this.selected ?? inputs.select(this.query);
    const data = inputs.readsIn(this.query, selected, this.snapshot, this.decoded?.values);
    return dataDetails(reads | data, this.snapshot, this.nowMs);
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
    return this.exchange.requestId;
  }

  get baseUrl(): string {
    const { publicUrl } = this.snapshot;
    return publicUrl === '' ? originOf(this.exchange.request) : publicUrl;
  }

  get requestTarget(): string {
    return originFormOf(this.exchange.request.url);
  }

  clientAddress(): IpAddress | undefined {
    return this.exchange.clientAddress();
  }
}

/** A query whose parameters have been decoded. */
interface DecodedQuery {
  /** The URL of the request. */
  readonly url: string;
  readonly query: Query;
  /** The snapshot of the request, with the zones of the release given by `tzdata`. */
  readonly snapshot: Snapshot;
  /** The data sets that it reads. */
  readonly data: DataSets;
  /** The values for the handler of the route. */
  readonly values: DecodedValues;
  readonly lifetime: Lifetime;
  /** The opaque part of the entity tag; '' if the response must not be cached. */
  readonly tag: string;
  /** The latest cacheable body, and its entity tag: it is the same as long as that is. */
  body?: string;
  bodyTag?: string;
  /** The latest signature, reused for equal responses. */
  signature?: Signature;
}

/** The cache holds up to twice as many queries, of one kilobyte each, or four with a body or signature. */
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
