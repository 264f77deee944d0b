import { Type } from '@sinclair/typebox';
import { QUERY_PARAMETERS } from '../common_parameters.ts';
import {
  CREDENTIALS,
  describeParameters,
  documentOf,
  errorReferences,
  publishSchema,
  requestBody,
} from '../description/build_document.ts';
import type {
  ApiDocument,
  ApiResponse,
  Context,
  Errors,
  Operation,
  PathItem,
} from '../description/document.ts';
import { addHeaders } from '../description/headers.ts';
import { InputSet } from '../inputs.ts';
import { type Operation as Administration, BODY_LIMITS, LOG, OPERATIONS, USAGE } from './operations.ts';

const ABOUT = `API keys over HTTP: the operations of \`meridian tokens\`, on the address of \`--admin-listen\`.

Every request except for this document requires a key with the role \`operator\`. Create the first one with
\`meridian tokens add --name NAME --role operator\`. Requests do not count against any limit. Running servers apply changes
within a second. Each change is logged, with the id of the operator's key, and is listed by \`/admin/v1/log\`.`;

const TAGS = [
  { name: 'Keys', description: 'API keys: add, list, edit, rotate, expire, suspend, resume, remove.' },
  { name: 'Usage', description: 'Requests by key and month.' },
  { name: 'Log', description: 'Who changed which key, and when.' },
];

const ERRORS: Errors = {
  400: { INVALID_PARAMETER: 'A parameter or the body is not valid, or the body has an unknown member.' },
  401: {
    UNAUTHORIZED: 'The request has no key, or one without the role `operator`.',
    INVALID_AUTH: 'The key is unknown.',
  },
  403: { SUBSCRIPTION_INACTIVE: "The operator's key is suspended or has expired." },
  404: { NOT_FOUND: 'There is no such key.' },
  413: { INVALID_PARAMETER: `The body has more than ${BODY_LIMITS.bytes.toLocaleString('en')} bytes.` },
  415: { INVALID_PARAMETER: 'The body is not `application/json`.' },
  421: { HOST_NOT_ALLOWED: 'The address is on loopback, and `Host` is not a loopback name.' },
  500: { INTERNAL_ERROR: 'The keys cannot be used; the log has the reason.' },
  502: { UPSTREAM_FAILURE: 'The keys are in Redis, which cannot be reached or refuses the change.' },
};

const BODY_SIZE = `At most ${BODY_LIMITS.bytes / 1024} KB of JSON.`;

/** The errors of all operations, of those on one key, and of those that read a body. */
const COMMON_ERRORS = [400, 401, 403, 421, 500, 502];
const KEY_ERRORS = [404];
const BODY_ERRORS = [413, 415];

/** The OpenAPI 3.1 document of the operator API. */
export function describeAdministration(): ApiDocument {
  const collected = { schemas: new Map(), headers: new Set<string>() };
  const context: Context = { isKeyed: false, isSigning: false, errors: ERRORS, ...collected };
  const paths: Record<string, PathItem> = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, context) };
  }
  return documentOf(
    { title: 'meridian administration', summary: 'API keys and their usage', description: ABOUT },
    TAGS,
    CREDENTIALS,
    paths,
    context,
  );
}

function describe(operation: Administration, context: Context): Operation {
  const { operationId, method, path, summary, description, inputs, body, example, status, payload } =
    operation;
  const hasId = path.includes(':id');
  const { parameters, required } = new InputSet(path, inputs, QUERY_PARAMETERS);
  const isRequired = body?.required !== undefined || body?.minProperties !== undefined;
  const errors = [...COMMON_ERRORS, ...(hasId ? KEY_ERRORS : []), ...(method === 'GET' ? [] : BODY_ERRORS)];
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    description,
    parameters: [...(hasId ? [ID] : []), ...describeParameters(parameters, required, context)],
    ...(body && { requestBody: requestBody(BODY_SIZE, isRequired, body, example, context) }),
    responses: {
      [status]: {
        description: descriptionOf(payload),
        headers: addHeaders([], context),
        ...contentOf(operation, context),
      },
      ...errorReferences(errors, context),
    },
  };
}

function tagOf(path: string): (typeof TAGS)[number]['name'] {
  if (path === LOG) return 'Log';
  return path.startsWith(USAGE) ? 'Usage' : 'Keys';
}

function descriptionOf(payload: Administration['payload']): string {
  if (payload === null) return 'The key is removed.';
  return payload === 'csv' ? 'The usage.' : payload.description!; // all have one
}

/** The content of a response, if it has any. */
function contentOf({ payload }: Administration, { schemas }: Context): Pick<ApiResponse, 'content'> {
  if (payload === null) return {};
  const [type, schema] = payload === 'csv' ? ['text/csv', Type.String()] : ['application/json', payload];
  return { content: { [type]: { schema: publishSchema(schema, schemas) } } };
}

const ID = {
  name: 'id',
  in: 'path',
  description: 'The id of the key.',
  required: true,
  example: '0Kc3pTq9d',
  schema: { type: 'string' },
} as const;
