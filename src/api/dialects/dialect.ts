import { type Exchange, pathnameOf } from '../../http/exchange.ts';
import { Responder } from '../../http/response.ts';
import { perSnapshot } from '../../http/snapshot.ts';

/** Returns a function that makes responses of a content type, with the headers of the API. */
export function responder(contentType: string): (body: string, exchange: Exchange) => Response {
  const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store' };
  const shared = perSnapshot(({ corsOrigin }) => new Responder({ corsOrigin, headers }));
  return (body, exchange) => shared(exchange.snapshot).respond(body, exchange);
}

/** The path of a request without percent-escapes; as it is where they are not UTF-8. */
export function decodedPath({ url }: Request): string {
  const path = pathnameOf(url);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
