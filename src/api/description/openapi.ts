import { type TSchema, Type, TypeGuard } from '@sinclair/typebox';
import type { AccessControl } from '../../access/access_control.ts';
import { nextTurn } from '../../common/promises.ts';
import { STATUS_OF } from '../../http/errors.ts';
import { Exchange } from '../../http/exchange.ts';
import { MAX_QUERY_LENGTH, Query } from '../../http/query.ts';
import type { Server } from '../../http/snapshot.ts';
import { Details } from '../../operations/details.ts';
import { pendingOf } from '../../operations/served_data.ts';
import { BATCH_PATH, BatchRequest, BatchResponse, MAX_BATCH_BYTES, MAX_RESPONSE_BYTES } from '../batch.ts';
import { QUERY_PARAMETERS } from '../common_parameters.ts';
import { innerHandler } from '../endpoint.ts';
import type { Route } from '../route.ts';
import { convertRoute, currentRoute } from '../routes/times.ts';
import { API_ROUTES } from '../routes.ts';
import { MAX_BYTES_AT_ONCE } from '../sliced_body.ts';
import {
  CREDENTIALS,
  describeError,
  describeParameters,
  documentOf,
  errorReferences,
  mediaExamples,
  mediaTypeOf,
  publishSchema,
  requestBody,
  type Security,
} from './build_document.ts';
import {
  type ApiDocument,
  type ApiResponse,
  type Context,
  type Errors,
  type Operation,
  type PathItem,
  type Reference,
  reference,
  type ShownExample,
} from './document.ts';
import { addHeaders } from './headers.ts';

/** The instant of all examples: 2026-04-15T17:30:47.123Z. */
export const EXAMPLE_NOW_MS = 1_776_274_247_123;

/** The `X-Request-Id` of all examples. */
export const EXAMPLE_REQUEST_ID = 'example';

const EXAMPLE_SERVER = {
  now: () => EXAMPLE_NOW_MS,
  hostClock: () => ({ isSynchronized: true, maxErrorSeconds: 0.012 }),
  logError() {}, // an example that fails is omitted
};

/** The examples of a route by status, then by a name derived from their titles. */
type RouteExamples = ReadonlyMap<number, Readonly<Record<string, ShownExample>>>;

/** Longer bodies are omitted. */
const MAX_EXAMPLE_LENGTH = 16_384;

/** The examples of a route with their responses at {@link EXAMPLE_NOW_MS}, except those that fail for lack of data. */
async function runExamples(route: Route, server: Server): Promise<RouteExamples> {
  const examples = new Map<number, Record<string, ShownExample>>();
  for (const { title, query, fails } of route.examples) {
    const { status = fails ? 400 : 200, body: value } = await exampleResponse(route, query, server);
    if (status >= 500) continue;
    const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const request = targetOf(route, query);
    const shown = { summary: title, description: `GET ${request}`, 'x-request': request, value };
    examples.set(status, { ...examples.get(status), [name]: shown });
  }
  return examples;
}

/** The status and parsed body of an example; neither if data would have to be loaded for it, no body if it is long. */
async function exampleResponse(
  route: Route,
  query: string,
  server: Server,
): Promise<{ readonly status?: number; readonly body?: unknown }> {
  if (!(await hasData(route, query, server))) return {};
  const shown = { ...server, ...EXAMPLE_SERVER };
  const headers = { 'X-Request-Id': EXAMPLE_REQUEST_ID };
  const request = new Request(`http://localhost${targetOf(route, query)}`, { headers });
  const response = await innerHandler(route, shown)(new Exchange(request, shown, () => ''));
  const { status } = response;
  const text = await response.text();
  if (text.length > MAX_EXAMPLE_LENGTH) return { status };
  const isJson = response.headers.get('Content-Type') === 'application/json';
  return { status, body: isJson ? JSON.parse(text) : text };
}

