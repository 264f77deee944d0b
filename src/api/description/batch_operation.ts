import type { Server } from '../../http/snapshot.ts';
import { BATCH_PATH, BatchRequest, BatchResponse } from '../batch.ts';
import { QUERY_PARAMETERS } from '../inputs.ts';
import type { Route } from '../route.ts';
import { convertRoute } from '../routes/convert.ts';
import { currentRoute } from '../routes/current.ts';
import type { Context, Operation } from './document.ts';
import { errorsOfBatch } from './errors.ts';
import { exampleResponse } from './example_responses.ts';
import { describeParameters } from './parameters.ts';
import { publishSchema } from './publish_schema.ts';
import { headerReferences } from './response_headers.ts';

/** The group of the operation. */
export const BATCHES = 'Batches';

/** The requests of the example; none needs data that would have to be loaded. */
const EXAMPLE: readonly (readonly [route: Route, query: string])[] = [
  [currentRoute, 'tz=Asia/Tokyo'],
  [convertRoute, 'unix=1776274247&tz=Europe/Paris'],
  [currentRoute, 'tz=Mars/Olympus'],
];

const TITLE = 'Three requests, one of which fails';

/** The description of `POST /v1/batch`, with an example response. */
export async function batchOperation(server: Server, context: Context): Promise<Operation> {
  const snapshot = server.snapshot();
  const requests = EXAMPLE.map(([{ path }, query]) => `${path}?${query}`);
  const value = await Promise.all(
    EXAMPLE.map(async ([route, query]) => {
      const { status, value: body } = await exampleResponse(route, query, server, snapshot);
      return { status, body };
    }),
  );
  const shown = { summary: TITLE, description: `POST ${BATCH_PATH}`, 'x-request': BATCH_PATH, value };
  return {
    operationId: 'batch',
    tags: [BATCHES],
    summary: 'Several requests evaluated at one instant, each with its own status',
    description: DESCRIPTION,
    parameters: describeParameters(QUERY_PARAMETERS, [], context),
    requestBody: {
      description: 'The requests: at most 256 KB of JSON.',
      required: true,
      content: {
        'application/json': {
          schema: publishSchema(BatchRequest, context.schemas),
          example: { requests },
        },
      },
    },
    responses: {
      200: {
        description: 'The responses: at most 8 MB; above 256 KB, sent without `Content-Length`.',
        headers: headerReferences(['keyed'], context),
        content: {
          'application/json': {
            schema: publishSchema(BatchResponse, context.schemas),
            examples: { 'three-requests': shown },
          },
        },
      },
      ...errorsOfBatch(context),
    },
  };
}

const DESCRIPTION =
  'Runs several GET requests of this API, given by path and query: those under `/v1/` whose responses are JSON or plain text, ' +
  'without `sign=true`. All use the same instant, and each has its own status and body. If the response would exceed 8 MB, the ' +
  'remaining requests are not run and have status 413. A batch counts as the number of its requests, with each list entry ' +
  'counting as one; if the plan does not allow all of them, none is run. Other requests to the server are served meanwhile.';
