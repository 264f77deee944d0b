import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { once } from '../common/caching.ts';
import { quoted, ServiceError, unreadable } from '../common/errors.ts';
import { objectSchema } from '../common/json.ts';
import { readJson } from '../http/body.ts';
import { acceptedCoding, compress, isWorthCompressing } from '../http/content_coding.ts';
import { errorBody, isCounted, statusOf } from '../http/errors.ts';
import { type Endpoint, type Exchange, type Handler, InnerExchange } from '../http/exchange.ts';
import { InvalidRequest } from '../http/invalid_request.ts';
import { chargeMore } from '../http/pipeline.ts';
import type { Query } from '../http/query.ts';
import { setLimitHeaders, uncachedHeaders } from '../http/response.ts';
import type { Server } from '../http/snapshot.ts';
import { withQuery } from './common_parameters.ts';
import { entriesOf, innerHandler, innerQuery } from './endpoint.ts';
import { rejectedFlag, rejectedParameter } from './inputs.ts';
import type { Route } from './route.ts';
import { ChunkWriter, slicedBody, totalBytes } from './sliced_body.ts';
import { Slices } from './slices.ts';

export const BATCH_PATH = '/v1/batch';
/** The maximum sizes of a request and of its response, in bytes. */
export const MAX_BATCH_BYTES = 262_144;
export const MAX_RESPONSE_BYTES = 8_388_608;
/** A batch is an object with an array of strings; twice the depth and separators are allowed, for members that are ignored. */
const [MAX_DEPTH, MAX_SEPARATORS_PER_ENTRY] = [4, 2];

export const BatchRequest = objectSchema('BatchRequest', 'Requests to evaluate together.', {
  requests: Type.Array(Type.String({ description: 'The path and query of a GET request under `/v1/`.' }), {
    minItems: 1,
    description: 'At most `--max-batch` requests, by default 1,000.',
    examples: [['/v1/time/current?tz=Asia/Tokyo', '/v1/holidays?country=DE&year=2026']],
  }),
});

const BatchItem = objectSchema('BatchItem', 'The response to one of the requests.', {
  status: Type.Integer({ minimum: 200, maximum: 599, description: 'The status of this request.' }),
  body: Type.Unknown({ description: 'The body: JSON is embedded, other content is a string.' }),
});

export const BatchResponse = Type.Array(BatchItem, {
  description: 'One element per request, in the same order.',
});

/** An item of a batch: how to run it, and how many requests it counts as. */
interface Item {
  readonly run: (exchange: Exchange, server: Server) => Response | Promise<Response>;
  readonly requests: number;
}

/** The routes under `/v1/` by path, with their handlers for batches; {@link rejection} excludes those with other content. */
type BatchedRoutes = ReadonlyMap<string, { readonly route: Route; readonly handle: Handler }>;

/** `POST /v1/batch`: many GET requests at one instant, each with its own status. */
export function batchEndpoint(routes: readonly Route[], server: Server): Endpoint {
  const allowed = routes.filter(({ path }) => path.startsWith('/v1/'));
  const batched = once(
    () => new Map(allowed.map(route => [route.path, { route, handle: innerHandler(route, server) }])),
  );
  return {
    path: BATCH_PATH,
    methods: ['POST'],
    access: 'guarded',
    handle: withQuery(BATCH_INPUTS, async (_, exchange) => {
      const slices = new Slices();
      const targets = await readTargets(exchange, slices);
      const items: Item[] = [];
      for (const target of targets) {
        items.push(itemOf(target, batched(), exchange));
        if (slices.isOver) await slices.next();
      }
      const requests = items.reduce((sum, item) => sum + item.requests, 0);
      await chargeMore(exchange, requests - 1, server);
      const parts = await runItems(items, exchange, server, slices);
      const { coding, content } = await encoded(parts, exchange.request, slices);
      const headers = uncachedHeaders(exchange, 'application/json');
      headers.append('Vary', 'Accept-Encoding');
      if (coding !== 'identity') headers.set('Content-Encoding', coding);
      setLimitHeaders(headers, exchange, true);
      return new Response(content, { headers });
    }),
  };
}

/** Rejected: a client that wants a signature must not get a response without. */
const BATCH_INPUTS = {
  sign: rejectedFlag('a batch cannot be signed, but requests sent on their own can'),
  signature: rejectedParameter("it requires 'sign=true'"),
};

/** The paths and queries of a batch. */
async function readTargets(
  { request, snapshot: { maxBatch } }: Exchange,
  slices: Slices,
): Promise<readonly string[]> {
  const maximum = MAX_SEPARATORS_PER_ENTRY * maxBatch;
  const fault = `it has more than ${maximum} commas and colons; the maximum is ${maxBatch} entries`;
  const separators = { maximum, fault };
  const body = await readJson(request, { bytes: MAX_BATCH_BYTES, depth: MAX_DEPTH, separators });
  if (slices.isOver) await slices.next();
  const { requests } = checkBatch(body);
  if (requests.length <= maxBatch) return requests;
  throw unreadable('requests', `it has ${requests.length} entries; the maximum is ${maxBatch}`);
}

