import { quoted, ServiceError } from '../common/errors.ts';
import { JsonError, type JsonLimits, parseStrictJson } from '../common/json.ts';
import { InvalidRequest } from './invalid_request.ts';

/** The maximum size and limits of a JSON body. */
export interface BodyLimits extends JsonLimits {
  readonly bytes: number;
}

/**
 * Reads a JSON body, the only reader of those of the API: see {@link parseStrictJson}. Returns `absent`, if given, for an empty body.
 * Throws `INVALID_PARAMETER`, with status 415 for any other content type and 413 for one that is too long.
 */
export async function readJson(request: Request, limits: BodyLimits, absent?: unknown): Promise<unknown> {
  const body = await readBody(request, limits.bytes); // may be empty even with Transfer-Encoding
  if (body?.length === 0 && absent !== undefined) return absent;
  const contentType = request.headers.get('Content-Type') ?? '';
  if (!/^application\/json *(;|$)/i.test(contentType)) {
    throw new InvalidRequest(415, `The Content-Type is ${quoted(contentType)}; it must be application/json`);
  }
  if (body === null) throw new InvalidRequest(413, `The body exceeds the maximum of ${limits.bytes} bytes`);
  try {
    return parseStrictJson(body, limits);
  } catch (error) {
    if (error instanceof JsonError)
      throw new ServiceError('INVALID_PARAMETER', `Cannot read the body: ${error.message}`);
    throw error;
  }
}

/** Reads a body; null above `maxBytes`, without buffering more than that. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('Content-Length')) > maxBytes) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null; // leaving the loop cancels the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
