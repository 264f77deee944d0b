import { BoundedCache } from '../common/bounded_cache.ts';
import type { ServiceError } from '../common/service_error.ts';
import { chargeMore } from '../http/authenticate.ts';
import { dataDetails, withNotedUse } from '../http/data_use.ts';
import { chain, type Endpoint, type ErrorContent, type Exchange, originFormOf } from '../http/exchange.ts';
import {
  FIXED,
  type Freshness,
  freshnessUntil,
  type Lifetime,
  queryHash,
  queryTag,
} from '../http/freshness.ts';
import { matchesAny } from '../http/negotiation.ts';
import { parseQuery, type Query } from '../http/query.ts';
import { type Signature, signatureHeaders, signatureOf } from '../http/signature.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { type CommonDetails, clockDetails } from '../operations/details.ts';
import type { IpAddress } from '../places/ip_address.ts';
import type { SigningKeys } from '../signing/key_set.ts';
import { steadySpan } from '../zones/steady_span.ts';
import { entriesOf } from './bulk_entries.ts';
import { rejectInvalidCommon, rejectUnknown } from './parameters/common.ts';
import type { DecodeContext } from './parameters/input.ts';
import { asOfRelease } from './parameters/releases.ts';
import type { HandlerContext, Route } from './route.ts';
import { RouteResponses } from './route_responses.ts';

/** A query whose parameters have been decoded. */
interface DecodedQuery {
  readonly query: Query;
  /** That of the request, with the zones of the release in `tzdata`. */
  readonly snapshot: Snapshot;
  /** The values for the handler of the route. */
  readonly values: unknown;
  readonly lifetime: Lifetime;
  /** The opaque part of the entity tag; '' where the response outlives no moment. */
  readonly tag: string;
  /** Whether the response is signed; known once the common parameters have been found valid. */
  isSigned?: boolean;
  /** The body, once it is known to depend on neither the present nor the request. */
  body?: string;
  /** The latest signature, for responses that are equal. */
  signature?: Signature;
}

/** Between this and twice as many queries are cached, of one kilobyte, or four with a signature. */
const CACHED_QUERIES = 1024;
/** Longer URLs, including scheme and host, are not cached. */
const MAX_CACHED_URL_LENGTH = 256;
/** Longer bodies and their signatures are not cached. */
const MAX_CACHED_BODY_LENGTH = 2048;
/** So many queries are remembered as decoded once, many more than are cached, so that few collide; a power of two. */
const SEEN_QUERIES = 16_384;

/**
 * LRU cache of decoded queries, keyed by URL: decoding is about half of our own CPU time. A query is admitted when it is
 * decoded for the second time, but at most one of four: where more queries repeat than are cached, to evict each before it is
 * used again would cost more, in garbage collection, than to decode it.
 */
class QueryCache {
  readonly #queries = new BoundedCache<string, DecodedQuery>(CACHED_QUERIES);
  /** Hashes of the queries decoded once. Where two collide, one is admitted too early or too late. */
  readonly #seenOnce = new Int32Array(SEEN_QUERIES);
  /** How many of up to four times {@link CACHED_QUERIES} were offered so far, and how many of those admitted. */
  #offered = 0;
  #admitted = 0;

  get(url: string): DecodedQuery | undefined {
    return url.length > MAX_CACHED_URL_LENGTH ? undefined : this.#queries.get(url);
  }

