import { acceptedCoding, encodeBody, isWorthCompressing } from '../http/compression.ts';
import { chain, type Exchange } from '../http/exchange.ts';
import type { Freshness } from '../http/freshness.ts';
import { type Coding, hasAlready } from '../http/negotiation.ts';
import { type CacheHeaders, Responder } from '../http/response.ts';
import type { Snapshot } from '../http/snapshot.ts';
import type { Route } from './route.ts';

/** What the responses of a route have in common. */
export type Responding = Pick<Route, 'contentType' | 'isMarkup' | 'isPublic' | 'cacheControl'>;

/** The responses of a route from a snapshot: signed, compressed, or 304 if the client already has the body. */
export class RouteResponses {
  readonly #isCompressible: boolean;
  readonly #momentary: Responder;
  readonly #cacheable: Responder;
  readonly #notModified: Responder;

  constructor(route: Responding, snapshot: Snapshot) {
    const { contentType, isMarkup, isPublic, cacheControl } = route;
    this.#isCompressible = contentType === 'application/json';
    const corsOrigin = isPublic ? '*' : snapshot.corsOrigin;
    const common = { corsOrigin, vary: this.#isCompressible ? 'Accept-Encoding' : undefined };
    const content = { 'Content-Type': contentType, ...(isMarkup && markupHeaders(snapshot)) };
    const momentary = { ...content, 'Cache-Control': cacheControl };
    this.#momentary = new Responder({ ...common, headers: momentary });
    this.#cacheable = new Responder({ ...common, headers: content });
    this.#notModified = new Responder({ ...common, status: 304, headers: {} });
  }

  /** A response that is never cached; it may be compressed, unless it is signed. */
  momentary(
    body: string,
    exchange: Exchange,
    signature?: Readonly<Record<string, string>>,
  ): Response | Promise<Response> {
    if (signature === undefined && this.#isCompressible && isWorthCompressing(body)) {
      return this.#compressed(body, exchange, null);
    }
    return this.#momentary.respond(body, exchange, signature);
  }

  /** A response that caches may reuse. */
  cacheable(body: string, exchange: Exchange, freshness: Freshness): Response | Promise<Response> {
    return this.#isCompressible && isWorthCompressing(body)
      ? this.#compressed(body, exchange, freshness)
      : this.#cacheable.respond(
          body,
          exchange,
          undefined,
          cacheHeaders(tagIn('identity', freshness), freshness, exchange),
        );
  }

  /** The response to a client that already has the body; undefined if it does not. */
  notModified(exchange: Exchange, freshness: Freshness): Response | undefined {
    const { request } = exchange;
    const condition = request.headers.get('If-None-Match');
    if (condition === null) return undefined;
    // Whether the body is long enough to be compressed is not known until it has been computed; few bodies are.
    let tag = tagIn('identity', freshness);
    if (!hasAlready(condition, tag)) {
      tag = this.#compressedTag(freshness, request);
      if (!hasAlready(condition, tag)) return undefined;
    }
    return this.#notModified.respond(null, exchange, undefined, cacheHeaders(tag, freshness, exchange));
  }

  /** The tag that the body has if it is compressed. */
  #compressedTag(freshness: Freshness, request: Request): string {
    return tagIn(this.#isCompressible ? acceptedCoding(request) : 'identity', freshness);
  }

  #compressed(body: string, exchange: Exchange, freshness: Freshness | null): Response | Promise<Response> {
    return chain(
      encodeBody(body, exchange.request),
      ({ content, coding, headers }) => {
        if (freshness === null) return this.#momentary.respond(content, exchange, headers);
        const caching = cacheHeaders(tagIn(coding, freshness), freshness, exchange);
        return this.#cacheable.respond(content, exchange, headers, caching);
      },
      exchange,
    );
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

/** The entity tag of a body in a coding. */
function tagIn(coding: Coding, { tag }: Freshness): string {
  return coding === 'identity' ? `"${tag}"` : `"${tag}-${coding}"`;
}

function cacheHeaders(entityTag: string, { cacheControl }: Freshness, { admission }: Exchange): CacheHeaders {
  // Shared caches would also serve clients without a key.
  return { entityTag, cacheControl: admission === undefined ? cacheControl.public : cacheControl.private };
}
