import { type TObject, Type } from '@sinclair/typebox';
import { ValueErrorType } from '@sinclair/typebox/value';
import type { ServerKeys } from '../../access/administration.ts';
import type { ApiKey } from '../../access/key_index.ts';
import { type SchemaFault, schemaFault } from '../../common/checked_json.ts';
import { cut, quoted, ServiceError, unreadable } from '../../common/errors.ts';
import { readJson } from '../../http/body.ts';
import { type Endpoint, type Exchange, type Handler, type Method, pathnameOf } from '../../http/exchange.ts';
import { uncachedHeaders } from '../../http/response.ts';
import type { Server } from '../../http/snapshot.ts';
import { CSV_TYPE } from '../../text/csv.ts';
import { queryResponder, withQuery } from '../common_parameters.ts';
import { piecewiseBody } from '../sliced_body.ts';
import { describeAdministration } from './description.ts';
import { BODY_LIMITS, OPERATIONS, type Operation } from './operations.ts';

/** The operator API: `meridian tokens` over HTTP. Every request requires an operator's key, even on an open server. */
export function administrationEndpoints(server: Server): readonly Endpoint[] {
  const byPath = Map.groupBy(OPERATIONS, ({ path }) => path);
  return [
    ...[...byPath].map(([path, operations]) => pathEndpoint(path, operations, server)),
    {
      path: '/admin/openapi.json',
      access: 'public',
      handle: withQuery({}, (_, exchange) => {
        const headers = uncachedHeaders(exchange, 'application/json');
        return new Response(JSON.stringify(describeAdministration()), { headers });
      }),
    },
  ];
}

function pathEndpoint(path: string, operations: readonly Operation[], server: Server): Endpoint {
  const handlers = new Map<string, Handler>();
  for (const operation of operations) {
    const handle = handlerOf(operation, server);
    for (const method of acceptedMethods(operation)) handlers.set(method, handle);
  }
  return {
    path,
    methods: operations.flatMap(acceptedMethods),
    access: 'public', // the handler authenticates
    handle: exchange => handlers.get(exchange.request.method)!(exchange), // one of `methods`
  };
}

function acceptedMethods({ method }: Operation): Method[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Authenticates first, so that other clients see no validation errors. */
function handlerOf(operation: Operation, server: Server): Handler {
  const { path, status, payload } = operation;
  const respond = queryResponder(operation.inputs);
  return exchange => {
    const { keys, operator } = authenticated(exchange, server);
    return respond(exchange, async query => {
      const pieces = await operation.run({
        id: idIn(pathnameOf(exchange.request.url), path),
        body: await decodeBody(operation, exchange.request),
        query,
        nowMs: server.now(),
        server: keys,
        author: { user: null, operator: operator.label },
      });
      if (payload === null) return new Response(null, { status, headers: uncachedHeaders(exchange, null) });
      const headers = uncachedHeaders(exchange, payload === 'csv' ? CSV_TYPE : 'application/json');
      const report = (error: unknown) => server.logError(`request ${exchange.requestId} failed`, error);
      return new Response(await piecewiseBody(pieces, report), { status, headers });
    });
  };
}

/** The keys of the server, and the operator's key in a request. Throws ServiceError. */
function authenticated({ request }: Exchange, server: Server): { keys: ServerKeys; operator: ApiKey } {
  const { access, administration: keys } = server;
  if (access === null || keys === undefined)
    throw new ServiceError('NOT_FOUND', 'This server has no API keys');
  return { keys, operator: access.operator(request.headers, server.now()) };
}

/** The value of `:id` in the path. */
function idIn(pathname: string, path: string): string {
  const at = path.split('/').indexOf(':id');
  return pathname.split('/')[at] ?? '';
}

/** The request body, validated against the operation's schema; an empty object if there is none. */
async function decodeBody({ method, body: schema = NO_MEMBERS }: Operation, request: Request) {
  const body = method === 'GET' ? {} : await readJson(request, BODY_LIMITS, {});
  const fault = schemaFault(schema, body);
  if (fault !== undefined) throw invalid(schema, fault);
  return body;
}

/** The body of an operation that takes none: empty, or an empty object. */
const NO_MEMBERS = Type.Object({}, { additionalProperties: false });

function invalid(schema: TObject, { member, reason, error }: SchemaFault): ServiceError {
  const known = Object.keys(schema.properties).map(quoted).join(', ');
  const expected = known === '' ? 'empty' : `an object with some of ${known}`;
  if (member === '') return new ServiceError('INVALID_PARAMETER', `The body must be ${expected}`);
  const name = cut(member, 80);
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return unreadable(name, known === '' ? 'the body must be empty' : `it is not one of ${known}`);
  return unreadable(name, error.type === ValueErrorType.StringPattern ? 'it is not one line' : reason);
}
