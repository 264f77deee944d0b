import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { bundleForBrowsers } from '../api/assets/bundle_for_browsers.ts' with { type: 'macro' };
import { acceptsGzip, hasAlready } from '../http/negotiation.ts';
import icon from './icon.svg' with { type: 'text' };

/** A body that is built once and served often, plain and compressed. */
export interface Representation {
  readonly contentType: string;
  readonly identity: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  /** Hex digits of the body's SHA-256. */
  readonly digest: string;
}

/** Encodes, compresses and digests a text. */
export function represent(text: string, contentType: string): Representation {
  const identity = new TextEncoder().encode(text);
  return {
    contentType,
    identity,
    gzipped: new Uint8Array(gzipSync(identity, { level: 9 })),
    digest: createHash('sha256').update(identity).digest('hex').slice(0, 16),
  };
}

/**
 * Serves a representation: compressed if the client accepts that, 304 if it has it already. The entity tag is weak
 * because the compressed body shares it (RFC 9110 §8.8.1).
 */
export function representationResponse(
  request: Request,
  { contentType, identity, gzipped, digest }: Representation,
  headers: Readonly<Record<string, string>>,
): Response {
  const tag = `W/"${digest}"`;
  const { Vary: vary, ...rest } = headers;
  const common = {
    ...rest,
    ETag: tag,
    Vary: vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
  };
  if (hasAlready(request.headers.get('If-None-Match'), tag)) {
    return new Response(null, { status: 304, headers: common });
  }
  const isCompressed = acceptsGzip(request.headers.get('Accept-Encoding'));
  return new Response(isCompressed ? gzipped : identity, {
    headers: {
      ...common,
      'Content-Type': contentType,
      ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    },
  });
}

/** The stylesheet of all pages. */
export const STYLESHEET = represent(bundleForBrowsers('site/pages.css'), 'text/css; charset=utf-8');

/** The script of all pages. */
export const SCRIPT = represent(bundleForBrowsers('site/browser/main.ts'), 'text/javascript; charset=utf-8');

/** The icon of the browser tab and the page header. */
export const ICON = represent(icon, 'image/svg+xml');

/** Their URLs, with digests, so that they may be cached forever. */
export const ASSET_URLS = {
  stylesheet: `/assets/pages.css?v=${STYLESHEET.digest}`,
  script: `/assets/pages.js?v=${SCRIPT.digest}`,
  icon: `/assets/icon.svg?v=${ICON.digest}`,
};
