import type { AssetPaths } from '../../clock/clock_config.ts';
import { compressForBrowsers } from './browser_bundles.ts' with { type: 'macro' };
import { type Representation, representFile } from './representation.ts';

/** The files loaded by pages with clocks. */
export const ASSET_FILES: Readonly<Record<keyof AssetPaths, Representation>> = {
  stylesheet: representFile(compressForBrowsers('clock/clock.css'), 'text/css; charset=utf-8'),
  script: representFile(compressForBrowsers('clock/browser/main.ts'), 'text/javascript; charset=utf-8'),
};
