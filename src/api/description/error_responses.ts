import { ErrorBody, STATUS_OF } from '../../http/errors.ts';
import type { Route } from '../route.ts';
import { type Context, reference } from './context.ts';
import type { ApiResponse, Reference } from './document.ts';
import { CODES_BY_STATUS, KEYED_STATUSES, meaningOf } from './error_meanings.ts';
import type { AnsweredExample } from './example_answers.ts';
import { publishSchema } from './publish_schema.ts';
import { headerReferences } from './response_headers.ts';
import { shownExamples } from './shown_examples.ts';

/** The statuses of errors, and what the answers with them are called among the document's components. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [414, 'QueryTooLong'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [501, 'NotReady'],
  [502, 'UpstreamFailure'],
]);

/** The errors of routes that are answered to everybody; others have those of data, signing and credentials too. */
const PUBLIC_STATUSES: ReadonlySet<number> = new Set([400, 405, 414, 500]);

/** The error answers by name, for the document's components. */
export function errorComponents(context: Context): Record<string, ApiResponse> {
  const statuses = [...NAMES].filter(([status]) => context.isKeyed || !KEYED_STATUSES.has(status));
  return Object.fromEntries(statuses.map(([status, name]) => [name, errorResponse(status, [], context)]));
}

/** The error answers of a route by status: its own where it has examples of them, else those of the components. */
export function errorsOfRoute(
  route: Route,
  examples: readonly AnsweredExample[],
  context: Context,
): Record<string, ApiResponse | Reference> {
  const statuses = [...NAMES].filter(([status]) => canAnswer(route, status, context));
  return Object.fromEntries(
    statuses.map(([status, name]) => {
      const own = examples.filter(example => example.status === status);
      return [status, own.length === 0 ? reference('responses', name) : errorResponse(status, own, context)];
    }),
  );
}

function canAnswer({ isPublic, errors }: Route, status: number, { isKeyed }: Context): boolean {
  if (PUBLIC_STATUSES.has(status) || errors.some(code => STATUS_OF[code] === status)) return true;
  if (isPublic || status === STATUS_OF.NOT_FOUND) return false;
  return isKeyed || !KEYED_STATUSES.has(status);
}

function errorResponse(status: number, examples: readonly AnsweredExample[], context: Context): ApiResponse {
  const codes = CODES_BY_STATUS.get(status)!; // every status of NAMES has codes
  return {
    description: codes.map(code => `\`${code}\`: ${meaningOf(code, status)}`).join('\n\n'),
    headers: headerReferences(['always', 'signed', 'keyed', status], context),
    content: {
      'application/json': {
        schema: {
          allOf: [publishSchema(ErrorBody, context.schemas)],
          properties: { error: { properties: { code: { enum: codes } } } },
        },
        ...(examples.length === 0 ? {} : { examples: shownExamples(examples) }),
      },
    },
  };
}
