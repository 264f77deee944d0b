import type { AssetPaths } from '../../clock/server_paths.ts';
import { corsHeaders } from '../../http/cors.ts';
import type { Respond } from '../../http/observe.ts';
import { requestIdOf } from '../../http/request_id.ts';

const HEADERS = {
  ...corsHeaders('*'),
  'Cache-Control': 'public, max-age=3600, stale-while-revalidate=86400',
  // Pages that let nothing in but what allows it (COEP) may have clocks too.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Answers with the files that clocks load, to everybody. They are read at their first request. */
export function createAssetResponder(): (name: keyof AssetPaths) => Respond {
  return name =>
    async ({ request }) => {
      const { assetResponse, ASSET_FILES } = await import('./asset_files.ts');
      const headers = { ...HEADERS, 'X-Request-Id': requestIdOf(request) };
      return assetResponse(request, ASSET_FILES[name], headers);
    };
}
