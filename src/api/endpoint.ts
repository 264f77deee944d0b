import { BoundedCache } from '../common/bounded_cache.ts';
import { corsHeaders } from '../http/cors.ts';
import { chain, type Endpoint, type Exchange } from '../http/exchange.ts';
import { parseQuery, type Query } from '../http/query.ts';
import { ResponseTemplate } from '../http/response.ts';
import { type Signature, signatureOf } from '../http/signature.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { rejectUnknown } from './parameters/common.ts';
import type { Reading } from './parameters/input.ts';
import type { Operation, Route } from './route.ts';

/** A query whose parameters have been decoded. */
interface DecodedQuery {
  readonly query: Query;
  readonly operation: Operation;
  /** Whether its values are independent of the client. */
  readonly isCacheable: boolean;
  readonly isSigned: boolean;
  readonly wantsDetails: boolean;
  /** The latest signature, for responses that are equal. */
  signature?: Signature;
}

/** Between this and twice as many queries are cached, of a few kilobytes each. */
const CACHED_QUERIES = 512;
/** Longer URLs, including scheme and host, are not cached. */
const MAX_CACHED_URL_LENGTH = 256;
/** Signatures of longer bodies are not cached. */
const MAX_CACHED_BODY_LENGTH = 2048;

/** LRU cache of decoded queries, keyed by URL: decoding is about half of our own CPU time. */
const decodedQueries = perSnapshot(() => new BoundedCache<string, DecodedQuery>(CACHED_QUERIES));

/** Serves a route: query → values → operation → body → response. */
export function endpointOf(route: Route, server: Server): Endpoint {
  const contentType = route.payload === null ? 'text/html; charset=utf-8' : 'application/json';
  const template = perSnapshot(
    ({ corsOrigin }) =>
      new ResponseTemplate({
        'Content-Type': contentType,
        'Cache-Control': route.cacheControl,
        ...corsHeaders(route.isPublic ? '*' : corsOrigin),
      }),
  );

  function respond(exchange: Exchange, decoded: DecodedQuery): Response | Promise<Response> {
    const { request, requestId, snapshot } = exchange;
    const { query, operation, isSigned, wantsDetails } = decoded;
    exchange.query = query;
    const context = { snapshot, signing: server.signing, nowMs: server.now(), requestId, wantsDetails };
    return chain(operation(context), body => {
      query.rejectRemainingProblems();
      if (!isSigned) return template(snapshot).respond(body, exchange);
      const signature = signatureOf({ request, status: 200, body }, server, decoded.signature);
      if (body.length <= MAX_CACHED_BODY_LENGTH) decoded.signature = signature;
      return template(snapshot).respond(body, exchange, signature);
    });
  }

  function respondNew(
    exchange: Exchange,
    query: Query,
    reading: Reading<Operation>,
  ): Response | Promise<Response> {
    const decoded = decode(reading, query, exchange);
    return chain(respond(exchange, decoded), response => {
      const { url } = exchange.request;
      if (decoded.isCacheable && url.length <= MAX_CACHED_URL_LENGTH) {
        decodedQueries(exchange.snapshot).set(url, decoded);
      }
      return response;
    });
  }

  return {
    path: route.path,
    access: route.isPublic ? 'public' : 'guarded',
    isOpenToAllOrigins: route.isPublic,
    handle(exchange) {
      const { request, snapshot } = exchange;
      const cached = decodedQueries(snapshot).get(request.url);
      if (cached !== undefined) return respond(exchange, cached);
      const query = parseQuery(request.url, route.known);
      exchange.query = query;
      rejectUnknown(query, route.known);
      const reading = route.read(query);
      return isPending(reading, snapshot)
        ? load(reading, snapshot).then(() => respondNew(exchange, query, reading))
        : respondNew(exchange, query, reading);
    },
  };
}

function decode(reading: Reading<Operation>, query: Query, exchange: Exchange): DecodedQuery {
  let isCacheable = true;
  const clientAddress = () => {
    isCacheable = false;
    return exchange.clientAddress();
  };
  const operation = reading.decode({ snapshot: exchange.snapshot, clientAddress });
  const [isSigned, wantsDetails] = [query.hasFlag('sign'), query.hasFlag('details')];
  return { query, operation, isCacheable, isSigned, wantsDetails };
}

/** Whether a query needs data that is not loaded yet. */
export function isPending({ needs }: Reading<unknown>, snapshot: Snapshot): boolean {
  return needs?.(snapshot).some(({ isLoaded }) => !isLoaded) ?? false;
}

/** Loads all data that a query needs; what is loaded first can show that more is needed. */
async function load(reading: Reading<unknown>, snapshot: Snapshot): Promise<void> {
  while (isPending(reading, snapshot)) {
    await Promise.all(reading.needs?.(snapshot).map(data => data.load()) ?? []);
  }
}
