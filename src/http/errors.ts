import { type Static, Type } from '@sinclair/typebox';
import { type ErrorCode, ServiceError } from '../common/errors.ts';
import { objectSchema } from '../common/json.ts';
import { whenReady } from '../common/promises.ts';
import { listed } from '../common/words.ts';
import { AddressLimited } from './address_limits.ts';
import { encodeBody } from './content_coding.ts';
import type { Endpoint, ErrorContent, Exchange } from './exchange.ts';
import { InvalidRequest } from './invalid_request.ts';
import { setHeaders, setLimitHeaders, uncachedHeaders } from './response.ts';
import { isGiven, signatureHeaders, signatureOf } from './signature.ts';
import type { Server } from './snapshot.ts';

/** The HTTP status of every error code. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  INVALID_PARAMETER: 400,
  AMBIGUOUS_TARGET: 400,
  INVALID_TIMESTAMP: 400,
  MISSING_TARGET: 400,
  UNAUTHORIZED: 401,
  INVALID_AUTH: 401,
  SUBSCRIPTION_INACTIVE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  HOST_NOT_ALLOWED: 421,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  DEPENDENCY_NOT_READY: 501,
  SIGNING_NOT_READY: 501,
  UPSTREAM_FAILURE: 502,
};

const ErrorDetails = Type.Object(
  { parameter: Type.Optional(Type.String({ description: 'The parameter that caused the error, if any.' })) },
  {
    additionalProperties: true,
    description: 'Further machine-readable details, such as lists of valid values.',
  },
);

/** The body of every error. */
export const ErrorBody = objectSchema('ErrorBody', 'The body of every error.', {
  error: Type.Object(
    {
      code: Type.Union(
        Object.keys(STATUS_OF).map(code => Type.Literal(code as ErrorCode)),
        { description: 'Machine-readable kind of error.' },
      ),
      message: Type.String({ description: 'Human-readable: what is wrong, and what was expected.' }),
      details: Type.Optional(ErrorDetails),
    },
    { description: 'The error.' },
  ),
  request_id: Type.String({ description: 'The `X-Request-Id` of the response.' }),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The body of an error. */
export function errorBody({ code, message, details }: ServiceError, requestId: string): ErrorBody {
  return {
    error: details === undefined ? { code, message } : { code, message, details },
    request_id: requestId,
  };
}

/** The HTTP status of an error. */
export function statusOf(error: ServiceError): number {
  return error instanceof InvalidRequest ? error.status : STATUS_OF[error.code];
}

/** Whether a response counts against the monthly quota: errors of the server, 404, and rejections by credential or limit do not. */
export function isCounted(status: number): boolean {
  return status < 500 && status !== 404 && status !== 401 && status !== 403 && status !== 429;
}

/** The error for a method that the endpoint does not support. */
export class MethodNotAllowed extends ServiceError {
  readonly allowed: readonly string[];

  constructor(method: string, allowed: readonly string[]) {
    super('METHOD_NOT_ALLOWED', `${method} is not allowed here; ${listed(allowed, 'and')} are`);
    this.allowed = allowed;
  }
}

const BUG = new ServiceError('INTERNAL_ERROR', 'Internal error; see the server log');

/** The response to a request that failed with a thrown value. Anything but a {@link ServiceError} is a bug, and stays private. */
export function errorResponse(
  thrown: unknown,
  exchange: Exchange,
  endpoint: Endpoint,
  server: Server,
): Response | Promise<Response> {
  const error = thrown instanceof ServiceError ? thrown : BUG;
  if (error !== thrown) server.logError(`request ${exchange.requestId} failed`, thrown);
  const failure = { error, exchange, endpoint, server };
  return whenReady(contentOf(failure), content => responseOf(content, failure));
}

/** An error on its way to the client. */
interface Failure {
  readonly error: ServiceError;
  readonly exchange: Exchange;
  readonly endpoint: Endpoint;
  readonly server: Server;
}

/** The error as the endpoint writes it; as JSON if that fails, since whatever is thrown here would be the body of the response. */
function contentOf({ error, exchange, endpoint, server }: Failure): ErrorContent | Promise<ErrorContent> {
  const asJson = () => jsonError(error, exchange);
  const asJsonAfter = (cause: unknown) => {
    server.logError(`the error of request ${exchange.requestId} could not be written`, cause);
    return asJson();
  };
  try {
    const content = endpoint.writeError?.(error, exchange) ?? asJson();
    return content instanceof Promise ? content.catch(asJsonAfter) : content;
  } catch (cause) {
    return asJsonAfter(cause);
  }
}

/** The response to a failed request, signed if the request wants that, else compressed if that is worth it. */
function responseOf(content: ErrorContent, failure: Failure): Response | Promise<Response> {
  const { error, exchange, endpoint, server } = failure;
  const { contentType, body } = content;
  const status = statusOf(error);
  const headers = headersOf(content, failure);
  const canSign = server.signing.current.active !== undefined && !UNSIGNED.has(error.code);
  const isSigned = canSign && endpoint.isSignable?.(exchange.request) && isGiven('sign', 'true', exchange);
  if (isSigned) sign(headers, exchange, status, body, server);
  if (isSigned || contentType !== JSON_TYPE) return new Response(body, { status, headers });
  return whenReady(encodeBody(body, exchange.request), encoded => {
    setHeaders(headers, encoded.headers);
    return new Response(encoded.content, { status, headers });
  });
}

function headersOf(
  { contentType, headers: ownHeaders }: ErrorContent,
  { error, exchange, endpoint }: Failure,
): Headers {
  const headers = uncachedHeaders(exchange, contentType, endpoint.isOpenToAllOrigins ? '*' : undefined);
  if (contentType === JSON_TYPE) headers.append('Vary', 'Accept-Encoding');
  setHeaders(headers, ownHeaders);
  if (error instanceof MethodNotAllowed) headers.set('Allow', error.allowed.join(', '));
  if (error instanceof AddressLimited) setHeaders(headers, error.headers);
  if (error.code === 'UPSTREAM_FAILURE') headers.set('Retry-After', '1');
  const challenge = CHALLENGES[error.code];
  if (challenge !== undefined) headers.set('WWW-Authenticate', challenge);
  setLimitHeaders(headers, exchange, isCounted(statusOf(error)));
  return headers;
}

const JSON_TYPE = 'application/json';

function jsonError(error: ServiceError, { requestId }: Exchange): ErrorContent {
  return { contentType: JSON_TYPE, body: JSON.stringify(errorBody(error, requestId)) };
}

/** The challenge for clients without valid credentials: RFC 9110 §11.6.1 and RFC 6750 §3. */
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHORIZED: 'Bearer',
  INVALID_AUTH: 'Bearer error="invalid_token"',
};

/** Errors for unauthenticated clients are never signed. */
const UNSIGNED: ReadonlySet<ErrorCode> = new Set(['UNAUTHORIZED', 'INVALID_AUTH', 'SUBSCRIPTION_INACTIVE']);

/** Signs an error. If that fails, the error is sent unsigned. */
function sign(headers: Headers, exchange: Exchange, status: number, body: string, server: Server): void {
  try {
    const unsigned = { exchange, status, body };
    const signature = signatureOf(unsigned, server);
    setHeaders(headers, signatureHeaders(signature, unsigned));
  } catch (cause) {
    server.logError('an error could not be signed', cause);
  }
}
