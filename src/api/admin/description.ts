import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../common/errors.ts';
import { STATUS_OF } from '../../http/errors.ts';
import { reference } from '../description/document.ts';
import { errorBody } from '../description/errors.ts';
import { describeParameters } from '../description/parameters.ts';
import { type JsonSchema, publishSchema } from '../description/publish_schema.ts';
import { InputSet, QUERY_PARAMETERS } from '../inputs.ts';
import { OPERATIONS, type Operation } from './operations.ts';

type Schemas = Map<string, JsonSchema>;

const ABOUT = `API keys over HTTP: the operations of \`meridian tokens\`, on the address of \`--admin-listen\`.

Every request except for this document requires a key with the role \`operator\`. Create the first one with
\`meridian tokens add --name NAME --role operator\`. Requests do not count against any limit. Running servers apply changes
within a second. Each change is logged, with the id of the operator's key.`;

/** The OpenAPI 3.1 document of the operator API. */
export function describeAdministration(): object {
  const schemas: Schemas = new Map();
  const responses = Object.fromEntries(ERRORS.map(error => [error.name, errorResponse(error, schemas)]));
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'meridian administration',
      version: 'v1',
      summary: 'API keys and their usage',
      description: ABOUT,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Keys', description: 'API keys: add, list, edit, rotate, expire, suspend, resume, remove.' },
      { name: 'Usage', description: 'Requests by key and month.' },
    ],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      responses,
      headers: HEADERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function describe(operation: Operation, schemas: Schemas): object {
  const { operationId, path, summary, description, inputs, body, example, status, response } = operation;
  const hasId = path.includes(':id');
  const { parameters, required } = new InputSet(path, inputs, QUERY_PARAMETERS);
  const errors = ERRORS.filter(
    ({ of }) => of === undefined || (of === 'keys' ? hasId : body !== undefined),
  ).map(({ status, name }) => [status, reference('responses', name)]);
  return {
    operationId,
    tags: [path.includes('usage') ? 'Usage' : 'Keys'],
    summary,
    description,
    parameters: [...(hasId ? [ID] : []), ...describeParameters(parameters, required, { schemas })],
    ...(body && {
      requestBody: {
        description: 'At most 16 KB of JSON.',
        required: (body.required ?? []).length > 0 || body.minProperties !== undefined,
        content: { 'application/json': { schema: publishSchema(body, schemas), example } },
      },
    }),
    responses: {
      [status]: { description: response, headers: headersOf(status), content: contentOf(operation, schemas) },
      ...Object.fromEntries(errors),
    },
  };
}

/** The content of a response; undefined if it has none. */
function contentOf({ payload }: Operation, schemas: Schemas): object | undefined {
  if (payload === null) return undefined;
  return payload === 'csv'
    ? { 'text/csv': { schema: publishSchema(Type.String(), schemas) } }
    : { 'application/json': { schema: publishSchema(payload, schemas) } };
}

const ID = {
  name: 'id',
  in: 'path',
  description: 'The id of the key.',
  required: true,
  example: '0Kc3pTq9d',
  schema: { type: 'string' },
};

interface DescribedError {
  readonly status: number;
  readonly name: string;
  readonly codes: readonly ErrorCode[];
  readonly meaning: string;
  /** The operations that respond with it: those on one key, or those with a body; all if absent. */
  readonly of?: 'keys' | 'bodies';
}

const ERRORS: readonly DescribedError[] = [
  {
    status: 400,
    name: 'BadRequest',
    codes: ['INVALID_PARAMETER'],
    meaning: 'A parameter or the body is not valid.',
  },
  {
    status: 401,
    name: 'Unauthorized',
    codes: ['UNAUTHORIZED', 'INVALID_AUTH'],
    meaning: 'The request has no key, an unknown key, or one without the role `operator`.',
  },
  {
    status: 403,
    name: 'Forbidden',
    codes: ['SUBSCRIPTION_INACTIVE'],
    meaning: "The operator's key is suspended or has expired.",
  },
  { status: 404, name: 'NotFound', codes: ['NOT_FOUND'], meaning: 'There is no such key.', of: 'keys' },
  {
    status: 413,
    name: 'ContentTooLarge',
    codes: ['INVALID_PARAMETER'],
    meaning: 'The body has more than 16,384 bytes.',
    of: 'bodies',
  },
  {
    status: 415,
    name: 'UnsupportedMediaType',
    codes: ['INVALID_PARAMETER'],
    meaning: 'The body is not `application/json`.',
    of: 'bodies',
  },
  {
    status: 421,
    name: 'MisdirectedRequest',
    codes: ['HOST_NOT_ALLOWED'],
    meaning: 'The address is on loopback, and `Host` is not a loopback name.',
  },
  {
    status: 500,
    name: 'InternalError',
    codes: ['INTERNAL_ERROR'],
    meaning: 'The keys cannot be used; the log has the reason.',
  },
  {
    status: 502,
    name: 'UpstreamFailure',
    codes: ['UPSTREAM_FAILURE'],
    meaning: 'The keys are in Redis, which cannot be reached.',
  },
];

function errorResponse({ status, codes, meaning }: DescribedError, schemas: Schemas): object {
  return {
    description: meaning,
    headers: headersOf(status),
    content: { 'application/json': { schema: publishSchema(errorBody(codes), schemas) } },
  };
}

const header = (description: string, required: boolean) => ({
  description,
  required,
  schema: { type: 'string' },
});

const HEADERS = {
  'X-Request-Id': header(
    "The request's own if it is 1 to 128 of `A-Za-z0-9._-`, otherwise a new UUID.",
    true,
  ),
  'Cache-Control': header('`no-store`', true),
  'X-Service-Ignored-Parameters': header('Unknown query parameters.', false),
  'Access-Control-Allow-Origin': header('If the request has `Origin`.', false),
  'Access-Control-Expose-Headers': header('If the request has `Origin`.', false),
  Vary: header('`Origin` if only scripts of one origin may read responses.', false),
  'WWW-Authenticate': header('`Bearer`, with `error="invalid_token"` if a credential was given.', true),
};

/** References to the headers of responses with a status. */
function headersOf(status: number): object {
  const names = Object.keys(HEADERS).filter(
    name => name !== 'WWW-Authenticate' || status === STATUS_OF.UNAUTHORIZED,
  );
  return Object.fromEntries(names.map(name => [name, reference('headers', name)]));
}
