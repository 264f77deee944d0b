import { ServiceError } from '../common/errors.ts';
import { type App, createHttpApp, type ListenerOptions } from './app.ts';
import type { Endpoint, Exchange } from './exchange.ts';
import { healthEndpoints } from './health.ts';
import type { Server } from './snapshot.ts';

/** The application on `--admin-listen`: metrics and health checks without authentication, and endpoints that require an operator. */
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

/** `/metrics` on the listeners of the API: for clients on this machine, and for operators. */
export function metricsEndpoint(server: Server): Endpoint {
  return {
    path: '/metrics',
    access: 'public',
    handle(exchange) {
      if (exchange.isLocal || server.access?.isOperator(exchange.request.headers, server.now())) {
        return metricsResponse(server, exchange);
      }
      throw new ServiceError(
        'UNAUTHORIZED',
        "Metrics are for clients on this machine and for API keys with the role 'operator'",
      );
    },
  };
}

/** The metrics of all workers, in Prometheus text exposition format 0.0.4. */
async function metricsResponse({ metrics }: Server, { requestId }: Exchange): Promise<Response> {
  return new Response(await metrics(), {
    headers: {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
    },
  });
}
