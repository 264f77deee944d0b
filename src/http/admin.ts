import { withDatedHead } from './dated_head.ts';
import { healthResponse, readinessResponse } from './health.ts';
import { metricsResponse } from './metrics_response.ts';
import { requestIdOf } from './request_id.ts';
import { isRead } from './request_method.ts';
import { pathnameOf } from './request_path.ts';
import type { Services } from './services.ts';

/** Answers on the address for administrators: metrics and health, and nothing else. */
export function createAdminHandler(services: Services): (request: Request) => Response | Promise<Response> {
  return withDatedHead(request => {
    const requestId = requestIdOf(request);
    if (!isRead(request)) {
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD', 'X-Request-Id': requestId } });
    }
    switch (pathnameOf(request.url)) {
      case '/metrics':
        return metricsResponse(services, requestId);
      case '/healthz':
        return healthResponse(requestId);
      case '/readyz':
        return readinessResponse(services, requestId);
      default:
        return new Response('Here are /metrics, /healthz and /readyz\n', {
          status: 404,
          headers: { 'X-Request-Id': requestId },
        });
    }
  });
}
