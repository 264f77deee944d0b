import { type Representation, represent, representationResponse } from '../api/assets/representation.ts';
import { requiresKeys } from '../api/description/credentials.ts';
import { describeApi } from '../api/description/openapi.ts';
import { BoundedCache } from '../common/bounded_cache.ts';
import type { Exchange } from '../http/exchange.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { ASSETS } from './assets.ts';
import { clocksPage } from './clocks_page.tsx';
import { docsPage } from './docs_page.tsx';
import type { PageInput } from './layout.tsx';
import { type SitePath, siteHeaders } from './site_paths.ts';
import { startPage } from './start_page.tsx';

/** Returns a function that serves the API description, the pages and their assets. */
export function openSite(server: Server) {
  const editions = perSnapshot(() => new BoundedCache<string, Edition>(1));
  return async (path: SitePath, { request, requestId, snapshot }: Exchange): Promise<Response> => {
    const edition = editions(snapshot).getOrInsertComputed(editionKey(server), () =>
      newEdition(server, snapshot),
    );
    const headers = siteHeaders(path, request, snapshot.corsOrigin);
    return representationResponse(request, await edition(path), { ...headers, 'X-Request-Id': requestId });
  };
}

/** What pages depend on besides the snapshot: whether keys are required, and the signing keys. */
function editionKey({ access, signing }: Server): string {
  return [requiresKeys(access), ...signing.current.published.map(({ kid }) => kid)].join();
}

/** Returns the parts of the site, each built at its first request. */
type Edition = (path: SitePath) => Representation | Promise<Representation>;

function newEdition(server: Server, snapshot: Snapshot): Edition {
  const document = onceResolved(() => describeApi(server));
  const page = (render: (input: PageInput) => string) =>
    onceResolved(async () => {
      const html = render({ document: await document(), snapshot, nowMs: server.now() });
      return represent(html, 'text/html; charset=utf-8');
    });
  const description = onceResolved(async () =>
    represent(JSON.stringify(await document()), 'application/json'),
  );
  const [start, docs] = [page(startPage), page(docsPage)];
  // The clocks show the time, so that their page is built once a second.
  const clocks = new BoundedCache<number, () => Promise<Representation>>(1);
  return path => {
    switch (path) {
      case '/':
        return start();
      case '/docs':
        return docs();
      case '/clocks':
        return clocks.getOrInsertComputed(Math.floor(server.now() / 1000), () => page(clocksPage))();
      case '/openapi.json':
        return description();
      default:
        return ASSETS[path];
    }
  };
}

/** Calls `make` at the first call, and returns its result at every call; calls it again after a failure. */
function onceResolved<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch(cause => {
      made = undefined;
      throw cause;
    });
    return made;
  };
}
