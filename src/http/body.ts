import { quoted, ServiceError } from '../common/errors.ts';
import { InvalidRequest } from './invalid_request.ts';

/** Reads a JSON body as text. Throws with status 415 for any other content type, and with 413 above `maxBytes`. */
export async function readJsonText(request: Request, maxBytes: number): Promise<string> {
  const contentType = request.headers.get('Content-Type') ?? '';
  if (!/^application\/json *(;|$)/i.test(contentType)) {
    throw new InvalidRequest(415, `The Content-Type is ${quoted(contentType)}; it must be application/json`);
  }
  const text = await readBody(request, maxBytes);
  if (text === null) throw new InvalidRequest(413, `The body exceeds the maximum of ${maxBytes} bytes`);
  return text;
}

/** Parses a JSON body. Throws `INVALID_PARAMETER` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('INVALID_PARAMETER', 'The body is not JSON');
  }
}

/** Reads a body as text; null above `maxBytes`, without buffering more than that. */
export async function readBody(request: Request, maxBytes: number): Promise<string | null> {
  if (Number(request.headers.get('Content-Length')) > maxBytes) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null; // leaving the loop cancels the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
