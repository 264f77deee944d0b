import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { acceptsGzip, hasAlready } from '../http/negotiation.ts';

/** A body that is made once and served often, as it is and compressed. */
export interface Representation {
  readonly contentType: string;
  readonly identity: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  /** Hex digits that change when the body does. */
  readonly digest: string;
}

/** Prepares a text for serving. */
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
 * The answer with a representation: compressed where the client takes that, and 304 without a body where it has it already.
 * The entity tag is weak, since the compressed bytes have the same one (RFC 9110 §8.8.1).
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
