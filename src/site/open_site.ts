import { requiresKeys } from '../api/description/credentials.ts';
import type { ApiDocument } from '../api/description/document.ts';
import { describeApi } from '../api/description/openapi.ts';
import { BoundedCache } from '../common/bounded_cache.ts';
import type { Exchange } from '../http/exchange.ts';
import { perSnapshot, type Server } from '../http/snapshot.ts';
import {
  ICON,
  type Representation,
  represent,
  representationResponse,
  SCRIPT,
  STYLESHEET,
} from './assets.ts';
import { clocksPage } from './clocks_page.tsx';
import { docsPage } from './docs_page.tsx';
import { type SitePath, siteHeaders } from './site_paths.ts';
import { startPage } from './start_page.tsx';

const HTML = 'text/html; charset=utf-8';

/** The API description and the pages of one server. */
export interface Site {
  respond(path: SitePath, exchange: Exchange): Promise<Response>;
}

/** Opens the site. Each part is built at its first request and cached for what it depends on. */
export function openSite(server: Server): Site {
  const editions = perSnapshot(() => new BoundedCache<string, Edition>(1));
  return {
    async respond(path, { request, snapshot }) {
      const cache = editions(snapshot);
      const key = editionKey(server);
      const edition = cache.get(key) ?? newEdition(server);
      cache.set(key, edition);
      return representationResponse(
        request,
        await edition(path),
        siteHeaders(path, request, snapshot.corsOrigin),
      );
    },
  };
}

/** What pages depend on besides the snapshot: whether keys are required, and the signing keys. */
function editionKey({ access, signing }: Server): string {
  return [requiresKeys(access), ...signing.current.published.map(({ kid }) => kid)].join();
}

/** Builds the parts of the site, each once; the page of clocks once a second, since it shows the time. */
type Edition = (path: SitePath) => Promise<Representation>;

function newEdition(server: Server): Edition {
  let document: Promise<ApiDocument> | undefined;
  const describe = () => (document ??= describeApi(server));
  const built = new Map<
    SitePath,
    { readonly second: number | null; readonly part: Promise<Representation> }
  >();
  return path => {
    const second = path === '/clocks' ? Math.floor(server.now() / 1000) : null;
    const known = built.get(path);
    if (known !== undefined && known.second === second) return known.part;
    const part = build(path, describe, server);
    built.set(path, { second, part });
    part.catch(() => {
      document = undefined; // so that the next request tries again
      built.delete(path);
    });
    return part;
  };
}

async function build(
  path: SitePath,
  describe: () => Promise<ApiDocument>,
  server: Server,
): Promise<Representation> {
  const { zones, embeddedData, maxBulk } = server.snapshot();
  const pageInput = async () => ({
    document: await describe(),
    zones: zones.version,
    data: embeddedData,
    maxBulk,
  });
  switch (path) {
    case '/':
      return represent(startPage(await pageInput()), HTML);
    case '/docs':
      return represent(docsPage(await pageInput()), HTML);
    case '/clocks':
      return represent(clocksPage(await pageInput(), server), HTML);
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
