import { dataDetails } from '../../http/data_use.ts';
import { asServiceError, errorBody, STATUS_OF } from '../../http/errors.ts';
import { Query } from '../../http/query.ts';
import type { Server, Snapshot } from '../../http/snapshot.ts';
import { pendingOf } from '../../operations/served_data.ts';
import type { Route } from '../route.ts';
import type { MediaType, ShownExample } from './document.ts';

/** The instant of all examples: 2026-04-15T17:30:47.123Z. */
export const EXAMPLE_NOW_MS = 1_776_274_247_123;

/** The `X-Request-Id` of all examples. */
export const EXAMPLE_REQUEST_ID = 'example';

/** The examples of a route by status, then by a name derived from their titles. */
export type RouteExamples = ReadonlyMap<number, Readonly<Record<string, ShownExample>>>;

const EXAMPLE_BASE_URL = 'http://localhost';
/** Longer bodies are omitted. */
const MAX_EXAMPLE_LENGTH = 16_384;

const EXAMPLE_CLOCK = { synchronised: true, max_error_ms: 12 };

/** The examples of a route with their responses at {@link EXAMPLE_NOW_MS}, except those that fail for lack of data. */
export async function runExamples(route: Route, server: Server): Promise<RouteExamples> {
  const snapshot = server.snapshot();
  const examples = new Map<number, Record<string, ShownExample>>();
  for (const { title, query, fails } of route.examples) {
    const { status = fails ? 400 : 200, value } = await exampleResponse(route, query, server, snapshot);
    if (status >= 500) continue;
    const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const request = query === '' ? route.path : `${route.path}?${query}`;
    const shown = { summary: title, description: `GET ${request}`, 'x-request': request, value };
    examples.set(status, { ...examples.get(status), [name]: shown });
  }
  return examples;
}

/** The status and parsed body of an example; neither if data would have to be loaded for it, no body if it is long. */
export async function exampleResponse(
  route: Route,
  search: string,
  { signing }: Server,
  snapshot: Snapshot,
): Promise<{ readonly status?: number; readonly value?: unknown }> {
  const query = new Query(search, route.inputs.known);
  const requestId = EXAMPLE_REQUEST_ID;
  try {
    const selected = route.inputs.select(query);
    const data = route.reads | route.inputs.readsIn(query, selected, snapshot);
    // The other sets that are loaded on first use are larger.
    if (pendingOf(data, snapshot) === snapshot.releases) await snapshot.releases.load();
    if (pendingOf(data, snapshot) !== undefined) return {};
    const client = { clientAddress: () => undefined, preventCaching: () => undefined };
    const nowMs = EXAMPLE_NOW_MS;
    const wantsDetails = query.hasFlag('details');
    const values = await route.inputs.decode(query, selected, {
      snapshot,
      nowMs,
      wantsDetails,
      ...client,
    });
    const used = route.reads | route.inputs.readsIn(query, selected, snapshot, values);
    const requestTarget = search === '' ? route.path : `${route.path}?${search}`;
    const context = { snapshot, signing, nowMs, requestId, requestTarget, baseUrl: EXAMPLE_BASE_URL };
    const commonDetails = wantsDetails
      ? () => ({ data: dataDetails(used, snapshot, nowMs), clock: EXAMPLE_CLOCK })
      : null;
    const body = await route.bodyOf(values, { ...context, commonDetails });
    if (body.length > MAX_EXAMPLE_LENGTH) return { status: 200 };
    return { status: 200, value: route.payload === null ? body : JSON.parse(body) };
  } catch (thrown) {
    const error = asServiceError(thrown);
    const value = route.hasTextErrors ? `${error.message}\n` : errorBody(error, requestId);
    return { status: STATUS_OF[error.code], value };
  }
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
