import { type TSchema, Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../common/errors.ts';
import { isObject } from '../../common/json.ts';
import { ErrorBody } from '../../http/errors.ts';
import type { ParameterSchema } from '../inputs.ts';
import type { Route } from '../route.ts';
import {
  type ApiDocument,
  type ApiResponse,
  type Context,
  type JsonSchema,
  type MediaType,
  type Parameter,
  type Reference,
  type RequestBody,
  reference,
  type ShownExample,
  type Tag,
} from './document.ts';
import { addHeaders, headerComponents } from './headers.ts';

/** A content type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.replace(/;.*/, '');
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
  const [{ type, enum: values, ...keywords }] = anyOf;
  if (typeof type !== 'string' || type === 'object') return schema;
  const nullable = Array.isArray(values) ? { enum: [...values, null] } : {};
  return { type: [type, 'null'], ...nullable, ...keywords, ...rest };
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
