import { quoted, ServiceError } from '../common/errors.ts';
import { isLoopback, readAddress } from '../places/ip_address.ts';

/** The `Host` of a request; '' if it has none, as in HTTP/1.0 and load balancer health checks. */
export function hostOf({ headers }: Request): string {
  return headers.get('Host') ?? '';
}

/** Whether the `Host` of a request is absent or valid (RFC 9112 §3.2): with an invalid one, Bun's URL is only a path. */
export function isValidHost(host: string, { url }: Request): boolean {
  return host === '' || !(host.includes(',') || url.startsWith('/'));
}

/** The error for a request without a valid `Host`, or without an allowed one. */
export function hostError(request: Request): ServiceError {
  const host = hostOf(request);
  if (isValidHost(host, request)) {
    return new ServiceError(
      'HOST_NOT_ALLOWED',
      `This server only accepts requests addressed to its own machine, and ${quoted(host)} is not an allowed host; --allowed-host adds one`,
    );
  }
  return malformedHost(host);
}

function malformedHost(host: string): ServiceError {
  return new ServiceError(
    'INVALID_PARAMETER',
    `Cannot read the header 'Host': ${quoted(host)} is not a single host with an optional port`,
  );
}

/**
 * The origin that a request was sent to; the host of its URL can be that of {@link makeRoutable}. Throws `INVALID_PARAMETER` for a
 * `Host` that is malformed in a way that Bun lets through.
 */
export function originOf(request: Request): string {
  const host = hostOf(request);
  const scheme = request.url.startsWith('https:') ? 'https' : 'http';
  const url = URL.parse(host === '' ? request.url : `${scheme}://${host}`);
  if (url === null) throw malformedHost(host);
  return url.origin;
}

/**
 * Whether a `Host` is a loopback name or address, or absent. A request for any other name may come from a page of another site whose
 * DNS has been rebound to this machine: such a page could read the response.
 */
export function isLoopbackHost(host: string): boolean {
  const name = hostnameOf(host);
  if (name === '' || name === 'localhost' || name.endsWith('.localhost')) return true; // RFC 6761 §6.3
  return isLoopback(readAddress(name.replace(/^\[(.*)\]$/, '$1')));
}

/** Returns a function that allows loopback names and addresses, and the given names, with any port. */
export function hostCheck(names: readonly string[]): (host: string) => boolean {
  return host => isLoopbackHost(host) || names.includes(hostnameOf(host));
}

/** The host without its port and the trailing dot of an absolute name. */
function hostnameOf(host: string): string {
  return host.replace(/\.?(:[0-9]*)?$/, '').toLowerCase();
}

/**
 * Gives a request a URL that Elysia's router can parse, where it has none: without a `Host` Bun's URL is a path, and behind
 * `https:` Elysia looks for the path from the 12th character on, and misses it after hosts of one or two characters. The host
 * becomes `localhost`; {@link originOf} has that of the client. A new Request would lose its connection, and with it the client's
 * address.
 */
export function makeRoutable(request: Request, isHttps: boolean): Request {
  const { url } = request;
  const pathAt = url.startsWith('/') ? 0 : isHttps ? url.indexOf('/', 'https://'.length) : -1;
  if (pathAt === -1 || pathAt >= 'https://abc'.length) return request;
  const scheme = isHttps ? 'https' : 'http';
  return Object.defineProperty(request, 'url', { value: `${scheme}://localhost${url.slice(pathAt)}` });
}
