import { wantsKeys } from '../api/description/credentials.ts';
import type { ApiDocument } from '../api/description/document.ts';
import { describeApi } from '../api/description/openapi.ts';
import { corsHeaders } from '../http/cors.ts';
import { HTML } from '../http/respond.ts';
import type { Services } from '../http/services.ts';
import { ICON, SCRIPT, STYLESHEET } from './assets.ts';
import { clocksPage } from './clocks_page.tsx';
import { docsPage } from './docs_page.tsx';
import { type Representation, represent, representationResponse } from './representation.ts';
import type { SitePath } from './site_paths.ts';
import { startPage } from './start_page.tsx';

/** The API description and the pages of one server. */
export interface Site {
  respond(path: SitePath, request: Request): Promise<Response>;
}

/**
 * Opens the site. Each part is made at its first request, and kept until the services change; the page of clocks for its
 * second.
 */
export function openSite(services: Services): Site {
  let edition: Edition | undefined;
  return {
    async respond(path, request) {
      try {
        if (edition === undefined || !isOf(edition, services)) edition = newEdition(services);
        return representationResponse(request, await edition.get(path), headersOf(path, request, services));
      } catch (error) {
        edition = undefined;
        throw error;
      }
    },
  };
}

/** What is made of the services as they are at one time. */
interface Edition {
  readonly state: readonly unknown[];
  get(path: SitePath): Promise<Representation>;
}

interface Made {
  /** The second since the epoch that a page shows; null where it shows none. */
  readonly second: number | null;
  readonly representation: Promise<Representation>;
}

function newEdition(services: Services): Edition {
  let document: Promise<ApiDocument> | undefined;
  const describe = () => (document ??= describeApi(services));
  const made = new Map<SitePath, Made>();
  return {
    state: stateOf(services),
    get(path) {
      const second = path === '/clocks' ? Math.floor(services.now() / 1000) : null;
      const known = made.get(path);
      if (known !== undefined && known.second === second) return known.representation;
      const representation = make(path, describe, services);
      made.set(path, { second, representation });
      return representation;
    },
  };
}

function isOf({ state }: Edition, services: Services): boolean {
  return stateOf(services).every((value, index) => value === state[index]);
}

/** A reload replaces members, signing keys are rotated, and the first API key closes an open server. */
function stateOf(services: Services): unknown[] {
  const kids = services.signing.current.published.map(({ kid }) => kid).join();
  return [wantsKeys(services.access), kids, ...Object.values(services.places), ...Object.values(services)];
}

async function make(
  path: SitePath,
  describe: () => Promise<ApiDocument>,
  services: Services,
): Promise<Representation> {
  const pageInput = async () => ({
    document: await describe(),
    zones: services.zones.version,
    data: services.embeddedData,
    maxBulk: services.maxBulk,
  });
  switch (path) {
    case '/':
      return represent(startPage(await pageInput()), HTML);
    case '/docs':
      return represent(docsPage(await pageInput()), HTML);
    case '/clocks':
      return represent(clocksPage(await pageInput(), services), HTML);
    case '/openapi.json':
      return represent(JSON.stringify(await describe()), 'application/json');
    case '/assets/pages.css':
      return STYLESHEET;
    case '/assets/pages.js':
      return SCRIPT;
    case '/assets/icon.svg':
      return ICON;
  }
}

/** Nothing but this server is ever asked for anything, and nothing stands in a page that could act by itself. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

function headersOf(path: SitePath, request: Request, services: Services): Record<string, string> {
  // A page names its assets with their digests, so that what it loads never changes; all else is asked for anew.
  const isNamed = path.startsWith('/assets/') && request.url.includes('?v=');
  return {
    ...(path === '/openapi.json' ? corsHeaders(services.corsOrigin) : PAGE_HEADERS),
    'Cache-Control': isNamed ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}
