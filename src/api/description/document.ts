import { type TSchema, Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../common/errors.ts';
import { isObject } from '../../common/json.ts';
import { ErrorBody } from '../../http/errors.ts';
import type { ParameterSchema } from '../inputs.ts';
import type { Route } from '../route.ts';

/** An OpenAPI document, as far as the pages use it. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  /** Alternative credentials; empty if none is required. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly headers: Readonly<Record<string, ApiHeader>>;
    readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  };
}

/** The operations of a path by method, in lower case. */
export type PathItem = Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>>;

/** An operation with its method, in upper case, and its path. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The operations of a document, in order. */
export function operationsOf({ paths }: Pick<ApiDocument, 'paths'>): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** A group of operations. */
interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The parameters and responses of a route. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  /** Empty for a public route on a server that requires credentials. */
  readonly security?: readonly never[] | undefined;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** By status. */
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>;
}

/** A response header. */
interface ApiHeader {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** A parameter in the query or the path. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly required: boolean;
  readonly example: unknown;
  readonly schema: JsonSchema;
}

/** The body of a request, with an example. */
interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: {
    readonly 'application/json': { readonly schema: JsonSchema; readonly example: unknown };
  };
}

/** The responses with one status: headers by name, and content by media type, absent if there is none. */
export interface ApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** The schema of a body, with examples by name; those without a response are separate, since OpenAPI does not support them. */
interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, ShownExample>> | undefined;
  readonly 'x-requests'?: Readonly<Record<string, ShownExample>> | undefined;
}

/** A request and its response, which is undefined if data would have to be loaded for it. */
export interface ShownExample {
  readonly summary: string;
  readonly description: string;
  /** Path and query. */
  readonly 'x-request': string;
  readonly value?: unknown;
}

/** A reference to one of the document's components. */
export interface Reference {
  readonly $ref: string;
}

/** References a component of the document. */
export function reference(kind: 'headers' | 'responses', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** The errors of a document: the meaning of each code, with `code` in backticks, by status. */
export type Errors = Readonly<Record<number, Readonly<Partial<Record<ErrorCode, string>>>>>;

/** Shared by the functions that build a document. */
export interface Context {
  /** Whether the server requires credentials. */
  readonly isKeyed: boolean;
  /** Whether it signs responses on request. */
  readonly isSigning: boolean;
  readonly errors: Errors;
  /** Collects the named schemas. */
  readonly schemas: Map<string, JsonSchema>;
  /** Collects the names of the headers of responses. */
  readonly headers: Set<string>;
}

/** A content type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.replace(/;.*/, '');
}

/** A JSON Schema (2020-12) of the API description. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * A TypeBox schema for the API description. Schemas with an `$id` are added to `components` and replaced by a reference.
 * Adapted to client generators: an `enum` for alternative constants, a list of types for nullable values, and the width of
 * numbers, which many generators otherwise take to be 32 bits.
 */
export function publishSchema(schema: TSchema, components: Map<string, JsonSchema>): JsonSchema {
  // Through JSON, which drops TypeBox's symbols.
  return publishObject(JSON.parse(JSON.stringify(schema)), components);
}

function publishObject(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const { $id, ...rest } = schema;
  const members = Object.entries(rest).map(([keyword, value]) => [keyword, publishValue(value, components)]);
  const plain = exact(withWidth(withNull(withEnum(Object.fromEntries(members)))));
  if (typeof $id !== 'string') return plain;
  components.set($id, plain);
  return { $ref: `#/components/schemas/${$id}` };
}

function publishValue(value: unknown, components: Map<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map(item => publishValue(item, components));
  return isObject(value) ? publishObject(value, components) : value;
}

/** Objects have exactly the listed members. */
function exact(schema: JsonSchema): JsonSchema {
  return isObject(schema['properties']) && schema['additionalProperties'] === undefined
    ? { ...schema, additionalProperties: false }
    : schema;
}

function withEnum(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || !anyOf.every(isConstant)) return schema;
  return { type: 'string', enum: anyOf.map(({ const: value }) => value), ...rest };
}

/** `type: [X, 'null']` for a union of a plain type and null. */
function withNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== 'null') return schema;
  const [{ type, ...keywords }] = anyOf;
  return typeof type === 'string' && type !== 'object'
    ? { type: [type, 'null'], ...keywords, ...rest }
    : schema;
}

const INT32_LIMIT = 2 ** 31;

function withWidth(schema: JsonSchema): JsonSchema {
  const [type] = [schema['type']].flat();
  if (type === 'number') return { ...schema, format: 'double' };
  if (type !== 'integer') return schema;
  const { minimum = -Infinity, maximum = Infinity } = schema as { minimum?: number; maximum?: number };
  return { ...schema, format: minimum >= -INT32_LIMIT && maximum < INT32_LIMIT ? 'int32' : 'int64' };
}

