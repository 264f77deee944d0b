import { quoted, ServiceError } from '../common/service_error.ts';
import { requestIdOf } from './request_id.ts';
import { errorResponse } from './respond.ts';
import type { Services } from './services.ts';

/** Answers a request. */
type Handle = (request: Request) => Response | Promise<Response>;

/**
 * `handle` for requests as they come from the network. A `Host` that is several, or none that could be, is refused
 * (RFC 9112 §3.2). Without one, which HTTP/1.0 allows and the checks of load balancers make use of, or with an empty
 * one, Bun leaves the host out of the URL: it becomes `localhost`. To look costs 0.05 µs.
 */
export function withHost(handle: Handle, services: Services): Handle {
  return request => {
    const host = request.headers.get('Host') ?? '';
    const isUsable = host !== '' && !host.includes(',') && !request.url.startsWith('/');
    if (isUsable) return handle(request);
    if (host !== '') return refuse(request, host, services);
    // A new request would do as well, but the socket knows the peer of this one only.
    const { url } = request;
    if (url.startsWith('/')) Object.defineProperty(request, 'url', { value: `http://localhost${url}` });
    return handle(request);
  };
}

/**
 * `handle` for requests over TLS, where Elysia finds no path behind a host of one or two characters: such a host becomes
 * `localhost`, which no answer shows.
 */
export function withLongHost(handle: Handle): Handle {
  return request => {
    const { url } = request;
    const pathAt = url.indexOf('/', 'https://'.length);
    const isShort = pathAt !== -1 && pathAt < 'https://abc'.length;
    if (isShort) Object.defineProperty(request, 'url', { value: `https://localhost${url.slice(pathAt)}` });
    return handle(request);
  };
}

function refuse(request: Request, host: string, services: Services): Response {
  const error = new ServiceError(
    'INVALID_PARAMETER',
    `Cannot read the header 'Host': ${quoted(host)} is not one host with or without a port`,
  );
  return errorResponse(error, requestIdOf(request), services);
}
