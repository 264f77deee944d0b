import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { type TSchema, Type, TypeGuard } from '@sinclair/typebox';
import type { Server } from '../../http/snapshot.ts';
import { Details } from '../../operations/details.ts';
import type { Route } from '../route.ts';
import { API_ROUTES } from '../routes.ts';
import type { Context } from './context.ts';
import { requiresKeys, securityOf } from './credentials.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { errorComponents, errorsOfRoute } from './error_responses.ts';
import { type AnsweredExample, answerExamples } from './example_answers.ts';
import { publishSchema } from './publish_schema.ts';
import { type HeaderOccasion, headerComponents, headerReferences } from './response_headers.ts';
import { shownExamples } from './shown_examples.ts';

const ABOUT = `The time of any place: now, converted, added to, as a date, with its clock changes.

Every path accepts GET, and HEAD with the same headers; OPTIONS is for CORS preflights. Unknown parameters are ignored and named
in \`X-Service-Ignored-Parameters\`, or rejected with \`strict=true\`. A parameter that is given twice is an error, and so is one
without a value unless it is a flag, which is then off. In a query string \`+\` is a space, which is accepted where a sign
belongs; \`%\` without two hex digits is literal.

A response has exactly the documented members; \`details=true\` adds \`details\`.

The examples are of April 15, 2026, 17:30:47.123 UTC, with the request id \`example\`.`;

/**
 * The OpenAPI 3.1 document of a server, from its routes. That takes some 100 ms the first time, so it yields to other
 * requests after each route.
 */
export async function describeApi(server: Server): Promise<ApiDocument> {
  const context: Context = { isKeyed: requiresKeys(server.access), schemas: new Map() };
  const { security, securitySchemes } = securityOf(server.access);
  const paths: Record<string, { get: Operation }> = {};
  for (const route of API_ROUTES) {
    paths[route.path] = { get: operation(route, await answerExamples(route, server), context) };
    await yieldToRequests();
  }
  const responses = errorComponents(context);
  return {
    openapi: '3.1.1',
    info: {
      title: 'meridian',
      version: 'v1',
      summary: 'Time and time zones over HTTP',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    ...(security === undefined ? {} : { security }),
    paths,
    components: {
      schemas: Object.fromEntries(context.schemas),
      responses,
      headers: headerComponents(context),
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
    },
  };
}

function operation(route: Route, examples: readonly AnsweredExample[], context: Context): Operation {
  const { path, summary, description, parameters, required, isPublic } = route;
  const answers = examples.filter(({ status }) => status === 200);
  return {
    operationId: operationId(path),
    summary,
    description,
    ...(isPublic && context.isKeyed ? { security: [] } : {}),
    parameters: Object.entries(parameters).map(([name, schema]) =>
      parameter(name, schema, required.includes(name), context),
    ),
    responses: {
      200: {
        description: 'The response.',
        headers: headerReferences(occasionsOf(route), context),
        content: {
          [route.payload === null ? 'text/html' : 'application/json']: {
            schema: publishSchema(
              route.payload === null ? HTML_TEXT : withDetails(route.payload),
              context.schemas,
            ),
            ...(answers.length === 0 ? {} : { examples: shownExamples(answers) }),
          },
        },
      },
      ...errorsOfRoute(route, examples, context),
    },
  };
}

const HTML_TEXT = Type.String({ description: 'A fragment of HTML, to be inserted into a page.' });

/** When the headers come that a route's good answers have. */
function occasionsOf({ isPublic, payload }: Route): HeaderOccasion[] {
  if (isPublic) return ['always', 200];
  return payload === null ? ['always', 200, 'keyed'] : ['always', 200, 'signed', 'keyed'];
}

/** The last part of a path, in camel case. */
function operationId(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function parameter(name: string, schema: TSchema, required: boolean, { schemas }: Context): Parameter {
  const { description, ...rest } = publishSchema(schema, schemas);
  return { name, in: 'query', description: String(description), required, schema: rest };
}

/** A payload with the optional member `details`, of each element where it is an array. */
function withDetails(schema: TSchema): TSchema {
  if (TypeGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(withDetails) };
  if (TypeGuard.IsArray(schema)) return { ...schema, items: withDetails(schema.items) };
  if (!TypeGuard.IsObject(schema) || 'error' in schema.properties) return schema;
  return { ...schema, properties: { ...schema.properties, details: Details } };
}