function isConstant(schema: unknown): schema is { const: string } {
  return isObject(schema) && typeof schema['const'] === 'string';
}

/** Describes query parameters. */
export function describeParameters(
  schemas: Readonly<Record<string, ParameterSchema>>,
  required: readonly string[],
  context: Pick<Context, 'schemas'>,
): Parameter[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const { description, ...rest } = publishSchema(schema, context.schemas);
    return {
      name,
      in: 'query',
      description: String(description),
      required: required.includes(name),
      example: schema.examples[0],
      schema: rest,
    };
  });
}

/**
 * The response headers except for `Content-Type`, with descriptions that have `code` in backticks, by the responses that have them:
 * all, some, those that caches may use, signed ones, those of servers with limits or with keys, HTML, or those with a status.
 */
const HEADERS = {
  always: {
    'X-Request-Id': "The request's own if it is 1 to 128 of `A-Za-z0-9._-`, otherwise a new UUID.",
    'Cache-Control':
      'How long caches may use the response: `no-store` if it depends on the present or the client, is signed, or has ' +
      '`details`; `private` instead of `public` if credentials are required.',
  },
  sometimes: {
    'Content-Encoding':
      '`zstd`, `br` or `gzip`, depending on `Accept-Encoding`, for unsigned JSON of more than 1 KB.',
    'Access-Control-Allow-Origin':
      'The origin whose scripts may read responses; present if the request has `Origin` or caches may use the response.',
    'Access-Control-Expose-Headers':
      'The headers that such scripts may read; present if the request has `Origin`.',
    Vary: '`Accept-Encoding`, and `Origin` if only scripts of one origin may read responses.',
    'X-Service-Ignored-Parameters':
      'The unknown parameters: comma-separated, percent-encoded, as many as fit.',
  },
  cacheable: {
    ETag: 'A strong entity tag for `If-None-Match`, if caches may use the response.',
  },
  signed: {
    'X-Service-Key-Id': '`kid` of the signing key in the public key set.',
    'X-Service-Signature-Alg': '`Ed25519`',
    'X-Service-Signature-Timestamp': 'When it was signed, in Unix seconds.',
    'X-Service-Content-SHA256': 'SHA-256 of the body, in Base64.',
    'X-Service-Signature-Input':
      'The signed envelope, in Base64URL: JSON with `v`, `status`, `method`, `path`, `timestamp`, `sha256` and `kid`.',
    'X-Service-Signature': 'Ed25519 signature of the decoded bytes of the envelope, in Base64.',
    'X-Service-Data':
      'The data sets used for the response, with their releases (`tzdata=2026f, holidays=3.37.0`), or `none`. The envelope does not cover this header.',
    'X-Service-Data-Digest':
      'SHA-256 of their names, releases and digests, in the format of RFC 9530. The envelope does not cover this header.',
    'X-Service-Clock':
      "The state of the server's clock: `synchronised;max-error=12` or `unsynchronised;max-error=16000`, in milliseconds, or `unknown`. The envelope does not cover this header.",
    'Content-Digest':
      'With `signature=rfc9421`: SHA-256 of the content, which is empty for `HEAD` (RFC 9530).',
    'Signature-Input': 'With `signature=rfc9421`: what the signature `meridian` covers (RFC 9421).',
    Signature: 'With `signature=rfc9421`: the signature `meridian`, by Ed25519 with the same key (RFC 9421).',
  },
  limited: {
    'RateLimit-Policy': "The limits of the key's plan, or of the address, in the format of an IETF draft.",
    RateLimit: 'The remaining amounts, and the seconds until they are reset.',
  },
  keyed: {
    'X-Service-Plan': "The key's plan.",
    'X-Service-Quota-Limit': 'Requests per month in the plan, or `unlimited`.',
    'X-Service-Quota-Remaining': 'Remaining requests in the month, or `unlimited`.',
    'X-Service-Quota-State': '`active`, or `exceeded` if the quota rejected the request.',
  },
  html: {
    'Content-Security-Policy':
      'Restricts what the fragment may load when opened as a page: its stylesheet, its script and the time.',
    'X-Content-Type-Options': '`nosniff`',
  },
  401: { 'WWW-Authenticate': '`Bearer`, with `error="invalid_token"` if a credential was given.' },
  405: { Allow: 'The allowed methods.' },
  429: {
    'Retry-After':
      'Seconds until the limits allow the request; absent if they never will, since it counts as more than the burst.',
  },
} satisfies Record<string, Readonly<Record<string, string>>>;

type Occasion = keyof typeof HEADERS | number;

/** Occasions whose headers are optional. */
const OPTIONAL: readonly string[] = ['sometimes', 'cacheable', 'signed', 'keyed', 'limited', '429'];

