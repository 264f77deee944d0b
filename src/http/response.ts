import { promisify } from 'node:util';
import type { AccessDecision } from '../access/authorise.ts';
import type { Limits } from '../access/limiter.ts';
import type { Month } from '../access/usage.ts';
import { once, whenReady } from '../common/caching.ts';
import { zlib } from '../common/zlib.ts';
import type { DataSets } from '../operations/served_data.ts';
import { MESSAGE_SIGNATURE_HEADERS, PROOF_HEADERS } from '../signing/message_signature.ts';
import { SIGNATURE_HEADERS } from '../signing/signed_response.ts';
import type { SteadySpan } from '../zones/steady_span.ts';
import { dataDigest } from './data_use.ts';
import { type Endpoint, type Exchange, methodsOf } from './exchange.ts';
import { monthlyLimitHeaders, setRequestLimitHeaders } from './limit_headers.ts';
import type { Snapshot } from './snapshot.ts';

/** Whether an `If-None-Match` matches a tag, weak or strong, by weak comparison (RFC 9110 §13.1.2). */
export function hasAlready(condition: string | null, tag: string): boolean {
  if (condition === null) return false;
  if (condition === tag) return true; // as most clients send it
  const opaque = tag.replace(/^W\//, '');
  return (
    condition.trim() === '*' || condition.split(',').some(item => item.trim().replace(/^W\//, '') === opaque)
  );
}

/**
 * Whether an `If-None-Match` matches any response. It applies only to a successful one (RFC 9110 §13.2.1), so the response has to
 * be computed first. A specific tag can only come from a successful response.
 */
function matchesAny(condition: string | null): boolean {
  return condition !== null && condition.trim() === '*';
}

/** A content coding (RFC 9110 §8.4.1) that this server supports; `identity` is none. */
export type Coding = 'br' | 'zstd' | 'gzip' | 'identity';

/**
 * The coding that an `Accept-Encoding` prefers (RFC 9110 §12.5.3): the one with the greatest weight, or the first of equals.
 * `identity` comes last, with the weight given for its name only. It is also used for clients that accept none of the others,
 * even if they do not accept `identity` either, since a body is more useful to them than an error.
 */
export function preferredCoding(codings: readonly Coding[], accepted: string | null): Coding {
  const weights = weightsOf(accepted);
  let best: Coding = 'identity';
  let most = 0;
  for (const coding of [...codings, 'identity'] as const) {
    const weight = weights.get(coding) ?? (coding === 'identity' ? 0 : weights.get('*')) ?? 0;
    if (weight > most) [best, most] = [coding, weight];
  }
  return best;
}

/** Whether an `Accept` (RFC 9110 §12.5.1) gives HTML a greater weight than JSON, as browsers do for pages. */
export function prefersHtml(accepted: string | null): boolean {
  const weights = weightsOf(accepted);
  const weightOf = (type: string) =>
    weights.get(type) ?? weights.get(`${type.split('/', 1)[0]}/*`) ?? weights.get('*/*') ?? 0;
  return weightOf('text/html') > weightOf('application/json');
}

/** The weights by name, 0 if not acceptable. */
function weightsOf(accepted: string | null): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of (accepted ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    weights.set(name!, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

/** Longer bodies are compressed; shorter ones fit into one packet anyway. */
const MIN_BYTES = 1024;
/** Larger bodies are compressed on another thread: brotli takes half a millisecond for this size. */
const MAX_INLINE_BYTES = 32_768;

/** Compresses on this thread, or on another. */
interface Compressor {
  readonly inline: (bytes: Uint8Array) => Buffer;
  readonly elsewhere: (bytes: Uint8Array) => Promise<Buffer>;
}

/** The codings of responses; if a client weights several equally, the first is used. */
const CODINGS = ['zstd', 'br', 'gzip'] as const;

const compressors = once((): Readonly<Record<(typeof CODINGS)[number], Compressor>> => {
  const { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } = zlib();
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  const gzipOptions = { level: 7 }; // output is 5 % smaller than with the default of 6, in the same time
  return {
    zstd: {
      inline: bytes => Bun.zstdCompressSync(bytes, { level: 3 }),
      elsewhere: bytes => Bun.zstdCompress(bytes, { level: 3 }),
    },
    br: {
      inline: bytes => brotliCompressSync(bytes, brotliOptions),
      elsewhere: bytes => promisify(brotliCompress)(bytes, brotliOptions),
    },
    gzip: {
      inline: bytes => gzipSync(bytes, gzipOptions),
      elsewhere: bytes => promisify(gzip)(bytes, gzipOptions),
    },
  };
});

/** The coding that a request prefers, for bodies that are worth compressing. */
export function acceptedCoding({ headers }: Request): Coding {
  return preferredCoding(CODINGS, headers.get('Accept-Encoding'));
}

/** A body as it is sent, and its `Content-Encoding` header, if any. */
interface EncodedBody {
  readonly coding: Coding;
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a body is long enough to be compressed; texts have at least as many bytes as characters. */
export function isWorthCompressing({ length }: { readonly length: number }): boolean {
  return length > MIN_BYTES;
}

/** Compresses a body if it is worth compressing and the client accepts that. */
export function encodeBody(
  content: string | Uint8Array<ArrayBuffer>,
  request: Request,
): EncodedBody | Promise<EncodedBody> {
  const coding = isWorthCompressing(content) ? acceptedCoding(request) : 'identity';
  if (coding === 'identity') return { coding, content, headers: {} };
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const headers = { 'Content-Encoding': coding };
  return whenReady(compress(bytes, coding), compressed => ({ coding, content: compressed, headers }));
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Compresses bytes with a coding, on another thread if there are many. */
export function compress(bytes: Bytes, coding: Coding): Bytes | Promise<Bytes> {
  if (coding === 'identity') return bytes;
  const { inline, elsewhere } = compressors()[coding];
  // The declared types allow shared memory, but it is never shared.
  return (bytes.length <= MAX_INLINE_BYTES ? inline(bytes) : elsewhere(bytes)) as Bytes | Promise<Bytes>;
}

/** The request headers that scripts may send: credentials, including a marketplace's, request id and entity tag. */
const REQUEST_HEADERS =
  'Authorization, X-API-Key, X-RapidAPI-Key, X-RapidAPI-Host, X-Request-Id, If-None-Match';
/** Additional request headers for POST: the content type, and what MCP repeats from the body. */
const POST_HEADERS = 'Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

/** The response headers that scripts from other origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'ETag',
  'X-Service-Ignored-Parameters',
  ...SIGNATURE_HEADERS,
  ...PROOF_HEADERS,
  ...MESSAGE_SIGNATURE_HEADERS,
  'X-Service-Plan',
  'X-Service-Quota-Limit',
  'X-Service-Quota-Remaining',
  'X-Service-Quota-State',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
].join(', ');

/** The CORS headers of a response; `hasOrigin` is whether the request has an `Origin`, as those of scripts from other sites do. */
export function corsHeaders(allowed: string, hasOrigin: boolean): Record<string, string> {
  const vary = allowed === '*' ? {} : { Vary: 'Origin' };
  if (!hasOrigin) return vary;
  return {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    ...vary,
  };
}

/**
 * The same for a response that caches may store: they may send it to a script although they stored it for a request without
 * `Origin`.
 */
export function storableCorsHeaders(allowed: string, hasOrigin: boolean): Record<string, string> {
  return {
    ...corsHeaders(allowed, hasOrigin),
    ...(allowed === '*' && { 'Access-Control-Allow-Origin': '*' }),
  };
}

/** The response to a CORS preflight from `origin`, or to any other OPTIONS request. */
export function preflightResponse(
  origin: string,
  endpoint: Endpoint | undefined,
  { request, requestId }: Exchange,
): Response {
  const methods = methodsOf(endpoint);
  const takesBody = endpoint?.methods !== undefined;
  const hasOrigin = request.headers.has('Origin');
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin, hasOrigin),
      Allow: methods,
      ...(hasOrigin && {
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': takesBody ? `${REQUEST_HEADERS}, ${POST_HEADERS}` : REQUEST_HEADERS,
        'Access-Control-Max-Age': '86400',
      }),
      'X-Request-Id': requestId,
    },
  });
}

/**
 * How long the response to a query stays the same with unchanged data: not at all, until the next clock change in any zone, or
 * for ever.
 */
export type Lifetime = 'moment' | 'transition' | 'fixed';

/** What caches may do with a response. */
export interface Freshness {
  /** The opaque part of its entity tag, the same for every content coding. */
  readonly tag: string;
  readonly cacheControl: CacheControl;
}

/** The `Cache-Control` of responses to clients without and with an API key. */
type CacheControl = Readonly<Record<'public' | 'private', string>>;

function cacheControlOf(directives: string): CacheControl {
  return { public: `public, ${directives}`, private: `private, ${directives}` };
}

const MAX_AGE_SECONDS = 3600;
/** The `Cache-Control` of fixed responses. They can be stale for another day, since only a data release can change them. */
export const FIXED = cacheControlOf(`max-age=${MAX_AGE_SECONDS}, stale-while-revalidate=86400`);

/**
 * Identifies the response to a request over time, by path and query, executable, and the data that it depends on. Clients only
 * compare tags of the same URL, so only the digest of executable and data, which is rarely computed, is cryptographic.
 */
export function entityTag({ targetHash }: Exchange, data: DataSets, snapshot: Snapshot): string {
  return dataDigest(data, snapshot) + targetHash.toString(36);
}

/** The freshness of a response that stays the same throughout a span. */
export function freshnessUntil(
  tag: string,
  { fromEpochSeconds, untilEpochSeconds }: SteadySpan,
  nowMs: number,
): Freshness {
  const leftSeconds = Math.ceil(untilEpochSeconds - nowMs / 1000) - 1; // ends before the second of the change
  return {
    tag: `${tag}.${fromEpochSeconds}`,
    cacheControl: cacheControlOf(`max-age=${Math.max(0, Math.min(MAX_AGE_SECONDS, leftSeconds))}`),
  };
}

/** The headers of JSON that must not be cached. */
export function jsonHeaders(corsOrigin: string, { headers }: Request): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    ...corsHeaders(corsOrigin, headers.has('Origin')),
  };
}

const MAX_IGNORED_LENGTH = 1024;

/** Lists ignored parameters in a header: percent-encoded, as many as fit. */
export function nameIgnoredParameters(headers: Headers, names: readonly string[]): void {
  let list = '';
  for (const name of names) {
    const longer = `${list}${list === '' ? '' : ','}${encodeURIComponent(name.toWellFormed())}`;
    if (longer.length <= MAX_IGNORED_LENGTH) list = longer;
  }
  if (list !== '') headers.set('X-Service-Ignored-Parameters', list);
}

/** Sets the headers that describe the client's limits. */
export function setLimitHeaders(
  headers: Headers,
  { limits, status: limitStatus }: AccessDecision,
  isCounted: boolean,
): void {
  if (limits === undefined || limitStatus === undefined) return;
  setHeaders(headers, monthlyLimitHeaders(limits, limitStatus.month));
  setRequestLimitHeaders(headers, limits, limitStatus, isCounted);
}

/** Sets headers by name. */
export function setHeaders(headers: Headers, values: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
}

/** The content of a body. */
export type Content = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** The caching headers of a response. */
interface CacheHeaders {
  readonly entityTag: string;
  readonly cacheControl: string;
}

/** A response whose headers are copied. */
interface Template {
  readonly response: Response;
  /** Its `Cache-Control`, if responses differ in that. */
  cacheControl: string | undefined;
}

/**
 * Creates the responses of a route, which differ in only a few headers. Copying the native headers of another Response takes 0.7 µs
 * less than converting an object, and setting six limit headers would take 2 µs. So there is one common template, and one for each
 * plan with the headers that change once a month.
 */
class ResponseTemplate {
  readonly #common: Template;
  readonly #byLimits = new WeakMap<Limits, { readonly month: Month; readonly template: Template }>();

  constructor(status: number, headers: Readonly<Record<string, string>>) {
    this.#common = { response: new Response(null, { status, headers }), cacheControl: undefined };
  }

  respond(
    body: Content | null,
    { requestId, admission, query }: Exchange,
    headers?: Readonly<Record<string, string>>,
    caching?: CacheHeaders,
  ): Response {
    const template = admission === undefined ? this.#common : this.#forClient(admission);
    const { headers: common } = template.response;
    common.set('X-Request-Id', requestId);
    // Those of the previous response remain in the template otherwise, so all responses of a responder have them, or none.
    if (caching !== undefined) {
      common.set('ETag', caching.entityTag);
      if (caching.cacheControl !== template.cacheControl) common.set('Cache-Control', caching.cacheControl);
      template.cacheControl = caching.cacheControl;
    }
    const response = new Response(body, template.response);
    for (const name in headers) response.headers.set(name, headers[name]!);
    if (query !== undefined && query.ignored.length > 0)
      nameIgnoredParameters(response.headers, query.ignored);
    return response;
  }

  /** The template with the limits of an admitted client, valid until the next call. */
  #forClient({ limits, status: limitStatus }: AccessDecision): Template {
    if (limits === undefined || limitStatus === undefined) return this.#common;
    let entry = this.#byLimits.get(limits);
    if (entry?.month.index !== limitStatus.month.index) {
      const response = new Response(null, this.#common.response);
      setHeaders(response.headers, monthlyLimitHeaders(limits, limitStatus.month));
      entry = { month: limitStatus.month, template: { response, cacheControl: undefined } };
      this.#byLimits.set(limits, entry);
    }
    setRequestLimitHeaders(entry.template.response.headers, limits, limitStatus, true);
    return entry.template;
  }
}

/** What the responses of a {@link Responder} have in common. */
interface CommonHeaders {
  readonly corsOrigin: string;
  /** Whether caches may store them. */
  readonly isStorable: boolean;
  /** What else the responses vary on, for `Vary`; absent for nothing. */
  readonly vary?: string | undefined;
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates responses with or without caching headers, and with fewer headers for requests without `Origin`. */
export class Responder<Caching extends CacheHeaders | undefined = undefined> {
  readonly #plain: ResponseTemplate;
  readonly #crossOrigin: ResponseTemplate;

  constructor({ corsOrigin, isStorable, vary, status = 200, headers }: CommonHeaders) {
    const corsOf = isStorable ? storableCorsHeaders : corsHeaders;
    const template = (hasOrigin: boolean) => {
      const { Vary, ...cors } = corsOf(corsOrigin, hasOrigin);
      const varied = [Vary, vary].filter(name => name !== undefined).join(', ');
      return new ResponseTemplate(status, {
        ...headers,
        ...cors,
        ...(varied && { Vary: varied }),
      });
    };
    this.#plain = template(false);
    this.#crossOrigin = template(true);
  }

  /** The response to a request; `headers` are specific to it. */
  respond(
    body: Content | null,
    exchange: Exchange,
    headers: Readonly<Record<string, string>> | undefined,
    caching: Caching,
  ): Response {
    const template = exchange.request.headers.has('Origin') ? this.#crossOrigin : this.#plain;
    return template.respond(body, exchange, headers, caching);
  }
}

/** The responses of a route as it declares them. */
interface ResponseKind {
  readonly contentType: string;
  /** Whether it is markup that browsers open as a document. */
  readonly isMarkup: boolean;
  readonly isPublic: boolean;
  /** The `Cache-Control` of responses whose lifetime is a moment. */
  readonly cacheControl: string;
}

/** The responses of a route from a snapshot: signed, compressed, or 304 if the client already has the body. */
export class RouteResponses {
  readonly #isCompressible: boolean;
  readonly #momentary: Responder;
  readonly #cacheable: Responder<CacheHeaders>;
  readonly #notModified: Responder<CacheHeaders>;

  constructor({ contentType, isMarkup, isPublic, cacheControl }: ResponseKind, snapshot: Snapshot) {
    this.#isCompressible = contentType === 'application/json';
    const corsOrigin = isPublic ? '*' : snapshot.corsOrigin;
    const common = { corsOrigin, vary: this.#isCompressible ? 'Accept-Encoding' : undefined };
    const content = { 'Content-Type': contentType, ...(isMarkup && markupHeaders(snapshot)) };
    const momentary = { ...content, 'Cache-Control': cacheControl };
    this.#momentary = new Responder({
      ...common,
      isStorable: cacheControl !== 'no-store',
      headers: momentary,
    });
    this.#cacheable = new Responder({ ...common, isStorable: true, headers: content });
    this.#notModified = new Responder({ ...common, isStorable: true, status: 304, headers: {} });
  }

  /** A response that is never cached; it may be compressed, unless it is signed. */
  momentary(
    body: string,
    exchange: Exchange,
    signature?: Readonly<Record<string, string>>,
  ): Response | Promise<Response> {
    if (signature === undefined && this.#isCompressible && isWorthCompressing(body)) {
      return whenReady(encodeBody(body, exchange.request), ({ content, headers }) =>
        this.#momentary.respond(content, exchange, headers, undefined),
      );
    }
    return this.#momentary.respond(body, exchange, signature, undefined);
  }

  /**
   * A response that caches may reuse, unless the client wants none that exists: a `condition`, its `If-None-Match`, of `*`
   * (RFC 9110 §13.1.2).
   */
  cacheable(
    body: string,
    exchange: Exchange,
    freshness: Freshness,
    condition: string | null,
  ): Response | Promise<Response> {
    if (matchesAny(condition) || !this.#isCompressible || !isWorthCompressing(body)) {
      const caching = cacheHeaders('identity', freshness, exchange);
      return matchesAny(condition)
        ? this.#notModified.respond(null, exchange, undefined, caching)
        : this.#cacheable.respond(body, exchange, undefined, caching);
    }
    return whenReady(encodeBody(body, exchange.request), ({ content, coding, headers }) =>
      this.#cacheable.respond(content, exchange, headers, cacheHeaders(coding, freshness, exchange)),
    );
  }

  /** The response to a client that already has the body; undefined if it does not, or matches any, which may still fail. */
  notModified(exchange: Exchange, freshness: Freshness, condition: string | null): Response | undefined {
    if (condition === null || matchesAny(condition)) return undefined;
    // Whether the body is long enough to be compressed is not known until it has been computed; few bodies are.
    const codings = this.#isCompressible
      ? (['identity', acceptedCoding(exchange.request)] as const)
      : (['identity'] as const);
    for (const coding of codings) {
      const caching = cacheHeaders(coding, freshness, exchange);
      if (hasAlready(condition, caching.entityTag))
        return this.#notModified.respond(null, exchange, undefined, caching);
    }
    return undefined;
  }
}

/** Headers for markup opened as a standalone page, in a frame or as an image; within another page, that page's policy applies. */
function markupHeaders({ publicUrl }: Snapshot): Record<string, string> {
  const own = publicUrl === '' ? "'self'" : `'self' ${new URL(publicUrl).origin}`;
  return {
    'Content-Security-Policy': `default-src 'none'; base-uri 'none'; connect-src ${own}; form-action 'none'; script-src ${own}; style-src ${own} 'unsafe-inline'`,
    'X-Content-Type-Options': 'nosniff',
  };
}

/** The headers of a body in a coding. Shared caches would also serve clients without a key. */
function cacheHeaders(
  coding: Coding,
  { tag, cacheControl }: Freshness,
  { admission }: Exchange,
): CacheHeaders {
  return {
    entityTag: coding === 'identity' ? `"${tag}"` : `"${tag}-${coding}"`,
    cacheControl: admission === undefined ? cacheControl.public : cacheControl.private,
  };
}
