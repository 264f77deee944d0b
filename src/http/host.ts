import { quoted, ServiceError } from '../common/service_error.ts';

/**
 * Whether a request has at most one `Host`, and a valid one (RFC 9112 §3.2): Bun leaves others out of the URL. None at all is
 * valid, as HTTP/1.0 and health checks of load balancers send it. The check takes 0.05 µs.
 */
export function hasValidHost({ headers, url }: Request): boolean {
  const host = headers.get('Host') ?? '';
  return host === '' || !(host.includes(',') || url.startsWith('/'));
}

/** The error for a request without a valid `Host`. */
export function hostError({ headers }: Request): ServiceError {
  return new ServiceError(
    'INVALID_PARAMETER',
    `Cannot read the header 'Host': ${quoted(headers.get('Host') ?? '')} is not one host with or without a port`,
  );
}

/**
 * Gives a request a URL that Elysia's router can parse, where it has none: without a `Host` Bun's URL is a path, and behind
 * `https:` Elysia looks for the path from the 12th character on, and misses it after hosts of one or two characters. The host
 * becomes `localhost`, which no response shows. A new Request would lose its connection, and with it the client's address.
 */
export function makeRoutable(request: Request, isHttps: boolean): Request {
  const { url } = request;
  const pathAt = url.startsWith('/') ? 0 : isHttps ? url.indexOf('/', 'https://'.length) : -1;
  if (pathAt === -1 || pathAt >= 'https://abc'.length) return request;
  const scheme = isHttps ? 'https' : 'http';
  return Object.defineProperty(request, 'url', { value: `${scheme}://localhost${url.slice(pathAt)}` });
}
