import type { Server } from '../../http/snapshot.ts';
import { BATCH_PATH, BatchRequest, BatchResponse } from '../batch.ts';
import type { Route } from '../route.ts';
import { convertRoute } from '../routes/convert.ts';
import { currentRoute } from '../routes/current.ts';
import type { Context, Operation } from './document.ts';
import { errorsOfBatch } from './errors.ts';
import { exampleResponse } from './example_responses.ts';
import { publishSchema } from './publish_schema.ts';
import { headerReferences } from './response_headers.ts';

/** The group of the operation. */
export const BATCHES = 'Batches';

/** The requests of the example; none needs data that have to be loaded. */
const EXAMPLE: readonly (readonly [route: Route, query: string])[] = [
  [currentRoute, 'tz=Asia/Tokyo'],
  [convertRoute, 'unix=1776274247&tz=Europe/Paris'],
  [currentRoute, 'tz=Mars/Olympus'],
];

const TITLE = 'Three requests, one of which fails';

/** The description of `POST /v1/batch`, with the response to an example. */
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
    summary: 'Many requests at one instant, each with a status of its own',
    description: DESCRIPTION,
    parameters: [],
    requestBody: {
      description: 'The requests, in at most 256 KB of JSON.',
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
        description: 'The responses, in at most 8 MB; more than 256 KB are sent without `Content-Length`.',
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
  'Runs GET requests of this API together, by path and query: those under `/v1/` whose responses are JSON or plain text, without ' +
  '`sign=true`. All see one instant, and each has its own status and body. Where the response would exceed 8 MB, the requests ' +
  'from there on are not run and have status 413. A batch counts as its requests, each entry of a list as one; if they do not ' +
  'all fit the plan, none is run. Further requests to the server are served meanwhile.';
