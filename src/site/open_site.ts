import { type Representation, representationResponse, representLater } from '../api/assets/representation.ts';
import { requiresKeys } from '../api/description/credentials.ts';
import { describeApi } from '../api/description/openapi.ts';
import { BoundedCache } from '../common/caching.ts';
import type { ServiceError } from '../common/errors.ts';
import { statusOf } from '../http/errors.ts';
import type { ErrorContent, Exchange } from '../http/exchange.ts';
import { perSnapshot, type Server, type Snapshot } from '../http/snapshot.ts';
import { clocksPage } from './clocks_page.tsx';
import { docsPage } from './docs_page.tsx';
import { errorPage } from './error_page.tsx';
import { pageFor, pageWithKey } from './find.ts';
import { ASSETS, type PageInput } from './layout.tsx';
import { mapPage } from './map_page.tsx';
import { openPlanner } from './planner/planner_page.tsx';
import { ERROR_PAGE_POLICY, PAGE_HEADERS, type SitePath, siteHeaders } from './site_paths.ts';
import { startPage } from './start_page.tsx';

export { openZonePages } from './zone/zone_pages.ts';

/** Enough for a list of places. */
const MAX_TYPED = 400;

const HTML = 'text/html; charset=utf-8';

/** Returns a function that serves the API description, the pages and their assets. */
export function openSite(server: Server) {
  const editions = perSnapshot(() => new BoundedCache<string, Edition>(1));
  const planner = openPlanner(server);
  return async (path: SitePath, { request, requestId, snapshot }: Exchange): Promise<Response> => {
    const edition = editions(snapshot).getOrInsertComputed(editionKey(server), () =>
      newEdition(server, snapshot),
    );
    const headers = siteHeaders(path, request, snapshot.corsOrigin);
    const representation =
      path === '/planner'
        ? await representLater(
            await planner(request.url, { snapshot, isKeyed: requiresKeys(server.access) }),
            HTML,
          )
        : await edition(path);
    return representationResponse(request, representation, { ...headers, 'X-Request-Id': requestId });
  };
}

/** Redirects from the text that a visitor entered on the start page to the relevant page. */
export async function findPage(
  { access }: Server,
  { request, requestId, snapshot }: Exchange,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const typed = (query.get('q') ?? '').trim().slice(0, MAX_TYPED);
  const date = query.get('date') ?? '';
  const Location = requiresKeys(access) ? pageWithKey(typed, date) : await pageFor(typed, date, snapshot);
  return new Response(null, {
    status: 303,
    headers: { ...PAGE_HEADERS, Location, 'Cache-Control': 'no-store', 'X-Request-Id': requestId },
  });
}

/** An error as a page. */
export function writeErrorPage(
  { access }: Server,
  error: ServiceError,
  { requestId, snapshot }: Exchange,
): ErrorContent {
  const body = errorPage(error, statusOf(error), requestId, {
    snapshot,
    isKeyed: requiresKeys(access),
  });
  const headers = { ...PAGE_HEADERS, 'Content-Security-Policy': ERROR_PAGE_POLICY, Vary: 'Accept' };
  return { contentType: HTML, body, headers };
}

/** Identifies everything other than the snapshot that pages depend on: whether keys are required, and the signing keys. */
function editionKey({ access, signing }: Server): string {
  return [requiresKeys(access), ...signing.current.published.map(({ kid }) => kid)].join();
}

/** Parts of the site that do not depend on the query. */
type EditionPath = Exclude<SitePath, '/planner'>;

/** Returns a part of the site, which is built when it is first requested. */
type Edition = (path: EditionPath) => Representation | Promise<Representation>;

function newEdition(server: Server, snapshot: Snapshot): Edition {
  const document = onceResolved(() => describeApi(server));
  const page = (render: (input: PageInput) => string | Promise<string>) =>
    onceResolved(async () => {
      const isKeyed = requiresKeys(server.access);
      const html = await render({ document: await document(), snapshot, isKeyed, nowMs: server.now() });
      return representLater(html, HTML);
    });
  const description = onceResolved(async () =>
    representLater(JSON.stringify(await document()), 'application/json'),
  );
  const [start, docs] = [page(startPage), page(docsPage)];
  // The clocks show the time, so their page is built once a second.
  const clocks = new BoundedCache<number, () => Promise<Representation>>(1);
  // Night and offsets change slowly: the map is drawn once a minute.
  const maps = new BoundedCache<number, () => Promise<Representation>>(1);
  const outlines = onceResolved(async () => {
    await snapshot.outlines.load();
    return snapshot.outlines.get();
  });
  const map = () =>
    onceResolved(async () => page(mapPage(await outlines(), (await outlinesFile()).digest))());
  const outlinesFile = onceResolved(async () => representLater((await outlines()).svg, 'image/svg+xml'));
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
      case '/map':
        return maps.getOrInsertComputed(Math.floor(server.now() / 60_000), map)();
      case '/assets/outlines.svg':
        return outlinesFile();
      default:
        return ASSETS[path];
    }
  };
}

/** Memoizes `make`, but calls it again after a failure. */
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
