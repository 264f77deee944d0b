import { bundleForBrowsers } from '../api/assets/browser_bundles.ts' with { type: 'macro' };
import { represent } from '../api/assets/representation.ts';
import icon from './icon.svg' with { type: 'text' };

/** The stylesheet and the script of all pages, and the icon of the browser tab and the page header. */
export const ASSETS = {
  '/assets/pages.css': represent(bundleForBrowsers('site/pages.css'), 'text/css; charset=utf-8'),
  '/assets/pages.js': represent(bundleForBrowsers('site/browser/main.ts'), 'text/javascript; charset=utf-8'),
  '/assets/icon.svg': represent(icon, 'image/svg+xml'),
};

/** The URL of an asset in pages, with its digest, so that it may be cached forever. */
export function assetUrl(path: keyof typeof ASSETS): string {
  return `${path}?v=${ASSETS[path].digest}`;
}
