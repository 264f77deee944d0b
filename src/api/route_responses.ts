import { acceptedCoding, encodeBody, isWorthCompressing } from '../http/compression.ts';
import { chain, type Exchange } from '../http/exchange.ts';
import type { Freshness } from '../http/freshness.ts';
import { type Coding, hasAlready } from '../http/negotiation.ts';
import { type CacheHeaders, Responder } from '../http/response.ts';
import { perSnapshot, type Snapshot } from '../http/snapshot.ts';
import type { Route } from './route.ts';

/** What the responses of a route have in common. */
export type Responding = Pick<Route, 'contentType' | 'isMarkup' | 'isPublic' | 'cacheControl'>;

/** The responses of a route: signed, compressed, or 304 if the client already has the body. */
export class RouteResponses {
  readonly #isCompressible: boolean;
  readonly #responders: (snapshot: Snapshot) => Responders;

  constructor(route: Responding) {
    this.#isCompressible = isCompressible(route);
    this.#responders = perSnapshot(snapshot => respondersOf(route, snapshot));
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
    return this.#responders(exchange.snapshot).momentary.respond(body, exchange, signature);
  }

  /** A response that caches may reuse. */
  cacheable(body: string, exchange: Exchange, freshness: Freshness): Response | Promise<Response> {
    return this.#isCompressible && isWorthCompressing(body)
      ? this.#compressed(body, exchange, freshness)
      : this.#responders(exchange.snapshot).cacheable.respond(
          body,
          exchange,
          undefined,
          cacheHeaders(tagIn('identity', freshness), freshness, exchange),
        );
  }

  /** The response to a client that already has the body; undefined if it does not. */
  notModified(exchange: Exchange, freshness: Freshness): Response | undefined {
    const { request, snapshot } = exchange;
    const condition = request.headers.get('If-None-Match');
    if (condition === null) return undefined;
    // Whether the body is long enough to be compressed is not known until it has been computed; few bodies are.
    let tag = tagIn('identity', freshness);
    if (!hasAlready(condition, tag)) {
      tag = this.#compressedTag(freshness, request);
      if (!hasAlready(condition, tag)) return undefined;
    }
    return this.#responders(snapshot).notModified.respond(
      null,
      exchange,
      undefined,
      cacheHeaders(tag, freshness, exchange),
    );
  }

  /** The tag that the body has if it is compressed. */
  #compressedTag(freshness: Freshness, request: Request): string {
    return tagIn(this.#isCompressible ? acceptedCoding(request) : 'identity', freshness);
  }

  #compressed(body: string, exchange: Exchange, freshness: Freshness | null): Response | Promise<Response> {
    const { momentary, cacheable } = this.#responders(exchange.snapshot);
    return chain(
      encodeBody(body, exchange.request),
      ({ content, coding, headers }) => {
        if (freshness === null) return momentary.respond(content, exchange, headers);
        const caching = cacheHeaders(tagIn(coding, freshness), freshness, exchange);
        return cacheable.respond(content, exchange, headers, caching);
      },
      exchange,
    );
  }
}

interface Responders {
  readonly momentary: Responder;
  readonly cacheable: Responder;
  readonly notModified: Responder;
}

function isCompressible({ contentType }: Responding): boolean {
  return contentType === 'application/json';
}

function respondersOf(route: Responding, snapshot: Snapshot): Responders {
  const { contentType, isMarkup, isPublic } = route;
  const corsOrigin = isPublic ? '*' : snapshot.corsOrigin;
  const vary = isCompressible(route) ? 'Accept-Encoding' : undefined;
  const common = { corsOrigin, vary };
  const content = {
    'Content-Type': contentType,
    ...(isMarkup && markupHeaders(snapshot)),
  };
  const momentary = { ...content, 'Cache-Control': route.cacheControl };
  return {
    momentary: new Responder({ ...common, headers: momentary }),
    cacheable: new Responder({ ...common, headers: content }),
    notModified: new Responder({ ...common, status: 304, headers: {} }),
  };
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
