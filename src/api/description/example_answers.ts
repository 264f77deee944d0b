import { asServiceError, errorBody, STATUS_OF } from '../../http/errors.ts';
import { Query } from '../../http/query.ts';
import type { Server, Snapshot } from '../../http/snapshot.ts';
import type { Example, Route } from '../route.ts';

/** The instant of all examples: 2026-04-15T17:30:47.123Z. */
export const EXAMPLE_NOW_MS = 1_776_274_247_123;

/** The `X-Request-Id` of all examples. */
export const EXAMPLE_REQUEST_ID = 'example';

/** An example with its response at {@link EXAMPLE_NOW_MS}. */
export interface AnsweredExample {
  readonly title: string;
  /** Path and query. */
  readonly request: string;
  readonly status: number;
  /** As a client parses it, HTML as a text; undefined where data would have to be loaded for it. */
  readonly body: unknown;
}

/** The examples of a route with their responses, without those that fail for lack of data. */
export async function answerExamples(route: Route, server: Server): Promise<AnsweredExample[]> {
  const snapshot = server.snapshot();
  const answered = await Promise.all(route.examples.map(example => answer(route, example, server, snapshot)));
  return answered.filter(({ status }) => status < 500);
}

async function answer(
  route: Route,
  { title, query: search }: Example,
  { signing }: Server,
  snapshot: Snapshot,
): Promise<AnsweredExample> {
  const request = search === '' ? route.path : `${route.path}?${search}`;
  const query = new Query(search, route.known);
  const requestId = EXAMPLE_REQUEST_ID;
  try {
    const selected = route.select(query);
    if (route.pendingData(query, selected, snapshot).length > 0)
      return { title, request, status: 200, body: undefined };
    const values = route.decode(query, selected, {
      snapshot,
      clientAddress: () => undefined,
      preventCaching: () => undefined,
    });
    const wantsDetails = query.flag('details');
    const body = await route.respond(values, {
      snapshot,
      signing,
      nowMs: EXAMPLE_NOW_MS,
      requestId,
      wantsDetails,
    });
    return { title, request, status: 200, body: route.payload === null ? body : JSON.parse(body) };
  } catch (thrown) {
    const error = asServiceError(thrown);
    return { title, request, status: STATUS_OF[error.code], body: errorBody(error, requestId) };
  }
}
