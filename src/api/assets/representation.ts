import { createHash } from 'node:crypto';
import { nextTurn, onceSettled, whenReady } from '../../common/promises.ts';
import { type Bytes, type Coding, compress, preferredCoding } from '../../http/content_coding.ts';
import { hasAlready } from '../../http/response.ts';
import { slicedBody } from '../sliced_body.ts';

/** A body that is built once and served often. */
export interface Representation {
  readonly contentType: string;
  /** The first 16 hex digits of the body's SHA-256. */
  readonly digest: string;
  /** The codings of the body, in order of preference among those that a client accepts equally. */
  readonly codings: readonly Coding[];
  readonly bodyIn: (coding: Coding) => Bytes | Promise<Bytes>;
  /** The entity tag of a coding: strong if every coding has its own, weak if they share one (RFC 9110 §8.8.1). */
  readonly tagOf: (coding: Coding) => string;
}

/** Creates a representation of text or bytes, which are compressed for the first client that accepts a coding. */
export function represent(content: string | Bytes, contentType: string): Representation {
  const identity = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return {
    contentType,
    digest,
    // Brotli makes pages smaller than zstd does; browsers accept it over TLS and from their own machine.
    codings: ['br', 'gzip'],
    bodyIn: perCoding(coding => compress(identity, coding)),
    tagOf: () => `W/"${digest}"`,
  };
}

/** Like {@link represent}, in a separate turn, for a text whose rendering already delays other requests. */
export async function representLater(content: string, contentType: string): Promise<Representation> {
  await nextTurn();
  return represent(content, contentType);
}

/** A file in every coding, in Base64. */
type CompressedFile = Readonly<Record<Coding | 'digest', string>>;

/** A file that was compressed when the executable was built. */
export function representFile({ digest, ...bodies }: CompressedFile, contentType: string): Representation {
  return {
    contentType,
    digest,
    codings: Object.keys(bodies) as Coding[],
    bodyIn: perCoding(coding => Uint8Array.fromBase64(bodies[coding])),
    tagOf: coding => (coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`),
  };
}

/** Memoizes `make` by coding. */
function perCoding(make: (coding: Coding) => Bytes | Promise<Bytes>): Representation['bodyIn'] {
  const bodies: Partial<Record<Coding, () => Bytes | Promise<Bytes>>> = {};
  return coding => {
    bodies[coding] ??= onceSettled(() => make(coding));
    return bodies[coding]();
  };
}

/** Serves a representation in the client's preferred coding; 304 if the client already has it. */
export function representationResponse(
  request: Request,
  { contentType, codings, bodyIn, tagOf }: Representation,
  ownHeaders: Readonly<Record<string, string>>,
): Response | Promise<Response> {
  const coding = preferredCoding(codings, request.headers.get('Accept-Encoding'));
  const tag = tagOf(coding);
  const headers = new Headers({ ETag: tag, Vary: 'Accept-Encoding' });
  for (const [name, value] of Object.entries(ownHeaders)) headers.append(name, value);
  if (hasAlready(request.headers.get('If-None-Match'), tag)) {
    return new Response(null, { status: 304, headers });
  }
  headers.set('Content-Type', contentType);
  if (coding !== 'identity') headers.set('Content-Encoding', coding);
  // Sliced: Bun accepts connections in a single turn as long as there are more, and sending each a whole document of half a
  // megabyte could make that turn endless.
  return whenReady(bodyIn(coding), body => new Response(slicedBody([body]), { headers }));
}
