import { setImmediate as othersTurn } from 'node:timers/promises';
import { type TSchema, Type } from '@sinclair/typebox';
import type { Services } from '../../http/services.ts';
import type { DescribedRoute } from '../route.ts';
import { DESCRIBED_ROUTES } from '../routes.ts';
import type { Context } from './context.ts';
import { securityOf, wantsKeys } from './credentials.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { errorComponents, errorsOfRoute } from './error_responses.ts';
import { type AnsweredExample, answerExamples } from './example_answers.ts';
import { publishSchema } from './publish_schema.ts';
import { type HeaderOccasion, headerComponents, headerReferences } from './response_headers.ts';
import { shownExamples } from './shown_examples.ts';

const ABOUT = `The time of any place: now, converted, added to, as a date, with its clock changes.

Every path answers GET, and HEAD with the same headers; OPTIONS answers CORS preflights. A parameter that a route does not
know is ignored and named in \`X-Service-Ignored-Parameters\`; one that is given twice is an error, and so is one without a
value unless it is a flag, which is then off. In a query string \`+\` is a space, and is read as \`+\` where a sign belongs;
\`%\` without two hex digits is itself.

The examples were asked on April 15, 2026, at 17:30:47.123 UTC, with the request id \`example\`.`;

/**
 * The OpenAPI 3.1 document of a server, from the routes and the schemas that they answer by. That takes some 100 ms the
 * first time, so other requests have their turn between one route and the next.
 */
export async function describeApi(services: Services): Promise<ApiDocument> {
  const context: Context = { isKeyed: wantsKeys(services.access), schemas: new Map() };
  const { security, securitySchemes } = securityOf(services.access);
  const paths: Record<string, { get: Operation }> = {};
  for (const route of DESCRIBED_ROUTES) {
    paths[route.path] = { get: operation(route, await answerExamples(route, services), context) };
    await othersTurn();
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

function operation(route: DescribedRoute, examples: readonly AnsweredExample[], context: Context): Operation {
  const { path, summary, description, query, isPublic } = route;
  const answers = examples.filter(({ status }) => status === 200);
  return {
    operationId: operationId(path),
    summary,
    description,
    ...(isPublic && context.isKeyed ? { security: [] } : {}),
    parameters: Object.entries(query.properties).map(([name, schema]) =>
      parameter(name, schema, query.required?.includes(name) ?? false, context),
    ),
    responses: {
      200: {
        description: 'The answer.',
        headers: headerReferences(occasionsOf(route), context),
        content: {
          [route.kind === 'html' ? 'text/html' : 'application/json']: {
            schema: publishSchema(route.kind === 'html' ? HTML_TEXT : route.answer, context.schemas),
            ...(answers.length === 0 ? {} : { examples: shownExamples(answers) }),
          },
        },
      },
      ...errorsOfRoute(route, examples, context),
    },
  };
}

const HTML_TEXT = Type.String({ description: 'A piece of HTML, to be put into a page.' });

/** When the headers come that a route's good answers have. */
function occasionsOf({ isPublic, kind }: DescribedRoute): HeaderOccasion[] {
  if (isPublic) return ['always', 200];
  return kind === 'html' ? ['always', 200, 'keyed'] : ['always', 200, 'signed', 'keyed'];
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
