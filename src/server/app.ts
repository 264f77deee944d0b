import { loadClockAssets } from '../api/assets/clock_assets.ts';
import { nagerDateEndpoints } from '../api/dialects/nager_date.ts';
import { worldTimeEndpoints } from '../api/dialects/world_time.ts';
import { mcpEndpoint } from '../api/mcp/endpoint.ts';
import { loadDrawing } from '../api/routes/clock.ts';
import { apiEndpoints } from '../api/routes.ts';
import { healthEndpoints, metricsEndpoint } from '../http/admin.ts';
import { type App, createHttpApp, type ListenerOptions } from '../http/app.ts';
import type { Server } from '../http/snapshot.ts';
import { errorPages, loadPages, siteEndpoints } from '../site/site.ts';
import { BUILD } from './build_info.ts';

/** Properties of a listener, and the routes served on it. */
interface AppOptions extends ListenerOptions {
  readonly hasMetrics?: boolean;
  /** Whether to serve `/mcp`. */
  readonly hasMcp?: boolean;
  /** Whether to serve the paths of WorldTimeAPI and Nager.Date. */
  readonly hasDialects?: boolean;
}

/** Loads the code of pages and clocks, which would otherwise be loaded on the first request for one. */
export async function loadCode(): Promise<void> {
  for (const load of [loadDrawing, loadClockAssets, loadPages]) await load();
}

/** The server's application: API, pages, health and metrics. */
export function createApp(
  server: Server,
  { hasMetrics = false, hasMcp = true, hasDialects = true, ...listener }: AppOptions = {},
): App {
  return createHttpApp(
    server,
    [
      ...apiEndpoints(server),
      ...siteEndpoints(server),
      ...healthEndpoints(server),
      ...(hasMcp ? [mcpEndpoint(server, BUILD.version)] : []),
      ...(hasDialects ? [...worldTimeEndpoints(server), ...nagerDateEndpoints(server)] : []),
      ...(hasMetrics ? [metricsEndpoint(server)] : []),
    ],
    { errorPages: errorPages(server), ...listener },
  );
}
