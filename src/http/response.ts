import type { AccessDecision } from '../access/authorise.ts';
import type { Limits } from '../access/limiter.ts';
import type { Month } from '../access/usage.ts';
import { whenReady } from '../common/promises.ts';
import type { DataSets } from '../operations/served_data.ts';
import type { SteadySpan } from '../zones/steady_span.ts';
import { acceptedCoding, type Bytes, type Coding, encodeBody, isWorthCompressing } from './content_coding.ts';
import { corsHeaders } from './cors.ts';
import { dataDigest } from './data_use.ts';
import type { Exchange } from './exchange.ts';
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

/** The headers of a response that must not be cached; `contentType` is null without a body. */
export function uncachedHeaders(
  { request, requestId, snapshot }: Exchange,
  contentType: string | null,
  corsOrigin = snapshot.corsOrigin,
): Headers {
  const headers = new Headers(corsHeaders(corsOrigin, request.headers.has('Origin')));
  headers.set('Cache-Control', 'no-store');
  headers.set('X-Request-Id', requestId);
  if (contentType !== null) headers.set('Content-Type', contentType);
  return headers;
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

/** Sets the headers that describe the client's limits, if it has any. */
export function setLimitHeaders(headers: Headers, { admission }: Exchange, isCounted: boolean): void {
  const { limits, status: limitStatus } = admission ?? {};
  if (limits === undefined || limitStatus === undefined) return;
  setHeaders(headers, monthlyLimitHeaders(limits, limitStatus.month));
  setRequestLimitHeaders(headers, limits, limitStatus, isCounted);
}

/** Sets headers by name. */
export function setHeaders(headers: Headers, values: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
}

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
    body: string | Bytes | null,
    { requestId, admission }: Exchange,
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
    const template = (hasOrigin: boolean) => {
      const { Vary, ...cors } = corsHeaders(corsOrigin, hasOrigin, isStorable);
      const varied = [Vary, vary].filter(name => name !== undefined).join(', ');
      return new ResponseTemplate(status, { ...headers, ...cors, ...(varied && { Vary: varied }) });
    };
    this.#plain = template(false);
    this.#crossOrigin = template(true);
  }

  /** The response to a request; `headers` are specific to it. */
  respond(
    body: string | Bytes | null,
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
    this.#momentary = new Responder({
      ...common,
      isStorable: cacheControl !== 'no-store',
      headers: { ...content, 'Cache-Control': cacheControl },
    });
    this.#cacheable = new Responder({ ...common, isStorable: true, headers: content });
    this.#notModified = new Responder({ ...common, isStorable: true, status: 304, headers: {} });
  }

  /** A response with the `Cache-Control` of its kind, and no entity tag; it may be compressed, unless it is signed. */
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
