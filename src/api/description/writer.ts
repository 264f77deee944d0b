import { type TSchema, Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../common/errors.ts';
import { ErrorBody } from '../../http/errors.ts';
import type { Route } from '../route.ts';
import {
  type ApiDocument,
  type ApiHeader,
  type ApiResponse,
  type Context,
  type MediaType,
  mediaTypeOf,
  publishSchema,
  type Reference,
  type RequestBody,
  reference,
  type ShownExample,
  type Tag,
} from './document.ts';

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

/** References to the headers of these occasions, and to those that all or some responses have, by name. */
export function headerReferences(
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
export function errorResponse(
  status: number,
  context: Context,
  examples: Readonly<Record<string, ShownExample>> = {},
  route?: Route,
): ApiResponse {
  const meanings = context.errors[status]!;
  const [mediaType, body] = route?.hasTextErrors
    ? [mediaTypeOf(route.contentType), MESSAGE]
    : ['application/json', errorBody(Object.keys(meanings) as ErrorCode[])];
  return {
    description: Object.entries(meanings)
      .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
      .join('\n\n'),
    headers: headerReferences(['signed', 'keyed', status], context),
    content: { [mediaType]: { schema: publishSchema(body, context.schemas), ...mediaExamples(examples) } },
  };
}

const MESSAGE = Type.String({ description: 'The message of the error, as a line.' });

/** The schema of the body of errors with these codes. */
function errorBody(codes: readonly ErrorCode[]): TSchema {
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
        errorResponse(Number(status), context),
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
