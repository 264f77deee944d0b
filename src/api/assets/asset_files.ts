import type { AssetPaths } from '../../clock/clock_config.ts';
import type { Coding } from '../../http/negotiation.ts';
import { compressForBrowsers } from './browser_bundles.ts' with { type: 'macro' };
import type { Representation } from './representation.ts';

/** The files that pages with clocks load. */
export const ASSET_FILES: Readonly<Record<keyof AssetPaths, Representation>> = {
  stylesheet: assetFile(compressForBrowsers('clock/clock.css'), 'text/css; charset=utf-8'),
  script: assetFile(compressForBrowsers('clock/browser/main.ts'), 'text/javascript; charset=utf-8'),
};

function assetFile(
  { digest, ...compressed }: Readonly<Record<Coding | 'digest', string>>,
  contentType: string,
): Representation {
  const codings = Object.keys(compressed) as Coding[];
  return {
    contentType,
    digest,
    bodies: new Map(codings.map(coding => [coding, Uint8Array.fromBase64(compressed[coding])])),
    tagOf: coding => (coding === 'identity' ? `"${digest}"` : `"${digest}-${coding}"`),
  };
}
