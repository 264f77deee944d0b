import { ServiceError } from '../common/service_error.ts';
import { isTrustedProxy, peerAddress } from '../places/caller_address.ts';
import { isLoopback } from '../places/ip_address.ts';
import { type App, createHttpApp, type ListenerOptions } from './app.ts';
import type { Endpoint, Exchange } from './exchange.ts';
import { healthEndpoints } from './health.ts';
import { hostOf, isLoopbackHost } from './host.ts';
import type { Server } from './snapshot.ts';

/** The application on `--admin-listen`: metrics and health, without authentication, and endpoints that authenticate operators. */
export function createAdminApp(
  server: Server,
  listener: ListenerOptions = {},
  endpoints: readonly Endpoint[] = [],
): App {
  const { observer: _, ...unobserved } = server;
  return createHttpApp(
    { ...unobserved, access: null },
    [
      { path: '/metrics', access: 'public', handle: exchange => metricsResponse(server, exchange) },
      ...healthEndpoints(server),
      ...endpoints,
    ],
    listener,
  );
}

/** `/metrics` beside the API: for clients on this machine, and for operators. */
export function metricsEndpoint(server: Server): Endpoint {
  return {
    path: '/metrics',
    access: 'public',
    handle(exchange) {
      if (isLocal(exchange) || server.access?.isOperator(exchange.request.headers, server.now())) {
        return metricsResponse(server, exchange);
      }
      throw new ServiceError(
        'UNAUTHORIZED',
        "Metrics are for clients on this machine and for API keys with the role 'operator'",
      );
    },
  };
}

/**
 * Whether a request comes from this machine, as its connection tells, and not through a proxy. One that is not known as such shows in
 * the `Host` that it forwards.
 */
function isLocal({ peer, request, snapshot }: Exchange): boolean {
  const isLocalPeer = isLoopback(peerAddress(peer)) && !isTrustedProxy(peer, snapshot.callerTrust);
  return isLocalPeer && isLoopbackHost(hostOf(request));
}

/** `/metrics`: the metrics of all workers, in the text exposition format 0.0.4 of Prometheus. */
async function metricsResponse({ metrics }: Server, { requestId }: Exchange): Promise<Response> {
  return new Response(await metrics(), {
    headers: {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
    },
  });
}
