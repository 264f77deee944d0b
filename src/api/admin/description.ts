import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../common/errors.ts';
import { ErrorBody, STATUS_OF } from '../../http/errors.ts';
import { type JsonSchema, publishSchema } from '../description/publish_schema.ts';
import { MAX_LIMIT, type Operation, type ParameterName } from './operation.ts';
import { OPERATIONS } from './operations.ts';

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
  const { operationId, path, summary, description, body, example, status } = operation;
  const hasId = path.includes(':id');
  const parameters = [...(hasId ? [ID] : []), ...queryParameters(operation)];
  const errors = ERRORS.filter(({ occasion }) => applies(occasion, operation));
  return {
    operationId,
    tags: [path.includes('usage') ? 'Usage' : 'Keys'],
    summary,
    description,
    parameters,
    ...(body && {
      requestBody: {
        description: 'At most 16 KB of JSON.',
        required: (body.required ?? []).length > 0 || body.minProperties !== undefined,
        content: { 'application/json': { schema: publishSchema(body, schemas), example } },
      },
    }),
    responses: {
      [status]: success(operation, schemas),
      ...Object.fromEntries(
        errors.map(error => [error.status, { $ref: `#/components/responses/${error.name}` }]),
      ),
    },
  };
}

function success({ response, payload }: Operation, schemas: Schemas): object {
  const headers = headerReferences(COMMON_HEADERS);
  if (payload === null) return { description: response, headers };
  const [mediaType, schema] =
    payload === 'csv' ? (['text/csv', Type.String()] as const) : (['application/json', payload] as const);
  return {
    description: response,
    headers,
    content: { [mediaType]: { schema: publishSchema(schema, schemas) } },
  };
}

const ID = {
  name: 'id',
  in: 'path',
  description: 'The id of the key.',
  required: true,
  example: '0Kc3pTq9d',
  schema: { type: 'string' },
};

const QUERY_PARAMETERS: Readonly<Record<ParameterName, object>> = {
  month: { example: '2026-11', schema: { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' } },
  limit: { example: 1000, schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT } },
  cursor: { example: '2026-11.0Kc3pTq9d', schema: { type: 'string' } },
};

function queryParameters({ parameters = {} }: Operation): object[] {
  return Object.entries(parameters).map(([name, description]) => ({
    name,
    in: 'query',
    required: false,
    description,
    ...QUERY_PARAMETERS[name as ParameterName],
  }));
}

/** The operations that respond with an error: all, those that name a key, those with a body. */
type Occasion = 'always' | 'id' | 'body';

interface DescribedError {
  readonly status: number;
  readonly name: string;
  readonly occasion: Occasion;
  readonly codes: readonly ErrorCode[];
  readonly meaning: string;
}

function described(
  status: number,
  name: string,
  occasion: Occasion,
  codes: readonly ErrorCode[],
  meaning: string,
): DescribedError {
  return { status, name, occasion, codes, meaning };
}

const ERRORS = [
  described(400, 'BadRequest', 'always', ['INVALID_PARAMETER'], 'A parameter or the body is not valid.'),
  described(
    401,
    'Unauthorized',
    'always',
    ['UNAUTHORIZED', 'INVALID_AUTH'],
    'The request has no key, an unknown key, or one without the role `operator`.',
  ),
  described(
    403,
    'Forbidden',
    'always',
    ['SUBSCRIPTION_INACTIVE'],
    "The operator's key is suspended or has expired.",
  ),
  described(404, 'NotFound', 'id', ['NOT_FOUND'], 'There is no such key.'),
  described(413, 'ContentTooLarge', 'body', ['INVALID_PARAMETER'], 'The body has more than 16,384 bytes.'),
  described(
    415,
    'UnsupportedMediaType',
    'body',
    ['INVALID_PARAMETER'],
    'The body is not `application/json`.',
  ),
  described(
    421,
    'MisdirectedRequest',
    'always',
    ['HOST_NOT_ALLOWED'],
    'The address is on loopback, and `Host` is not a loopback name.',
  ),
  described(
    500,
    'InternalError',
    'always',
    ['INTERNAL_ERROR'],
    'The keys cannot be used; the log has the reason.',
  ),
  described(
    502,
    'UpstreamFailure',
    'always',
    ['UPSTREAM_FAILURE'],
    'The keys are in Redis, which cannot be reached.',
  ),
];

function applies(occasion: Occasion, { path, body }: Operation): boolean {
  if (occasion === 'id') return path.includes(':id');
  return occasion === 'always' || body !== undefined;
}

function errorResponse({ status, codes, meaning }: DescribedError, schemas: Schemas): object {
  const { $id: _, ...body } = ErrorBody;
  const { error } = body.properties;
  const code = {
    ...Type.Union(codes.map(code => Type.Literal(code))),
    description: error.properties.code.description,
  };
  const schema = {
    ...body,
    properties: { ...body.properties, error: { ...error, properties: { ...error.properties, code } } },
  };
  const own = status === STATUS_OF.UNAUTHORIZED ? ['WWW-Authenticate'] : [];
  return {
    description: meaning,
    headers: headerReferences([...COMMON_HEADERS, ...own]),
    content: { 'application/json': { schema: publishSchema(schema, schemas) } },
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
const COMMON_HEADERS = Object.keys(HEADERS).filter(name => name !== 'WWW-Authenticate');

function headerReferences(names: readonly string[]): object {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}
