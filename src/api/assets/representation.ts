import { createHash } from 'node:crypto';
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import { type Coding, hasAlready, preferredCoding } from '../../http/negotiation.ts';

/** A body that is built once and served often. */
export interface Representation {
  readonly contentType: string;
  /** The first 16 hex digits of the body's SHA-256. */
  readonly digest: string;
  /** The body in each coding; clients that like several equally get the first. */
  readonly bodies: ReadonlyMap<Coding, Uint8Array<ArrayBuffer>>;
  /** The entity tag of a coding: strong if every coding has its own, weak if they share one (RFC 9110 §8.8.1). */
  readonly tagOf: (coding: Coding) => string;
}

/** Encodes, compresses and digests a text, or bytes. */
export function represent(content: string | Uint8Array<ArrayBuffer>, contentType: string): Representation {
  const identity = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return representation(identity, gzipSync(identity, BEST), contentType);
}

/** The same for a text that is drawn while others wait: compressed on another thread, and digested after other requests. */
export async function representElsewhere(content: string, contentType: string): Promise<Representation> {
  await yieldToRequests();
  const identity = new TextEncoder().encode(content);
  return representation(identity, await gzipElsewhere(identity, BEST), contentType);
}

const BEST = { level: 9 };
const gzipElsewhere = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);

function representation(
  identity: Uint8Array<ArrayBuffer>,
  gzipped: Buffer,
  contentType: string,
): Representation {
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const bodies = new Map<Coding, Uint8Array<ArrayBuffer>>([
    ['gzip', new Uint8Array(gzipped)],
    ['identity', identity],
  ]);
  return { contentType, digest, bodies, tagOf: () => `W/"${digest}"` };
}

/** Serves a representation in the coding that the client prefers; 304 if the client has it already. */
export function representationResponse(
  request: Request,
  { contentType, bodies, tagOf }: Representation,
  ownHeaders: Readonly<Record<string, string>>,
): Response {
  const coding = preferredCoding([...bodies.keys()], request.headers.get('Accept-Encoding'));
  const tag = tagOf(coding);
  const headers = new Headers({ ETag: tag, Vary: 'Accept-Encoding' });
  for (const [name, value] of Object.entries(ownHeaders)) headers.append(name, value);
  if (hasAlready(request.headers.get('If-None-Match'), tag)) {
    return new Response(null, { status: 304, headers });
  }
  headers.set('Content-Type', contentType);
  if (coding !== 'identity') headers.set('Content-Encoding', coding);
  return new Response(bodies.get(coding), { headers });
}
