import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { type TSchema, Type, TypeGuard } from '@sinclair/typebox';
import type { AccessControl } from '../../access/access_control.ts';
import type { Server } from '../../http/snapshot.ts';
import { Details } from '../../operations/details.ts';
import { BATCH_PATH } from '../batch.ts';
import type { Route } from '../route.ts';
import { API_ROUTES } from '../routes.ts';
import { BATCHES, batchOperation } from './batch_operation.ts';
import {
  type ApiDocument,
  type ApiResponse,
  type Context,
  mediaTypeOf,
  type Operation,
  type PathItem,
  reference,
} from './document.ts';
import { errorComponents, errorsOfRoute } from './errors.ts';
import { mediaExamples, type RouteExamples, runExamples } from './example_responses.ts';
import { describeParameters } from './parameters.ts';
import { publishSchema } from './publish_schema.ts';
import { headerComponents, headerReferences } from './response_headers.ts';

/** Whether a server currently requires credentials. */
export function requiresKeys(access: AccessControl | null): boolean {
  return access !== null && !access.isOpen;
}

/** The alternative credentials that a server accepts. The marketplace's two headers belong together. */
function securityOf(access: AccessControl | null): {
  readonly security: ApiDocument['security'];
  readonly securitySchemes?: ApiDocument['components']['securitySchemes'];
} {
  if (access === null || !requiresKeys(access)) return { security: [] };
  const header = (name: string) => ({ type: 'apiKey', in: 'header', name });
  const direct = { bearer: { type: 'http', scheme: 'bearer' }, apiKey: header('X-API-Key') };
  const { marketplace } = access;
  if (!marketplace) return { security: [{ bearer: [] }, { apiKey: [] }], securitySchemes: direct };
  const { keyHeader, hostHeader } = marketplace;
  return {
    security: [{ bearer: [] }, { apiKey: [] }, { marketplaceKey: [], marketplaceHost: [] }],
    securitySchemes: { ...direct, marketplaceKey: header(keyHeader), marketplaceHost: header(hostHeader) },
  };
}

const ABOUT = `The time of any place: now, converted, added to, as a date, with its clock changes.

Every path but that of batches accepts GET, and HEAD with the same headers; OPTIONS is for CORS preflights. Unknown parameters are ignored and named
in \`X-Service-Ignored-Parameters\`, or rejected with \`strict=true\`. A parameter that is given twice is an error, and so is one
without a value unless it is a flag, which is then off. In a query string \`+\` is a space, which is accepted where a sign
belongs; \`%\` without two hex digits is literal.

A response has exactly the documented members; \`details=true\` adds \`details\`.

The examples are of April 15, 2026, 17:30:47.123 UTC, with the request id \`example\`.`;

/**
 * The OpenAPI 3.1 document of a server, derived from its routes. Building it takes some 100 ms the first time, so it yields to
 * other requests after each route.
 */
export async function describeApi(server: Server): Promise<ApiDocument> {
  const isKeyed = requiresKeys(server.access);
  const isLimited = isKeyed || server.addresses !== undefined;
  const context: Context = { isKeyed, isLimited, schemas: new Map() };
  const { security, securitySchemes } = securityOf(server.access);
  const paths: Record<string, PathItem> = {};
  for (const route of API_ROUTES) {
    paths[route.path] = { get: operation(route, await runExamples(route, server), context) };
    await yieldToRequests();
  }
  paths[BATCH_PATH] = { post: await batchOperation(server, context) };
  const responses = { NotModified: notModified(context), ...errorComponents(context) };
  return {
    openapi: '3.1.1',
    info: {
      title: 'meridian',
      version: 'v1',
      summary: 'Time and time zones over HTTP',
      description: ABOUT,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: TAGS.map(([, name, description]) => ({ name, description })),
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

function operation(route: Route, examples: RouteExamples, context: Context): Operation {
  const { path, summary, description, isPublic, isMarkup, payload, contentType } = route;
  const { parameters, required } = route.inputs;
  const name = path.replace(/^\/(v1\/(time\/)?|\.well-known\/)?/, '');
  const form = isMarkup ? ('html' as const) : ('signed' as const);
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
        headers: headerReferences(isPublic ? [] : ['keyed', form], context),
        content: {
          [mediaTypeOf(contentType)]: {
            schema: publishSchema(payload === null ? Type.String() : withDetails(payload), context.schemas),
            ...mediaExamples(examples.get(200) ?? {}),
          },
        },
      },
      ...(!route.isMomentary && { 304: reference('responses', 'NotModified') }),
      ...errorsOfRoute(route, examples, context),
    },
  };
}

/** The response to a client that already has the body. */
function notModified(context: Context): ApiResponse {
  return {
    description: '`If-None-Match` matches the `ETag` of the response, which is not sent again.',
    headers: headerReferences(['keyed'], context),
  };
}

/** Groups of routes, with a pattern for their paths. The last one contains all others. */
const TAGS = [
  [/clock|^\/(embed\/|oembed)/, 'Clocks', 'Clocks for web pages, as fragments, frames and images.'],
  [/^\/v1\/time\//, 'Time', 'The time in a place: current, converted, shifted, compared.'],
  [
    /^\/v1\/(work\/|holidays|recurrence)/,
    'Working time',
    'Public holidays, business days, schedules and recurrences.',
  ],
  [/^\/v1\/batch$/, BATCHES, 'Several requests in one.'],
  [/^\/\.well-known\//, 'Verification', 'The public keys for verifying signed responses.'],
  [/^/, 'Zones', 'Time zones, their names and their data.'],
] as const;

function tagOf(path: string): string {
  return TAGS.find(([pattern]) => pattern.test(path))![1];
}

/** A payload with the optional member `details`, in each element if it is an array. */
function withDetails(schema: TSchema): TSchema {
  if (TypeGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(withDetails) };
  if (TypeGuard.IsArray(schema)) return { ...schema, items: withDetails(schema.items) };
  if (!TypeGuard.IsObject(schema) || 'error' in schema.properties) return schema;
  return { ...schema, properties: { ...schema.properties, details: Details } };
}
