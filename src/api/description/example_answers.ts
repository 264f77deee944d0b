import { StillLoading } from '../../common/still_loading.ts';
import { asServiceError, errorBody, STATUS_OF } from '../../http/errors.ts';
import { Query } from '../../http/query.ts';
import type { Services } from '../../http/services.ts';
import { LazyData } from '../../places/lazy_data.ts';
import { type DescribedRoute, type Example, parameterNames } from '../route.ts';

/** The instant at which all examples are asked: 2026-04-15T17:30:47.123Z. */
export const EXAMPLE_NOW_MS = 1_776_274_247_123;

/** The `X-Request-Id` of all examples. */
export const EXAMPLE_REQUEST_ID = 'example';

/** An example with what the server answers to it at {@link EXAMPLE_NOW_MS}. */
export interface AnsweredExample {
  readonly title: string;
  /** Path and query. */
  readonly request: string;
  readonly status: number;
  /** As a client parses it, HTML as a text; undefined where data would first have to be read, which a description is not worth. */
  readonly body: unknown;
}

/**
 * The examples of a route with their answers, from the handler that answers requests.
 * Those that a server cannot answer for want of data are left out.
 */
export async function answerExamples(route: DescribedRoute, services: Services): Promise<AnsweredExample[]> {
  await route.load?.();
  const { boundaries, ip, ownNetworks } = services.places;
  const places = { boundaries: asItIs(boundaries), ip: asItIs(ip), ownNetworks };
  const answered = await Promise.all(
    route.examples.map(example => answer(route, example, { ...services, places })),
  );
  return answered.filter(({ status }) => status < 500);
}

/** A set of data that stays unread if it is. */
function asItIs<Data>(set: LazyData<Data>): LazyData<Data> {
  if (set.state.kind === 'ready' || set.state.kind === 'broken') return set;
  return new LazyData(set.name, set.version, () => new Promise(() => undefined));
}

async function answer(
  route: DescribedRoute,
  { title, query }: Example,
  services: Services,
): Promise<AnsweredExample> {
  const request = query === '' ? route.path : `${route.path}?${query}`;
  return { title, request, ...(await ask(route, query, services)) };
}

async function ask(
  route: DescribedRoute,
  search: string,
  services: Services,
): Promise<Pick<AnsweredExample, 'status' | 'body'>> {
  const query = new Query(search, parameterNames(route));
  const requestId = EXAMPLE_REQUEST_ID;
  try {
    const answer = await route.prepare({ query, caller: () => undefined, services });
    const body = answer(() => EXAMPLE_NOW_MS, requestId);
    return { status: 200, body: route.kind === 'html' ? body : JSON.parse(body) };
  } catch (thrown) {
    if (thrown instanceof StillLoading) return { status: 200, body: undefined };
    const error = asServiceError(thrown);
    return { status: STATUS_OF[error.code], body: errorBody(error, requestId) };
  }
}