function checkBatch(batch: unknown): Static<typeof BatchRequest> {
  if (Value.Check(BatchRequest, batch)) return batch;
  throw unreadable('requests', `${faultOf(batch)}; expected {"requests": ["/v1/time/current?tz=UTC"]}`);
}

/** Why a body is no batch. */
function faultOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the body is not an object';
  if (!('requests' in body)) return 'the body has no such member';
  const { requests } = body;
  if (!Array.isArray(requests)) return 'it is not an array';
  if (requests.length === 0) return 'it is empty';
  return `its entry ${requests.findIndex(entry => typeof entry !== 'string') + 1} is not a string`;
}

function itemOf(target: string, batched: BatchedRoutes, { snapshot }: Exchange): Item {
  // Parsing a URL removes tabs and line breaks, and a fragment is no part of a request: its entries would be miscounted.
  if (/[\t\n\r#]/.test(target))
    return failing(unreadable('requests', `${quoted(target)} has a tab, a line break or '#'`));
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const found = batched.get(path);
  if (found === undefined)
    return failing(new ServiceError('NOT_FOUND', `There is nothing at ${quoted(path)}`));
  const { route, handle } = found;
  const query = innerQuery(target, route);
  const rejected = rejection(route, query);
  if (rejected !== null) return failing(unreadable('requests', rejected));
  return {
    run: (exchange, server) => handle(new InnerExchange(target, exchange, server)),
    requests: entriesOf(route, query, snapshot),
  };
}

/** Why a request is not allowed in a batch; null if it is. */
function rejection({ contentType, path }: Route, query: Query | null): string | null {
  if (!/^(application\/json|text\/plain)/.test(contentType))
    return `${quoted(path)} cannot be part of a batch`;
  return query?.hasFlag('sign') ? "'sign=true' is not possible within a batch" : null;
}

/** An item that fails without being run. */
function failing(error: ServiceError): Item {
  const init = { status: statusOf(error) };
  return { run: ({ requestId }) => Response.json(errorBody(error, requestId), init), requests: 1 };
}

/**
 * Runs items with the data and the instant of the batch, and writes the array of their responses in parts. The first response that
 * no longer fits is replaced with a 413, as are all after it, which are not run.
 */
async function runItems(
  items: readonly Item[],
  exchange: Exchange,
  server: Server,
  slices: Slices,
): Promise<readonly Uint8Array[]> {
  const nowMs = exchange.now();
  const frozen = { ...server, now: () => nowMs, snapshot: () => exchange.snapshot };
  const tooLarge = await elementOf(TOO_LARGE.run(exchange, frozen));
  const tooLargeBytes = bytesOf(tooLarge);
  const written = new ChunkWriter();
  let separator = '[';
  let bytesLeft = MAX_RESPONSE_BYTES - '[]'.length - items.length * (tooLargeBytes + ','.length);
  for (const item of items) {
    let element = tooLarge;
    if (bytesLeft >= 0) {
      const response = await item.run(exchange, frozen);
      if (!isCounted(response.status)) exchange.uncounted += item.requests;
      const complete = await elementOf(response);
      bytesLeft -= bytesOf(complete) - tooLargeBytes;
      if (bytesLeft >= 0) element = complete;
    }
    for (const text of [separator, ...element]) written.write(text);
    separator = ',';
    if (slices.isOver) await slices.next();
  }
  written.write(']');
  return written.chunks();
}

/** Encodes a body as the client prefers. */
async function encoded(parts: readonly Uint8Array[], request: Request, slices: Slices) {
  const isCompressed = isWorthCompressing({ length: totalBytes(parts) });
  const coding = isCompressed ? acceptedCoding(request) : 'identity';
  if (coding === 'identity') return { coding, content: slicedBody(parts) };
  return { coding, content: slicedBody([await compress(await concatenated(parts, slices), coding)]) };
}

/** Like `Buffer.concat`, which takes up to 7 ms for 8 MB, but in slices. */
async function concatenated(parts: readonly Uint8Array[], slices: Slices): Promise<Uint8Array<ArrayBuffer>> {
  const all = Buffer.allocUnsafeSlow(totalBytes(parts));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
    if (slices.isOver) await slices.next();
  }
  return all;
}

const TOO_LARGE = failing(
  new InvalidRequest(413, `With this item the response would exceed ${MAX_RESPONSE_BYTES} bytes`),
);

/** The array element for the response to an item, in parts: joining them would copy the body again. */
async function elementOf(responding: Response | Promise<Response>): Promise<readonly string[]> {
  const response = await responding;
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  return [`{"status":${response.status},"body":`, isJson ? text : JSON.stringify(text), '}'];
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
