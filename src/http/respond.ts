import { MAX_KEPT_LENGTH } from '../api/answer.ts';
import type { PreparedQueries, PreparedQuery } from '../api/prepared_queries.ts';
import { parameterNames, type Route } from '../api/route.ts';
import { type ErrorCode, quoted, ServiceError } from '../common/service_error.ts';
import { StillLoading } from '../common/still_loading.ts';
import { callerAddress } from '../places/caller_address.ts';
import { corsHeaders } from './cors.ts';
import { asServiceError, errorBody, STATUS_OF } from './errors.ts';
import { LimitedTemplates } from './limited_headers.ts';
import type { Exchange, Respond } from './observe.ts';
import type { PeerOf } from './peer.ts';
import { MAX_QUERY_LENGTH, Query, QueryTooLong } from './query.ts';
import { requestIdOf } from './request_id.ts';
import { isRead } from './request_method.ts';
import { pathnameOf } from './request_path.ts';
import type { Services } from './services.ts';
import { canBeSigned, type Signature, signatureOf, signError, writeSignature } from './signature.ts';

/**
 * A request's way, once for all routes:
 * query string → parameters → the route's answer, kept for the next who asks this → headers; an error anywhere → the error
 * body.
 *
 * It is one function and not a chain of framework hooks because an answer takes about ten microseconds of a core in
 * all, and because errors, 404 and 405 then carry the same headers as answers do by construction.
 */
export function createResponder(
  services: Services,
  route: Route,
  peerOf: PeerOf,
  kept: PreparedQueries,
): Respond {
  const names = parameterNames(route);
  const isHtml = route.kind === 'html';
  // One template for all answers: only the request id differs, and a Response copies what it is given, the headers of
  // another Response the fastest. Signed ones have a second, whose signature each of them replaces.
  const headers = new Headers(jsonHeaders(services));
  if (isHtml) headers.set('Content-Type', HTML);
  const plain = new Response(null, { headers });
  const signed = new Response(null, { headers });
  let carried: Signature | undefined; // by `signed`
  const limited = new LimitedTemplates(plain);

  /** Answers a query that is not kept, and keeps it where the next who asks it gets the same. */
  function answerNew(query: Query, request: Request, requestId: string): { isSigned: boolean; body: string } {
    let hasAskedForCaller = false;
    const caller = () => {
      hasAskedForCaller = true;
      return callerAddress(peerOf(request), request.headers, services.callerTrust);
    };
    const answer = route.prepare({ query, caller, services });
    const body = answer(services.now, requestId);
    const isSigned = query.flag('sign');
    query.rejectUnreadProblems();
    if (!hasAskedForCaller && answer.isForOne !== true)
      kept.set(request.url, { route, query, isSigned, answer });
    return { isSigned, body };
  }

  function answerKept(
    { isSigned, answer }: PreparedQuery,
    requestId: string,
  ): { isSigned: boolean; body: string } {
    return { isSigned, body: answer(services.now, requestId) };
  }

  /** Signs an answer that `template` is for; for a kept query as the answer before it, where that says the same. */
  function signAnswer(template: Response, { request, prepared }: Exchange, body: string): void {
    const signature = signatureOf({ request, status: 200, body }, services, prepared?.signature);
    if (prepared !== undefined && body.length <= MAX_KEPT_LENGTH) prepared.signature = signature;
    const isShared = template === signed;
    writeSignature(template.headers, signature, isShared ? carried : undefined);
    if (isShared) carried = signature;
  }

  return function respond(exchange): Response | Promise<Response> {
    const { request, prepared, admission } = exchange;
    const requestId = requestIdOf(request);
    let query: Query | undefined;
    try {
      query = prepared?.query ?? readQuery(request.url, names);
      const { isSigned, body } =
        prepared === undefined ? answerNew(query, request, requestId) : answerKept(prepared, requestId);
      let template = isSigned ? signed : plain;
      if (admission !== undefined) {
        template = limited.of(admission);
        if (isSigned) template = new Response(null, template);
      }
      if (isSigned) signAnswer(template, exchange, body);
      template.headers.set('X-Request-Id', requestId);
      exchange.isAnswered = true; // from here on nothing fails
      const response = new Response(body, template);
      if (query.ignored.length > 0) nameIgnored(response.headers, query.ignored);
      return response;
    } catch (thrown) {
      // Nothing of the request was done yet: it begins anew when the data is there.
      if (thrown instanceof StillLoading) {
        return thrown.loaded.then(
          () => respond(exchange),
          problem => errorResponse(problem, requestId, services),
        );
      }
      const isSigned = !isHtml && (query?.hasFlag('sign') ?? asksForSignature(request.url));
      return errorResponse(thrown, requestId, services, isSigned ? request : undefined, query?.ignored);
    }
  };
}