/** Adds the headers of these occasions, and those that all or some responses have, to the document; returns references by name. */
export function addHeaders(
  occasions: readonly Occasion[],
  { isKeyed, isSigning, headers }: Context,
): Record<string, Reference> {
  const included = new Set(['always', 'sometimes', ...occasions].map(String));
  if (!isKeyed) included.delete('keyed');
  if (!isSigning) included.delete('signed');
  if (included.has('keyed') || included.has('429')) included.add('limited');
  const names = Object.entries(HEADERS).flatMap(([when, own]) =>
    included.has(when) ? Object.keys(own) : [],
  );
  for (const name of names) headers.add(name);
  return Object.fromEntries(names.map(name => [name, reference('headers', name)]));
}

/** The headers that responses of the document have, by name. */
function headerComponents({ headers }: Context): Record<string, ApiHeader> {
  return Object.fromEntries(
    Object.entries(HEADERS).flatMap(([when, descriptions]) =>
      Object.entries(descriptions)
        .filter(([name]) => headers.has(name))
        .map(([name, description]) => [
          name,
          { description, required: !OPTIONAL.includes(when), schema: { type: 'string' } },
        ]),
    ),
  );
}

/** A JSON body of a request. */
export function requestBody(
  description: string,
  required: boolean,
  schema: TSchema,
  example: unknown,
  { schemas }: Context,
): RequestBody {
  const content = { 'application/json': { schema: publishSchema(schema, schemas), example } };
  return { description, required, content };
}

/** The names of the responses with errors in the document's components. */
const ERROR_NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  413: 'ContentTooLarge',
  414: 'QueryTooLong',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotReady',
  502: 'UpstreamFailure',
};

/** References to the responses with these statuses, as far as the document has them. */
export function errorReferences(statuses: readonly number[], { errors }: Context): Record<string, Reference> {
  const described = statuses.filter(status => status in errors);
  return Object.fromEntries(described.map(status => [status, reference('responses', ERROR_NAMES[status]!)]));
}

/** The response with a status, as a route writes it. */
export function describeError(
  status: number,
  context: Context,
  examples: Readonly<Record<string, ShownExample>> = {},
  route?: Route,
): ApiResponse {
  const meanings = context.errors[status]!;
  const [mediaType, body] = route?.hasTextErrors
    ? [mediaTypeOf(route.contentType), MESSAGE]
    : ['application/json', errorSchema(Object.keys(meanings) as ErrorCode[])];
  return {
    description: Object.entries(meanings)
      .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
      .join('\n\n'),
    headers: addHeaders(['signed', 'keyed', status], context),
    content: { [mediaType]: { schema: publishSchema(body, context.schemas), ...mediaExamples(examples) } },
  };
}

const MESSAGE = Type.String({ description: 'The message of the error, as a line.' });

/** The schema of the body of errors with these codes. */
function errorSchema(codes: readonly ErrorCode[]): TSchema {
  const { $id: _, ...body } = ErrorBody;
  const { error } = body.properties;
  const { description = '' } = error.properties.code;
  const code = Type.Union(
    codes.map(code => Type.Literal(code)),
    { description },
  );
  return {
    ...body,
    properties: { ...body.properties, error: { ...error, properties: { ...error.properties, code } } },
  };
}

/** The examples with a response, and those without. */
export function mediaExamples(examples: Readonly<Record<string, ShownExample>>): Partial<MediaType> {
  const { shown = [], unread = [] } = Object.groupBy(Object.entries(examples), ([, { value }]) =>
    value === undefined ? 'unread' : 'shown',
  );
  return {
    examples: Object.fromEntries(shown),
    ...(unread.length > 0 && { 'x-requests': Object.fromEntries(unread) }),
  };
}

/** The credentials that are accepted directly. */
export const CREDENTIALS = {
  security: [{ bearer: [] }, { apiKey: [] }],
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  },
} as const;

type Info = ApiDocument['info'];
/** The alternative credentials of a document, by name. */
export type Security = Pick<ApiDocument, 'security'> & Pick<ApiDocument['components'], 'securitySchemes'>;

/** An OpenAPI 3.1 document of described operations, with the components that they refer to. */
export function documentOf(
  info: Pick<Info, 'title' | 'summary' | 'description'>,
  tags: readonly Tag[],
  { security, securitySchemes }: Security,
  paths: ApiDocument['paths'],
  context: Context,
  moreResponses: Readonly<Record<string, ApiResponse>> = {},
): ApiDocument {
  const responses = {
    ...moreResponses,
    ...Object.fromEntries(
      Object.keys(context.errors).map(status => [
        ERROR_NAMES[status]!,
        describeError(Number(status), context),
      ]),
    ),
  };
  return {
    openapi: '3.1.1',
    info: {
      ...info,
      version: 'v1',
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags,
    security,
    paths,
    components: {
      schemas: Object.fromEntries(context.schemas),
      responses,
      headers: headerComponents(context),
      securitySchemes,
    },
  };
}
