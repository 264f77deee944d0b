import { quoted, ServiceError } from '../common/service_error.ts';

/** An invalid request with a status of its own, in place of 400. */
export class InvalidRequest extends ServiceError {
  readonly status: 413 | 414 | 415;

  constructor(status: 413 | 414 | 415, message: string) {
    super('INVALID_PARAMETER', message);
    this.status = status;
  }
}

/** Reads the body of a request that must be JSON, as text. Throws with 415 for another type, with 413 for one above `maxBytes`. */
export async function readJsonText(request: Request, maxBytes: number): Promise<string> {
  const contentType = request.headers.get('Content-Type') ?? '';
  if (!/^application\/json *(;|$)/i.test(contentType)) {
    throw new InvalidRequest(415, `The Content-Type is ${quoted(contentType)}; it must be application/json`);
  }
  const text = await readBody(request, maxBytes);
  if (text === null) throw new InvalidRequest(413, `The body is longer than ${maxBytes} bytes, the maximum`);
  return text;
}

/** Parses the JSON of a body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('INVALID_PARAMETER', 'The body is not JSON');
  }
}

/** Reads the body of a request as text; null for one above `maxBytes`, of which no more than that is held. */
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
