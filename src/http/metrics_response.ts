import { METRICS_CONTENT_TYPE, metricsText } from './metrics.ts';
import type { Services } from './services.ts';

/** `/metrics`: what the whole server, all of its workers, has to tell, in the text format of Prometheus. */
export async function metricsResponse(services: Services, requestId: string): Promise<Response> {
  return new Response(metricsText(await services.metrics()), {
    headers: {
      'Content-Type': METRICS_CONTENT_TYPE,
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
    },
  });
}