  offer(url: string, queryHash: number, decoded: DecodedQuery): void {
    // Clients prevent caching by parameters that are ignored.
    if (url.length > MAX_CACHED_URL_LENGTH || decoded.query.ignored.length > 0) return;
    if (++this.#offered > 4 * CACHED_QUERIES) {
      this.#offered = 0;
      this.#admitted = 0;
    }
    const index = queryHash & (SEEN_QUERIES - 1);
    if (this.#seenOnce[index] !== queryHash) this.#seenOnce[index] = queryHash;
    else if (this.#admitted++ < CACHED_QUERIES) this.#queries.set(url, decoded);
  }
}

const decodedQueries = perSnapshot(() => new QueryCache());

/** Serves a route: query → values → operation → body → response. */
export function endpointOf(route: Route, server: Server): Endpoint {
  const responses = new RouteResponses(route);

  function startOrResume(
    exchange: Exchange,
    query: Query,
    cached: DecodedQuery | undefined,
  ): Response | Promise<Response> {
    if (cached !== undefined) {
      exchange.read = cached.snapshot;
      return respond(new RequestContext(exchange, cached.snapshot, query, server), cached);
    }
    rejectUnknown(query, route.known);
    return query.has('tzdata')
      ? startAsOfRelease(exchange, query)
      : start(exchange, query, exchange.snapshot);
  }

  async function chargeAndStart(
    exchange: Exchange,
    query: Query,
    cached: DecodedQuery | undefined,
    entries: number,
  ): Promise<Response> {
    await chargeMore(exchange, entries - 1, server);
    return startOrResume(exchange, query, cached);
  }

  /** Loads the data that a query needs, and decodes it. */
  function start(exchange: Exchange, query: Query, snapshot: Snapshot): Response | Promise<Response> {
    const isNoted = !route.isMomentary || query.hasFlag('details') || query.hasFlag('sign');
    const read = isNoted ? withNotedUse(snapshot) : snapshot;
    exchange.read = read;
    const context = new RequestContext(exchange, read, query, server);
    const selected = route.select(query);
    return route.pendingData(selected, snapshot) === undefined
      ? decode(context, selected)
      : loadAndDecode(context, selected, snapshot);
  }

  /** Loads all data that a query needs, and decodes it; what is loaded first can show that more is needed. */
  async function loadAndDecode(
    context: RequestContext,
    selected: readonly unknown[],
    snapshot: Snapshot,
  ): Promise<Response> {
    for (;;) {
      const pending = route.pendingData(selected, snapshot);
      if (pending === undefined) return decode(context, selected);
      await pending.load();
    }
  }

  async function startAsOfRelease(exchange: Exchange, query: Query): Promise<Response> {
    return start(exchange, query, await asOfRelease(query, exchange.snapshot));
  }

  /** Decodes a query, offers it to the cache unless an input prevents that, and responds. */
  function decode(context: RequestContext, selected: readonly unknown[]): Response | Promise<Response> {
    const values = route.decode(context.query, selected, context);
    return values instanceof Promise ? offerLater(context, values) : offerAndRespond(context, values);
  }

  async function offerLater(context: RequestContext, values: Promise<unknown>): Promise<Response> {
    return offerAndRespond(context, await values);
  }

  function offerAndRespond(context: RequestContext, values: unknown): Response | Promise<Response> {
    const { exchange, query, snapshot } = context;
    const lifetime = lifetimeOf(values, context);
    const hash = queryHash(route.path, query);
    const tag = lifetime === 'moment' ? '' : tagOf(hash, query, snapshot);
    const decoded = { query, snapshot, values, lifetime, tag };
    if (context.isCacheable) decodedQueries(exchange.snapshot).offer(exchange.request.url, hash, decoded);
    return respond(context, decoded);
  }

  /** How long a response stays the same; those that are signed or have `details`, only for a moment. */
  function lifetimeOf(values: unknown, { query, isCacheable }: RequestContext): Lifetime {
    const isMomentary =
      route.isMomentary || !isCacheable || query.hasFlag('sign') || query.hasFlag('details');
    return isMomentary ? 'moment' : route.lifetimeOf(values);
  }

  /** The tag of a valid query. `snapshot` has noted what was read to decode it. */
  function tagOf(hash: number, query: Query, snapshot: Snapshot): string {
    rejectInvalidCommon(query);
    for (const name of route.reads) void snapshot[name];
    return queryTag(hash, snapshot);
  }

  function respond(context: RequestContext, decoded: DecodedQuery): Response | Promise<Response> {
    switch (decoded.lifetime) {
      case 'moment':
        return compute(context, decoded, null);
      case 'fixed':
        return respondFresh(context, decoded, { tag: decoded.tag, cacheControl: FIXED });
      case 'transition':
        return respondUntilChange(context, decoded);
    }
  }

  async function respondUntilChange(context: RequestContext, decoded: DecodedQuery): Promise<Response> {
    const { nowMs } = context;
    const span = await steadySpan(decoded.snapshot.zones, Math.floor(nowMs / 1000));
    return respondFresh(context, decoded, freshnessUntil(decoded.tag, span, nowMs));
  }

  function respondFresh(
    context: RequestContext,
    decoded: DecodedQuery,
    freshness: Freshness,
  ): Response | Promise<Response> {
    const { exchange } = context;
    const unchanged = responses.notModified(exchange, freshness);
    if (unchanged === undefined) return compute(context, decoded, freshness);
    return matchesAny(exchange.request)
      ? chain(compute(context, decoded, freshness), () => unchanged, exchange)
      : unchanged;
  }

  function compute(
    context: RequestContext,
    decoded: DecodedQuery,
    freshness: Freshness | null,
  ): Response | Promise<Response> {
    const body = decoded.body ?? route.respond(decoded.values, context);
    if (body instanceof Promise) return completeLater(context.exchange, decoded, body, freshness);
    if (!context.isMomentary && body.length <= MAX_CACHED_BODY_LENGTH) decoded.body = body;
    return complete(context.exchange, decoded, body, freshness);
  }

  async function completeLater(
    exchange: Exchange,
    decoded: DecodedQuery,
    body: Promise<string>,
    freshness: Freshness | null,
  ): Promise<Response> {
    return complete(exchange, decoded, await body, freshness);
  }

  function complete(
    exchange: Exchange,
    decoded: DecodedQuery,
    body: string,
    freshness: Freshness | null,
  ): Response | Promise<Response> {
    const { query } = decoded;
    // Common parameters of a cacheable response have been checked for its tag.
    if (freshness !== null) return responses.cacheable(body, exchange, freshness);
    if (decoded.isSigned === undefined) {
      rejectInvalidCommon(query);
      decoded.isSigned = query.hasFlag('sign');
    }
    if (!decoded.isSigned) return responses.momentary(body, exchange);
    const unsigned = { exchange, status: 200, body };
    const signature = signatureOf(unsigned, server, decoded.signature);
    if (body.length <= MAX_CACHED_BODY_LENGTH) decoded.signature = signature;
    return responses.momentary(body, exchange, signatureHeaders(signature, unsigned));
  }

  return {
    path: route.path,
    access: route.isPublic ? 'public' : 'guarded',
    group: route.group,
    isOpenToAllOrigins: route.isPublic,
    isSignable: () => 'sign' in route.parameters,
    ...(route.hasTextErrors && { writeError: error => messageContent(error, route) }),
    handle(exchange) {
      const { request, snapshot } = exchange;
      const cached = decodedQueries(snapshot).get(request.url);
      const query = cached?.query ?? parseQuery(request.url, route.known);
      exchange.query = query;
      const isEach = exchange.admission?.limits?.plan.countsEntries === true;
      const entries = isEach ? entriesOf(route, query, snapshot) : 1;
      return entries === 1
        ? startOrResume(exchange, query, cached)
        : chargeAndStart(exchange, query, cached, entries);
    },
  };
}

/** The message of an error as a line. */
function messageContent({ message }: ServiceError, { contentType }: Route): ErrorContent {
  return { contentType, body: `${message}\n` };
}

/** The context of decoding a query and of its handler, which notes what keeps query and body from being cached. */
class RequestContext implements DecodeContext, HandlerContext {
  readonly exchange: Exchange;
  /** That of the exchange, or one with the zones of another release. */
  readonly snapshot: Snapshot;
  readonly query: Query;
  readonly #server: Server;
  #nowMs: number | undefined;
  isCacheable = true;
  /** Whether the response depends on the present or on the request. */
  isMomentary = false;

  constructor(exchange: Exchange, snapshot: Snapshot, query: Query, server: Server) {
    this.exchange = exchange;
    this.snapshot = snapshot;
    this.query = query;
    this.#server = server;
  }

  get signing(): SigningKeys {
    this.isMomentary = true;
    return this.#server.signing;
  }

  get nowMs(): number {
    this.isMomentary = true;
    this.#nowMs ??= this.exchange.now();
    return this.#nowMs;
  }

  get commonDetails(): (() => CommonDetails) | null {
    if (!this.query.hasFlag('details')) return null;
    this.isMomentary = true;
    return () => ({
      data: dataDetails(this.snapshot, this.nowMs),
      clock: clockDetails(this.#server.hostClock()),
    });
  }

  get requestId(): string {
    this.isMomentary = true;
    return this.exchange.requestId;
  }

  get baseUrl(): string {
    return this.snapshot.publicUrl || new URL(this.exchange.request.url).origin;
  }

  get requestTarget(): string {
    return originFormOf(this.exchange.request.url);
  }

  clientAddress(): IpAddress | undefined {
    return this.exchange.clientAddress();
  }

  preventCaching(): void {
    this.isCacheable = false;
  }
}
