import { quoted, ServiceError } from '../common/service_error.ts';
import { isLoopback, readAddress } from '../places/ip_address.ts';

/**
 * Whether a request has at most one `Host`, and a valid one (RFC 9112 §3.2): Bun leaves others out of the URL. None at all is
 * valid, as HTTP/1.0 and health checks of load balancers send it. The check takes 0.05 µs.
 */
export function hasValidHost({ headers, url }: Request): boolean {
  const host = headers.get('Host') ?? '';
  return host === '' || !(host.includes(',') || url.startsWith('/'));
}

/** The error for a request without a valid `Host`, or without an allowed one. */
export function hostError(request: Request): ServiceError {
  const host = quoted(request.headers.get('Host') ?? '');
  if (hasValidHost(request)) {
    return new ServiceError(
      'HOST_NOT_ALLOWED',
      `This server is for its own machine, where ${host} is not one of its names; --allowed-host adds one`,
    );
  }
  return new ServiceError(
    'INVALID_PARAMETER',
    `Cannot read the header 'Host': ${host} is not one host with or without a port`,
  );
}

/**
 * Whether a request's `Host` is a loopback name or address, or absent. Under any other name it may come from a page of another site
 * whose DNS has been rebound to this machine: such a page could read the responses.
 */
export function hasLoopbackHost({ headers }: Request): boolean {
  const name = hostnameOf(headers.get('Host') ?? '');
  if (name === '' || name === 'localhost' || name.endsWith('.localhost')) return true; // RFC 6761 §6.3
  return isLoopback(readAddress(name.replace(/^\[(.*)\]$/, '$1')));
}

/** Checks for loopback names and the given ones, without a port; the latest accepted `Host` takes 0.03 µs. */
export function hostCheck(names: readonly string[]): (request: Request) => boolean {
  let latest: string | null = null;
  return request => {
    const host = request.headers.get('Host');
    if (host === latest) return true;
    const isAllowed = hasLoopbackHost(request) || names.includes(hostnameOf(host ?? ''));
    if (isAllowed) latest = host;
    return isAllowed;
  };
}

/** The host without its port and the trailing dot of an absolute name. */
function hostnameOf(host: string): string {
  return host
    .replace(/:[0-9]*$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
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
