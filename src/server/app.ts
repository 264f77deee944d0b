import { apiEndpoints } from '../api/routes.ts';
import { metricsEndpoint } from '../http/admin.ts';
import { type App, createHttpApp, type ListenerOptions } from '../http/app.ts';
import { healthEndpoints } from '../http/health.ts';
import type { Server } from '../http/snapshot.ts';
import { siteEndpoints } from '../site/site.ts';

/** Properties of a listener, and whether `/metrics` is served on it. */
export interface AppOptions extends ListenerOptions {
  readonly hasMetrics?: boolean;
}

/** The application that a server serves: API, pages, health and metrics. */
export function createApp(server: Server, { hasMetrics = false, ...listener }: AppOptions = {}): App {
  return createHttpApp(
    server,
    [
      ...apiEndpoints(server),
      ...siteEndpoints(server),
      ...healthEndpoints(server),
      ...(hasMetrics ? [metricsEndpoint(server)] : []),
    ],
    listener,
  );
}
