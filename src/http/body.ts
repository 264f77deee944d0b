import { ServiceError } from '../common/service_error.ts';

/** An invalid request with a status of its own, in place of 400. */
export class InvalidRequest extends ServiceError {
  readonly status: 413 | 414 | 415;

  constructor(status: 413 | 414 | 415, message: string) {
    super('INVALID_PARAMETER', message);
    this.status = status;
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