function targetOf({ path }: Route, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** Whether all data of an example is loaded. Only releases of tzdata are loaded for it: the other sets are larger. */
async function hasData({ inputs, reads }: Route, search: string, server: Server): Promise<boolean> {
  const snapshot = server.snapshot();
  const query = new Query(search, inputs.known);
  try {
    const data = reads | inputs.readsIn(query, inputs.select(query), snapshot);
    if (pendingOf(data, snapshot) === snapshot.releases) await snapshot.releases.load();
    return pendingOf(data, snapshot) === undefined;
  } catch {
    return true; // the response is the error
  }
}

/** Whether a server currently requires credentials. */
export function requiresKeys(access: AccessControl | null): boolean {
  return access !== null && !access.isOpen;
}

/** The alternative credentials that a server accepts. The marketplace's two headers belong together. */
function securityOf(access: AccessControl | null): Security {
  if (access === null || !requiresKeys(access)) return { security: [] };
  const { marketplace } = access;
  if (!marketplace) return CREDENTIALS;
  const header = (name: string) => ({ type: 'apiKey', in: 'header', name });
  const { keyHeader, hostHeader } = marketplace;
  const headers = { marketplaceKey: header(keyHeader), marketplaceHost: header(hostHeader) };
  return {
    security: [...CREDENTIALS.security, { marketplaceKey: [], marketplaceHost: [] }],
    securitySchemes: { ...CREDENTIALS.securitySchemes, ...headers },
  };
}

const ABOUT = `The time of any place: now, converted, added to, as a date, with its clock changes.

Every path but that of batches accepts GET, and HEAD with the same headers; OPTIONS is for CORS preflights. Unknown parameters are ignored and named
in \`X-Service-Ignored-Parameters\`, or rejected with \`strict=true\`. A parameter that is given twice is an error, and so is one
without a value unless it is a flag, which is then off. In a query string \`+\` is a space, which is accepted where a sign
belongs; \`%\` without two hex digits is literal.

A response has exactly the documented members; \`details=true\` adds \`details\`.

The examples are of April 15, 2026, 17:30:47.123 UTC, with the request id \`example\`.`;

const ERRORS: Errors = {
  400: {
    INVALID_PARAMETER: 'A parameter cannot be parsed, or its value is not allowed. The message names it.',
    AMBIGUOUS_TARGET: 'Mutually exclusive parameters are given: several selectors, timestamps or hints.',
    INVALID_TIMESTAMP: 'A required timestamp is missing, or `disambiguation=reject` rejects a local time.',
    MISSING_TARGET: 'A target is required, and no selector is given.',
  },
  401: {
    UNAUTHORIZED: 'The request carries no credential.',
    INVALID_AUTH: 'The credential is unknown or incomplete, or contradicts another.',
  },
  403: { SUBSCRIPTION_INACTIVE: 'The key is suspended or has expired.' },
  404: { NOT_FOUND: 'There is nothing at this path, no key has this `kid`, or no clock page is at `url`.' },
  405: {
    METHOD_NOT_ALLOWED: 'The path does not support the method; `Allow` lists the methods that it supports.',
  },
  413: {
    INVALID_PARAMETER: `The body of a batch has more than ${grouped(MAX_BATCH_BYTES)} bytes; within a batch, the responses so far have more than ${grouped(MAX_RESPONSE_BYTES)} bytes.`,
  },
  414: { INVALID_PARAMETER: `The query string has more than ${grouped(MAX_QUERY_LENGTH)} characters.` },
  415: { INVALID_PARAMETER: 'The `Content-Type` of a batch is not `application/json`.' },
  421: {
    HOST_NOT_ALLOWED:
      'The server only accepts requests addressed to its own machine, and the `Host` is not an allowed one.',
  },
  429: {
    RATE_LIMITED:
      "More requests per second than the key's plan allows, or without a key than the limit per address. `Retry-After` says when to retry; without it, the request must be split.",
    QUOTA_EXCEEDED: "The monthly quota of the key's plan is used up. `Retry-After` says when to retry.",
  },
  500: { INTERNAL_ERROR: 'The server failed. Its log has the request id and the reason.' },
  501: {
    DEPENDENCY_NOT_READY: 'This server lacks data for the request, such as IP data.',
    SIGNING_NOT_READY: '`sign=true` is given, and this server has no signing key.',
  },
  502: {
    UPSTREAM_FAILURE:
      'A store that this server shares with others does not respond, or refuses writes. `Retry-After` says when to retry.',
  },
};

/** `8,192` */
function grouped(number: number): string {
  return number.toLocaleString('en');
}

/** The statuses of errors that public routes, other routes, and batches can have, if the server has them. */
const PUBLIC_ERRORS = [400, 405, 414, 421, 500];
const ROUTE_ERRORS = [...PUBLIC_ERRORS, 401, 403, 429, 501, 502];
const BATCH_ERRORS = [...PUBLIC_ERRORS, 401, 403, 413, 415, 429, 502];

/** The errors of a server that requires keys, or limits requests by key or address. */
export function errorsOf(isKeyed: boolean, isLimited: boolean): Errors {
  const occurs = (status: string) =>
    status === '429' ? isLimited : isKeyed || (status !== '401' && status !== '403');
  return Object.fromEntries(Object.entries(ERRORS).filter(([status]) => occurs(status)));
}

/**
 * The OpenAPI 3.1 document of a server, derived from its routes. Building it takes about 100 ms the first time, so it yields to
 * other requests after each route.
 */
export async function describeApi(server: Server): Promise<ApiDocument> {
  const isKeyed = requiresKeys(server.access);
  const errors = errorsOf(isKeyed, isKeyed || server.addresses !== undefined);
  const context: Context = { isKeyed, isSigning: true, errors, schemas: new Map(), headers: new Set() };
  const paths: Record<string, PathItem> = {};
  for (const route of API_ROUTES) {
    paths[route.path] = { get: operation(route, await runExamples(route, server), context) };
    await nextTurn();
  }
  paths[BATCH_PATH] = { post: await batchOperation(server, context) };
  const notModified = {
    description: '`If-None-Match` matches the `ETag` of the response, which is not sent again.',
    headers: addHeaders(['keyed', 'cacheable'], context),
  };
  return documentOf(
    { title: 'meridian', summary: 'Time and time zones over HTTP', description: ABOUT },
    TAGS.map(([, name, description]) => ({ name, description })),
    securityOf(server.access),
    paths,
    context,
    { NotModified: notModified },
  );
}

function operation(route: Route, examples: RouteExamples, context: Context): Operation {
  const { path, summary, description, isPublic, isMarkup, isMomentary, payload, contentType } = route;
  const { parameters, required } = route.inputs;
  const name = path.replace(/^\/(v1\/(time\/)?|\.well-known\/)?/, '');
  const form = isMarkup ? ('html' as const) : ('signed' as const);
  const lifetime = isMomentary ? [] : (['cacheable'] as const);
  return {
    operationId: name.replace(/[-./]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tagOf(path)],
    summary,
    description,
    security: isPublic && context.isKeyed ? [] : undefined,
    parameters: describeParameters(parameters, required, context),
    responses: {
      200: {
        description: 'The response.',
        headers: addHeaders([...(isPublic ? [] : (['keyed', form] as const)), ...lifetime], context),
        content: {
          [mediaTypeOf(contentType)]: {
            schema: publishSchema(
              payload === null ? Type.String() : withDetailsMember(payload),
              context.schemas,
            ),
            ...mediaExamples(examples.get(200) ?? {}),
          },
        },
      },
      ...(!isMomentary && { 304: reference('responses', 'NotModified') }),
      ...errorsOfRoute(route, examples, context),
    },
  };
}

/** The error responses of a route by status: its own if it has examples of them, otherwise references to components. */
function errorsOfRoute(
  route: Route,
  examples: RouteExamples,
  context: Context,
): Record<string, ApiResponse | Reference> {
  const { isPublic, errors, hasTextErrors } = route;
  const statuses = [...(isPublic ? PUBLIC_ERRORS : ROUTE_ERRORS), ...errors.map(code => STATUS_OF[code])];
  const own = statuses
    .filter(status => status in context.errors && (hasTextErrors || examples.has(status)))
    .map(status => [status, describeError(status, context, examples.get(status), route)]);
  return { ...errorReferences(statuses, context), ...Object.fromEntries(own) };
}

/** The requests of the example of a batch; none needs data that would have to be loaded. */
const BATCH_EXAMPLE: readonly (readonly [route: Route, query: string])[] = [
  [currentRoute, 'tz=Asia/Tokyo'],
  [convertRoute, 'unix=1776274247&tz=Europe/Paris'],
  [currentRoute, 'tz=Mars/Olympus'],
];

/** `POST /v1/batch`, with an example response. */
async function batchOperation(server: Server, context: Context): Promise<Operation> {
  const requests = BATCH_EXAMPLE.map(([{ path }, query]) => `${path}?${query}`);
  const value = await Promise.all(
    BATCH_EXAMPLE.map(([route, query]) => exampleResponse(route, query, server)),
  );
  const summary = 'Three requests, one of which fails';
  const shown = { summary, description: `POST ${BATCH_PATH}`, 'x-request': BATCH_PATH, value };
  return {
    operationId: 'batch',
    tags: [tagOf(BATCH_PATH)],
    summary: 'Several requests evaluated at one instant, each with its own status',
    description: ABOUT_BATCHES,
    parameters: describeParameters(QUERY_PARAMETERS, [], context),
    requestBody: requestBody(
      `The requests: at most ${MAX_BATCH_BYTES / 1024} KB of JSON.`,
      true,
      BatchRequest,
      { requests },
      context,
    ),
    responses: {
      200: {
        description: `The responses: at most ${MAX_RESPONSE}; above ${MAX_BYTES_AT_ONCE / 1024} KB, sent without \`Content-Length\`.`,
        headers: addHeaders(['keyed'], context),
        content: {
          'application/json': {
            schema: publishSchema(BatchResponse, context.schemas),
            examples: { 'three-requests': shown },
          },
        },
      },
      ...errorReferences(BATCH_ERRORS, context),
    },
  };
}

const MAX_RESPONSE = `${MAX_RESPONSE_BYTES / 2 ** 20} MB`;
const ABOUT_BATCHES =
  'Runs several GET requests of this API, given by path and query: those under `/v1/` whose responses are JSON or plain text, ' +
  `without \`sign=true\`. All use the same instant, and each has its own status and body. If the response would exceed ${MAX_RESPONSE}, the ` +
  'remaining requests are not run and have status 413. A batch counts as the number of its requests, with each list entry ' +
  'counting as one; if the plan does not allow all of them, none is run. Other requests to the server are served meanwhile.';

/** Groups of routes, with a pattern for their paths: the first that matches, and every path matches one. */
const TAGS = [
  [/clock|^\/(embed\/|oembed)/, 'Clocks', 'Clocks for web pages, as fragments, frames and images.'],
  [/^\/v1\/time\//, 'Time', 'The time in a place: current, converted, shifted, compared.'],
  [
    /^\/v1\/(work\/|holidays|recurrence)/,
    'Working time',
    'Public holidays, business days, schedules and recurrences.',
  ],
  [/^\/v1\/batch$/, 'Batches', 'Several requests in one.'],
  [/^\/\.well-known\//, 'Verification', 'The public keys for verifying signed responses.'],
  [/^\/v1\/(timezone|abbreviations|places|tzdata)/, 'Zones', 'Time zones, their names and their data.'],
] as const;

function tagOf(path: string): string {
  return TAGS.find(([pattern]) => pattern.test(path))![1];
}

/** A payload with the optional member `details`, in each element if it is an array. */
function withDetailsMember(schema: TSchema): TSchema {
  if (TypeGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(withDetailsMember) };
  if (TypeGuard.IsArray(schema)) return { ...schema, items: withDetailsMember(schema.items) };
  if (!TypeGuard.IsObject(schema) || 'error' in schema.properties) return schema;
  return { ...schema, properties: { ...schema.properties, details: Details } };
}