/** The type of HTML answers. */
export const HTML = 'text/html; charset=utf-8';

/** The headers of every JSON answer. */
export function jsonHeaders(services: Services): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    ...corsHeaders(services.corsOrigin),
  };
}

/** The query of a request; throws {@link QueryTooLong}. */
export function readQuery(url: string, known: ReadonlySet<string>): Query {
  const mark = url.indexOf('?');
  const search = mark === -1 ? '' : url.slice(mark + 1);
  if (search.length <= MAX_QUERY_LENGTH) return new Query(search, known);
  throw new QueryTooLong(search.length);
}

const MAX_IGNORED_LENGTH = 1024;

/** Names the parameters that were ignored in a header: percent-encoded, those that fit. */
export function nameIgnored(headers: Headers, names: readonly string[]): void {
  let list = '';
  for (const name of names) {
    const longer = `${list}${list === '' ? '' : ','}${encodeURIComponent(name.toWellFormed())}`;
    if (longer.length <= MAX_IGNORED_LENGTH) list = longer;
  }
  if (list !== '') headers.set('X-Service-Ignored-Parameters', list);
}

/**
 * The JSON answer to an error; what is not a {@link ServiceError} is logged and told as `INTERNAL_ERROR`.
 * It is signed where `signedFor`, the request, is given; `ignored` are the parameters that the route does not know,
 * which may well be what is wrong.
 */
export function errorResponse(
  thrown: unknown,
  requestId: string,
  services: Services,
  signedFor?: Request,
  ignored: readonly string[] = [],
): Response {
  const error = asServiceError(thrown);
  if (error !== thrown) services.logError(`request ${requestId} failed`, thrown);
  const headers = new Headers({ ...jsonHeaders(services), 'X-Request-Id': requestId });
  nameIgnored(headers, ignored);
  if (error.code === 'METHOD_NOT_ALLOWED') headers.set('Allow', 'GET, HEAD, OPTIONS');
  const challenge = CHALLENGES[error.code];
  if (challenge !== undefined) headers.set('WWW-Authenticate', challenge);
  const status = error instanceof QueryTooLong ? 414 : STATUS_OF[error.code];
  const body = JSON.stringify(errorBody(error, requestId));
  if (signedFor !== undefined) {
    signError(headers, error.code, { request: signedFor, status, body }, services);
  }
  return new Response(body, { status, headers });
}

/** The answer to a request that no route takes: 405 on a known path, else 404. */
export function unmatchedResponse(
  request: Request,
  paths: ReadonlyMap<string, unknown>,
  services: Services,
): Response {
  const pathname = pathnameOf(request.url);
  const error =
    paths.has(pathname) && !isRead(request)
      ? new ServiceError(
          'METHOD_NOT_ALLOWED',
          `${request.method} is not allowed here: only GET, HEAD and OPTIONS are`,
        )
      : new ServiceError('NOT_FOUND', `Nothing is at ${quoted(pathname)}`);
  const signedFor = wantsSignature(request) ? request : undefined;
  return errorResponse(error, requestIdOf(request), services, signedFor);
}

/** What a caller without good credentials is told to bring: RFC 9110 §11.6.1 and RFC 6750 §3. */
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHORIZED: 'Bearer',
  INVALID_AUTH: 'Bearer error="invalid_token"',
};

/** Whether a request that no route has read asks for a signature, and there can be one. */
export function wantsSignature({ url }: Request): boolean {
  return canBeSigned(pathnameOf(url)) && asksForSignature(url);
}

/** Whether a request that no route has read, or whose query string is too long to be read, asks for a signature. */
function asksForSignature(url: string): boolean {
  return /[?&]sign=true(?:&|$)/.test(url);
}
