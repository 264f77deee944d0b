import type { TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parseMonth } from '../../access/administration.ts';
import { cut, messageOf, quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { type Endpoint, type Exchange, type Method, pathnameOf } from '../../http/exchange.ts';
import { ParameterNames, parseJson, parseQuery, type Query, readJsonText } from '../../http/query.ts';
import { jsonHeaders, nameIgnoredParameters } from '../../http/response.ts';
import type { Server } from '../../http/snapshot.ts';
import { parseWholeNumber } from '../parameters/input.ts';
import { describeAdministration } from './description.ts';
import { MAX_LIMIT, type Operation, type ParameterName } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { piecewiseBody } from './piecewise_body.ts';

const DOCUMENT_PATH = '/admin/openapi.json';
const MAX_BODY_BYTES = 16_384;
const CSV = 'text/csv; charset=utf-8';

/** The operator API: `meridian tokens` over HTTP. Every request requires an operator's key, even on an open server. */
export function administrationEndpoints(server: Server): readonly Endpoint[] {
  const byPath = Map.groupBy(OPERATIONS, ({ path }) => path);
  return [
    ...[...byPath].map(([path, operations]) => resource(path, operations, server)),
    {
      path: DOCUMENT_PATH,
      access: 'public',
      handle: exchange =>
        new Response(JSON.stringify(describeAdministration()), { headers: headersOf(exchange) }),
    },
  ];
}

/** The endpoint of a path. */
function resource(path: string, operations: readonly Operation[], server: Server): Endpoint {
  const byMethod = new Map<string, Operation>(
    operations.flatMap(operation => methodsOf(operation).map(method => [method, operation] as const)),
  );
  return {
    path,
    methods: operations.flatMap(methodsOf),
    access: 'public', // the handler authenticates
    handle: exchange => respond(byMethod.get(exchange.request.method)!, exchange, server), // one of `methods`
  };
}

function methodsOf({ method }: Operation): Method[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

async function respond(operation: Operation, exchange: Exchange, server: Server): Promise<Response> {
  const { access, administration: keys, now } = server;
  const { request } = exchange;
  if (access === null || keys === undefined)
    throw new ServiceError('NOT_FOUND', 'This server has no API keys');
  const { label } = access.operator(request.headers, now());
  const values = readQuery(operation, exchange);
  const pieces = await operation.run({
    id: idIn(pathnameOf(request.url), operation.path),
    body: await readBody(operation, request),
    ...values,
    nowMs: now(),
    keys,
    record: change => keys.record({ ...change, operator: label }),
  });
  const { status, payload } = operation;
  const headers = headersOf(exchange, payload === 'csv' ? CSV : 'application/json');
  if (payload === null) headers.delete('Content-Type');
  if (payload === null) return new Response(null, { status, headers });
  const report = (error: unknown) => server.logError(`request ${exchange.requestId} failed`, error);
  return new Response(await piecewiseBody(pieces, report), { status, headers });
}

function headersOf(exchange: Exchange, contentType = 'application/json'): Headers {
  const headers = new Headers(jsonHeaders(exchange.snapshot.corsOrigin, exchange.request));
  headers.set('Content-Type', contentType);
  headers.set('X-Request-Id', exchange.requestId);
  nameIgnoredParameters(headers, exchange.query?.ignored ?? []);
  return headers;
}

/** The values of an operation's query parameters. */
function readQuery({ parameters = {} }: Operation, exchange: Exchange) {
  const query = parseQuery(exchange.request.url, new ParameterNames(Object.keys(parameters)));
  exchange.query = query;
  return {
    month: parameterOf(query, 'month', readMonth),
    limit: parameterOf(query, 'limit', readLimit) ?? MAX_LIMIT,
    cursor: parameterOf(query, 'cursor', text => text),
  };
}

function parameterOf<Value>(query: Query, name: ParameterName, read: (text: string) => Value): Value | null {
  const text = query.get(name);
  return text === undefined ? null : read(text);
}

function readMonth(text: string): string {
  try {
    return parseMonth(text);
  } catch (error) {
    throw unreadable('month', messageOf(error));
  }
}

function readLimit(text: string): number {
  const limit = parseWholeNumber(text, 'limit', 'rows');
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw unreadable('limit', `${quoted(text)} is not between 1 and ${MAX_LIMIT}`);
}

/** The value of `:id` in the path. */
function idIn(pathname: string, path: string): string {
  const at = path.split('/').indexOf(':id');
  return pathname.split('/')[at] ?? '';
}

/** The request body, validated against the operation's schema; an empty object if there is none. */
async function readBody({ body: schema }: Operation, request: Request): Promise<unknown> {
  if (schema === undefined) return {};
  const isEmpty = request.body === null;
  const body = isEmpty ? {} : parseJson(await readJsonText(request, MAX_BODY_BYTES));
  if (!Value.Check(schema, body)) throw invalid(schema, body);
  return body;
}

function invalid(schema: TObject, body: unknown): ServiceError {
  const { path, message } = Value.Errors(schema, body).First()!; // the check failed
  const known = Object.keys(schema.properties).map(quoted).join(', ');
  const name = cut(path.slice(1), 80);
  if (name === '')
    return new ServiceError('INVALID_PARAMETER', `The body must be an object with some of ${known}`);
  return message === 'Unexpected property'
    ? unreadable(name, `it is not one of ${known}`)
    : unreadable(name, message.toLowerCase());
}
