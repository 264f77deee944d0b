import { compressForBrowsers, encodeFile } from '../api/assets/browser_bundles.ts' with { type: 'macro' };
import { represent, representFile } from '../api/assets/representation.ts';
import icon from './icons/icon.svg' with { type: 'text' };

/** Excludes paths with parameters, whose URLs are unlimited, and `/find`, which only redirects. */
const ROBOTS = 'User-agent: *\nDisallow: /v1/\nDisallow: /api/\nDisallow: /mcp\nDisallow: /find\n';

const SCRIPT = 'text/javascript; charset=utf-8';

/** The stylesheet and script of all pages, the planner's script, icons, and the image for link previews. */
export const ASSETS = {
  '/assets/pages.css': representFile(compressForBrowsers('site/pages.css'), 'text/css; charset=utf-8'),
  '/assets/pages.js': representFile(compressForBrowsers('site/browser/main.ts'), SCRIPT),
  '/assets/planner.js': representFile(compressForBrowsers('site/browser/planner.ts'), SCRIPT),
  '/assets/icon.svg': represent(icon, 'image/svg+xml'),
  '/assets/touch_icon.png': picture(encodeFile('site/icons/touch_icon.png'), 'image/png'),
  '/assets/card.png': picture(encodeFile('site/icons/card.png'), 'image/png'),
  '/favicon.ico': picture(encodeFile('site/icons/favicon.ico'), 'image/x-icon'),
  '/robots.txt': represent(ROBOTS, 'text/plain; charset=utf-8'),
};

/** The URL of an asset in pages. It contains the digest, so that the asset may be cached forever. */
export function assetUrl(path: keyof typeof ASSETS): string {
  return `${path}?v=${ASSETS[path].digest}`;
}

function picture(base64: string, contentType: string) {
  return represent(Uint8Array.fromBase64(base64), contentType);
}
