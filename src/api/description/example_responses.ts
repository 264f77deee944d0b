import { handleErrors } from '../../http/errors.ts';
import { Exchange } from '../../http/exchange.ts';
import { Query } from '../../http/query.ts';
import type { Server } from '../../http/snapshot.ts';
import { pendingOf } from '../../operations/served_data.ts';
import { endpointOf } from '../endpoint.ts';
import type { Route } from '../route.ts';
import type { ShownExample } from './document.ts';

/** The instant of all examples: 2026-04-15T17:30:47.123Z. */
export const EXAMPLE_NOW_MS = 1_776_274_247_123;

/** The `X-Request-Id` of all examples. */
export const EXAMPLE_REQUEST_ID = 'example';

const EXAMPLE_SERVER = {
  now: () => EXAMPLE_NOW_MS,
  hostClock: () => ({ isSynchronized: true, maxErrorSeconds: 0.012 }),
  logError() {}, // an example that fails is omitted
};

/** The examples of a route by status, then by a name derived from their titles. */
export type RouteExamples = ReadonlyMap<number, Readonly<Record<string, ShownExample>>>;

/** Longer bodies are omitted. */
const MAX_EXAMPLE_LENGTH = 16_384;

/** The examples of a route with their responses at {@link EXAMPLE_NOW_MS}, except those that fail for lack of data. */
export async function runExamples(route: Route, server: Server): Promise<RouteExamples> {
  const examples = new Map<number, Record<string, ShownExample>>();
  for (const { title, query, fails } of route.examples) {
    const { status = fails ? 400 : 200, value } = await exampleResponse(route, query, server);
    if (status >= 500) continue;
    const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const request = targetOf(route, query);
    const shown = { summary: title, description: `GET ${request}`, 'x-request': request, value };
    examples.set(status, { ...examples.get(status), [name]: shown });
  }
  return examples;
}

/** The status and parsed body of an example; neither if data would have to be loaded for it, no body if it is long. */
export async function exampleResponse(
  route: Route,
  query: string,
  server: Server,
): Promise<{ readonly status?: number; readonly value?: unknown }> {
  if (!(await hasData(route, query, server))) return {};
  const shown = { ...server, ...EXAMPLE_SERVER };
  const endpoint = endpointOf(route, shown);
  const headers = { 'X-Request-Id': EXAMPLE_REQUEST_ID };
  const request = new Request(`http://localhost${targetOf(route, query)}`, { headers });
  const response = await handleErrors(
    endpoint.handle,
    endpoint,
    shown,
  )(new Exchange(request, shown, () => ''));
  const { status } = response;
  const body = await response.text();
  if (body.length > MAX_EXAMPLE_LENGTH) return { status };
  const isJson = response.headers.get('Content-Type') === 'application/json';
  return { status, value: isJson ? JSON.parse(body) : body };
}

function targetOf({ path }: Route, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

/** Whether all data of an example is loaded. Only releases of tzdata are loaded for it: the other sets are larger. */
async function hasData({ inputs, reads }: Route, search: string, server: Server): Promise<boolean> {
  const snapshot = server.snapshot();
  const query = new Query(search, inputs.known);
  try {
    const data = reads | inputs.readsIn(query, inputs.select(query), snapshot);
    if (pendingOf(data, snapshot) === snapshot.releases) await snapshot.releases.load();
    return pendingOf(data, snapshot) === undefined;
  } catch {
    return true; // the response is the error
  }
}
