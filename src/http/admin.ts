import { ServiceError } from '../common/service_error.ts';
import type { IpAddress } from '../places/ip_address.ts';
import { type App, createHttpApp } from './app.ts';
import type { Endpoint, Exchange } from './exchange.ts';
import { healthEndpoints } from './health.ts';
import { metricsText } from './metrics.ts';
import type { Server } from './snapshot.ts';

/** The application on `--admin-listen`: metrics and health, without authentication. */
export function createAdminApp(server: Server): App {
  const { observer: _, ...unobserved } = server;
  return createHttpApp({ ...unobserved, access: null }, [
    { path: '/metrics', access: 'public', handle: exchange => metricsResponse(server, exchange) },
    ...healthEndpoints(server),
  ]);
}

/** `/metrics` beside the API: for clients on this machine, and for those with an API key. */
export function metricsEndpoint(server: Server): Endpoint {
  return {
    path: '/metrics',
    access: 'public',
    handle(exchange) {
      const { headers } = exchange.request;
      if (isLoopback(exchange.clientAddress()) || server.access?.isAuthenticated(headers)) {
        return metricsResponse(server, exchange);
      }
      throw new ServiceError(
        'UNAUTHORIZED',
        'Metrics are for clients on this machine and those with an API key',
      );
    },
  };
}

/** Whether an address is one of this machine's loopback addresses. */
export function isLoopback(address: IpAddress | undefined): boolean {
  return address !== undefined && (address.version === 4 ? address.bytes[0] === 127 : address.text === '::1');
}

/** `/metrics`: the metrics of all workers, in the text exposition format 0.0.4 of Prometheus. */
async function metricsResponse({ metrics }: Server, { requestId }: Exchange): Promise<Response> {
  return new Response(metricsText(await metrics()), {
    headers: {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
    },
  });
}
