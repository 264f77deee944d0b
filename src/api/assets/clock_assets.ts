import { ASSET_PATHS, type AssetPaths } from '../../clock/clock_config.ts';
import { onceSettled, whenReady } from '../../common/promises.ts';
import { corsHeaders } from '../../http/cors.ts';
import type { Endpoint } from '../../http/exchange.ts';
import { FIXED } from '../../http/response.ts';
import { representationResponse } from './representation.ts';

const HEADERS = {
  'Cache-Control': FIXED.public,
  // Allows clocks on pages with a cross-origin embedder policy.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // Applies if the files are opened as documents; a page that loads them has its own policy.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

export const loadClockAssets = onceSettled(() => import('./asset_files.ts'));

/** The clock stylesheet and script. */
export function clockAssetEndpoints(): readonly Endpoint[] {
  return (Object.keys(ASSET_PATHS) as (keyof AssetPaths)[]).map(name => ({
    path: ASSET_PATHS[name],
    access: 'public',
    isOpenToAllOrigins: true,
    handle: ({ request, requestId }) =>
      whenReady(loadClockAssets(), ({ ASSET_FILES }) =>
        representationResponse(request, ASSET_FILES[name], {
          ...HEADERS,
          ...corsHeaders('*', request.headers.has('Origin'), true),
          'X-Request-Id': requestId,
        }),
      ),
  }));
}
