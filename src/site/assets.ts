import { bundleForBrowsers } from '../api/assets/bundle_for_browsers.ts' with { type: 'macro' };
import icon from './icon.svg' with { type: 'text' };
import { represent } from './representation.ts';

/** The stylesheet of all pages. */
export const STYLESHEET = represent(bundleForBrowsers('site/pages.css'), 'text/css; charset=utf-8');

/** The script of all pages. */
export const SCRIPT = represent(bundleForBrowsers('site/browser/main.ts'), 'text/javascript; charset=utf-8');

/** The icon of the browser's tab, and of the page header. */
export const ICON = represent(icon, 'image/svg+xml');

/** Where a page finds them: with the digest, so that they may be cached for good. */
export const ASSET_URLS = {
  stylesheet: `/assets/pages.css?v=${STYLESHEET.digest}`,
  script: `/assets/pages.js?v=${SCRIPT.digest}`,
  icon: `/assets/icon.svg?v=${ICON.digest}`,
};
