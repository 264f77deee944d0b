import { type TSchema, Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../common/errors.ts';
import { ErrorBody, STATUS_OF } from '../../http/errors.ts';
import type { Route } from '../route.ts';
import {
  type ApiResponse,
  type Context,
  type MediaType,
  mediaTypeOf,
  type Reference,
  reference,
} from './document.ts';
import { mediaExamples, type RouteExamples } from './example_responses.ts';
import { publishSchema } from './publish_schema.ts';
import { headerReferences } from './response_headers.ts';

/** The meaning of each error code, with `code` in backticks. */
const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  INVALID_PARAMETER: 'A parameter cannot be parsed, or its value is not allowed. The message names it.',
  AMBIGUOUS_TARGET: 'Mutually exclusive parameters are given: several selectors, timestamps or hints.',
  INVALID_TIMESTAMP: 'A required timestamp is missing, or `disambiguation=reject` rejects a local time.',
  MISSING_TARGET: 'A target is required, and no selector is given.',
  UNAUTHORIZED: 'The request carries no credential.',
  INVALID_AUTH: 'The credential is unknown or incomplete, or contradicts another.',
  SUBSCRIPTION_INACTIVE: 'The key is suspended or has expired.',
  NOT_FOUND: 'There is nothing at this path, or no key has this `kid`.',
  METHOD_NOT_ALLOWED: 'The path does not support the method; `Allow` lists the methods that it supports.',
  HOST_NOT_ALLOWED:
    'The server only accepts requests addressed to its own machine, and the `Host` is not an allowed one.',
  RATE_LIMITED:
    "More requests per second than the key's plan allows, or without a key than the limit per address. `Retry-After` says when to retry; without it, the request must be split.",
  QUOTA_EXCEEDED: "The monthly quota of the key's plan is used up. `Retry-After` says when to retry.",
  INTERNAL_ERROR: 'The server failed. Its log has the request id and the reason.',
  DEPENDENCY_NOT_READY: 'This server lacks data for the request, such as IP data.',
  SIGNING_NOT_READY: '`sign=true` is given, and this server has no signing key.',
  UPSTREAM_FAILURE: 'A store that this server shares with others does not respond.',
};

/** The statuses of errors, and the names of their responses in the document's components. */
const NAMES: readonly (readonly [status: number, name: string])[] = [
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [413, 'ContentTooLarge'],
  [414, 'QueryTooLong'],
  [415, 'UnsupportedMediaType'],
  [421, 'MisdirectedRequest'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [501, 'NotReady'],
  [502, 'UpstreamFailure'],
];

/** The errors of public routes; other routes also have those about data, signing and credentials. */
const PUBLIC_STATUSES: ReadonlySet<number> = new Set([400, 405, 414, 421, 500]);

/** The errors of batches. */
const BATCH_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 405, 413, 414, 415, 421, 429, 500, 502]);

/** The errors of requests with a body. */
const BODY_STATUSES: ReadonlySet<number> = new Set([413, 415]);

/** Statuses that occur only on servers with keys. */
const KEYED_STATUSES: ReadonlySet<number> = new Set([401, 403]);

/** The statuses of a server's errors in ascending order, with their names. */
export function errorStatuses({ isKeyed, isLimited }: Pick<Context, 'isKeyed' | 'isLimited'>) {
  return NAMES.filter(([status]) =>
    status === STATUS_OF.RATE_LIMITED ? isLimited : isKeyed || !KEYED_STATUSES.has(status),
  );
}

/** The meaning of `INVALID_PARAMETER` for statuses other than 400. */
const MEANINGS_BY_STATUS: Readonly<Record<number, string>> = {
  413: 'The body of a batch has more than 262,144 bytes; within a batch, the responses so far have more than 8,388,608 bytes.',
  414: 'The query string has more than 8,192 characters.',
  415: 'The `Content-Type` of a batch is not `application/json`.',
};

/** The error codes of a status, with their meanings for that status. */
export function errorsAt(status: number): { readonly code: ErrorCode; readonly meaning: string }[] {
  const meaning = MEANINGS_BY_STATUS[status];
  if (meaning !== undefined) return [{ code: 'INVALID_PARAMETER', meaning }];
  const codes = (Object.keys(STATUS_OF) as ErrorCode[]).filter(code => STATUS_OF[code] === status);
  return codes.map(code => ({ code, meaning: MEANINGS[code] }));
}

/** The error responses by name, for the document's components. */
export function errorComponents(context: Context): Record<string, ApiResponse> {
  const statuses = errorStatuses(context);
  return Object.fromEntries(statuses.map(([status, name]) => [name, errorResponse(status, context)]));
}

/** The error responses of a route by status: its own if it has examples of them, otherwise references to components. */
export function errorsOfRoute(
  route: Route,
  examples: RouteExamples,
  context: Context,
): Record<string, ApiResponse | Reference> {
  const statuses = errorStatuses(context).filter(([status]) => canFailWith(status, route));
  return Object.fromEntries(
    statuses.map(([status, name]) => {
      const own = examples.get(status);
      const isShared = own === undefined && !route.hasTextErrors;
      return [status, isShared ? reference('responses', name) : errorResponse(status, context, own, route)];
    }),
  );
}

/** The error responses of batches by status. */
export function errorsOfBatch(context: Context): Record<string, Reference> {
  const statuses = errorStatuses(context).filter(([status]) => BATCH_STATUSES.has(status));
  return Object.fromEntries(statuses.map(([status, name]) => [status, reference('responses', name)]));
}

function canFailWith(status: number, { isPublic, errors }: Route): boolean {
  if (PUBLIC_STATUSES.has(status) || errors.some(code => STATUS_OF[code] === status)) return true;
  return !isPublic && !BODY_STATUSES.has(status) && status !== STATUS_OF.NOT_FOUND;
}

function errorResponse(
  status: number,
  context: Context,
  examples: NonNullable<MediaType['examples']> = {},
  route?: Route,
): ApiResponse {
  const errors = errorsAt(status);
  const [mediaType, body] = route?.hasTextErrors
    ? [mediaTypeOf(route.contentType), MESSAGE]
    : ['application/json', errorBody(errors.map(({ code }) => code))];
  return {
    description: errors.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n'),
    headers: headerReferences(['signed', 'keyed', status], context),
    content: { [mediaType]: { schema: publishSchema(body, context.schemas), ...mediaExamples(examples) } },
  };
}

const MESSAGE = Type.String({ description: 'The message of the error, as a line.' });

/** The schema of the body of errors with these codes. */
export function errorBody(codes: readonly ErrorCode[]): TSchema {
  const { $id: _, ...body } = ErrorBody;
  const { error } = body.properties;
  const code = {
    ...Type.Union(codes.map(code => Type.Literal(code))),
    description: error.properties.code.description,
  };
  return {
    ...body,
    properties: { ...body.properties, error: { ...error, properties: { ...error.properties, code } } },
  };
}
