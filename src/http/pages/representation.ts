import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

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

/** Whether an `If-None-Match` names the tag, be it weak or strong, by weak comparison (RFC 9110 §13.1.2). */
export function hasAlready(condition: string | null, tag: string): boolean {
  if (condition === null) return false;
  const opaque = tag.replace(/^W\//, '');
  return (
    condition.trim() === '*' || condition.split(',').some(item => item.trim().replace(/^W\//, '') === opaque)
  );
}

/** Whether an `Accept-Encoding` admits gzip. */
export function acceptsGzip(accepted: string | null): boolean {
  return weightOf('gzip', accepted) > 0;
}

/** The weight of a coding in an `Accept-Encoding`: by its name or `*`, 0 where it is not admitted (RFC 9110 §12.5.3). */
export function weightOf(coding: string, accepted: string | null): number {
  const weights = new Map<string, number>();
  for (const item of (accepted ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    weights.set(name!, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get(coding) ?? weights.get('*') ?? 0) || 0;
}
